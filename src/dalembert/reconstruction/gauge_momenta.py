"""Constants of the motion that come from no symmetry: momenta transported along the shape.

Where one velocity h moves the one shape coordinate r, and the momenta p of the other reduced velocities change in
proportion to it,

    dp_a/dt = rdot (M_ab(r) p_b + m_a(r)) ,

they are functions of the shape along every motion, p = Phi(r) c + P(r) with dPhi/dr = M Phi and dP/dr = M P + m, and
c = Phi(r)^-1 (p - P) are constants of the full motion, affine in the velocities [cushman1995 (35)-(36); fasso2008]. m
comes of what L holds that is linear in the velocities. Both are one transport, of (p, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..answer import Answer, all_of
from ..argument_checks import public
from ..calculus.euler_lagrange import Motion
from ..calculus.graph import Node, evaluate, gradient, substitute, symbols
from ..calculus.linear_systems import Factored
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..equations import Start
from ..errors import InvalidValue, WrongType, as_given, kind_of
from ..geometry.identities import MotionNodes, vanish
from ..geometry.impact_invariance import passing
from ..geometry.random_states import ConstraintSampler
from ..geometry.reduction import Reduction
from .full_state import needs_reduction

Size = Callable[[np.ndarray], np.ndarray]
_PER_UNIT, _FEWEST, _MOST = 64, 64, 8192  # points at first
_CLOSER, _ROUNDS = 32, 9  # points and rounds of a closer look: 16^-9 of the first distance is 1e-11 of it
_GROWS = 1e6  # times what it is at the neighbouring points

RTOL, ATOL = 1e-13, 1e-15
MOST = 50_000  # evaluations of M in one transport


@dataclass(frozen=True, eq=False)
class GaugeMomenta:
    """Constants c = Phi(r)^-1 (p - P(r)) of a reduced system with one shape coordinate.

    Attributes:
        shape: the name of r.
        velocities: names of the velocities whose momenta p are transported.
        at: the value of r at which c = p.
        parameters: their values.
        answer: are they constant along every motion, through walls and contacts?
    """

    shape: str
    velocities: tuple[str, ...]
    at: float
    parameters: dict[str, float]
    answer: Answer
    _M: list[Node] = field(repr=False)
    _p: list[Node] = field(repr=False)

    def __call__(self, state: Mapping[str, object]) -> np.ndarray:
        """The constants at a reduced state (or a full one that holds the same names), shape (s,).

        Raises:
            WrongType: E241 no state, E204 a value that is no number.
            InvalidValue: E203 not finite, E230 a value is missing; E124, a start with other parameters, or a pole of
                the transport on the way; E313, the way is too long.
        """
        values = {**self.parameters, **self._state(state)}
        p = np.array([*evaluate(self._p, values), 1.0], float)
        return np.asarray(np.linalg.solve(self._transport(number(values[self.shape], self.shape)), p)[:-1])

    def _state(self, state: object) -> dict[str, float]:
        """The values that are needed."""
        if not isinstance(state, Mapping):
            raise WrongType("E241", f"a state is a start or a mapping, not {kind_of(state)}", "path.at(t)")
        _check_parameters(self.parameters, state.parameters if isinstance(state, Start) else {})
        given = by_name(state, "the state")
        needed = sorted(({self.shape} | symbols(self._p)) - {*self.parameters, "t"})
        missing = [name for name in needed if name not in given]
        if missing:
            raise InvalidValue("E230", f"free: {', '.join(missing)}", "da.reduced_start(reduction, start)")
        return {name: number(given[name], name) for name in needed}

    def transport(self, r: float) -> np.ndarray:
        """Phi (s, s) from `at` to r.

        Raises:
            InvalidValue: E124, a pole of M lies between; E313, it takes too many steps; E203, E204 for r.
        """
        return self._transport(number(r, self.shape))[:-1, :-1]

    def _transport(self, r: float) -> np.ndarray:
        """((Phi, P), (0, 1)) from `at` to r, (s + 1, s + 1)."""
        size = len(self.velocities) + 1
        if r == self.at:
            return np.eye(size)
        self._check_way(r)
        count = iter(range(MOST))

        def derivative(x: float, Phi: np.ndarray) -> np.ndarray:
            if next(count, None) is None:
                fact = f"the transport to {self.shape} = {r:g} takes more than {MOST} evaluations: it has reached {x:g}"
                raise InvalidValue("E313", fact, f"choose `at` nearer to {r:g}")
            return np.asarray((self._rates(x) @ Phi.reshape(size, size)).ravel())

        from scipy.integrate import solve_ivp

        run = solve_ivp(derivative, (self.at, r), np.eye(size).ravel(), "DOP853", rtol=RTOL, atol=ATOL)
        if not run.success:
            raise _pole(self.shape, float(run.t[-1]))
        return np.asarray(run.y[:, -1].reshape(size, size))

    def _rates(self, x: float) -> np.ndarray:
        """((M, m), (0, 0)), (s + 1, s + 1)."""
        s = len(self.velocities)
        entries = np.array(evaluate(self._M, {**self.parameters, self.shape: x}), float).reshape(s, s + 1)
        return np.vstack([entries, np.zeros(s + 1)])

    def _check_way(self, r: float) -> None:
        """Refuse a pole of M between `at` and r (E124)."""

        def size(x: np.ndarray) -> np.ndarray:
            entries = evaluate(self._M, {**self.parameters, self.shape: x})
            return np.max([np.abs(np.broadcast_to(e, x.shape)) for e in entries], axis=0)

        pole = pole_between(size, self.at, r)
        if pole is not None:
            raise _pole(self.shape, pole)

    def __str__(self) -> str:
        of = ", ".join(self.velocities)
        told = f"gauge momenta of {of}, transported along {self.shape} from {self.shape} = {self.at:g}"
        return told if self.answer.value else f"{told}; constant: {self.answer}"

    __repr__ = __str__


def _pole(shape: str, x: float) -> InvalidValue:
    return InvalidValue(
        "E124", f"the transport has a pole at {shape} = {x:.6g}", "choose `at` and states on the same side of it"
    )


def _check_parameters(known: Mapping[str, float], own: Mapping[str, float]) -> None:
    for name, value in known.items():
        if name in own and own[name] != value:
            fact = f"the constants were made with {name} = {value:.10g}, the start has {name} = {own[name]:.10g}"
            raise InvalidValue(
                "E124", fact, f"da.symmetry.gauge_momenta(..., parameters={{{as_given(name)}: {own[name]:.10g}}})"
            )


@public
def gauge_momenta(
    reduction: Reduction, at: float | None = None, parameters: Mapping[Any, Any] | None = None
) -> GaugeMomenta:
    """The transported momenta of a reduced system.

    Args:
        reduction: from `da.reduce`; no constraints left, one shape coordinate.
        at: the shape at which the constants are the momenta themselves; it must be given.
        parameters: values that replace the system's.

    Raises:
        WrongType: E101 no reduction, E204 an `at` that is missing or no number.
        InvalidValue: E203 not finite; E124, the reduced system is not of this kind, with the reason, or `at` is a pole
            of the transport. What was not decided, and what walls change, `GaugeMomenta.answer` says.
    """
    needs_reduction(reduction, "gauge_momenta")
    if at is None:
        fact = "at is missing: the value of the shape at which the constants are the momenta themselves"
        raise WrongType("E204", fact, "da.symmetry.gauge_momenta(reduction, at=0.5)")
    at = number(at, "at")
    system = reduction.system
    space = system.space
    if system.constraints or len(space.coordinates) != 1:
        raise InvalidValue(
            "E124",
            "gauge momenta need a reduced system with one shape coordinate and no constraints",
            "declare more of the symmetry, then da.symmetry.gauge_momenta(da.reduce(system), ...)",
        )
    values, sampler = system.values(parameters), ConstraintSampler(system, ())
    sampler.known, motion = values, sampler.motion
    movers = [a for a in range(len(space.velocities)) if space.anchor[0, a] != 0]
    if len(movers) != 1:
        raise InvalidValue("E124", f"{len(movers)} velocities move the shape", "choose velocities of which one does")
    h = movers[0]
    others = [a for a in range(len(motion.u)) if a != h]
    L = motion.algebra.read(system.lagrangian)
    p = gradient(L, motion.u)
    # dp_a/dt = -C^c_ab u^b p_c + Q_a: no slope of L along directions that leave the shape alone
    Q = [motion.algebra.read(e) for e in system.forces]
    curved = motion.curvatures(p)
    rates = [Q[a] - curved[a] for a in others]
    p = [p[a] for a in others]
    M, slack = _affine(motion, rates, p, h, others)
    answer = _answer(sampler, M, slack, p)
    names = tuple(space.velocities[a].name for a in others)
    found = GaugeMomenta(space.coordinates[0].name, names, at, values, answer, M, p)
    if not np.isfinite(found._rates(at)).all():
        raise _pole(found.shape, at)
    return found


def _answer(sampler: ConstraintSampler, M: list[Node], slack: list[Node], p: list[Node]) -> Answer:
    """Is nothing left over, does nothing depend on the time, and do walls and contacts leave the momenta alone?

    Raises:
        InvalidValue: E124, no constants result.
    """
    left = vanish(slack, sampler, "what is left over")
    if left.value is False:
        fact = f"the momenta do not change in proportion to themselves and to the shape's rate: {left.reason}"
        raise InvalidValue("E124", fact, "da.symmetry.noether(system) looks for constants of other kinds")
    moving = [sampler.motion.t, *(sampler.graph.symbol(name) for name in sampler.system.inputs)]
    still = vanish((e for row in (*M, *p) for e in gradient(row, moving)), sampler, "their slope in time or an input")
    if still.value is False:
        fact = f"the momenta or their rates depend on the time or on an input: {still.reason}"
        raise InvalidValue("E124", fact, "take the time out of the system")
    flow = MotionNodes.of(sampler, ())
    return all_of(passing(all_of([left, still]), flow, each)[0] for each in p)


def _affine(
    motion: Motion, rates: list[Node], p: list[Node], h: int, others: list[int]
) -> tuple[list[Node], list[Node]]:
    """(M, m) row by row with rates = rdot (M p + m), and what of the rates it leaves over."""
    s, u = len(others), motion.u
    rho = motion.anchor[0][h]
    n = [gradient(rate, [u[h]])[0] for rate in rates]
    # b_ab = d^2 rate_a / du_h du_b ,  G_ab = dp_a/du_b
    b = [gradient(e, [u[c] for c in others]) for e in n]
    G = [gradient(pa, [u[c] for c in others]) for pa in p]
    inverse = _inverse(motion, G)
    M = [[motion.sum(b[i][k] * inverse[k][j] for k in range(s)) / rho for j in range(s)] for i in range(s)]
    # rate_a = rdot (M p + m)_a: at other velocities 0
    still = {name: motion.zero for name in symbols(u)}
    m = substitute([n[i] / rho - motion.sum(M[i][j] * p[j] for j in range(s)) for i in range(s)], still)
    M = [substitute(row, still) for row in M]
    rdot = rho * u[h]
    slack = [
        rate - rdot * (motion.sum(e * pj for e, pj in zip(row, p, strict=True)) + mi)
        for rate, row, mi in zip(rates, M, m, strict=True)
    ]
    return [e for row, mi in zip(M, m, strict=True) for e in (*row, mi)], slack


def _inverse(motion: Motion, G: list[list[Node]]) -> list[list[Node]]:
    factored = Factored.of(G)
    columns = [factored.solve([motion.one if i == j else motion.zero for i in range(len(G))]) for j in range(len(G))]
    return [[columns[j][i] for j in range(len(G))] for i in range(len(G))]


# --- poles of a function between two places ---------------------------------------------------------------------------


def pole_between(size: Size, a: float, b: float) -> float | None:
    """The first place from a to b at which `size` (of many places at once) is infinite, or None."""
    count = int(np.clip(_PER_UNIT * abs(b - a), _FEWEST, _MOST))
    x = np.linspace(a, b, count + 1)
    values = _sizes(size, x)
    peaks = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])) + 1
    for i in [0, *peaks, count]:
        sides = [k for k in (i - 1, i + 1) if 0 <= k <= count]
        place, height = _highest(size, x[max(i - 1, 0)], x[min(i + 1, count)])
        if np.isinf(height) or height > _GROWS * max(1 / abs(b - a), *values[sides]):
            return place
    return None


def _sizes(size: Size, x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(found := size(x)), found, np.inf)


def _highest(size: Size, a: float, b: float) -> tuple[float, float]:
    """The highest place in an interval, looked at closer and closer, and the size there."""
    for _ in range(_ROUNDS):
        x = np.linspace(a, b, _CLOSER + 1)
        values = _sizes(size, x)
        i = int(np.argmax(values))
        if np.isinf(values[i]):
            break
        a, b = float(x[max(i - 1, 0)]), float(x[min(i + 1, _CLOSER)])
    return float(x[i]), float(values[i])
