"""The disc of [cushman1995 Section 6], its symbols, and what the library makes of it once for all chapters.

(x, y) lies below the centre of mass; theta, phi, psi are zyz Euler angles; M is described by (x, y, theta, phi, psi,
v_theta, v_phi, v_psi), and f1 = f2 = 0 give v_x, v_y there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from dalembert import System, reduce
from dalembert.calculus.algebra import Symbolic
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.geometry.distributions import Distributions, DistributionsAt
from dalembert.geometry.phase_space import Phase
from dalembert.geometry.reduction import Reduction
from dalembert.geometry.restriction import Restricted
from dalembert.principles.adapted_velocities import Adapted
from dalembert.principles.symplectic import SymplecticEquations
from dalembert.symmetry import distributions, phase_space, restrict
from dalembert.systems import rolling_disc as disc

from ..claim import Claim, Slip, identity, misprint
from ..vanishing import entries

x, y, theta, phi, psi = coordinates = disc.SPACE.coordinates
vx, vy, vtheta, vphi, vpsi = velocities = disc.SPACE.velocities
m, r, A, C, g = disc.MASS, disc.RADIUS, disc.DIAMETRAL, disc.AXIAL, disc.GRAVITY
s, c = sp.sin(theta), sp.cos(theta)
S, K = sp.sin(phi), sp.cos(phi)
# A + m r^2 and C + m r^2 occur everywhere
A_, C_ = A + m * r**2, C + m * r**2
rho_theta, rho_phi, rho_psi = rho = sp.symbols("rho_theta rho_phi rho_psi", real=True)

DEPENDENT = ("vx", "vy")


@cache
def system() -> System:
    """The disc as the gallery has it: Lagrangian, two constraints, the group E(2) x SO(2)."""
    return disc.system()


@cache
def values() -> dict[str, float]:
    """The parameters of the runs: a homogeneous disc, 1 kg, r = 0.5 m."""
    return dict(system().values())


@cache
def restricted() -> Restricted:
    """The disc on D."""
    return restrict(system())


@cache
def reduction() -> Reduction:
    """The disc without its group."""
    return reduce(system())


@cache
def phase() -> Phase:
    """M-bar in theta, rho_theta, rho_phi, rho_psi."""
    return phase_space(reduction().system)


@cache
def form() -> SymplecticEquations:
    """omega and the vectors of H in symbols, v_x and v_y being those that f1, f2 give."""
    positions = [i for i, u in enumerate(velocities) if u.name in DEPENDENT]
    return SymplecticEquations(Adapted(system(), (0, 1), positions, Symbolic()))


@cache
def work() -> Distributions:
    """The distributions at states."""
    return distributions(system())


def on_M(expression: sp.Expr) -> sp.Expr:
    """An expression on M, in the free velocities."""
    return (expression + sp.S.Zero).xreplace(_solved())


@cache
def _solved() -> dict[sp.Symbol, sp.Expr]:
    return {u: restricted().velocities[u.name] for u in (vx, vy)}


def as_plane(structure: np.ndarray) -> bool:
    """Are structure constants f^c_ab at [a, b, c] those of E(2), two shifts and the turn, beside what commutes?

    [turn, shift x] = -(shift y) ,  [turn, shift y] = shift x : fields that generate act from the left.
    """
    known = np.zeros_like(structure)
    known[0, 2, 1], known[1, 2, 0] = 1, -1
    return bool(np.abs(structure - known + known.transpose(1, 0, 2)).max() < 1e-9)


@cache
def momenta() -> dict[sp.Symbol, sp.Expr]:
    """rho_theta, rho_phi, rho_psi by the velocities, as the library finds them."""
    return dict(zip(rho, phase().momenta.values(), strict=True))


def reduced(expression: sp.Expr) -> sp.Expr:
    """An expression of the library's on M-bar, its momenta called rho."""
    return (expression + sp.S.Zero).xreplace(dict(zip(phase().momenta, rho, strict=True)))


@cache
def energy() -> sp.Expr:
    """E-bar as the library derives it."""
    return collected(reduced(phase().hamiltonian))


