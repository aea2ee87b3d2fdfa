"""One step of an implicit method, written down on the expression graph and compiled.

A step of size h leads from (t0, q0, u0) to (t0 + h, q1, u1). A method says which unknowns it has, which equations
determine them, and how the new state follows; `Scheme` holds that, `CompiledScheme` its machine code. The old state has
the names of the equations' own symbols.

Compiled functions read ``t = (t0, h)``, ``y = (old state and work, its derivatives and margin, unknowns)`` and
``p = (parameters, ..., energy less work at the start of the run)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ....calculus.algebra import GraphAlgebra
from ....calculus.euler_lagrange import Motion
from ....calculus.frame import TIME
from ....calculus.from_sympy import read
from ....calculus.graph import Node, substitute, symbols, tangent
from ....equations import Equations
from ...machine.compiler import Library
from ...machine.llvm_ir import emit

SIZE, WORK, RATE, REFERENCE = "step:h", "step:work", "step:rate", "step:reference"


class UnknownKind(NamedTuple):
    """Unknowns of one kind: their symbols, first guesses, and whether their last change tells that a step is solved."""

    symbols: list[Node]
    guess: list[Node]
    judged: bool


class StepPhase(NamedTuple):
    """Equations solved together, as many as the unknowns of this phase; a later phase may use the earlier unknowns."""

    unknowns: Sequence[UnknownKind]
    equations: list[Node]


@dataclass(frozen=True)
class Scheme:
    """A method of order 2 on one set of equations.

    Attributes:
        phases: what is solved, one after another.
        state: the new state, all unknowns being known.
        work: the energy supplied during the step, where the method defines it; else it is the trapezoidal rule's.
    """

    phases: tuple[StepPhase, ...]
    state: list[Node]
    work: Node | None = None


class Shift(NamedTuple):
    """New coordinates q1 and what belongs to the middle of the step.

    Attributes:
        q1: new coordinates.
        q: (q0 + q1)/2, retracted where the space has a retraction.
        anchor: E there.
        unknowns: those among q1 that are not given explicitly.
        equations: theirs.
    """

    q1: list[Node]
    q: list[Node]
    anchor: list[list[Node]]
    unknowns: UnknownKind
    equations: list[Node]


@dataclass(frozen=True, eq=False)
class OneStep:
    """The symbols of one step of some equations, and the equations' expressions at other places of it."""

    equations: Equations
    motion: Motion = field(init=False)

    def __post_init__(self) -> None:
        algebra = GraphAlgebra(self.equations.machine.graph)
        object.__setattr__(self, "motion", Motion(self.equations.space.frame, algebra))

    # --- symbols -------------------------------------------------------------------------------------------------

    @property
    def h(self) -> Node:
        """The size of the step."""
        return self.motion.zero.graph.symbol(SIZE)

    @property
    def energy(self) -> Node:
        """The energy that the old state has to have: that at the start of the run and the work done since."""
        graph = self.motion.zero.graph
        return graph.symbol(REFERENCE) + graph.symbol(WORK)

    @property
    def start(self) -> Node:
        """t0."""
        return self.motion.t

    @property
    def middle(self) -> Node:
        """t0 + h/2."""
        return self.motion.t + self.h * 0.5

    @property
    def end(self) -> Node:
        """t0 + h."""
        return self.motion.t + self.h

    @property
    def rates(self) -> list[Node]:
        """d/dt of all states at the beginning of the step."""
        return [self.motion.zero.graph.symbol(f"{RATE}:{i}") for i in range(len(self.equations.states))]

    @property
    def acceleration(self) -> list[Node]:
        """udot at the beginning of the step."""
        n = len(self.motion.q)
        return self.rates[n : n + len(self.motion.u)]

    def unknowns(self, name: str, guess: Sequence[Node], judged: bool = True) -> UnknownKind:
        """New unknowns with these first guesses."""
        graph = self.motion.zero.graph
        return UnknownKind([graph.symbol(f"step:{name}:{i}") for i in range(len(guess))], list(guess), judged)

    def impulses(self, name: str, count: int) -> UnknownKind:
        """New unknowns that are multipliers times h: the rest of the step tells whether it is solved."""
        return self.unknowns(name, [self.motion.zero] * count, judged=False)

    # --- expressions at places -----------------------------------------------------------------------------------

    def at(
        self, entries: Sequence[Node], t: Node, q: Sequence[Node], u: Sequence[Node], lam: Sequence[Node] = ()
    ) -> list[Node]:
        """Expressions in (t, q, u) of the old state, at another time and state."""
        states = [*q, *u, *lam]
        places: dict[str, Node | float] = dict(zip(self.equations.states, states, strict=False))
        return substitute(list(entries), {**places, TIME.name: t})

    def rows_at(
        self,
        rows: Sequence[Sequence[Node]],
        t: Node,
        q: Sequence[Node],
        u: Sequence[Node],
        lam: Sequence[Node] = (),
    ) -> list[list[Node]]:
        """A matrix of expressions of the old state, at another time and state."""
        width = len(rows[0]) if rows else 0
        flat = self.at([e for row in rows for e in row], t, q, u, lam)
        return [flat[i * width : (i + 1) * width] for i in range(len(rows))]

    def retracted(self, q: Sequence[Node]) -> list[Node]:
        """Coordinates moved to the space they live on."""
        graph, space = self.motion.zero.graph, self.equations.space
        places: dict[str, Node | float] = dict(zip((s.name for s in space.coordinates), q, strict=True))
        nearer = substitute([read(e, graph) for e in space.retraction.values()], places)
        moved = {**places, **{s.name: e for s, e in zip(space.retraction, nearer, strict=True)}}
        return [graph.lift(moved[s.name]) for s in space.coordinates]

    def shift(self, v: Sequence[Node], implicit: bool = False) -> Shift:
        """q1 = q0 + h E(q) v with q in the middle; explicit where E does not know the coordinates.

        Args:
            v: velocities of the step.
            implicit: make all of q1 unknowns, and leave their equations to the caller.
        """
        motion, h = self.motion, self.h
        names = {q.key[1] for q in motion.q}
        known = [not implicit and not names & symbols(row) for row in motion.anchor]
        open_ = [i for i, is_known in enumerate(known) if not is_known]
        guess = [motion.q[i] + h * self.rates[i] for i in open_]
        found = self.unknowns("q1", guess)
        q1 = [q + h * self._dot(row, v) for q, row in zip(motion.q, motion.anchor, strict=True)]
        for i, symbol in zip(open_, found.symbols, strict=True):
            q1[i] = symbol
        q = self.retracted([0.5 * (a + b) for a, b in zip(motion.q, q1, strict=True)])
        E = self.rows_at(motion.anchor, self.middle, q, motion.u)
        # q1 - q0 = h E(q) v
        equations = [q1[i] - motion.q[i] - h * self._dot(E[i], v) for i in open_]
        return Shift(q1, q, E, found, [] if implicit else equations)

    def _dot(self, xs: Sequence[Node], ys: Sequence[Node]) -> Node:
        return self.motion.sum(x * y for x, y in zip(xs, ys, strict=True))

    def along(self, rows: Sequence[Sequence[Node]], x: Sequence[Node]) -> list[Node]:
        """rows x."""
        return [self._dot(row, x) for row in rows]

    def across(self, rows: Sequence[Sequence[Node]], x: Sequence[Node], width: int) -> list[Node]:
        """rows^T x, of length `width`."""
        return [self.motion.sum(xi * row[a] for xi, row in zip(x, rows, strict=True)) for a in range(width)]

    # --- the constraints in force --------------------------------------------------------------------------------

    @property
    def kept(self) -> tuple[int, ...]:
        """Positions of the independent constraints."""
        return self.equations.kept

    @property
    def normals(self) -> list[list[Node]]:
        """N of the independent constraints."""
        return [list(self.equations.machine.form.N[r]) for r in self.kept]

    @property
    def residuals(self) -> list[Node]:
        """phi of the independent constraints."""
        return [self.equations.machine.phi[r] for r in self.kept]

    @property
    def held(self) -> list[int]:
        """Which of the independent constraints are given on positions."""
        return [i for i, r in enumerate(self.kept) if r in self.equations.machine.position]

    @property
    def positions(self) -> list[Node]:
        """f of these."""
        return [self.equations.machine.position[self.kept[i]] for i in self.held]


