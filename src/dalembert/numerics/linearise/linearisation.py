"""The linearised motion about a state, in states that the constraints leave free, with what inputs do to it.

    x' = A x + B w ,   z = C x + D w

x are small changes of independent states of the motion itself, so that no eigenvalue belongs to a constraint. Where the
motion stands still, steadily turns or rests, A says what becomes of them; about another state it is the slope at that
instant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from ...argument_checks import kind, names, noun, overriding, public
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.narrow_places import corners
from ...calculus.numerical_rank import rank_of
from ...calculus.quantity import seconds
from ...equations import Equations
from ...equations.contact_modes import refuse_contacts
from ...equations.input_values import driven_in, with_inputs
from ...equations.nonfinite_values import require, text
from ...equations.start_completion import state_of
from ...errors import InvalidValue, Singular
from ...trajectory import Trajectory, check_times
from ..contacts.change import in_its_mode
from ..node_derivatives import Linearised
from ..relative_equilibria import NOTHING, Steady
from .linear_model import Linear

# --- The tangent of a motion in independent states, at one state or at many together ---------------------------------

AT_A_KINK, BESIDE, SIDES, JUMPS = 1e-12, (1e-7, 1e-9), 16, 1e-3  # how near, how far to look, how often, what is a jump
CLEAR = 1e-3  # how well other states must be said by those a person gave, for these to be the model's
GROWTH = "N141"  # the note that says the growth vector


@dataclass(frozen=True, eq=False)
class TangentModel:
    """Derivatives of rates, of what is held and of outputs, and the states that say all others.

    Attributes:
        equations: of the motion.
        rates: rates of all states and what they must satisfy, on the graph.
        moved: names of the inputs.
        shown: outputs by name; None for the states themselves.
        slopes: the derivatives of rates, of what is held and of outputs, each row by all states and inputs.
        free: positions of the independent states.
    """

    equations: Equations
    rates: Linearised
    moved: tuple[str, ...]
    shown: Mapping[str, Node] | None
    slopes: tuple[list[Node], list[Node], list[Node]]
    free: tuple[int, ...]

    @classmethod
    def of(
        cls,
        equations: Equations,
        values: Mapping[str, float],
        given: Mapping[str, object],
        outputs: str | Sequence[str] | None,
    ) -> TangentModel:
        """At a state, of which some values were given.

        Raises:
            InvalidValue: E187, an input that moves velocities with its rate; E319, a kink.
            Singular: E401, E402 a slope is not finite there.
        """
        moved = tuple(name for name in equations.system.inputs if name in equations.system.symbols)
        for name in moved:
            if name in equations.system.shaping:
                where = equations.system.shaping[name]
                fact = f"the input {name} stands in {where}: the velocities depend on its rate too"
                raise InvalidValue("E187", fact, "make it a coordinate of its own, driven by a force")
        equations = equations.rows_at(values)
        rates = Linearised(equations, dict(values))
        shown = _outputs(equations, rates, outputs)
        by = [rates.graph.symbol(n) for n in (*equations.states, *moved)]
        parts = rates.rates, rates.held, list(shown.values())
        slopes = tuple([e for node in nodes for e in gradient(node, by)] for nodes in parts)
        for flat in slopes:
            require(flat, values, "at the state")
        _refuse_kinks([node for nodes in parts for node in nodes], [e for flat in slopes for e in flat], values)
        n = len(equations.states)
        held = np.array(evaluate(slopes[1], values), float).reshape(-1, len(by))[:, :n]
        own = [i for i, name in enumerate(equations.states) if name in given]
        free = tuple(_independent(held, len(equations.space.coordinates), own))
        return cls(equations, rates, moved, None if outputs is None else shown, slopes, free)  # type: ignore[arg-type]

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the independent states."""
        return tuple(self.equations.states[i] for i in self.free)

    def matrices(self, values: Mapping[str, ArrayLike], count: int) -> tuple[np.ndarray, ...]:
        """A, B, C, D and the drift at so many states, whose values are arrays (count,) or numbers; each (count, ...).

        Raises:
            Singular: E401, a slope is not finite; E404, the constraints say the other states no more.
        """
        free, n = list(self.free), len(self.equations.states)
        F, G, H = (_at(flat, values, count, n + len(self.moved)) for flat in self.slopes)
        if not all(np.isfinite(each).all() for each in (F, G, H)):
            raise Singular("E401", "a slope is not finite on the way", "linearise where the motion is regular")
        Z = np.stack([_completed(held, free) for held in G[:, :, :n]])
        # dy = Z x: the change of all states with that of the free ones
        A, B = F[:, free, :n] @ Z, F[:, free, n:]
        C, D = H[:, :, :n] @ Z, H[:, :, n:]
        if self.shown is None:
            C, D = np.broadcast_to(np.eye(len(free)), A.shape), np.zeros_like(B)
        drift = _at(self.rates.rates, values, count, 1)[:, free, 0]
        return A, B, C, D, drift

    def at(self, values: Mapping[str, ArrayLike]) -> Linear:
        """The model at one state."""
        A, B, C, D, drift = (each[0] for each in self.matrices(values, 1))
        names_of = {q.name for q in self.equations.space.coordinates}
        return Linear(
            A=A,
            B=B,
            C=np.array(C),
            D=D,
            states=self.states,
            inputs=self.moved,
            outputs=self.states if self.shown is None else tuple(self.shown),
            at={name: float(np.asarray(values[name]).flat[0]) for name in self.equations.states},
            units=_units(self.equations, self.states, self.moved),
            drift=drift,
            cyclic=_cyclic(A, self.states, names_of),
            brackets=next((note.text for note in self.equations.notes if note.code == GROWTH), ""),
        )