@cache
def rates() -> dict[sp.Symbol, sp.Expr]:
    """The reduced equations of motion as the library derives them."""
    return {reduced(z): collected(reduced(e)) for z, e in phase().rates.items()}


# --- claims ----------------------------------------------------------------------------------------------------------


def algebraic(expression: sp.Expr) -> sp.Expr:
    """The numerator, as a polynomial in cosines and in sines of degree at most 1: 0 iff the expression is."""
    numerator, _, back = _fraction(expression)
    return numerator.xreplace(back)


def tidy(expression: sp.Expr) -> sp.Expr:
    """The expression as a fraction without common factors, in sines and cosines."""
    numerator, denominator, back = _fraction(expression)
    return sp.factor(numerator).xreplace(back) / sp.factor(denominator).xreplace(back)


def collected(expression: sp.Expr) -> sp.Expr:
    """The expression, a polynomial in rho, with short coefficients."""
    terms = sp.Poly(sp.expand(tidy(expression)), *rho).terms()
    powers = [sp.prod(z**n for z, n in zip(rho, exponents, strict=True)) for exponents, _ in terms]
    return sum((sp.simplify(e) * power for power, (_, e) in zip(powers, terms, strict=True)), sp.S.Zero)


def _fraction(expression: sp.Expr) -> tuple[Any, Any, dict[Any, Any]]:
    """Numerator and denominator, symbols for sines and cosines with sin^2 = 1 - cos^2, and what these stand for."""
    e = sp.expand_trig((expression + sp.S.Zero).replace(sp.tan, lambda a: sp.sin(a) / sp.cos(a)))
    angles = sorted({f.args[0] for f in e.atoms(sp.sin, sp.cos)}, key=str)
    pairs = {angle: sp.symbols(f"_s{i} _c{i}", real=True) for i, angle in enumerate(angles)}
    turned = {kind(a): symbol for a, pair in pairs.items() for kind, symbol in zip((sp.sin, sp.cos), pair, strict=True)}
    top, bottom = (sp.expand(part) for part in sp.fraction(sp.cancel(sp.together(e.xreplace(turned)))))
    for sine, cosine in pairs.values():
        top = sp.Poly(top, sine).rem(sp.Poly(sine**2 + cosine**2 - 1, sine)).as_expr() if top.has(sine) else top
    return sp.expand(top), bottom, {symbol: f for f, symbol in turned.items()}


def holds(where: str, statement: str, *residuals: Any, expected: bool = True, key: bool = False) -> Claim:
    """The claim that all residuals vanish, decided by algebra where they do."""
    left = [e if algebraic(e) != 0 else sp.S.Zero for e in entries(residuals)]
    return identity(where, statement, left, expected=expected, key=key)


def printed(
    where: str, wrong: str, wrong_residuals: list[sp.Expr], right: str, right_residuals: list[sp.Expr], slip: Slip
) -> Iterator[Claim]:
    """What is printed, which does not hold, and what stands in its place, which does."""
    yield misprint(holds(where, wrong, wrong_residuals), holds(where, right, right_residuals), slip)


# --- states ----------------------------------------------------------------------------------------------------------


def state(**chart: float) -> dict[str, float]:
    """A state on M from theta, vtheta, vphi, vpsi (and x, y, phi, psi, else as in the gallery), parameters included."""
    every = {**disc.START, **chart}
    known = {**values(), **every, "t": 0.0}
    graph = Graph()
    solved = evaluate([read(on_M(u), graph) for u in (vx, vy)], known)
    return {**known, "vx": float(solved[0]), "vy": float(solved[1])}


def place(**chart: float) -> DistributionsAt:
    """The distributions there."""
    return work().at(state(**chart))


def number(expression: sp.Expr, known: Mapping[str, float]) -> float:
    """The value of an expression."""
    return float(numbers(expression, known))


def numbers(expression: sp.Expr, known: Mapping[str, float | np.ndarray]) -> Any:
    """The values of an expression at a state, or at many."""
    return evaluate([read(expression + sp.S.Zero, Graph())], known)[0]
