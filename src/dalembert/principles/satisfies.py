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
from numpy.polynomial import chebyshev

from ..answer import Answer, all_of, no, undecided, yes
from ..argument_checks import noun, public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.numerical_rank import sizes
from ..calculus.symbols import by_name
from ..errors import InvalidValue, WrongType, kind_of
from ..geometry.constraint_rank import ranks
from ..geometry.generators import needs_system
from ..model.expression_symbols import Reader
from ..model.names import key_name
from ..model.system import System
from ..spelling import Multipliers
from .chebyshev_curve import NODES, POINTS, WEIGHTS, Pieces, SampledCurve, sampled
from .residuals import Said, SystemLaw

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
    along: SampledCurve = field(repr=False, compare=False)
    rows: RowsAlongCurve = field(repr=False, compare=False)

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
    system: System, curve: Any, *, over: object = None, parameters: Mapping[Any, Any] | None = None
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
    law = SystemLaw(system)
    along = sampled(system, curve, over, parameters, law)
    rows = RowsAlongCurve(system, along, law)
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
    rows: RowsAlongCurve
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


def _variation(system: System, principle: str, left: np.ndarray, rows: RowsAlongCurve) -> np.ndarray:
    """What is left over as a variation (T, k), its largest 1, such that dJ < 0 along it.

    The multipliers are chosen for it: mu such that it is virtual, lam in the units of energy such that it is smooth.
    """
    if principle == VAKONOMIC:
        left = _multipliers(system, rows, rows.units)[0][0]
    eta = left if principle == NONHOLONOMIC else left / rows.units**2
    return np.asarray(eta / np.abs(eta).max())


def _multipliers(system: System, rows: RowsAlongCurve, sizes: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], int]:
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


# --- a variation of the curve: allowed, virtual, and the work done along it ------------------------------------------
# For eta in the frame, E[L] = EL(L) - Q along the curve, N^s = dphi^s/du:
#
#     delta phi = d/dt(N eta) - EL(phi) eta = 0        the varied curve keeps the constraints   [sussman2015 (1.185)]
#     N eta = 0                                        eta is a virtual velocity                [sussman2015 (1.236)]
#     E[L] eta = 0                                     no work is done along it                 [sussman2015 (1.237)]
#
# (1.185) is Definition 2.5's variation, (1.236) that of Definition 2.2 [lewis1995]; they agree where a constraint is
# integrable. With held ends dJ = -int E[L] eta dt.

HOLDS = 1e-5  # over the size of the terms, as for a curve
OFF = 1e-9  # of a displacement: what no velocity of the space makes


@noun
@dataclass(frozen=True)
class Varied:
    """What a variation of a curve does.

    Attributes:
        t: times (T,) at which it was looked at.
        eta: ``{velocity: (T,)}``, the variation as virtual velocities.
        consistent: ``{constraint: largest |delta phi| over the size of its terms}``, 0 if the varied curve keeps it.
        virtual: ``{constraint: largest |N eta| over the size of its terms}``, 0 for virtual velocities.
        work: largest |E[L] eta| over the size of its terms.
        action: -int E[L] eta dt, the rate of the action if the ends are held.
        ends: largest |eta| at the first and last time looked at, over the largest of all: 0 if the ends are held.
    """

    t: np.ndarray
    eta: Mapping[str, np.ndarray]
    consistent: Mapping[str, float]
    virtual: Mapping[str, float]
    work: float
    action: float
    ends: float

    @property
    def keeps_constraints(self) -> bool:
        """(1.185): does the varied curve keep the constraints, to first order?"""
        return max(self.consistent.values(), default=0.0) <= HOLDS

    @property
    def is_virtual(self) -> bool:
        """(1.236): is it a virtual velocity at each time?"""
        return max(self.virtual.values(), default=0.0) <= HOLDS

    @property
    def does_no_work(self) -> bool:
        """(1.237): does E[L] no work along it, at each time?"""
        return self.work <= HOLDS

    def __str__(self) -> str:
        said = {
            "keeps constraints": (self.keeps_constraints, max(self.consistent.values(), default=0.0)),
            "virtual": (self.is_virtual, max(self.virtual.values(), default=0.0)),
            "without work": (self.does_no_work, self.work),
        }
        lines = [f"{name:17}  {'yes' if holds else 'no '}  {size:.1e}" for name, (holds, size) in said.items()]
        return "\n".join([*lines, f"action             {self.action:.6g} per unit of it, were its ends held"])

    __repr__ = __str__