def _at(flat: Sequence[Node], values: Mapping[str, ArrayLike], count: int, columns: int) -> np.ndarray:
    """Nodes (rows x columns) at states (count, rows, columns)."""
    with np.errstate(all="ignore"):
        found = [np.broadcast_to(np.asarray(each, float), count) for each in evaluate(list(flat), values)]
    return np.array(found, float).reshape(-1, columns, count).transpose(2, 0, 1)


def _cyclic(A: np.ndarray, states: Sequence[str], coordinates: set[str]) -> tuple[str, ...]:
    """Coordinates on which no rate depends but those of others that are such."""
    size = NOTHING * max(1.0, float(np.abs(A).max(initial=0.0)))
    keep = list(range(len(states)))
    while True:
        gone = [i for i in keep if states[i] in coordinates and np.abs(A[keep, i]).max() <= size]
        if not gone:
            return tuple(n for i, n in enumerate(states) if i not in keep)
        keep = [i for i in keep if i not in gone]


def _refuse_kinks(nodes: Sequence[Node], slopes: Sequence[Node], values: Mapping[str, float]) -> None:
    """E319 where rates or slopes jump at the state: on the two sides of |x| at x = 0 there are two models."""
    met = [c for c in corners(nodes) if abs(float(evaluate([c], values)[0])) <= AT_A_KINK]
    if not met:
        return
    every = [*nodes, *slopes]
    (far, _), (near, size) = (_spread(every, values, beside) for beside in BESIDE)
    # a jump is as large from nearer by; all else becomes smaller
    if ((near > JUMPS * (1 + size)) & (near > far / 3)).any():
        told = f"the motion has a kink at this state, where {text(met[0])} = 0: there is no one linear model"
        raise InvalidValue("E319", told, "a state beside it, or a smooth law in place of the kink")


def _spread(nodes: Sequence[Node], values: Mapping[str, float], beside: float) -> tuple[np.ndarray, np.ndarray]:
    """By how much values differ around a state, and their size."""
    rng = np.random.default_rng(0)
    near = {n: v + beside * max(1.0, abs(v)) * rng.uniform(-1, 1, SIDES) for n, v in values.items()}
    found = np.array([np.broadcast_to(np.asarray(e, float), SIDES) for e in evaluate(nodes, near)])
    return np.ptp(found, axis=1), np.abs(found).max(axis=1)


def _outputs(equations: Equations, rates: Linearised, outputs: str | Sequence[str] | None) -> dict[str, Node]:
    """What is looked at, by name."""
    if outputs is None:
        return {}
    texts = names(outputs, "outputs", "E187")
    return {text: read(equations.system.read(text, f"the output {text}"), rates.graph) for text in texts}


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


