"""Do motions under a stronger and stronger penalty tend to the motion under a principle, and how fast?

The penalised motions start with the positions and momenta of the limit motion:

    dL_s/du (q0, u) = dL*/du (q0, u0, lam0)

For a viscous penalty that is u = u0. For an inertial one, L_s = L + s/2 |phi|^2, it is the slip phi = -lam0/s (but for
terms of order 1/s^2) that lam(0) = lam0 needs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import function, overriding, public, seconds
from ..comparison import Limit
from ..equations import Equations, Start
from ..equations.start import by_name_of
from ..equations.start_completion import one_of_many
from ..errors import InvalidValue, WrongType, as_given, kind_of
from ..numerics.policy import Policy
from ..numerics.run.simulate import simulate
from ..trajectory import Trajectory, check_times
from .compare import Ruler, doubt, equations_of, named_refusal, table

TOO_STRONG = 1e16  # of numbers of order 1, beyond which nothing of the motion is left in floating point

STRENGTHS = (1e2, 1e3, 1e4, 1e5, 1e6, 1e7)
SAME_ORDER = 0.05  # orders of successive strengths that differ by less belong to one range
MAX_STEPS = 1_000_000  # at one strength, unless told otherwise: some penalties swing ever faster
ROUNDED = 10  # times the tolerance of a step: what two runs of one motion may differ by
STIFF = 1e5  # decay rate times the length of the run from which the implicit method is worth its price
NUDGE = 1e-6  # of the start's size: the step of the differences for a decay rate

Penalty = Callable[[Any, str], Any]


@public
def limit(
    system: Any,
    penalty: Penalty,
    principle: Callable[[Any], Equations],
    *,
    start: Mapping[Any, Any],
    until: float,
    strengths: Sequence[float] = STRENGTHS,
    times: object = None,
    parameters: Mapping[Any, Any] | None = None,
    **options: Any,
) -> Limit:
    """Run a penalised system at rising strength, and measure its distance to the motion under a principle.

    Args:
        system: the system with its constraints.
        penalty: (system, name of the strength) -> system, such as `penalties.viscous`; `functools.partial` chooses some
            of the constraints, and the others stay imposed under the principle.
        principle: whose motion is expected as the limit; `nonholonomic` for a viscous, `vakonomic` for an inertial
            penalty.
        start: a start of the principle, by name, multipliers that are states included.
        until: the time at which to end.
        strengths: rising, at least three.
        times: where errors are taken; by default ten, evenly spaced, without the start. They should lie behind the
            boundary layer, in which a viscous penalty builds its force up: a few times 1/(strength N W^-1 N^T).
        parameters: values that replace the system's.
        options: those of `simulate`. Without ``method``, the stiff one is used where motions decay fast; without
            ``max_steps``, a run takes no more than 10^6.

    The penalised motions start with the positions and the momenta of the limit motion, dL_s/du = dL*/du: with its
    velocities under a viscous penalty; under an inertial one with the slip phi = -lam(0)/strength that lam(0) needs.

    Returns:
        A `Limit`: errors in coordinates and velocities, and the order p of error ~ strength^-p by regression over the
        longest range of strengths whose successive orders agree within 0.05.

    Raises:
        InvalidValue: E307 strengths or options that make no study, E303 times, E2xx the start.
    """
    values = _strengths(strengths)
    if wrong := {"events", "samples", "dense"} & set(options):
        raise InvalidValue(
            "E307", f"limit has no option {as_given(sorted(wrong)[0])}", "leave it out: whole paths are needed"
        )
    exact = equations_of(system, principle)
    taken = {*system.space.by_name, *system.symbols, *system.parameters}
    name = next(n for n in ("strength", *(f"strength_{i}" for i in range(2, 10_000))) if n not in taken)
    strong = equations_of(function(penalty, "a penalty", "system, strength")(system, name), principle)
    begin = named_refusal(exact.principle, lambda: _start(exact, start, parameters))
    until = seconds(until, "until")
    reference = simulate(exact, begin, until=until, **{k: v for k, v in options.items() if k != "method"})
    t = _times(times, begin.t, until)
    starts = [matched(exact, begin, strong, {**begin.parameters, name: s}) for s in values]
    options = {"method": _method(strong, starts[-1], until - begin.t), "max_steps": MAX_STEPS, **options}
    paths = tuple(simulate(strong, s, until=until, **options) for s in starts)
    found = _limit(exact, _title(penalty), begin, values, t, reference, paths)
    policy = Policy.of(options)
    return found if policy.method.fixed else replace(found, accuracy=ROUNDED * policy.rtol)


def _limit(
    exact: Equations,
    penalty: str,
    begin: Start,
    strengths: np.ndarray,
    t: np.ndarray,
    reference: Trajectory,
    paths: tuple[Trajectory, ...],
) -> Limit:
    """Distances, orders and doubts."""
    columns = tuple(exact.space.by_name)
    whole = table(reference, reference.t, columns)
    ruler = Ruler.of(exact.space, begin, [whole], columns)
    differences = np.array([_difference(path, reference, t, ruler) for path in paths])
    distances = ruler.distance(differences)
    orders = successive_orders(strengths, distances.max(axis=1))
    asymptotic = asymptotic_range(orders)
    runs = [(exact.principle, reference), *((f"strength {s:.3g}", p) for s, p in zip(strengths, paths, strict=True))]
    return Limit(
        title=exact.system.title,
        penalty=penalty,
        principle=exact.principle,
        strengths=strengths,
        times=t,
        columns=columns,
        scales=dict(zip(columns, map(float, ruler.sizes), strict=True)),
        differences=differences,
        distances=distances,
        reference=reference,
        paths=paths,
        orders=orders,
        asymptotic=asymptotic,
        order=regression(strengths[asymptotic], distances.max(axis=1)[asymptotic]),
        doubts=tuple(doubt(label, path) for label, path in runs if not path.ok),
    )


def _difference(path: Trajectory, reference: Trajectory, t: np.ndarray, ruler: Ruler) -> np.ndarray:
    """Raw differences (T, k) to the reference, NaN where one of the two has ended."""
    found = np.full((len(t), len(ruler.columns)), np.nan)
    inside = t <= min(path.t[-1], reference.t[-1])
    one, other = (table(p, t[inside], ruler.columns) for p in (reference, path))
    found[inside] = ruler.difference(one, other)
    return found


# --- the order -------------------------------------------------------------------------------------------------------


def successive_orders(strengths: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """-d log error/d log strength from one strength to the next, (S - 1,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.diff(np.log(errors)) / np.diff(np.log(strengths)))