def varied(
    system: System, along: SampledCurve, rows: RowsAlongCurve, variation: Mapping[sp.Symbol | str, object]
) -> Varied:
    """What a variation of a sampled curve does; see `Satisfied.varied`."""
    eta = _read(system, variation, along)
    names = [c.name for c in system.constraints]
    normal = np.einsum("tsa,ta->ts", rows.N, eta)
    change = rows.pieces.slope(normal) - np.einsum("tsa,ta->ts", rows.E, eta)
    # sizes of the terms of d/dt(N eta) and of EL(phi) eta
    apart = np.einsum("tsa,ta->ts", np.abs(rows.N), np.abs(eta)).max(axis=0, initial=0.0)
    fast = np.abs(rows.pieces.slope(eta)) + np.abs(eta) / rows.span
    moving = np.einsum("tsa,ta->ts", np.abs(rows.N), fast) + np.einsum("tsa,ta->ts", np.abs(rows.E), np.abs(eta))
    power = np.einsum("ta,ta->t", rows.R, eta)
    full = float((rows.sizes * np.abs(eta)).sum(axis=1).max())
    return Varied(
        along.t,
        dict(zip((u.name for u in system.space.velocities), eta.T, strict=True)),
        _over(names, change, moving.max(axis=0, initial=0.0)),
        _over(names, normal, apart),
        float(np.abs(power).max()) / full,
        -float(rows.pieces.weights @ power),
        float(np.abs(eta[[0, -1]]).max() / np.abs(eta).max()),
    )


def _over(names: list[str], found: np.ndarray, sizes: np.ndarray) -> dict[str, float]:
    largest = np.abs(found).max(axis=0, initial=0.0)
    return {n: float(v / s) if s > 0 else 0.0 for n, v, s in zip(names, largest, sizes, strict=True)}


def _read(system: System, variation: object, along: SampledCurve) -> np.ndarray:
    """eta (T, k): virtual velocities as given, or those that make the displacements given."""
    space, reader = system.space, Reader.of(system)
    if not isinstance(variation, Mapping):
        fact = f"a variation is a mapping, not {kind_of(variation)}"
        raise WrongType("E152", fact, '{"x": "t"}, by coordinates or by velocities')
    given = by_name(variation, "variation", key_name)
    places, speeds = ([s.name for s in some] for some in (space.coordinates, space.velocities))
    names = speeds if {*given} <= {*speeds} else places
    strange = [n for n in given if n not in names]
    if strange or not given:
        fact = f"the variation gives {', '.join(strange) or 'nothing'}"
        raise InvalidValue("E152", fact, f"coordinates {', '.join(places)}, or velocities {', '.join(speeds)}")
    graph = Graph()
    arrays = {n: e for n, e in given.items() if isinstance(e, np.ndarray)}
    if any(e.shape != along.t.shape for e in arrays.values()):
        fact = f"arrays hold the {len(along.t)} values at the times of the verdict on the same curve"
        raise InvalidValue("E152", fact, "found.varied(found.vakonomic.variation)")
    plain = {n: 0 if n in arrays else e for n, e in given.items()}
    nodes = [read(reader.read(plain.get(n, 0), f"the variation of {n}"), graph) for n in names]
    anchor = [read(e, graph) for e in space.anchor]
    with np.errstate(all="ignore"):
        columns = evaluate([*nodes, *anchor], {**along.known, TIME.name: along.t})
    flat = np.array([np.broadcast_to(np.asarray(v, float), along.t.shape) for v in columns]).T.copy()
    for n, values in arrays.items():
        flat[:, names.index(n)] = values
    moved, E = flat[:, : len(names)], flat[:, len(names) :].reshape(len(flat), len(places), len(speeds))
    if not np.isfinite(moved).all() or not np.abs(moved).max() > 0:
        raise InvalidValue("E152", "the variation is 0, or not a number somewhere on the curve", '{"x": "t"}')
    return moved if names is speeds else _followed(moved, E)


