"""The linearised motion about a state, in states that the constraints leave free, with what inputs do to it.

    x' = A x + B w ,   z = C x + D w

x are small changes of independent states of the motion itself, so that no eigenvalue belongs to a constraint. Where the
motion stands still, steadily turns or rests, A says what becomes of them; about another state it is the slope at that
instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.rank import RANK_TOLERANCE, rank_of
from ..calculus.read import read
from ..equations import Equations
from ..equations.complete import state_of
from ..equations.finite import require
from ..equations.steering import with_inputs
from ..errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..given import kind, names, noun, public
from .linearised import Linearised
from .steady import NOTHING, Steady

if TYPE_CHECKING:
    from scipy.signal import StateSpace

CLEAR = 1e-3  # how well other states must be said by those a person gave, for these to be the model's


@noun
@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model.

    Attributes:
        A, B, C, D: x' = A x + B w, z = C x + D w: (r, r), (r, k), (p, r), (p, k).
        states: names of the independent states x.
        inputs: names of w.
        outputs: names of z.
        at: the state about which it is, all states by name.
        units: of states and inputs, as far as they are known.
        drift: x' at this state itself (r,); 0 where it rests.
        cyclic: coordinates on which no rate of the others depends: zeros of A that a symmetry makes.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    at: Mapping[str, float]
    units: Mapping[str, str]
    drift: np.ndarray
    cyclic: tuple[str, ...] = ()

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of A, growing ones first."""
        return _sorted(np.linalg.eigvals(self.A))

    @cached_property
    def modes(self) -> np.ndarray:
        """The other eigenvalues: of what remains when the cyclic states are left out."""
        return _sorted(np.linalg.eigvals(self.without(*self.cyclic).A))

    def without(self, *left_out: str) -> Linear:
        """The model of fewer states; what is left must not depend on those that go.

        Raises:
            UnknownName: E187, a name that is no state of the model.
            InvalidValue: E187, a rate of what is left depends on them.
        """
        for name in left_out:
            if name not in self.states:
                raise UnknownName("E187", f"the model has no state {as_given(name)}", did_you_mean(name, self.states))
        keep = [i for i, n in enumerate(self.states) if n not in left_out]
        gone = [i for i, n in enumerate(self.states) if n in left_out]
        coupled = np.abs(self.A[np.ix_(keep, gone)]).max(initial=0.0)
        if coupled > NOTHING * max(1.0, float(np.abs(self.A).max(initial=0.0))):
            fact = f"rates of the other states depend on {', '.join(left_out)}"
            raise InvalidValue("E187", fact, f"of these may go: {', '.join(self.cyclic) or 'none'}")
        rows = [i for i, n in enumerate(self.outputs) if n not in left_out]
        return Linear(
            A=self.A[np.ix_(keep, keep)],
            B=self.B[keep],
            C=self.C[np.ix_(rows, keep)],
            D=self.D[rows],
            states=tuple(self.states[i] for i in keep),
            inputs=self.inputs,
            outputs=tuple(self.outputs[i] for i in rows),
            at=self.at,
            units=self.units,
            drift=self.drift[keep],
            cyclic=tuple(n for n in self.cyclic if n not in left_out),
        )

    @property
    def controllable(self) -> int:
        """How many directions of x the inputs reach."""
        return _reached(self.A, self.B)

    @property
    def observable(self) -> int:
        """How many directions of x the outputs tell apart."""
        return _reached(self.A.T, self.C.T)

    def to_scipy(self) -> StateSpace:
        """`scipy.signal.StateSpace` of A, B, C, D."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in self.at.items())
        lines = [f"linear model of {len(self.states)} states, {len(self.inputs)} inputs", f"  about        {where}"]
        lines += [f"  states       {', '.join(self.states)}", f"  inputs       {', '.join(self.inputs) or 'none'}"]
        shown = ", ".join(f"{e.real:.4g}{e.imag:+.4g}i" if e.imag else f"{e.real:.4g}" for e in self.modes)
        lines.append(f"  modes        {shown or 'none'}")
        lines.append(f"  cyclic       {', '.join(self.cyclic) or 'none'}")
        if self.inputs:
            lines.append(f"  controllable {self.controllable} of {len(self.states)}")
        if np.abs(self.drift).max(initial=0.0) > NOTHING:
            lines.append("  the motion moves on from this state: a slope at an instant where more than this changes")
        return "\n".join(lines)

    __repr__ = __str__


@public
def linearise(
    equations: Equations,
    at: object,
    *,
    inputs: Mapping[str, float | str] | None = None,
    parameters: Mapping[str, object] | None = None,
    outputs: str | Sequence[str] | None = None,
) -> Linear:
    """The linearised motion about a state.

    Args:
        equations: from a principle.
        at: a `Start` or what it is completed from, a row ``path.at(5.0)``, or a `Steady` motion.
        inputs: values of the inputs there, each a number.
        parameters: values that replace those of the start.
        outputs: names of states, or expressions in states, inputs and parameters; by default the model's own states.

    Returns:
        A `Linear` model. Its states are those that were given at the start, where they determine the others, or else
        such that do.

    Raises:
        DalembertError: those of `Equations.start`, E231 and E232 where the state is not on the constraints.
        InvalidValue: E187, an input stands in a constraint or in the momenta, where its rate counts too.
        Singular: E401, E402 a slope is not finite there.
    """
    equations = kind(Equations, equations, "linearise")
    state = state_of(equations, at.state if isinstance(at, Steady) else at, with_inputs(equations, parameters, inputs))
    moved = [name for name in equations.system.inputs if name in equations.system.symbols]
    for name in moved:
        if name in equations.system.shaping:
            fact = f"the input {name} stands in {equations.system.shaping[name]}: the velocities depend on its rate too"
            raise InvalidValue("E187", fact, "make it a coordinate of its own, driven by a force")
    values = {**state.parameters, **state.state, TIME.name: state.t}
    equations = equations.rows_at(values)
    rates = Linearised(equations, state.parameters)
    y = [rates.graph.symbol(n) for n in equations.states]
    w = [rates.graph.symbol(n) for n in moved]
    shown = _outputs(equations, rates, outputs)
    F, G, H = (_slopes(nodes, [*y, *w], values) for nodes in (rates.rates, rates.held, list(shown.values())))
    n = len(y)
    held = G[:, :n]
    given = [i for i, name in enumerate(equations.states) if name in state.given]
    free = _independent(held, len(equations.space.coordinates), given)
    Z = _completed(held, free)
    # dy = Z x: the change of all states with that of the free ones
    A, B, C, D = F[free, :n] @ Z, F[free, n:], H[:, :n] @ Z, H[:, n:]
    own = tuple(equations.states[i] for i in free)
    if outputs is None:
        C, D, shown = np.eye(len(free)), np.zeros((len(free), len(w))), dict.fromkeys(own)  # type: ignore[assignment]
    drift = np.array(evaluate(rates.rates, values), float)[free]
    cyclic = _cyclic(A, own, {q.name for q in equations.space.coordinates})
    units = _units(equations, own, moved)
    return Linear(A, B, C, D, own, tuple(moved), tuple(shown), dict(state.state), units, drift, cyclic)


def _cyclic(A: np.ndarray, states: Sequence[str], coordinates: set[str]) -> tuple[str, ...]:
    """Coordinates on which no rate depends but those of others that are such."""
    size = NOTHING * max(1.0, float(np.abs(A).max(initial=0.0)))
    keep = list(range(len(states)))
    while True:
        gone = [i for i in keep if states[i] in coordinates and np.abs(A[keep, i]).max() <= size]
        if not gone:
            return tuple(n for i, n in enumerate(states) if i not in keep)
        keep = [i for i in keep if i not in gone]


def _outputs(equations: Equations, rates: Linearised, outputs: str | Sequence[str] | None) -> dict[str, Node]:
    """What is looked at, by name."""
    if outputs is None:
        return {}
    texts = names(outputs, "outputs", "E187")
    return {text: read(equations.system.read(text, f"the output {text}"), rates.graph) for text in texts}


def _slopes(nodes: Sequence[Node], by: Sequence[Node], values: Mapping[str, float]) -> np.ndarray:
    """Derivatives of nodes (rows) by symbols (columns)."""
    flat = [e for node in nodes for e in gradient(node, by)]
    require(flat, values, "at the state")
    return np.array(evaluate(flat, values), float).reshape(-1, len(by))


def _independent(held: np.ndarray, coordinates: int, given: Sequence[int]) -> list[int]:
    """Positions of states that say all others: where they can be, coordinates as many as relations between positions
    leave free, and those that a person gave.
    """
    n = held.shape[1]
    still = ~held[:, coordinates:].any(axis=1)
    places = _dependent(held[still, :coordinates], given)
    speeds = [coordinates + i for i in _dependent(held[~still, coordinates:], [i - coordinates for i in given])]
    others = [*places, *speeds] if len(places) + len(speeds) == rank_of(held) else _dependent(held, given)
    return [i for i in range(n) if i not in others]


def _dependent(rows: np.ndarray, given: Sequence[int]) -> list[int]:
    """Positions of columns by which the rows can be solved, those that were given the last."""
    if not rows.size:
        return []
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    weight = np.array([CLEAR if i in given else 1.0 for i in range(rows.shape[1])])
    order = scipy.linalg.qr(rows / np.where(length > 0, length, 1.0) * weight, pivoting=True, mode="r")[1]
    return [int(i) for i in order[: rank_of(rows)]]


def _completed(held: np.ndarray, free: Sequence[int]) -> np.ndarray:
    """Z (n, r) with held Z = 0 and the unit matrix in the rows that are free."""
    n = held.shape[1]
    others = [i for i in range(n) if i not in free]
    Z = np.zeros((n, len(free)))
    Z[free, range(len(free))] = 1.0
    if others:
        # held_o Z_o + held_f = 0
        Z[others] = -np.linalg.lstsq(held[:, others], held[:, free], rcond=None)[0]
    return Z


def _reached(A: np.ndarray, B: np.ndarray) -> int:
    """The dimension of the span of B, A B, A^2 B, ...: directions are added and made orthonormal step by step."""
    V = _basis(B)
    while 0 < V.shape[1] < len(A):
        more = _basis(np.column_stack([V, A @ V / max(1.0, float(np.linalg.norm(A, 2)))]))
        if more.shape[1] == V.shape[1]:
            break
        V = more
    return int(V.shape[1])


def _basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns of the span of columns."""
    length = np.linalg.norm(X, axis=0)
    X = X[:, length > RANK_TOLERANCE * max(float(length.max(initial=0.0)), 1e-300)]
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return np.asarray(U[:, s > RANK_TOLERANCE * max(float(s.max(initial=0.0)), 1e-300)])


def _sorted(found: np.ndarray) -> np.ndarray:
    return np.asarray(found[np.lexsort((-found.imag, -found.real))])


def _units(equations: Equations, states: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """Units of states and inputs, as far as they are known."""
    system = equations.system
    known = {**{s.name: s for s in equations.space}, **system.symbols}
    told = {name: system.unit(known[name]) for name in (*states, *inputs) if name in known and system.units}
    return {name: unit for name, unit in told.items() if unit}
