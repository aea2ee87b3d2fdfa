"""Is the motion determined at a state, and to how many digits? Ranks and signs of the saddle system."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, sqrt
from ..calculus.jacobians import Slopes, unit_rows
from ..calculus.numerical_rank import RANK_TOLERANCE, definite, null_space_in, rank_of, split
from ..errors import InvalidValue, Singular
from ..errors.remedies import Call, Code, Option
from .nonfinite_values import require
from .saddle_form import SMALLEST, Numbers, energy_units

if TYPE_CHECKING:
    from . import Equations


SINGULAR = 1e-13


def check_determined(equations: Equations, values: Mapping[str, float]) -> None:
    """Refuse a state at which the accelerations are not determined.

    Raises:
        Singular: E121 constraints lose rank here; E108 negative kinetic energy; E237 the chart is singular here; E126
            the bordered matrix is singular (multipliers as states); E129 a friction law at rest; E401, E402 something
            is not finite.
    """
    machine = equations.machine
    _check_rest(equations, values)
    _check_reactions(equations, values)
    for nodes in (machine.form.looked_at(values), machine.qdot, [machine.energy]):
        require(nodes, values, f"at t = {values[TIME.name]:g}")
    every = Numbers.of(machine.form, values)
    numbers = every.rows(list(equations.kept))
    where = f"at t = {values[TIME.name]:g}"
    rows = unit_rows(machine.form.N, every.N, values)
    rank = rank_of(rows[list(equations.kept)])
    everywhere = rank if len(every.N) == len(numbers.N) else rank_of(rows)
    if everywhere > len(equations.kept):
        # rows that follow from the others where a form named its dependent velocities do not follow here
        left = ", ".join(c.name for i, c in enumerate(equations.constraints) if i not in equations.kept)
        before = f"{len(equations.kept)} wherever they were looked at before"
        fact = f"the constraints have rank {everywhere} here, and {before}"
        remedy = ("leave ", Option("dependent"), " out: then all rows count that are independent here")
        raise Singular("E121", f"{fact}: {left} followed from the others there and does not here", remedy)
    if rank < len(equations.kept):
        names = [equations.constraints[i].name for i in equations.kept]
        raise Singular(
            "E121",
            f"the constraints {', '.join(names)} have rank {rank} instead of {len(names)} {where}: "
            "the motion is not determined",
            (
                *("start from another state nearby; or give the system ", Option("equivalent", Code("{...}"))),
                ": constraints that allow the same motions and keep their rank here",
            ),
            subject=("constraints", names[0]),
        )
    if equations.states_of_multipliers:
        _check_bordered(equations, numbers, where)
    else:
        _check_kinetic(equations, numbers, where, values)


def _check_rest(equations: Equations, values: Mapping[str, float]) -> None:
    """E129: a friction law that has no direction at rest, started at rest."""
    for name, speed in slip_speeds(equations).items():
        if float(evaluate([speed], values)[0]) == 0:
            raise Singular(
                "E129",
                f"{name} has no direction at the start: the slip is 0",
                ("start with a slip, or use ", Call("forces.dry"), ", which sticks and goes on"),
                subject=("forces", name),
            )


def _check_reactions(equations: Equations, values: Mapping[str, float]) -> None:
    """E410: forces hold reactions that do not exist, or not one of them."""
    for names, margin in reaction_margins(equations).items():
        if not float(evaluate([margin], values)[0]) > 0:
            fact = f"{names}: what forces make of it outweighs the inertia, so that none balances, or several do"
            raise InvalidValue("E410", fact, "start otherwise, or with less friction", subject=("forces",))


def reaction_margins(equations: Equations) -> dict[str, Node]:
    """What is positive where the multipliers that forces hold exist and are unique, by their names."""
    graph = equations.machine.graph
    margins = equations.system.margins(graph)
    return {", ".join(equations.system.reactions): reduce(partial(graph.apply, "min"), margins)} if margins else {}


def slip_speeds(equations: Equations) -> dict[str, Node]:
    """|v| of each friction law that has no direction at v = 0, by the law's name."""
    graph = equations.machine.graph
    return {
        name: sqrt(reduce(lambda a, b: a + b, (read(v, graph) ** 2 for v in slip)))
        for name, slip in equations.system.rest.items()
    }


