"""Is a motion the same backwards? An involution R of the states with  R f(R x) = -f(x)  turns each motion round.

With x' = f(t, x) and R x = A x + b, R R = 1, the states R x(-t) are a motion wherever x(t) is one if and only if

    f(-t, R x) = -A f(t, x)

on the constraints, which R leaves as they are [lamb1998]. Coordinates that go over into s(q) fix the velocities that
they move with,  E(s(q)) u' = -s'(q) E(q) u :  velocities turn round where coordinates stay. Of the other velocities,
and of multipliers that are states, both signs are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product

import numpy as np
import sympy as sp

from ..argument_checks import mapping, noun, public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import evaluate
from ..calculus.line_width import most
from ..calculus.numerical_rank import sized
from ..equations import Equations
from ..equations.contact_modes import refuse_contacts
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ..geometry.random_states import ConstraintSampler, Values
from ..model.expression_symbols import Reader
from ..model.system import System
from .nonholonomic import nonholonomic

_STATES, _MOST, _FEW = 5, 4096, 2  # random states; maps that are tried; coordinates that change where there are more
_SAME, _REST = 1e-8, 1e-4


@noun
@dataclass(frozen=True)
class Reversibility:
    """Maps of the states that turn every motion round, true if there is one.

    Attributes:
        equations: of the motion.
        involutions: R, each as ``{state: what it goes over into}``; those that change few coordinates first.
        tried: how many maps were tried.
        off: of a map that was given, the largest |f(R x) + A f(x)| over the size of its terms; NaN without one.
    """

    equations: Equations
    involutions: tuple[dict[str, sp.Expr], ...]
    tried: int
    off: float

    def __bool__(self) -> bool:
        return bool(self.involutions)

    def __str__(self) -> str:
        system, many = self.equations.system, "a map that was given" if self.off == self.off else f"{self.tried} maps"
        apart = " between impacts" if system.walls else ""
        if self.involutions:
            verdict = f"reversible{apart}"
        elif self.off == self.off:
            verdict = f"not by this map: off by up to {self.off:.2g} of its terms"
        else:
            verdict = "none of the changes of sign turns all motions round; other maps are not excluded"
        lines = [f"{system.title or 'System'}: {verdict} ({many}, at random states)"]
        lines += [f"  {_shown(R)}" for R in self.involutions]
        return "\n".join(most(lines, 24, "lines: .involutions"))

    __repr__ = __str__


def _shown(R: Mapping[str, sp.Expr]) -> str:
    moved = [f"{name} -> {e}" for name, e in R.items() if e != sp.Symbol(name, real=True)]
    return ", ".join(["t -> -t", *moved])


@public
def reversible(system: System | Equations, involution: Mapping[object, object] | None = None) -> Reversibility:
    """Is there a map that turns every motion round? Of a given one: does it?

    Without a map, changes of sign are tried: of any coordinates (where there are more than 12 of them and of other
    signs that are free, of two at most), with the velocities that follow. Rest stays rest; times change their sign.

    Args:
        system: a system, whose nonholonomic motions are meant, or equations of any principle.
        involution: ``{"y": "-y", "theta": "pi - theta"}``, what states go over into, linear in the states; coordinates
            that are left out stay, velocities that are left out follow from the coordinates.

    Returns:
        A `Reversibility`, which tells of walls that impacts, imperfect ones, are left out of it.

    Raises:
        WrongType: E307, neither a system nor equations; E241, a map that is not given by name.
        UnknownName: E104, a name that is no state or, on the right, no state and no parameter.
        InvalidValue: E139, the system has contacts; E719, a map that is not linear in the states, or not its own
            inverse; E244, too few random states satisfy the constraints, or have a finite Lagrangian.
        TextError: E701 to E717, a text that is no expression.
    """
    if not isinstance(system, System | Equations):
        raise WrongType("E307", f"reversible needs a system or equations, not {as_given(system)}", "da.System(...)")
    equations = system if isinstance(system, Equations) else nonholonomic(system)
    refuse_contacts(equations, "motions in one mode are turned round")
    work = _ReversibleWork(equations)
    return work.sought() if involution is None else work.tested(mapping(involution, "the map", "E241", '{"y": "-y"}'))


@dataclass(frozen=True)
class _Map:
    """R x = A x + b."""

    A: np.ndarray
    b: np.ndarray

    def of(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.A @ x + self.b)


class _ReversibleWork:
    """Some equations at random states."""

    def __init__(self, equations: Equations) -> None:
        self.equations, self.system, space = equations, equations.system, equations.space
        self.lam = [s.name for s in equations.states_of_multipliers]
        self.symbols = (*space, *equations.states_of_multipliers)
        self.names = [s.name for s in self.symbols]
        self.n, self.k = len(space.coordinates), len(space.velocities)
        self.sampler = ConstraintSampler(self.system)
        self.anchor = [[read(e, self.sampler.graph) for e in row] for row in space.anchor.tolist()]
        self.held = [read(e, self.sampler.graph) for e in space.embedding]

    @cached_property
    def states(self) -> list[Values]:
        """On the constraints, with any multipliers."""
        rng, found = np.random.default_rng(11), list(islice(self.sampler.inside(1), _STATES))
        if len(found) < _STATES:
            fact = f"only {len(found)} random states satisfy the constraints and have a finite Lagrangian"
            raise InvalidValue("E244", fact, "give values to all parameters: da.System(..., parameters={...})")
        return [{**state, **{name: float(rng.normal()) for name in self.lam}} for state in found]

    # --- maps --------------------------------------------------------------------------------------------------------

    def sought(self) -> Reversibility:
        """Changes of sign, few first."""
        maps = list(
            islice((R for s in self._signs() for R in self._completed(np.diag(s), np.zeros(self.n), {})), _MOST)
        )
        found = tuple(self._written(R) for R in maps if all(self._off(R, state) <= _SAME for state in self.states))
        return Reversibility(self.equations, found, len(maps), np.nan)

    def _signs(self) -> Iterator[np.ndarray]:
        """Of the coordinates; a quaternion and its opposite are one attitude."""
        first = {a.coordinates[0].name for a in self.equations.space.attitudes.values() if len(a.coordinates) == 4}
        loose = [i for i, name in enumerate(self.names[: self.n]) if name not in first]
        for many in range((len(loose) if 2 ** len(loose) <= _MOST else _FEW) + 1):
            for chosen in combinations(loose, many):
                signs = np.ones(self.n)
                signs[list(chosen)] = -1.0
                yield signs

    def _completed(self, S: np.ndarray, b: np.ndarray, rows: Mapping[int, np.ndarray]) -> Iterator[_Map]:
        """Maps with these coordinates, S q + b, and given rows: E(S q + b) u' = -S E(q) u; both signs of the rest."""
        many, n, k = len(self.names), self.n, self.k
        places = [np.array([state[name] for name in self.names[:n]]) for state in self.states]
        there = np.vstack([self._anchor(S @ q + b, state) for q, state in zip(places, self.states, strict=True)])
        back = np.vstack([-S @ self._anchor(q, state) for q, state in zip(places, self.states, strict=True)])
        B = np.linalg.lstsq(there, back, rcond=None)[0] if n else np.zeros((k, k))
        if np.abs(there @ B - back).max(initial=0.0) > _SAME * (1 + np.abs(back).max(initial=0.0)):
            return
        free = [a for a in range(k) if not there[:, a].any()] + list(range(k, many - n))
        free = [a for a in free if n + a not in rows]
        for signs in product((-1.0, 1.0), repeat=len(free)):
            A = np.zeros((many, many))
            A[:n, :n], A[n : n + k, n : n + k] = S, B
            A[[n + a for a in free], [n + a for a in free]] = signs
            for row, given in rows.items():
                A[row] = given[:-1]
            yield _Map(A, np.array([*b, *(rows[i][-1] if i in rows else 0.0 for i in range(n, many))]))

    def _anchor(self, q: np.ndarray, state: Values) -> np.ndarray:
        values = {**state, **dict(zip(self.names, q, strict=False))}
        flat = evaluate([e for row in self.anchor for e in row], values)
        return np.array(flat, float).reshape(self.n, self.k)

    # --- a map that is given -----------------------------------------------------------------------------------------

    def tested(self, given: Mapping[object, object]) -> Reversibility:
        """Does it turn all motions round, with one of the signs that are left?"""
        rows = self._rows(given)
        S, b = np.eye(self.n), np.zeros(self.n)
        for i, row in rows.items():
            if i < self.n:
                if np.any(row[self.n : -1]):
                    raise InvalidValue("E719", f"{self.names[i]} goes over into velocities", 'coordinates: {"y": "-y"}')
                S[i], b[i] = row[: self.n], row[-1]
        maps = list(self._completed(S, b, {i: row for i, row in rows.items() if i >= self.n}))
        own = [R for R in maps if _is_involution(R)]
        if maps and not own:
            raise InvalidValue("E719", "the map is not its own inverse", 'such as {"y": "-y"}, or {"x": "y", "y": "x"}')
        off = {i: max(self._off(R, state) for state in self.states) for i, R in enumerate(own)}
        found = tuple(self._written(own[i]) for i, size in off.items() if size <= _SAME)
        return Reversibility(self.equations, found, len(maps), min(off.values(), default=np.inf))

    def _rows(self, given: Mapping[object, object]) -> dict[int, np.ndarray]:
        """The rows of A and b that are given, by the place of the state."""
        reader, known, rows = Reader.of(self.system), {*self.names, *self.system.symbols}, {}
        reader.own |= {s.name: s for s in self.equations.states_of_multipliers}
        for key, image in given.items():
            name = str(getattr(key, "name", key))
            if name not in self.names:
                raise UnknownName("E104", f"there is no state {as_given(name)}", did_you_mean(name, self.names))
            e = reader.read(image, f"what {name} goes over into")
            for symbol in sorted(e.free_symbols, key=str):
                if symbol.name not in known:
                    fact = f"what {name} goes over into holds {symbol}"
                    raise UnknownName("E104", fact, did_you_mean(symbol.name, sorted(known)))
            rows[self.names.index(name)] = self._row(name, e)
        return rows

    def _row(self, name: str, e: sp.Expr) -> np.ndarray:
        slopes = [sp.diff(e, s) for s in self.symbols]
        if any(slope.free_symbols & set(self.symbols) for slope in slopes):
            raise InvalidValue("E719", f"{e}, into which {name} goes over, is not linear", 'such as {"y": "-y"}')
        rest = e.xreplace(dict.fromkeys(self.symbols, sp.S.Zero))
        graph, values = self.sampler.graph, self.states[0]
        return np.array(evaluate([read(x, graph) for x in (*slopes, rest)], values), float)

    # --- is it one? --------------------------------------------------------------------------------------------------

    def _off(self, R: _Map, state: Values) -> float:
        """|f(-t, R x) + A f(t, x)| over its terms, or what R x is off the constraints, at a state."""
        x = np.array([state[name] for name in self.names])
        there = {**state, **dict(zip(self.names, R.of(x), strict=True)), TIME.name: -state[TIME.name]}
        values, sizes = sized([*self.sampler.phi, *self.sampler.positions, *self.held], there)
        off = np.abs(values) / np.where(sizes > 0, sizes, 1.0)
        if not np.isfinite(off).all() or off.max(initial=0.0) > _SAME:
            return float(np.nan_to_num(off, nan=np.inf).max())
        here, found = R.A @ self._rates(state), self._rates(there)
        size = np.abs(here) + np.abs(found) + _REST * np.abs(here).max(initial=0.0)
        return float((np.abs(found + here) / np.where(size > 0, size, 1.0)).max())

    def _rates(self, values: Values) -> np.ndarray:
        """f: qdot, udot, lamdot."""
        equations = self.equations
        udot, mu = equations.rows_at(values).accelerations(values)
        qdot = np.array(evaluate(equations.machine.qdot, values), float)
        return np.array([*qdot, *udot, *(mu if self.lam else ())])

    def _written(self, R: _Map) -> dict[str, sp.Expr]:
        """By names."""
        whole = {}
        for name, row, rest in zip(self.names, R.A, R.b, strict=True):
            parts = [_tidy(c) * s for c, s in zip(row, self.symbols, strict=True)]
            whole[name] = sp.Add(*parts, _tidy(rest))
        return whole


def _is_involution(R: _Map) -> bool:
    same = np.eye(len(R.b))
    return bool(np.allclose(R.A @ R.A, same, atol=_SAME) and np.allclose(R.of(R.b), 0, atol=_SAME))


def _tidy(number: float) -> sp.Expr:
    """A whole number where it is one."""
    return sp.Integer(round(number)) if abs(number - round(number)) < _SAME else sp.Float(number)
