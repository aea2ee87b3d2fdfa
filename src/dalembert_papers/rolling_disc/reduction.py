"""Section 4 of [cushman1995], and the reduced disc of section 6: V, U, H-bar, omega-bar, E-bar, (35) to (37)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import sympy as sp

from dalembert.geometry.distributions import DistributionsAt, apart, outside, span

from ..claim import Claim, Group, at_hand, misprint, said, scope, small
from . import given
from .given import (
    A_,
    C_,
    A,
    C,
    c,
    holds,
    m,
    r,
    rho,
    rho_phi,
    rho_psi,
    rho_theta,
    s,
    theta,
    velocities,
    vphi,
    vpsi,
    vtheta,
)

ROUNDING = 1e-10
SHAPE = (theta, *rho)

PRINTED_RHO = {
    rho_theta: A_ * vtheta,
    rho_phi: C_ * (vpsi + vphi * c) * c + A * vphi * s**2,
    rho_psi: C_ * (vpsi + vphi * c),
}
LEFT = rho_phi - rho_psi * c
PRINTED_E = rho_theta**2 / (2 * A_) + rho_psi**2 / (2 * C_) + LEFT**2 / (2 * A * s**2) + m * given.g * r * s
COEFFICIENT = -A_ / (m * r**2 * rho_theta * s)
PRINTED_RATES = {
    theta: rho_theta / A_,
    rho_theta: c * LEFT**2 / (A * s**3) - rho_psi * LEFT / (A * s) - m * given.g * r * c,
    rho_phi: m * r**2 * rho_theta / (A * A_) * (c / s * LEFT - A / C_ * s * rho_psi),
    rho_psi: m * r**2 * rho_theta / (A * A_) * LEFT / s,
}
KAPPA = C * m * r**2 / (A * C_)


# --- V, U ------------------------------------------------------------------------------------------------------------


def moving() -> list[DistributionsAt]:
    """Random states; v_theta is nowhere 0."""
    return given.work().places(3)


def steady() -> list[DistributionsAt]:
    """States with v_theta = 0."""
    cases = ((1.1, 0.9, 3.0), (0.7, -1.4, 2.2), (2.0, 0.3, -4.0))
    return [given.place(theta=a, vtheta=0.0, vphi=b, vpsi=d) for a, b, d in cases]


def horizontal(place: DistributionsAt) -> np.ndarray:
    """zeta_theta, zeta_phi, zeta_psi, d/dv_theta, d/dv_phi, d/dv_psi, lifted to M, as rows (6, 10)."""
    form = given.form()
    still = [0] * len(velocities)
    fields = [(X.x, X.w) for X in form.horizontal] + [(still, Z) for Z in form.columns]
    return given.work().vectors(fields, place.values)


def orbits() -> Iterator[Claim]:
    """V, V n H, U."""
    places = [*moving(), *steady()]
    still = max(float(np.abs(p.lifted[:, [2]]).max() + np.abs(p.lifted[:, 7:]).max()) for p in places)
    text = f"dimension {len(places[0].V)}, theta and free velocities move by {still:.0e}"
    holds_ = still <= ROUNDING and {len(p.V) for p in places} == {4}
    yield said("section 6", "V is spanned by d/dx, d/dy, d/dphi, d/dpsi on M", holds_, text)
    worst = max(apart(p.VH, span(horizontal(p)[1:3])) for p in places)
    yield small("section 6", "V n H is spanned by zeta_phi and zeta_psi", worst, ROUNDING, key=True)
    yield from connection()
    worst = max(outside(span(p.xi[None]), p.U) for p in places)
    yield small("Theorem 3.1", "xi lies in U, where v_theta = 0 as well", worst, ROUNDING)


def connection() -> Iterator[Claim]:
    """(38): eta_theta, eta_phi, eta_psi, d/dv_theta span U."""
    form, n = given.form(), 3
    vertical = sp.Matrix(form.metric()).applyfunc(given.tidy)
    turn = sp.Matrix(n, n, lambda i, j: given.tidy(given.on_M(form.omega(form.horizontal[i], form.horizontal[j]))))
    # omega(zeta_i + b_k d/dv_k, zeta_j) = turn_ij - b_k G_kj = 0 for j = phi, psi
    b = turn[:, 1:] * vertical[1:, 1:].inv()
    b = b.applyfunc(given.tidy)
    worst = 0.0
    for place in [*moving(), *steady()]:
        rows = horizontal(place)
        numbers = np.array([given.number(e, place.values) for e in b]).reshape(n, 2)
        eta = rows[:3] + numbers @ rows[4:]
        worst = max(worst, apart(span(eta, rows[3:4]), place.U))
    yield small("(38)", "U is spanned by eta_theta, eta_phi, eta_psi, d/dv_theta", worst, ROUNDING, key=True)


# --- M-bar -----------------------------------------------------------------------------------------------------------


def momenta() -> Iterator[Claim]:
    """rho and E-bar."""
    for symbol, e in given.momenta().items():
        yield holds("section 6", f"{symbol.name}", e - PRINTED_RHO[symbol], key=symbol is rho_psi)
    H = given.energy()
    yield holds("section 6", "E-bar", H - PRINTED_E, key=True)
    E = given.on_M(given.form().E)
    yield holds("Theorem 3.3", "E is E-bar(rho)", E - H.xreplace(given.momenta()))


def form() -> Iterator[Claim]:
    """omega-bar, by the bracket and by pushing omega_U forward."""
    found = sp.Matrix(given.phase().form).applyfunc(given.reduced)
    printed = sp.zeros(4)
    printed[0, 1], printed[1, 0], printed[2, 3], printed[3, 2] = 1, -1, COEFFICIENT, -COEFFICIENT
    yield holds("section 6", "omega-bar with its coefficient", found - printed, key=True)
    # d omega_ijk = d_i omega_jk + cyclic
    d = [
        found[j, k].diff(SHAPE[i]) + found[k, i].diff(SHAPE[j]) + found[i, j].diff(SHAPE[k])
        for i, j, k in combinations(range(4), 3)
    ]
    # d omega-bar = -COEFFICIENT (cot(theta) dtheta + drho_theta/rho_theta) ^ drho_phi ^ drho_psi
    slopes = [0, 0, -COEFFICIENT * c / s, -COEFFICIENT / rho_theta]
    statement = "omega-bar is not closed: its coefficient depends on theta and rho_theta"
    yield holds("section 6", statement, [one - other for one, other in zip(d, slopes, strict=True)], key=True)
    worst = gap = 0.0
    for place in moving():
        down, known = projected(place), on_shape(place)
        bar = np.array([given.number(e, known) for e in found]).reshape(4, 4)
        worst = max(
            worst, float(np.abs(place.omega(place.U, place.U) - place.U @ down.T @ bar @ down @ place.U.T).max())
        )
        rates = np.array([given.number(given.rates()[z], known) for z in SHAPE])
        gap = max(gap, float(np.abs(down @ place.xi - rates).max()))
    yield small("Theorem 3.2", "omega_U is the pull-back of omega-bar", worst, ROUNDING, key=True)
    yield small("Theorem 3.1", "xi projects to xi-bar", gap, ROUNDING)


def projected(place: DistributionsAt) -> np.ndarray:
    """T rho on (x, w): the differentials of theta, rho_theta, rho_phi, rho_psi, (4, 10)."""
    functions = [theta, *given.momenta().values()]
    return np.array([given.work().derivative(e, place.values) for e in functions])


def on_shape(place: DistributionsAt) -> dict[str, float]:
    """theta, rho_theta, rho_phi, rho_psi there, parameters included."""
    return {**place.values, **{z.name: given.number(e, place.values) for z, e in given.momenta().items()}}


STANDING = scope("omega_H(zeta_phi, zeta_psi) = m r^2 v_theta sin(theta) vanishes with v_theta: on all steady motions.")


def _regularity(where: str, places: Sequence[DistributionsAt]) -> list[Claim]:
    """What is said of U at some places."""
    rank = {len(span(p.U @ projected(p).T)) for p in places}
    sizes = {len(p.K) for p in places}
    least = min(p.regular(p.VH) for p in places)
    return [
        said("section 6", f"{where}H-bar = T(M-bar)", rank == {4}, f"rank {_set(rank)} of 4"),
        said("section 6", f"{where}U n V = 0", sizes == {0}, f"K: {_set(sizes)}"),
        said("section 6", f"{where}omega-bar is regular", least > ROUNDING, f"{least:.1e}"),
    ]


def where_it_stands_still() -> Iterator[Claim]:
    """v_theta = 0, where all steady motions are."""
    zeta = given.form().horizontal
    both = given.on_M(given.form().omega(zeta[1], zeta[2]))
    yield holds("section 6", "omega_H(zeta_phi, zeta_psi) = m r^2 v_theta sin(theta)", both - m * r**2 * vtheta * s)
    everywhere, turning = (
        _regularity(f"{name}: ", places)
        for name, places in (
            ("also where v_theta = 0", steady()),
            ("where v_theta != 0", moving()),
        )
    )
    for printed, repaired in zip(everywhere, turning, strict=True):
        yield misprint(printed, repaired, STANDING)
    count = {len(p.U) for p in [*moving(), *steady()]}
    yield said("section 6", "dim U = dim M-bar, everywhere", count == {4}, f"dim U: {_set(count)}")
    coefficient = given.reduced(given.phase().form[2, 3])
    yield holds("section 6", "the coefficient of omega-bar has a pole there", sp.limit(1 / coefficient, rho_theta, 0))


def _set(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


# --- the reduced equations -------------------------------------------------------------------------------------------


def equations() -> Iterator[Claim]:
    """The four reduced equations, (35), the second-order equation, (36), (37)."""
    rates = given.rates()
    for z, e in PRINTED_RATES.items():
        yield holds("section 6", f"d{z.name}/dt", rates[z] - e, key=z is rho_theta)
    along_phi, along_psi = (given.tidy(rates[z] / rates[theta]) for z in (rho_phi, rho_psi))
    yield holds("(35)", "d rho_phi/dtheta", along_phi - (m * r**2 / A * c / s * LEFT - m * r**2 * s / C_ * rho_psi))
    yield holds("(35)", "d rho_psi/dtheta", along_psi - m * r**2 / A / s * LEFT, key=True)
    # d^2 rho_psi/dtheta^2 by the chain rule
    second = along_psi.diff(theta) + along_psi.diff(rho_phi) * along_phi + along_psi.diff(rho_psi) * along_psi
    yield holds("section 6", "the second-order equation", second + c / s * along_psi - KAPPA * rho_psi, key=True)
    f = sp.symbols("f f_z f_zz", real=True)  # a function of z = cos^2 and its slopes
    yield holds("(36)", "is the second-order equation in z = cos(theta)^2", in_z(f) - hypergeometric(f), key=True)
    yield holds("(37)", "rho_phi from rho_psi", A / (m * r**2) * s * along_psi + rho_psi * c - rho_phi, key=True)


def in_z(f: tuple[sp.Symbol, ...]) -> sp.Expr:
    """A quarter of the second-order equation for a function of cos(theta)^2."""
    z = c**2
    slope = f[1] * z.diff(theta)
    curve = f[2] * z.diff(theta) ** 2 + f[1] * z.diff(theta, 2)
    return (curve + c / s * slope - KAPPA * f[0]) / 4


def hypergeometric(f: tuple[sp.Symbol, ...]) -> sp.Expr:
    """(36) as printed, at z = cos(theta)^2."""
    z = c**2
    return z * (1 - z) * f[2] + (1 - 3 * z) / 2 * f[1] - C * m * r**2 / (4 * A * C_) * f[0]


def which_psi() -> Iterator[Claim]:
    """p_psi(theta) or rho_psi(theta): (36) is linear and cannot tell, (37) can."""
    along_psi = given.tidy(given.rates()[rho_psi] / given.rates()[theta])
    p_psi = C / C_ * rho_psi
    on_M = C * (vpsi + vphi * c) - p_psi.xreplace(given.momenta())
    yield holds("after (36)", "p_psi = dL/dv_psi = C rho_psi/(C + m r^2) on M solves (36) too", on_M)
    slope = C / C_ * along_psi
    printed = A / (m * r**2) * s * slope + p_psi * c - rho_phi
    wrong = holds("after (36)", "(37) holds with p_psi read as dL/dv_psi", printed)
    right = holds("after (36)", "(37) holds with rho_psi", A / (m * r**2) * s * along_psi + rho_psi * c - rho_phi)
    yield misprint(
        wrong, right, at_hand("A letter; (36) is linear and cannot tell, (37) can.", r"p_\psi", r"\rho_\psi")
    )


def solvable() -> Iterator[Claim]:
    """Section 6, last sentence."""
    found = given.reduction()
    names = ", ".join(g.name for g in found.generators)
    right = found.solvable and not found.abelian and given.as_plane(found.structure)
    statement = "G is solvable, not abelian: [turn, shift] is a shift, all other brackets are 0"
    yield said("section 6", statement, right, names)


GROUPS: tuple[Group, ...] = (
    orbits,
    momenta,
    form,
    where_it_stands_still,
    equations,
    which_psi,
    solvable,
)