def asymptotic_range(orders: np.ndarray) -> np.ndarray:
    """Which strengths (S,) lie in the longest range, of three at least, whose successive orders agree.

    Of two ranges of one length the one of higher order is taken: the other is what rounding leaves.
    """
    best = np.zeros(len(orders) + 1, bool)
    rank: tuple[int, float] = (1, -np.inf)
    for i, j in itertools.combinations(range(len(orders) + 1), 2):
        part = orders[i:j]
        if np.isfinite(part).all() and np.ptp(part) < SAME_ORDER and (j - i, float(part.mean())) > rank:
            rank = (j - i, float(part.mean()))
            best[:] = False
            best[i : j + 1] = True
    return best if rank[0] > 1 else np.zeros(len(orders) + 1, bool)


def regression(strengths: np.ndarray, errors: np.ndarray) -> float:
    """p of the least-squares line log error = a - p log strength, NaN without points."""
    if len(strengths) < 3:
        return float("nan")
    return float(-np.polyfit(np.log(strengths), np.log(errors), 1)[0])


# --- starts ----------------------------------------------------------------------------------------------------------


def _start(equations: Equations, given: Any, parameters: Mapping[Any, Any] | None) -> Start:
    if isinstance(given, Start):
        own: dict[str, Any] = dict(given)
        return equations.start(**own, t=given.t, parameters={**given.parameters, **overriding(parameters)})
    if not isinstance(given, Mapping):
        raise WrongType("E241", f"the start of a limit is given by name, not as {kind_of(given)}", 'start={"x": 0}')
    given = by_name_of(given, [equations], parameters)
    values = {str(getattr(k, "name", k)): v for k, v in given.items()}
    return equations.start(**values, parameters=parameters)