def _followed(moved: np.ndarray, E: np.ndarray) -> np.ndarray:
    """eta with E eta = the displacements."""
    eta = np.asarray((np.linalg.pinv(E) @ moved[..., None])[..., 0])
    if np.abs((E @ eta[..., None])[..., 0] - moved).max() > OFF * np.abs(moved).max():
        raise InvalidValue("E152", "no velocity of the space makes this variation", "give it by velocities")
    return eta


# --- vakonomic multipliers by least squares, piece by piece ----------------------------------------------------------
#     N^T lamdot + EL(phi)^T lam = R
#
# On each piece lam is a polynomial, and it is continuous from piece to piece. The pieces are eliminated one after the
# other: what they say of lam at their left end is carried to their right end as S lam = s, m rows, whatever the
# number of pieces. So a long curve is held as strictly as a short one.
#
# What is left over is a variation: with sizes sigma, eta = (R - ...)/sigma^2 is orthogonal to N^T lamdot + EL(phi)^T
# lam for every lam, that is d/dt(N eta) = EL(phi) eta, the variation of phi is 0, and N eta = 0 at both ends. Along it
# dJ = -int R eta dt = -int |R - ...|^2/sigma^2 dt: it breaks the curve [lewis1995 Definition 2.5].

DEGREE = 12  # of lam on a piece
DEPENDENT = 1e-11  # of the largest singular value
ABNORMAL = 1e-9  # of the size of EL(phi) and N/T

_T = chebyshev.chebvander(POINTS, DEGREE)
# lam(x) = lam(1) + z_j (T_j(x) - 1), j = 1..DEGREE
_SHAPES = _T[:, 1:] - 1.0
_SLOPES = chebyshev.chebvander(POINTS, DEGREE - 1) @ chebyshev.chebder(np.eye(DEGREE + 1))[:, 1:]
_LEFT = (-1.0) ** np.arange(1, DEGREE + 1) - 1.0


