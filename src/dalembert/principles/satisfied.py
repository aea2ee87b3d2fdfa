"""Is a given curve a motion, and under which principle? [lewis1995 Definitions 2.2 and 2.5]

With R = EL(L) - Q along the curve and N^s = dphi^s/du, the constraints being satisfied:

    free            R = 0                                   stationary among all curves
    nonholonomic    R = mu_s N^s                            virtual displacements do no work
    vakonomic       R = dlam_s/dt N^s + lam_s EL(phi^s)     stationary among curves that satisfy the constraints

mu is found at each time by least squares, lam as piecewise polynomials of the time by least squares along all of the
curve. What is left over, over the size of the terms, says how far the curve is from a motion. It is a variation itself,
one that the principle allows and along which the action is not stationary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

from ..answer import Answer, all_of, no, undecided, yes
from ..geometry.arguments import needs_system
from ..geometry.ranks import ranks
from ..given import noun, public
from ..model.system import System
from ..spelling import Multipliers
from .curve_rows import Rows
from .fitted_multipliers import fit
from .law_along import Law
from .sampled import Sampled, sampled
from .varied import Varied, varied

# residual over the size of the terms: up to the first it holds, beyond the second it does not; a path that was
# integrated and is differentiated is known to fewer digits than a formula
FORMULA, PATH = (1e-8, 1e-7), (1e-6, 1e-5)
FREE, NONHOLONOMIC, VAKONOMIC = "free", "nonholonomic", "vakonomic"
_AMONG = {
    FREE: "stationary among all curves",
    NONHOLONOMIC: "virtual displacements do no work",
    VAKONOMIC: "stationary among curves that keep the constraints",
}


@dataclass(frozen=True)
class Held:
    """A curve held against one principle.

    Attributes:
        principle: its name.
        residual: the largest |row| that is left over, over the size of the row's terms.
        rows: the same by velocity.
        multipliers: ``{lam_<constraint>: (T,)}`` along the curve, those that leave the least.
        holds: do the constraints and the principle hold, and does the curve keep off contacts? None where it was not
            decided; `answer` says why.
        variation: ``{velocity: (T,)}``, a variation that the principle allows and along which the action changes, as
            virtual velocities: any; with N eta = 0; with d/dt(N eta) = EL(phi) eta. The largest is 1; {} if it holds.
            The last is smooth but for layers at the ends, where it keeps the constraints to about 1e-3.
        abnormal: how many multipliers, none of them 0, make the vakonomic right-hand side vanish: the curve is then
            abnormal, and stationary whatever L is.
        at: the time at which the residual is largest.
    """

    principle: str
    residual: float
    rows: Mapping[str, float]
    multipliers: Mapping[str, np.ndarray]
    answer: Answer
    abnormal: int = 0
    variation: Mapping[str, np.ndarray] = field(default_factory=dict)
    at: float = 0.0

    @property
    def holds(self) -> bool | None:
        """The value of `answer`."""
        return self.answer.value

    def __str__(self) -> str:
        worst = max(self.rows, key=lambda name: self.rows[name], default="")
        broken = f", broken by a variation along {worst} near t = {self.at:.3g}"
        left = "" if self.holds else broken if self.variation else f", {self.answer.reason}"
        odd = f"; {self.abnormal} abnormal multiplier{'s' * (self.abnormal > 1)}" if self.abnormal else ""
        sign = {True: "yes", False: "no ", None: "not decided"}[self.holds]
        meant = f": {_AMONG[self.principle]}" if self.holds else ""
        return f"{self.principle:12}  {sign}  {self.residual:.1e}{left}{meant}{odd}"


@noun
@dataclass(frozen=True)
class Satisfied:
    """What a curve satisfies.

    Attributes:
        t: times (T,) at which it was looked at.
        constraints: ``{name: largest |phi| over the size of its terms}``.
        free, nonholonomic, vakonomic: the curve held against each principle.
        tail: how far the velocities were resolved as functions of the time.
        title: of the system.
        system, along, rows: what was held, for `varied`.
    """

    t: np.ndarray
    constraints: Mapping[str, float]
    free: Held
    nonholonomic: Held
    vakonomic: Held
    tail: float
    title: str
    system: System = field(repr=False, compare=False)
    along: Sampled = field(repr=False, compare=False)
    rows: Rows = field(repr=False, compare=False)

    def varied(self, variation: Mapping[sp.Symbol | str, object]) -> Varied:
        """Vary the curve: are the constraints kept, is it a virtual velocity, is work done?

            circle.varied({"x": "t*cos(theta)", "y": "t*sin(theta)"}).is_virtual

        Args:
            variation: ``{coordinate: displacement}`` or ``{velocity: virtual velocity}``, functions of t and of the
                state on the curve, as text or SymPy expressions, or arrays (T,) at the times `t`; what is left out is
                0. What broke the curve, ``found.vakonomic.variation``, may be given as it is.

        Returns:
            A `Varied`: the residuals of [sussman2015 (1.185), (1.236), (1.237)] and the rate of the action.

        Raises:
            WrongType: E152, not a variation.
            InvalidValue: E152, a variation that names nothing, is 0 or not a number, or that no velocity makes.
            TextError: E701 to E717, text that is not an expression.
        """
        return varied(self.system, self.along, self.rows, variation)

    @property
    def principles(self) -> tuple[str, ...]:
        """Names of those under which it is a motion."""
        return tuple(each.principle for each in (self.free, self.nonholonomic, self.vakonomic) if each.holds)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of those for which that is not decided."""
        return tuple(each.principle for each in (self.free, self.nonholonomic, self.vakonomic) if each.holds is None)

    def __str__(self) -> str:
        kept = ", ".join(f"{name} {size:.1e}" for name, size in self.constraints.items()) or "there are none"
        lines = [f"{self.title or 'System'}: a curve from t = {self.t[0]:g} to {self.t[-1]:g}", f"constraints   {kept}"]
        return "\n".join([*lines, *(str(each) for each in (self.free, self.nonholonomic, self.vakonomic))])

    __repr__ = __str__


