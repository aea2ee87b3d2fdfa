"""What generators do to functions, constraints and forces, and to each other.

A generator moves q with E x(q). The velocities move along,

    delta q^i = E^i_a x^a ,     delta u^a = d/dt x^a + C^a_bc u^b x^c ,

so that d/dt delta q = delta qdot. A symmetry leaves L as it is, and the constraints where they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.exact.exact_rank import in_pieces, solved
from ..calculus.exact.finite_field import Residues, given_exactly
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, tangent
from ..calculus.numerical_rank import rank_of, sized
from ..calculus.plausibility import angles_in
from ..errors import DalembertError, InvalidValue
from ..model.symmetry import Generator
from ..model.system import System
from ..model.wall import NORMAL
from .generators import declared
from .identities import points, vanish
from .random_states import ConstraintSampler, Values

__all__ = ["STATES", "Action", "GeneratorChange", "declared", "refuted"]

STATES = 5
_TRIES, _TOLERANCE = 60, 1e-9


@dataclass(frozen=True)
class GeneratorChange:
    """What a generator changes that a symmetry must not.

    Attributes:
        generator: its name.
        what: ``"L"``, ``"constraint blade"`` or ``"force on vx"``.
        value: the change at a random state.
        size: the size of its terms there.
        term: the term of L, or of the constraint, that changes most.
        at: coordinates and velocities of that state.
    """

    generator: str
    what: str
    value: float
    size: float
    term: sp.Expr
    at: Values

    @property
    def size_in_words(self) -> str:
        """By how much it changes."""
        return f"by {self.value:.3g}" if self.value else "by less than floating point can hold"


def _moved(value: float, shift: float, symbol: sp.Symbol) -> float:
    """value (1 + shift); 0 becomes positive, or negative where its symbol must not be that."""
    if value:
        return value * (1 + shift)
    return -abs(shift) if symbol.is_nonpositive else abs(shift)


class Action:
    """Generators on the graph of a system's constraints.

    Args:
        sampler: the constraints and random states on them.
        generators: fields x^a(q) on the space.
    """

    def __init__(self, sampler: ConstraintSampler, generators: Sequence[Generator]) -> None:
        self.sampler, self.generators = sampler, tuple(generators)
        self.fields = [[read(e, sampler.graph) for e in g.components] for g in self.generators]
        self.open: dict[int, list[str]] = {}  # what it is not decided of whether generators change it
        self.doubts: dict[int, tuple[str, str]] = {}  # what that is and what was tried, where it has pieces

    # --- on functions ----------------------------------------------------------------------------------------------

    def places(self, x: Sequence[Node]) -> list[Node]:
        """delta q = E x."""
        motion = self.sampler.motion
        dq = [motion.zero] * len(motion.q)
        for xa, column in zip(x, motion.columns, strict=True):
            for i, e in column if not xa.is_zero else ():
                dq[i] = dq[i] + e * xa
        return dq

    def shift(self, x: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        """(delta q, delta u) of a field, computed once."""
        key = tuple(xa.index for xa in x)
        if key not in self._shifts:
            self._shifts[key] = self._shift(x)
        return self._shifts[key]

    @cached_property
    def _shifts(self) -> dict[tuple[int, ...], tuple[list[Node], list[Node]]]:
        return {}

    def _shift(self, x: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        motion = self.sampler.motion
        dq = self.places(x)
        # delta u^a = d/dt x^a + C^a_bc u^b x^c
        du = tangent(list(x), motion.q, motion.qdot)
        for (b, c), row in motion.brackets.items():
            area = motion.u[b] * x[c] - motion.u[c] * x[b]
            du = [d + C * area for d, C in zip(du, row, strict=True)]
        return dq, du

    def moved(self, x: Sequence[Node], ys: Sequence[Node]) -> list[Node]:
        """delta y of each function y(t, q, u)."""
        dq, du = self.shift(x)
        return tangent(list(ys), [*self.sampler.motion.q, *self.sampler.motion.u], [*dq, *du])

    def bracket(self, x: Sequence[Node], y: Sequence[Node]) -> list[Node]:
        """[x, y]^c = x y^c - y x^c + C^c_ab x^a y^b."""
        motion = self.sampler.motion
        there, back = (tangent(list(g), motion.q, self.places(f)) for f, g in ((x, y), (y, x)))
        found = [a - b for a, b in zip(there, back, strict=True)]
        for (a, b), row in motion.brackets.items():
            area = x[a] * y[b] - x[b] * y[a]
            found = [f + C * area for f, C in zip(found, row, strict=True)]
        return found

    @cached_property
    def _exact(self) -> Residues:
        """Tells what is 0 identically, whatever it is written with."""
        return Residues(self.sampler.graph, unit=self.sampler.space.unit_vectors)

    # --- on the system ---------------------------------------------------------------------------------------------

    @cached_property
    def states(self) -> list[Values]:
        """Random states on the constraints."""
        return list(islice(self.sampler.inside(11), STATES))

    @cached_property
    def anywhere(self) -> list[Values]:
        """Random states, on the constraints or not."""
        return list(islice(self._free.inside(12), STATES))

    @cached_property
    def _free(self) -> ConstraintSampler:
        free = ConstraintSampler(self.sampler.system, (), self.sampler.algebra)
        free.known = self.sampler.known
        return free

    def at(self, parameters: Values) -> Action:
        """The same generators with other values of some parameters."""
        sampler = copy(self.sampler)
        sampler.known = {**sampler.known, **parameters}
        return Action(sampler, self.generators)

    @cached_property
    def elsewhere(self) -> list[Values]:
        """Random states on the constraints, where the parameters have other values than those given."""
        tries = (self.at(values).states for values in self.moves() if values)
        return next((found for found in tries if found), [])

    def moves(self) -> Iterator[Values]:
        """Other values of all parameters that have one, each near its own and of the same sign."""
        system, rng = self.sampler.system, np.random.default_rng(71)
        moving = {s.name: s for g in self.generators for e in g.components for s in e.free_symbols}
        used = {**moving, **system.symbols}
        known = {name: v for name, v in system.parameters.items() if v is not None and name in used}
        for side in (1, -1, 1, -1):
            yield {n: _moved(v, side * float(rng.uniform(0.1, 0.3)), used[n]) for n, v in known.items()}

    def changes(self, index: int) -> Iterator[GeneratorChange]:
        """What this generator changes: L and walls anywhere, constraints where they hold, forces."""
        system, x = self.sampler.system, self.fields[index]
        yield from self._change(index, {"L": [system.lagrangian]})
        held = {f"constraint {c.name}": [c.given, c.phi] if c.holonomic else [c.phi] for c in system.constraints}
        yield from self._change(index, held, held=True)
        for wall in system.walls:
            given = [wall.guard, *(phi for name, phi in wall.rows.items() if name != NORMAL)]
            yield from self._change(index, {f"wall {wall.name}": given})
        for contact in system.contacts:
            yield from self._change(index, {f"contact {contact.name}": contact.looked_at})
        for u, nodes, Q in zip(system.space.velocities, self.force_changes(x), system.forces, strict=True):
            terms = [Q, *system.forces][: len(nodes)]
            yield from self._nonzero(index, f"force on {u}", nodes, terms)

    def _change(
        self, index: int, rows: Mapping[str, Sequence[sp.Expr]], held: bool = False
    ) -> Iterator[GeneratorChange]:
        """What changes of these rows, by what they are called; moved at once, as the rows of a chain share parts."""
        named = [(what, sp.Add.make_args(e)) for what, some in rows.items() for e in some]
        nodes = [read(term, self.sampler.graph) for _, terms in named for term in terms]
        moved = iter(self.moved(self.fields[index], nodes))
        for what, terms in named:
            yield from self._nonzero(index, what, list(islice(moved, len(terms))), terms, held)

    def _nonzero(
        self, index: int, what: str, nodes: Sequence[Node], terms: Sequence[Any], held: bool = False
    ) -> Iterator[GeneratorChange]:
        """The sum of these nodes at the first state where it does not vanish: where constraints hold, or anywhere."""
        moving = [(node, term) for node, term in zip(nodes, terms, strict=True) if not node.is_zero]
        if not moving:  # most generators leave most terms as they stand: 0 needs no state to be seen
            return
        nodes, terms = zip(*moving, strict=True)
        total = self.sampler.motion.sum(nodes)
        if not self._exact(total.index):  # it is 0 everywhere
            return
        states = self.states if held else self.anywhere
        for values in states:
            parts, sizes = sized(nodes, values)
            size = float(sizes.sum())
            if not abs(parts.sum()) <= _TOLERANCE * size:
                place = {s.name: values[s.name] for s in self.sampler.space}
                worst = terms[int(np.argmax(np.abs(parts)))]
                yield GeneratorChange(self.generators[index].name, what, float(parts.sum()), size, worst, place)
                return
        found = vanish([total], self.sampler if held else self._free, what)
        if found.value is None:
            self.open.setdefault(index, []).append(what)
            if in_pieces([total]):  # 0 in the pieces that were looked at, and perhaps not in others
                self.doubts.setdefault(index, (what, found.reason))
        if found.value is False:  # it is small, or far away
            parts = np.array(evaluate(nodes, found.witness), float)
            place = {s.name: found.witness[s.name] for s in self.sampler.space}
            worst = terms[int(np.argmax(np.abs(parts)))]
            value = float(parts.sum())
            yield GeneratorChange(self.generators[index].name, what, value, abs(value), worst, place)

    def force_changes(self, x: Sequence[Node]) -> list[list[Node]]:
        """Terms of (L_x Q)_a = delta Q_a + Q_b (e_a x^b - C^b_ca x^c) for each a."""
        motion, k = self.sampler.motion, len(self.sampler.motion.u)
        Q = [read(e, self.sampler.graph) for e in self.sampler.system.forces]
        if all(e.is_zero for e in Q):
            return [[motion.zero] for _ in range(k)]
        delta, found = self.moved(x, Q), []
        for a in range(k):
            slopes = tangent(list(x), motion.q, [row[a] for row in motion.anchor])
            turned = [motion.zero] * k
            for (b, c), row in motion.brackets.items():
                # C^e_bc x^b for c = a, and with the other sign for b = a
                factor = x[b] if c == a else -1 * x[c] if b == a else motion.zero
                turned = [t + C * factor for t, C in zip(turned, row, strict=True)]
            found.append([delta[a], *(q * (s - t) for q, s, t in zip(Q, slopes, turned, strict=True))])
        return found

    def gauged(self, F: sp.Expr) -> bool:
        """Does the first generator change L by dF/dt, wherever one looks?"""
        motion, terms = self.sampler.motion, sp.Add.make_args(self.sampler.system.lagrangian)
        moved = self.moved(self.fields[0], [read(term, self.sampler.graph) for term in terms])
        slope = tangent([read(-F, self.sampler.graph)], motion.q, motion.qdot)
        return not any(True for _ in self._nonzero(0, "L", [*moved, *slope], [*terms, F])) and not self.open

    @property
    def symmetric(self) -> bool:
        """Is it shown that L, the constraints and the forces stay as they are?"""
        return not any(True for index in range(len(self.fields)) for _ in self.changes(index)) and not self.open

    def check(self) -> None:
        """Refuse generators that are no symmetry of the system, or no algebra.

        Raises:
            InvalidValue: E122 L, a constraint or a force changes; E123 the generators are not closed under brackets.
        """
        for index, generator in enumerate(self.generators):
            for change in self.changes(index):
                place = ", ".join(f"{name} = {v:.3g}" for name, v in change.at.items())
                raise InvalidValue(
                    "E122",
                    f"generator {generator.name} changes {change.what}: {change.size_in_words} at a random state",
                    f"look at the term {change.term}{self._behind(generator)}, or leave the generator out",
                    f"at {place}",
                    subject=("symmetry", generator.name),
                )
            if index in self.doubts:
                what, tried = self.doubts[index]
                fact = f"whether generator {generator.name} changes {what} is not decided: {tried}"
                remedy = "write it without functions that switch, or leave the generator out"
                raise InvalidValue("E122", fact, remedy, subject=("symmetry", generator.name))
        self.structure  # noqa: B018  (E123)

    def _behind(self, generator: Generator) -> str:
        """Angles and rotations that a turn of a plane leaves where they are, as the option that lets them turn."""
        if not generator.name.startswith("turn "):
            return ""
        system = self.sampler.system
        rates = system.space.frame.anchor * sp.Matrix(generator.components)
        still = {q.name for q, rate in zip(system.space.coordinates, rates, strict=True) if rate == 0}
        angles = angles_in([system.lagrangian, *(c.given for c in system.constraints)]) & still
        turned = [name for name, a in system.space.attitudes.items() if {q.name for q in a.coordinates} <= still]
        found = " ".join([*sorted(angles), *turned])
        return f', let what turns along turn too (headings="{found}")' if found else ""

    @cached_property
    def structure(self) -> np.ndarray:
        """Structure constants f (g, g, g): [X_a, X_b] = f^c_ab X_c, f[a, b, c].

        Raises:
            InvalidValue: E123, a bracket is not a combination of the generators with constant coefficients.
        """
        g = len(self.fields)
        f = np.zeros((g, g, g))
        lies = {(a, b): self.bracket(self.fields[a], self.fields[b]) for a in range(g) for b in range(a)}
        lies = {pair: lie for pair, lie in lies.items() if not all(part.is_zero for part in lie)}
        written = {pair: found for pair, lie in lies.items() if (found := self._written_as(lie)) is not None}
        fitted = self._fitted({pair: lie for pair, lie in lies.items() if pair not in written})
        for (a, b), coefficients in (written | fitted).items():
            f[a, b] = coefficients
            f[b, a] = -f[a, b]
        return f

    def _written_as(self, lie: Sequence[Node]) -> np.ndarray | None:
        """The coefficients (g,) of a field that is a generator or its opposite, term by term; else None."""
        for c, x in enumerate(self.fields):
            for sign in (1.0, -1.0):
                if all((sign * e).index == part.index for e, part in zip(x, lie, strict=True)):
                    return sign * np.eye(len(self.fields))[c]
        return None

    def _fitted(self, lies: Mapping[tuple[int, int], Sequence[Node]]) -> dict[tuple[int, int], np.ndarray]:
        """The coefficients (g,) of brackets as combinations of the generators at random states (E123)."""
        if not lies:
            return {}
        basis = np.vstack([self._values(values) for values in self.anywhere])  # (states k, g)
        amplified = np.abs(basis) @ np.abs(np.linalg.pinv(basis, rcond=1e-10))  # what the fit makes of rounding
        found = {}
        for (a, b), lie in lies.items():
            right, size = np.hstack([sized(lie, values) for values in self.anywhere])
            fit = np.linalg.lstsq(basis, right, rcond=1e-10)[0]
            left = np.abs(basis @ fit - right)
            # what is beside the bracket no more than its rounding is 0
            share = np.abs(basis) * np.abs(fit) > _TOLERANCE * (size + amplified @ size)[:, None]
            found[a, b] = np.where(share.any(axis=0), fit, 0.0)
            if (left > _TOLERANCE * (size + amplified @ size)).any() or self._apart(lie):
                names = self.generators[a].name, self.generators[b].name
                raise InvalidValue(
                    "E123",
                    f"the bracket [{names[1]}, {names[0]}] is not in the span of the generators",
                    "add it as a generator, or leave one of the two out",
                    subject=("symmetry", names[0]),
                )
        return found

    def _apart(self, lie: Sequence[Node]) -> bool:
        """Is a field exactly known, and no combination of the generators with constant coefficients?"""
        here = list(islice(points(self._free), 2 + len(self.fields) // len(lie)))
        A = [[p(x[a].index) for x in self.fields] for p in here for a in range(len(lie))]
        b = [p(e.index) for p in here for e in lie]
        known = bool(here) and all(map(given_exactly, self.sampler.known.values()))
        return known and not any(p.opaque or p.rounded or p.signed for p in here) and solved(A, b) is None

    def _values(self, values: Values) -> np.ndarray:
        """x^a of every generator at a state, (k, g)."""
        flat = evaluate([e for x in self.fields for e in x], values)
        return np.array(flat, float).reshape(len(self.fields), len(self.sampler.motion.u)).T

    def rank(self) -> int:
        """The dimension of the orbits: independent generators at random states."""
        return min((rank_of(self._values(values)) for values in self.anywhere), default=0)


def refuted(system: System) -> DalembertError | None:
    """What speaks against the symmetry that a system declares (E122, E123, or symbols that it does not know)."""
    try:
        if system.symmetry:
            Action(ConstraintSampler(system, algebra=system.algebra), declared(system, None, "symmetry")).check()
    except DalembertError as error:
        return error
    return None