@dataclass(frozen=True)
class _Piece:
    """z = inner (right - outer lam(1)), and lam at the nodes and at the left end."""

    inner: np.ndarray
    outer: np.ndarray
    right: np.ndarray

    def at(self, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """lam (NODES, m) on the piece and lam (m,) at its left end, from lam at its right end."""
        z = (self.inner @ (self.right - self.outer @ last)).reshape(len(last), DEGREE)
        return last + _SHAPES @ z.T, last + z @ _LEFT


def fit(pieces: Pieces, N: np.ndarray, E: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """lam of least squares along a curve that is sampled at Chebyshev points.

    Args:
        pieces: on which it is.
        N, E: normals and EL(phi), (T, m, k), rows over their sizes.
        R: EL(L) - Q, (T, k), over the same sizes.

    Returns:
        What is left over of R (T, k), lam (T, m), and how many independent lam solve the equations with R = 0.
    """
    T, m, _ = N.shape
    unit = np.abs(N).max(axis=(0, 2), initial=0.0)
    unit = np.where(unit > 0, unit, 1.0)  # a multiplier is measured in that of the largest normal
    S, s, found = np.zeros((0, m)), np.zeros(0), []
    parts = (a.reshape(len(pieces), NODES, *a.shape[1:]) for a in (N, E, R))
    for n, e, r, half in zip(*parts, pieces.half, strict=True):
        n, e = n / unit[:, None], e / unit[:, None]
        weight = np.sqrt(WEIGHTS * half / np.mean(pieces.half))[:, None, None]
        piece, S, s = _eliminated(n / half, e, r, S, s, weight)
        found.append(piece)
    size = float(np.sqrt((((np.abs(E) + np.abs(N) / pieces.span) / unit[:, None]) ** 2).sum()))
    U, values, Vt = np.linalg.svd(S)
    used = values > ABNORMAL * size
    last = Vt.T[:, used] @ ((U.T @ s)[used] / values[used])
    lam = np.zeros((len(pieces), NODES, m))
    for i in range(len(pieces) - 1, -1, -1):
        lam[i], last = found[i].at(last)
    lam = lam.reshape(T, m) / unit
    return R - _made(pieces, N, E, lam), lam, m - int(used.sum())


def _eliminated(
    n: np.ndarray, e: np.ndarray, r: np.ndarray, S: np.ndarray, s: np.ndarray, weight: np.ndarray
) -> tuple[_Piece, np.ndarray, np.ndarray]:
    """One piece, and what it and those before it say of lam at its right end."""
    m, k = n.shape[1:]
    # rows: node by velocity; columns: constraint by shape
    inside = np.einsum("tsa,td->tasd", n, _SLOPES) + np.einsum("tsa,td->tasd", e, _SHAPES)
    inside = (weight * inside.reshape(NODES, k, m * DEGREE)).reshape(NODES * k, -1)
    outer = (weight * np.swapaxes(e, 1, 2)).reshape(NODES * k, m)
    inside = np.vstack([inside, np.einsum("js,d->jsd", S, _LEFT).reshape(len(S), m * DEGREE)])
    outer, right = np.vstack([outer, S]), np.concatenate([(weight[..., 0] * r).ravel(), s])
    U, values, Vt = np.linalg.svd(inside, full_matrices=False)
    used = values > DEPENDENT * values[0] if values[0] > 0 else np.zeros(len(values), bool)
    U = U[:, used]
    inner = (Vt[used].T / values[used]) @ U.T
    # what no z reaches
    both = np.column_stack([outer, right])
    rest = np.asarray(np.linalg.qr(both - U @ (U.T @ both), mode="r"))[:m]
    return _Piece(inner, outer, right), rest[:, :m], rest[:, m]


def _made(pieces: Pieces, N: np.ndarray, E: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """N^T lamdot + EL(phi)^T lam, (T, k); lam is a polynomial of degree DEGREE on each piece."""
    m = lam.shape[1]
    c = np.einsum("dn,pns->pds", np.linalg.pinv(_T), lam.reshape(-1, NODES, m))
    slope = np.column_stack([np.zeros(NODES), _SLOPES])
    lamdot = (np.einsum("nd,pds->pns", slope, c) / pieces.half[:, None, None]).reshape(-1, m)
    return np.asarray(np.einsum("tsa,ts->ta", N, lamdot) + np.einsum("tsa,ts->ta", E, lam))


# --- residuals along the curve: R = EL(L) - Q, the normals N and EL(phi), and their sizes ----------------------------


class RowsAlongCurve:
    """R, N and EL(phi) along a curve: (T, k), (T, m, k), (T, m, k)."""

    def __init__(self, system: System, along: SampledCurve, law: SystemLaw) -> None:
        self.t, self.pieces, self.span = along.t, along.pieces, along.span
        said = law(along.known, along.u, along.udot, along.span)
        self.R, self.N, self.E = said.R, said.N, said.E
        self.sizes, self.units = said.sizes, said.units
        self.constraints = self._kept(system, said, law, along)

    def _kept(self, system: System, said: Said, law: SystemLaw, along: SampledCurve) -> dict[str, float]:
        """Largest |phi|, and |f| of those on positions, over the size of the terms."""
        phi, names = said.phi, [c.name for c in system.constraints]
        speed = (np.abs(self.N) @ np.abs(along.u)[..., None])[..., 0].max(axis=0, initial=0.0)
        still = np.abs(phi - (self.N @ along.u[..., None])[..., 0]).max(axis=0, initial=0.0)
        off = np.abs(phi).max(axis=0, initial=0.0) / np.where(speed + still > 0, speed + still, 1.0)
        found = dict(zip(names, map(float, off), strict=True))
        first = len(law.nodes) - len(law.places)
        for name, node, values in zip(law.places, law.nodes[first:], said.f.T, strict=True):
            # its terms, and what it changes by where the largest coordinate moves by itself
            moved = np.abs(self.N[:, names.index(name)]).max(initial=0.0) * np.abs(along.q).max()
            size = float(np.max(sizes(node, along.known))) + float(moved)
            found[name] = max(found[name], float(np.abs(values).max()) / (size or 1.0))
        return found

    def reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """What R leaves over of the span of N, and mu (T, m), of least norm."""
        if not self.N.shape[1]:
            return self.R, np.zeros((0, 0))
        mu = (np.linalg.pinv(np.swapaxes(self.N, 1, 2), rcond=1e-10) @ self.R[..., None])[..., 0]
        return self.R - (np.swapaxes(self.N, 1, 2) @ mu[..., None])[..., 0], mu