def _units(equations: Equations, states: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """Units of states and inputs, as far as they are known."""
    system = equations.system
    known = {**{s.name: s for s in equations.space}, **system.symbols}
    told = {name: system.unit(known[name]) for name in (*states, *inputs) if name in known and system.units}
    return {name: unit for name, unit in told.items() if unit}


# --- A linear model along a path: its matrices as functions of time --------------------------------------------------


@noun
@dataclass(frozen=True, eq=False)
class LinearAlong:
    """x' = A(t) x + B(t) w , z = C(t) x + D(t) w along a path, x and w being changes from it.

    Attributes:
        t: times of the path (N,).
        tangent: what it is made of.
        values: of all symbols at times.
    """

    t: np.ndarray
    tangent: TangentModel
    values: Callable[[np.ndarray], Mapping[str, ArrayLike]]

    @property
    def states(self) -> tuple[str, ...]:
        """Names of x, the same at all times."""
        return self.tangent.states

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of w."""
        return self.tangent.moved

    @cached_property
    def _matrices(self) -> tuple[np.ndarray, ...]:
        return self.tangent.matrices(self.values(self.t), len(self.t))

    @property
    def A(self) -> np.ndarray:
        """At the times of the path (N, r, r)."""
        return self._matrices[0]

    @property
    def B(self) -> np.ndarray:
        """At the times of the path (N, r, k)."""
        return self._matrices[1]

    @property
    def C(self) -> np.ndarray:
        """At the times of the path (N, p, r)."""
        return self._matrices[2]

    @property
    def D(self) -> np.ndarray:
        """At the times of the path (N, p, k)."""
        return self._matrices[3]

    def at(self, t: float) -> Linear:
        """The model at a time.

        Raises:
            InvalidValue: E303, outside the path.
        """
        when = check_times([seconds(t, "t", "E303")], float(self.t[0]), float(self.t[-1]))
        return self.tangent.at(self.values(when))

    def __str__(self) -> str:
        lines = [f"linear model along a path, t from {self.t[0]:g} to {self.t[-1]:g}"]
        lines += [f"  states       {', '.join(self.states)}", f"  inputs       {', '.join(self.inputs) or 'none'}"]
        return "\n".join([*lines, "  at(t)        the model at a time; A, B, C, D at the times of the path, .t"])

    __repr__ = __str__


@public
def linearise(
    equations: Equations,
    at: object,
    *,
    inputs: Mapping[str, float | str] | None = None,
    parameters: Mapping[str, object] | None = None,
    outputs: str | Sequence[str] | None = None,
) -> Linear | LinearAlong:
    """The linearised motion about a state, or along a path.

    Args:
        equations: from a principle.
        at: a `Start` or what it is completed from, a row ``path.at(5.0)``, a `Steady` motion; or a whole path.
        inputs: values of the inputs there, each a number; along a path and at a row of one they are those of the path.
        parameters: values that replace those of the start.
        outputs: names of states, or expressions in states, inputs and parameters; by default the model's own states.

    Returns:
        A `Linear` model. Its states are those that were given at the start, where they determine the others, or else
        such that do. Along a path a `LinearAlong`: the same as a function of time, its states the same at all times.

    Raises:
        DalembertError: those of `Equations.start`, E231 and E232 where the state is not on the constraints.
        InvalidValue: E139, contacts along a path, or at a state where their mode changes; E319, a force has a kink
            there.
        InvalidValue: E187, an input stands in a constraint or in the momenta, where its rate counts too.
        Singular: E401, E402 a slope is not finite there.
    """
    equations = kind(Equations, equations, "linearise")
    if isinstance(at, Trajectory):
        refuse_contacts(equations, "along a path linearise is of motions in one mode")
        return _along(equations, at, with_inputs(equations, parameters, inputs), outputs)
    known = with_inputs(equations, parameters, inputs, at)
    state = state_of(equations, at.state if isinstance(at, Steady) else at, known)
    given = state.given
    if equations.system.contacts:
        equations, state = in_its_mode(equations, state, "linearise about")
    values = {**state.parameters, **state.state, TIME.name: state.t}
    return TangentModel.of(equations, values, given, outputs).at(values)


def _along(
    equations: Equations, path: Trajectory, parameters: Mapping[str, object] | None, outputs: str | Sequence[str] | None
) -> LinearAlong:
    """Along a path, whose columns say what the inputs are."""
    row = path.at(float(path.t[0]))
    driven = driven_in(equations, row)
    own = overriding(parameters)
    state = state_of(equations, row, {**driven, **own})
    constants = {n: v for n, v in state.parameters.items() if n not in driven or n in own}
    tangent = TangentModel.of(equations, {**state.parameters, **state.state, TIME.name: state.t}, state.given, outputs)
    moving = [name for name in (*equations.states, *driven) if name not in constants]

    def values(t: np.ndarray) -> dict[str, ArrayLike]:
        found = path.at(t)
        return {**constants, **{name: np.asarray(found[name], float) for name in moving}, TIME.name: t}

    return LinearAlong(np.array(path.t), tangent, values)