@dataclass(frozen=True)
class CompiledScheme:
    """Machine code of a scheme.

    Attributes:
        library: the code, with functions ``guess``, ``finish`` and for phase i ``residual<i>`` and ``system<i>`` (the
            residuals and then their Jacobian, by rows).
        sizes: how many unknowns each phase has.
        groups: for every unknown the number of its kind, -1 where it is not judged.
        own_work: does ``finish`` add the work?
    """

    library: Library
    sizes: tuple[int, ...]
    groups: tuple[int, ...]
    own_work: bool

    @classmethod
    def of(cls, equations: Equations, scheme: Scheme, parameters: Mapping[str, int]) -> CompiledScheme:
        """Compile a scheme; `parameters` are positions in the vector p, that of `REFERENCE` among them."""
        unknowns = [u for phase in scheme.phases for u in phase.unknowns]
        inputs = _inputs(equations, [s for u in unknowns for s in u.symbols], parameters)
        graph = equations.machine.graph
        work = graph.symbol(WORK) + (scheme.work if scheme.work is not None else 0)
        texts = {
            "guess": emit("guess", [e for u in unknowns for e in u.guess], inputs),
            "finish": emit("finish", [*scheme.state, work], inputs),
        }
        for i, phase in enumerate(scheme.phases):
            residual, columns = phase.equations, [s for u in phase.unknowns for s in u.symbols]
            texts[f"residual{i}"] = emit(f"residual{i}", residual, inputs)
            texts[f"system{i}"] = emit(f"system{i}", [*residual, *_jacobian(residual, columns)], inputs)
        groups = [number if u.judged else -1 for number, u in enumerate(unknowns) for _ in u.symbols]
        sizes = tuple(len(phase.equations) for phase in scheme.phases)
        return cls(Library.compile(texts), sizes, tuple(groups), scheme.work is not None)


def _inputs(
    equations: Equations, unknowns: Sequence[Node], parameters: Mapping[str, int]
) -> Mapping[str, tuple[str, int]]:
    """Where the compiled functions find each symbol."""
    n = len(equations.states)
    inputs = {name: ("y", i) for i, name in enumerate(equations.states)}
    inputs |= {WORK: ("y", n), TIME.name: ("t", 0), SIZE: ("t", 1)}
    inputs |= {f"{RATE}:{i}": ("y", n + 1 + i) for i in range(n)}
    inputs |= {x.key[1]: ("y", 2 * n + 3 + j) for j, x in enumerate(unknowns)}
    return inputs | {name: ("p", j) for name, j in parameters.items()}


def _jacobian(residuals: Sequence[Node], xs: Sequence[Node]) -> list[Node]:
    """d residual/d unknown, by rows."""
    columns = [tangent(list(residuals), [x], [1]) for x in xs]
    return [column[i] for i in range(len(residuals)) for column in columns]