def matched(exact: Equations, begin: Start, strong: Equations, parameters: Mapping[str, float]) -> Start:
    """The penalised start with the positions and momenta of the given one, on the constraints that are left.

    Args:
        exact, begin: the limit's equations and start.
        strong: the penalised equations.
        parameters: of the penalised system.
    """
    known = {**begin.state, **parameters, "t": begin.t}
    u, lam = list(strong.space.velocities), list(strong.multipliers)
    target = _numbers([exact.lagrangian.diff(a) for a in exact.space.velocities], known)
    phi = [c.phi for c in strong.constraints]
    N = [[p.diff(a) for a in u] for p in phi]
    push = [sum((s * row[a] for s, row in zip(lam, N, strict=True)), sp.S.Zero) for a in range(len(u))]
    # dL_s/du - lam_s N^s = p ,  phi^s = 0     in the unknowns u and lam of the constraints that are left
    rows = [strong.system.lagrangian.diff(a) - f for a, f in zip(u, push, strict=True)] + phi
    slopes = [e.diff(x) for e in rows for x in (*u, *lam)]
    x = np.array([known.get(s.name, 0.0) for s in (*u, *lam)])
    for _ in range(20):
        at = {**known, **{s.name: v for s, v in zip((*u, *lam), x, strict=True)}}
        residual = _numbers(rows, at) - np.r_[target, np.zeros(len(phi))]
        step = np.linalg.lstsq(_numbers(slopes, at).reshape(len(x), len(x)), -residual, rcond=None)[0]
        x = x + step
        if np.abs(step).max() <= 1e-15 * np.abs(x).max():
            break
    moved = {s.name: float(v) for s, v in zip((*u, *lam), x, strict=True)}
    state: dict[str, Any] = {name: moved.get(name, begin.state.get(name)) for name in strong.states}
    return one_of_many(strong, state, begin.t, parameters)


def _numbers(expressions: Sequence[sp.Expr], values: Mapping[str, Any]) -> np.ndarray:
    symbols = set().union(*(e.free_symbols for e in expressions))
    at = {s: sp.Float(float(values[s.name])) for s in symbols}
    return np.array([float(e.xreplace(at)) for e in expressions])


# --- arguments -------------------------------------------------------------------------------------------------------


def _strengths(given: object) -> np.ndarray:
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    rising = values.ndim == 1 and len(values) >= 3 and values[0] > 0 and values[-1] < TOO_STRONG
    if not (rising and np.all(np.diff(values) > 0)):
        raise InvalidValue(
            "E307",
            f"strengths = {as_given(given)} must be three or more rising positive numbers below {TOO_STRONG:g}",
            "[1e2, 1e3, 1e4]",
        )
    return values


def _times(given: Any, first: float, until: Any) -> np.ndarray:
    if not float(until) > first:
        raise InvalidValue(
            "E302", f"until = {float(until):g} is not after the start, t = {first:g}", "give a later one"
        )
    return np.linspace(first, until, 11)[1:] if given is None else check_times(given, first, float(until))


def _title(penalty: object) -> str:
    """The name of a function, of the one inside a `functools.partial`, or of the type of what else can be called."""
    return str(getattr(getattr(penalty, "func", penalty), "__name__", type(penalty).__name__)).replace("_", " ")


def _method(equations: Equations, start: Start, span: float) -> str:
    """``"radau"`` where some motion decays so fast that explicit steps would be limited by it, else ``"dop853"``."""
    field = Policy().field(equations, start)
    y = field.first
    h = NUDGE * max(1.0, float(np.abs(y).max()))
    steps = h * np.eye(len(y))
    # dy'_i/dy_j by central differences
    J = np.array([(field.rate(start.t, y + e) - field.rate(start.t, y - e)) / (2 * h) for e in steps]).T
    return "radau" if -np.linalg.eigvals(J).real.min() * span > STIFF else "dop853"