@public
def satisfies(
    system: System, curve: Any, *, over: Any = None, parameters: Mapping[Any, Any] | None = None
) -> Satisfied:
    """Is a curve a motion of a system, under which principle, with which multipliers?

        da.satisfies(skate, {"x": "sin(t)", "y": "1 - cos(t)", "theta": "t"}, over=(0, 6)).principles

    Args:
        system: the system.
        curve: a `Trajectory`, or ``{coordinate: function of t}`` for every coordinate, as text or SymPy expressions.
        over: (first, last) time; by default all of a path.
        parameters: values that replace the system's.

    Returns:
        A `Satisfied`: residuals of the constraints and of each principle, with its multipliers. `principles` are those
        that hold: identically along formulas, or to 1e-8 of their terms where no exact arithmetic reads these, and to
        1e-6 along paths, which are integrated. What is left with more than ten times that is none; below that it is not
        decided, as of decimals that were cut, of forces of 1e-12, and of pieces that go over into others elsewhere. A
        curve that goes through a contact is no motion; while one is closed, whether it is one is not decided.

    Raises:
        WrongType: E101, not a system; E150, not a curve.
        InvalidValue: E150, a curve that lacks coordinates, is not smooth or not a number; E20x for parameters.
        TextError: E701 to E717, text that is not an expression.
    """
    needs_system(system, "satisfies")
    law = Law(system)
    along = sampled(system, curve, over, parameters, law)
    rows = Rows(system, along, law)
    kept = tuple(ranks(system).kept)
    values, when = system.values(parameters), float(along.t[len(along.t) // 2])
    exact = law.identically(along.formulas, kept, values, when) if along.formulas else {}
    held = _Holder(system, rows, FORMULA if exact else PATH, exact, along.touched.values())
    mu = rows.reactions()
    lam, abnormal = _multipliers(system, rows, rows.sizes)
    return Satisfied(
        along.t,
        rows.constraints,
        held(FREE, rows.R, np.zeros((0, 0))),
        held(NONHOLONOMIC, *mu),
        held(VAKONOMIC, *lam, abnormal),
        along.tail,
        system.title,
        system,
        along,
        rows,
    )


@dataclass(frozen=True)
class _Holder:
    """What is left over, as a verdict on a principle."""

    system: System
    rows: Rows
    bounds: tuple[float, float]
    exact: Mapping[str, bool | None]
    touched: Iterable[Answer]

    def __call__(self, principle: str, left: np.ndarray, found: np.ndarray, abnormal: int = 0) -> Held:
        names = [u.name for u in self.system.space.velocities]
        labels = [c.name for c in self.system.constraints]
        over = np.abs(left) / self.rows.sizes
        each = over.max(axis=0, initial=0.0)
        residual = float(each.max(initial=0.0))
        by_name = dict(zip(names, map(float, each), strict=True))
        multipliers = Multipliers.of(labels, found.T) if found.size else Multipliers[np.ndarray]()
        late = float(self.rows.t[int(over.max(axis=1, initial=0.0).argmax())])
        kept = max(self.rows.constraints.values(), default=0.0)
        pushed = any(each.value is None for each in self.touched)  # what is left over may be the force of a contact
        broken = [] if pushed else [self._small(residual, principle)]
        answer = all_of([self._small(kept, "constraints"), *self.touched, *broken])
        bent = residual > self.bounds[0] and not pushed
        eta = _variation(self.system, principle, left, self.rows) if bent else np.zeros((0, 0))
        moved = dict(zip(names, eta.T, strict=True)) if eta.size else {}
        return Held(principle, residual, by_name, multipliers, answer, abnormal, moved, late)

    def _small(self, size: float, what: str) -> Answer:
        """Is what is left of the terms nothing? Along formulas an identity says so, along paths their digits."""
        least, most = self.bounds
        against = "constraints are not kept" if what == "constraints" else "broken"
        if self.exact.get(what):
            if what == VAKONOMIC and not size <= most:
                return undecided("multipliers solve it about almost every time, and none along the whole was found")
            return yes("identically")
        if not size <= most:
            return no(against)
        if self.exact.get(what) is False:
            return undecided(f"{size:.1e} of the terms are left, which are not identically 0")
        if size <= least:
            return yes(f"to {size:.1e} of the terms")
        return undecided(f"{size:.1e} of the terms are left, as errors may be")


def _variation(system: System, principle: str, left: np.ndarray, rows: Rows) -> np.ndarray:
    """What is left over as a variation (T, k), its largest 1, such that dJ < 0 along it.

    The multipliers are chosen for it: mu such that it is virtual, lam in the units of energy such that it is smooth.
    """
    if principle == VAKONOMIC:
        left = _multipliers(system, rows, rows.units)[0][0]
    eta = left if principle == NONHOLONOMIC else left / rows.units**2
    return np.asarray(eta / np.abs(eta).max())


def _multipliers(system: System, rows: Rows, sizes: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """What is left over, lam (T, m), and how many lam solve the equations without R; 0 for rows that follow."""
    T, m, _ = rows.N.shape
    if not m:
        return (rows.R, np.zeros((0, 0))), 0
    kept = list(ranks(system).kept) or list(range(m))
    N, E = (a[:, kept] / sizes for a in (rows.N, rows.E))
    left, found, abnormal = fit(rows.pieces, N, E, rows.R / sizes)
    lam = np.zeros((T, m))
    lam[:, kept] = found
    return (left * sizes, lam), abnormal