def spectrum(W: np.ndarray, N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energies of the velocities with N u = 0, in units in which each velocity alone carries energy of order 1.

    Returns:
        Eigenvalues, rising, of W on the allowed velocities, and the velocities (columns) they belong to.
    """
    unit = energy_units(W)
    Z = null_space_in(N, unit)
    scaled = Z.T @ (W * unit[:, None] * unit) @ Z
    eigenvalues, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
    return eigenvalues, unit[:, None] * (Z @ vectors)


def positive(W: np.ndarray, above: float) -> bool:
    """Are all kinetic energies (..., k, k) positive, and above this in the units of `spectrum`?"""
    unit = energy_units(W)
    return definite((W + np.swapaxes(W, -1, -2)) / 2 * unit[..., :, None] * unit[..., None, :], above)


def shown(velocities: Any, direction: np.ndarray) -> str:
    """A velocity as text, its largest component 1 or -1."""
    largest = float(np.abs(direction).max())
    parts = zip(velocities, direction / largest, strict=True)
    return ", ".join(f"{s.name} = {round(float(d), 4) + 0.0:g}" for s, d in parts if abs(d) > 1e-9)


def _check_bordered(equations: Equations, numbers: Numbers, where: str) -> None:
    K = numbers.bordered
    scale = np.abs(K).max(axis=1, keepdims=True)
    if not np.all(scale > 0) or np.linalg.cond(K / scale) > 1e13:
        names = ", ".join(c.name for c in equations.constraints)
        raise Singular(
            "E126",
            f"the multipliers' rates are not determined {where}: the bordered matrix of {names} is singular",
            "choose other initial multipliers or another start",
            subject=("start",),
        )


def _check_kinetic(equations: Equations, numbers: Numbers, where: str, values: Mapping[str, float]) -> None:
    if positive(numbers.W, SINGULAR):  # whatever the constraints allow
        return
    eigenvalues, directions = spectrum(numbers.W, numbers.N)
    if not eigenvalues.size or eigenvalues[0] > SINGULAR:
        return
    velocity = shown(equations.space.velocities, directions[:, 0])
    if slips := not_positive(equations.system, values):
        sign = "is negative" if eigenvalues[0] < -RANK_TOLERANCE else "is 0"
        code = "E108" if eigenvalues[0] < -RANK_TOLERANCE else "E107"
        fact = f"the kinetic energy {sign} for the velocity ({velocity}) {where}, with {', '.join(slips)}"
        raise Singular(code, fact, f"is {slips[0].split()[0]} positive? else check the signs in L")
    raise negative(velocity, where) if eigenvalues[0] < -RANK_TOLERANCE else massless(velocity, where, "elsewhere")


def not_positive(system: Any, values: Mapping[str, float | None]) -> list[str]:
    """Parameters of the kinetic energy that are 0 or below, as in "m = 0"."""
    kinetic = system.lagrangian - system.lagrangian.xreplace(dict.fromkeys(system.space.velocities, 0))
    named = {s.name: values.get(s.name) for s in kinetic.free_symbols if s.name in system.symbols}
    return [f"{name} = {value:g}" for name, value in sorted(named.items()) if value is not None and value <= 0]


def negative(velocity: str, where: str) -> Singular:
    """E108: this velocity has negative kinetic energy."""
    fact = f"the kinetic energy is negative for the velocity ({velocity}) {where}"
    return Singular("E108", fact, "check the signs in L", subject=("lagrangian",))


def massless(velocity: str, where: str, though: str) -> Singular:
    """E237: this velocity has no kinetic energy here, though it has some elsewhere or nearby."""
    fact = f"the velocity ({velocity}) carries no kinetic energy {where}, though it does {though}"
    remedy = ("use coordinates that are regular here, for example ", Call("rotation"), " for an attitude")
    return Singular("E237", f"{fact}: the chart is singular here", remedy, subject=("start",))


# --- doubts: a chart that is singular up to rounding, a sign slip that multipliers hide ------------------------------

_SHIFT, _ROUNDED = 1e-3, 1e-16


def check_regular(equations: Equations, values: Mapping[str, float]) -> None:
    """Refuse a start that passes for regular by rounding, or because the multipliers are states.

    Raises:
        Singular: E108 the kinetic energy is negative for an allowed velocity; E237 a velocity carries 1e-16 of the
            energy it carries nearby: sin(theta) at theta = pi is 1e-16 and not 0.
    """
    form = equations.machine.form._replace(W=equations.machine.metric)
    numbers = Numbers.of(form, values).rows(list(equations.kept))
    if not np.isfinite(numbers.W).all() or not np.isfinite(numbers.N).all():
        return
    where = f"at t = {values['t']:g}"
    if equations.states_of_multipliers:
        eigenvalues, directions = spectrum(numbers.W, numbers.N)
        if eigenvalues.size and eigenvalues[0] < -RANK_TOLERANCE:
            raise negative(shown(equations.space.velocities, directions[:, 0]), where)
    direction = _weightless(numbers, _nearby(equations, values))
    if direction is not None:
        raise massless(shown(equations.space.velocities, direction), where, "nearby")


def _nearby(equations: Equations, values: Mapping[str, float]) -> np.ndarray:
    """The energies W_aa a little away from the start."""
    shift = {q.name: values[q.name] + _SHIFT * (1 + i / 7) for i, q in enumerate(equations.space.coordinates)}
    metric = equations.machine.metric
    if isinstance(metric, Slopes):
        return np.abs(np.diag(metric.numbers({**values, **shift})))
    diagonal = [row[a] for a, row in enumerate(metric)]
    energies: np.ndarray = np.abs(np.array(evaluate(diagonal, {**values, **shift}), float))
    return energies


def _weightless(numbers: Numbers, energy: np.ndarray) -> np.ndarray | None:
    """An allowed velocity without energy, each velocity counted in the unit in which it carries 1 nearby."""
    if not (np.isfinite(energy).all() and (energy > SMALLEST).all()):
        return None
    unit = 1 / np.sqrt(energy)
    Z = null_space_in(numbers.N, unit)
    scaled = Z.T @ (numbers.W * unit[:, None] * unit) @ Z
    eigenvalues, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
    if not eigenvalues.size or abs(eigenvalues[0]) > _ROUNDED:
        return None
    return np.asarray(unit * (Z @ vectors[:, 0]))


# --- does elimination without pivoting keep the digits of the accelerations? -----------------------------------------
#     W x - N^T mu = f ,  N x = g :      x = W^-1 (f + N^T mu) ,    or    x = P f + Y g    with pivots
#
#     P = Z (Z^T W Z)^-1 Z^T ,   Y = (1 - P W) N^+ ,   mu = (N^+)^T (W x - f) ,    N Z = 0 ,   N N^+ = 1
#
# An error in f + N^T mu comes back W^-1 times as large; but along the rows of N it is g that says what x is, and P
# leaves that part out. Where something light carries a heavy load the first is far larger than the second.

LOST = 1e4  # times the error of a solution with pivots: what elimination may not add


def keeps_digits(numbers: Numbers) -> tuple[bool, bool]:
    """Is the error of elimination without choice of pivots, at all states (...), near that of a solution with pivots?

    W has full rank, the rows of N are independent. Answered twice: for the multipliers of the reaction alone, and with
    others of size 1 counted beside them, where f may hold such as states.
    """
    if not numbers.g.shape[-1]:
        return True, True
    W, N, f, g = numbers.W, numbers.N, numbers.f[..., None], numbers.g[..., None]
    with np.errstate(all="ignore"):
        try:
            inner, P, Y, back = np.linalg.inv(W), *_with_pivots(W, N)
        except np.linalg.LinAlgError:
            return True, True  # refused elsewhere
        x = P @ f + Y @ g
        mu = back @ (W @ x - f)
        driven, both = np.abs(g) + np.abs(N) @ np.abs(x), []
        for held in (0.0, 1.0):
            load = np.abs(f) + np.abs(W) @ np.abs(x) + np.abs(_transposed(N)) @ (np.abs(mu) + held)
            lost, kept = np.abs(inner) @ load, np.abs(P) @ load + np.abs(Y) @ driven
            both.append(not (lost.max(axis=(-2, -1)) > LOST * kept.max(axis=(-2, -1))).any())
        return both[0], both[1]


def _with_pivots(W: np.ndarray, N: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P (..., k, k), Y (..., k, m) and (N^+)^T (..., m, k)."""
    Z, back = split(N)
    free = np.linalg.solve(_transposed(Z) @ W @ Z, _transposed(Z))
    return Z @ free, _transposed(back) - Z @ (free @ W @ _transposed(back)), back


def _transposed(A: np.ndarray) -> np.ndarray:
    return np.swapaxes(A, -1, -2)


def digits_kept(equations: Equations, values: Mapping[str, float]) -> bool:
    """Does elimination keep digits at a state, of the reaction alone? It does of forms without multipliers."""
    if equations.direct is not None or not equations.kept:
        return True
    return keeps_digits(Numbers.of(equations.machine.form.rows(equations.kept), values))[0]
