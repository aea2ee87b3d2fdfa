"""Where a motion stops being determined: ranks that are lost, forces that jump, numbers that are not finite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.jacobians import numbers_of, row_sizes
from ...equations.nonfinite_values import first_nonfinite
from ...equations.saddle_form import WEAK_PIVOT, Numbers, energy_units
from ...trajectory import Interpolant
from ..vector_field.field import Field
from .compiled_guards import Happening

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]

ROUNDED = 32 * float(np.finfo(float).eps)  # of the size, below which a number is no more than rounding
_BESIDE = 1e-4  # of a step: so far beside a touch the least value is looked for
_NAMED = 6  # constraints that are named
SIDE, JUMP = 1e-7, 1e-3  # how far beside a surface a force is looked at, and the relative jump that counts
NEAR = 1e-6  # of the run's length: as far ahead a term is looked for when the steps shrink to nothing


class RankSurface(NamedTuple):
    """A function of times (N,) and states (N, n + 1) whose zeros are losses of rank.

    Attributes:
        value: the function.
        noise: what a value means nothing below.
        what: loses rank there, in words; nothing where only a form does.
        power: of a singular value that the function is.
    """

    value: Function
    noise: float = ROUNDED
    what: str = ""
    power: int = 1

    def least(self, t: float, y: np.ndarray) -> float:
        """The singular value at a state (n + 1,)."""
        return float(abs(self.value(np.array([t]), y[None])[0])) ** (1 / self.power)


def surfaces(field: Field, began: Mapping[str, float]) -> list[RankSurface]:
    """What has to keep its rank along the path of a run; nothing in the speeds of a lean form, which ends well before.

    Velocities and rows count in units of where the run `began`, the values of all symbols there: each velocity carries
    energy of order 1, and the entries of each row are known to a rounding of it.
    """
    if field.lean is not None:
        return []
    kernel, form, equations = field.kernel, field.equations.machine.form, field.equations
    found = [_by_its_start(field, _along(field, chart)) for chart in kernel.charts if not chart.is_constant]
    if len(form.W) and (form.large or any(not e.is_constant for row in (*form.W, *form.N) for e in row)):
        unit = energy_units(Numbers.of(form, began).W)
        size, rank = row_sizes(form.N, began, unit) if len(form.N) else np.ones(0), len(equations.kept)
        found += [_rows(field, unit, size, rank)] if rank else []
        found.append(_masses(field, unit, size, rank))
    return found


def _rows(field: Field, unit: np.ndarray, size: np.ndarray, rank: int) -> RankSurface:
    """The smallest singular value of the rows, squared: where rows become dependent it does not change its sign.

    Beside such a place positions are known from the rows to the square root of a rounding, as this value is.
    """
    form, names = field.equations.machine.form, [c.name for c in field.equations.constraints]

    def value(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        N = numbers_of(form.N, len(unit), field.values(t, y))
        return np.asarray(np.linalg.svd(N * unit / size[:, None], compute_uv=False)[..., rank - 1] ** 2)

    told = ", ".join(names) if len(names) <= _NAMED else f"all {len(names)}"
    return RankSurface(value, what=f"the constraints ({told}) lose", power=2)


def _masses(field: Field, unit: np.ndarray, size: np.ndarray, rank: int) -> RankSurface:
    """The least kinetic energy of the velocities that the rows allow, with the sign of all energies' product."""
    form = field.equations.machine.form

    def value(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        numbers = Numbers.of(form, field.values(t, y))
        A, W = numbers.N * unit / size[:, None], numbers.W * unit[:, None] * unit
        Z = np.swapaxes(np.linalg.svd(A)[2], -1, -2)[..., rank:] if rank else np.eye(len(unit))
        energies = np.linalg.eigvalsh(np.swapaxes(Z, -1, -2) @ W @ Z)
        if not energies.shape[-1]:
            return np.ones(t.shape)
        return np.asarray(np.sign(energies).prod(axis=-1) * np.abs(energies).min(axis=-1))

    return RankSurface(value, what="the kinetic energy loses")


def _along(field: Field, node: Node) -> Function:
    return lambda t, y: field.at(node, t, y)


def _by_its_start(field: Field, value: Function) -> RankSurface:
    """A function that counts in units of its value at the start."""
    first = float(value(np.array([field.start.t]), field.first[None])[0])
    return RankSurface(value, ROUNDED * abs(first))


def lost_on(piece: Interpolant, found: Sequence[RankSurface]) -> tuple[float, RankSurface] | None:
    """The first time on a piece of path at which one of these is 0, touches included, or all rounding."""
    from .roots import UndefinedFunction, zeros

    lost: list[tuple[float, RankSurface]] = []
    for surface in found:

        def value(t: np.ndarray, function: Function = surface.value) -> np.ndarray:
            return function(t, piece(t))

        if abs(value(piece.t[:1])[0]) <= surface.noise:
            lost.append((float(piece.t[0]), surface))
            continue
        try:
            met = zeros(value, piece.t, noise=surface.noise)
        except UndefinedFunction as error:
            lost.append((error.time, surface))
            continue
        touched = [_lowest(value, t, piece) for t in met.times[met.directions == 0]]
        times = [*met.times[met.directions != 0], *met.poles, *piece.t[:-1][met.flat][:1]]
        lost += [(float(t), surface) for t in (*times, *(t for t, low in touched if low <= surface.noise))]
    return min(lost, key=lambda at: at[0], default=None)


def _lowest(value: Callable[[np.ndarray], np.ndarray], t: float, piece: Interpolant) -> tuple[float, float]:
    """Where a function is nearest to 0 around a time at which it seemed to touch it, and how near."""
    from scipy.optimize import minimize_scalar

    step = _BESIDE * float(piece.h[max(int(np.searchsorted(piece.t, t)) - 1, 0)])
    ends, fine = (max(-step, piece.t[0] - t), min(step, piece.t[-1] - t)), {"xatol": _BESIDE**3 * step}
    found = minimize_scalar(
        lambda s: float(abs(value(np.array([t + s]))[0])), bounds=ends, method="bounded", options=fine
    )
    return t + float(found.x), float(found.fun)


def told(found: Sequence[RankSurface], t: float, y: np.ndarray) -> tuple[float, str]:
    """The singular value that is nearest to 0 at a time and a state where rank is lost, and words for it."""
    least, what = min(((each.least(t, y), each.what) for each in found if each.what), default=(0.0, ""))
    what = what or "the constraints or the kinetic energy lose"
    return least, f"{what} rank, with a smallest singular value of {least:.1e}: the motion is no longer determined"


def form_lost(field: Field, t: float, y: np.ndarray) -> str:
    """Words for a loss of rank that is one of the form and not of the motion, or nothing."""
    equations, values = field.equations, field.values(t, y)
    if not equations.dependent or not float(equations.share(values)) < 2 * WEAK_PIVOT:
        return ""
    names = ", ".join(equations.space.velocities[a].name for a in equations.dependent)
    return (
        f"the form {equations.principle} is singular here, the motion is not: the constraints do not determine "
        f"{names}; name others, or take da.forms.maggi"
    )


def slides(field: Field, h: Happening, y: np.ndarray) -> bool:
    """Does the motion run towards the surface h from both sides, with a jump of its rate in between?"""
    graph, n = h.guard.value.graph, len(field.states)
    xs = [graph.symbol(name) for name in field.states]
    slopes = np.array([float(s) for s in evaluate(gradient(h.guard.value, xs), field.values(h.t, y))])
    size = float(slopes @ slopes)
    if not size:
        return False
    step = np.r_[slopes / size, 0.0] * SIDE * max(1.0, float(np.abs(y[:n]).max()))
    above, below = (float(slopes @ field.rate(h.t, y + s * step)[:n]) for s in (1, -1))
    return above < 0 < below and above - below < -JUMP * (abs(above) + abs(below))


def cause(field: Field, t: float, y: np.ndarray, span: float, far: bool) -> tuple[str, str] | None:
    """(code, words) of the first term ahead of a state that is not finite, or None.

    Args:
        field: the equations.
        t, y: where the motion ended.
        span: the length of the run.
        far: look a long way ahead, as when a number was not finite on a step of ordinary size.
    """
    rate, machine = field.rate(t, y), field.equations.machine
    for h in np.geomspace(1e-14, 100.0 if far else NEAR, 17 if far else 9) * max(span, 1e-300):
        ahead = dict(zip(field.states, y + h * rate, strict=False))
        found = first_nonfinite([*machine.form.entries, *machine.qdot], {**field.parameters, **ahead, TIME.name: t + h})
        if found:
            return found
    return None
