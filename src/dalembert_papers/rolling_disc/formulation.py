"""Sections 1 to 3 of [cushman1995]: M, H, omega_H, Theorem 1, Theorem 2, growth.

omega = dq ^ dp, so that  xi _| omega = dE  says  qdot = dE/dp, pdot = -dE/dq.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy as sp

from dalembert import System, examine, nonholonomic
from dalembert import coordinates as plain
from dalembert.equations import Equations
from dalembert.forms import symplectic
from dalembert.geometry.distributions import DistributionsAt, outside, span
from dalembert.geometry.noether import conserved
from dalembert.symmetry import noether

from ..claim import Claim, Group, author, said, small
from . import given
from .given import (
    A_,
    C_,
    A,
    C,
    K,
    S,
    c,
    coordinates,
    holds,
    m,
    phi,
    psi,
    r,
    s,
    theta,
    velocities,
    vphi,
    vpsi,
    vtheta,
    vx,
    vy,
    x,
    y,
)

ROUNDING = 1e-10  # of numbers of size 1 to 100 that two routes give
STEP, SLOPE = 1e-3, 1e-8  # of differences; their error is h^4/30 times the fifth derivative

PRINTED_L = (
    m * (vx**2 + vy**2 + r**2 * vtheta**2 * c**2) / 2
    + A * (vtheta**2 + vphi**2 * s**2) / 2
    + C * (vpsi + vphi * c) ** 2 / 2
    - m * given.g * r * s
)
PRINTED_F = (vx * K + vy * S - r * vtheta * s, -vx * S + vy * K + r * vphi * c + r * vpsi)
PRINTED_PHI = ((K, S, -r * s, 0, 0), (-S, K, 0, r * c, r))
PRINTED_ZETA = ((r * s * K, r * s * S, 1, 0, 0), (r * c * S, -r * c * K, 0, 1, 0), (r * S, -r * K, 0, 0, 1))


# --- M and H ---------------------------------------------------------------------------------------------------------


def manifold() -> Iterator[Claim]:
    """(6), (14), (15): the constraint forms, M, and what spans H."""
    rows = [row.phi for row in given.system().constraints]
    yield holds("section 6", "L and f1, f2 are the system's", given.system().lagrangian - PRINTED_L, *_less(rows))
    # (2):  d/dt f(v + t T pi(w)) = (df/dv) T pi(w)
    forms = sp.Matrix([[f.diff(u) for u in velocities] for f in rows])
    yield holds("(2), sec. 6", "phi_1, phi_2 from f1, f2", forms - sp.Matrix(PRINTED_PHI))
    solved = [f.xreplace({u: given.on_M(u) for u in velocities}) for f in PRINTED_F]
    yield holds("(14), sec. 6", "M: v_x, v_y follow from the rest", solved)
    Z = given.restricted().Z
    yield holds("(15), sec. 6", "H is spanned by zeta_theta, zeta_phi, zeta_psi, ...", Z.T - sp.Matrix(PRINTED_ZETA))
    free = [w for X in given.form().horizontal for w in X.w[2:]]
    tangent = [given.on_M(e) for X in given.form().horizontal for e in _along(X, rows)]
    yield holds("(15), sec. 6", "... and d/dv_theta, d/dv_phi, d/dv_psi: zeta is tangent to M", free, tangent)


def _less(rows: list[sp.Expr]) -> list[sp.Expr]:
    return [a - b for a, b in zip(rows, PRINTED_F, strict=True)]


def _along(X: object, rows: list[sp.Expr]) -> list[sp.Expr]:
    """df(X) of each row."""
    place = zip((*coordinates, *velocities), (*X.x, *X.w), strict=True)  # type: ignore[attr-defined]
    steps = list(place)
    return [sum((f.diff(z) * e for z, e in steps), sp.S.Zero) for f in rows]


def volume() -> sp.Expr:
    """det omega_H on zeta_theta, zeta_phi, zeta_psi, d/dv_theta, d/dv_phi, d/dv_psi."""
    # [[omega(zeta, zeta), G], [-G^T, 0]] has the determinant det(G)^2
    G = sp.Matrix(given.form().metric()).applyfunc(given.tidy)
    return G.det() ** 2


def theorem_1() -> Iterator[Claim]:
    """Theorem 1: omega_H is nondegenerate and determines the motion; multipliers from the complement."""
    known = A * A_ * C_ * s**2
    yield holds("Theorem 1.1", "det omega_H = [A (A + m r^2)(C + m r^2) sin^2]^2", volume() - known**2, key=True)
    places = given.work().places(4)
    whole = [len(span(p.H, p.H_perp)) for p in places]
    yield said("(16)", "TP|M = H + H_omega", set(whole) == {10}, f"dimension {whole[0]} of 10")
    first, second = (nonholonomic(given.system()), symplectic(given.system()))
    inside = max(outside(span(_motion(first, p)[None]), p.H) for p in places)
    yield small("Theorem 1.2", "xi, the motion by multipliers, lies in H", inside, ROUNDING)
    worst = max(_differ(first, second, p) for p in places)
    yield small("Theorem 1.3, (17)", "the motion from omega_H is that from multipliers", worst, ROUNDING, key=True)
    unique = [len(span(_push(p))) for p in places]
    gap = max(float(np.abs([*p.multipliers.values()] - _reference(first, p)).max()) for p in places)
    yield said("Theorem 1.4", "phi_1, phi_2 are independent on H_omega", set(unique) == {2}, f"rank {unique[0]}")
    yield small("Theorem 1.4", "so (13) on H_omega gives lambda, sign as in (9)", gap, ROUNDING, key=True)


def _normals(place: DistributionsAt) -> np.ndarray:
    """phi_a on the frame, (2, 5)."""
    return given.work().normals(place.values)


def _push(place: DistributionsAt) -> np.ndarray:
    """phi_a on a basis of H_omega, (2, 4)."""
    return np.asarray(_normals(place) @ place.H_perp[:, :5].T)


def _motion(equations: Equations, place: DistributionsAt) -> np.ndarray:
    """Velocities and accelerations, (10,)."""
    return np.array([*(place.values[u.name] for u in velocities), *equations.accelerations(place.values)[0]], float)


def _reference(equations: Equations, place: DistributionsAt) -> np.ndarray:
    return np.asarray(equations.accelerations(place.values)[1])


def _differ(first: Equations, second: Equations, place: DistributionsAt) -> float:
    """The largest difference of the accelerations, and to xi in numbers."""
    a, b = (np.asarray(e.accelerations(place.values)[0]) for e in (first, second))
    return float(max(np.abs(a - b).max(), np.abs(a - place.xi[5:]).max()))


# --- what fails as printed -------------------------------------------------------------------------------------------


def acceleration() -> Iterator[Claim]:
    """(4): the covariant acceleration along the constraint forms."""
    rows = nonholonomic(given.system()).symbolic
    # f without gravity and forces: those of inertia alone
    W, f, N = sp.Matrix(rows.W), sp.Matrix(rows.f).subs(given.g, 0), sp.Matrix(rows.N)
    # D^2q/dt^2 = udot - W^-1 f ,  N udot = -(dN/dt) u = g
    along = (sp.Matrix(rows.g) - N * W.LUsolve(f)).applyfunc(given.on_M)
    yield from given.printed(
        "(4)",
        "<phi_a | D^2q/dt^2> = 0",
        list(along),
        "it is -(nabla_v chi_a)(v), the same for all forces, and 0 only for some v",
        [along[i] - given.on_M(e) for i, e in enumerate(_second_form())],
        author(
            "The rate of (1); no force enters. The = 0 is one too much, and nothing rests on it.",
            r"\langle \phi_a | D^2q/dt^2 \rangle = -\langle df_a | \mathrm{hor}\, q'' \rangle = 0",
            r"\langle \phi_a | D^2q/dt^2 \rangle = -(\nabla_v \chi_a)(v)",
        ),
    )
    flat = [e.subs({vphi: 0, vtheta: 0}) for e in along]
    yield holds("(4)", "for v_theta = v_phi = 0 it is 0: straight rolling has no acceleration", flat)


def _second_form() -> list[sp.Expr]:
    """-(nabla_v chi)(v) with the Levi-Civita connection of the metric dp_i/dv^j."""
    metric = sp.Matrix([[e.diff(u) for u in velocities] for e in given.form().p]).applyfunc(sp.expand)
    inverse = metric.inv()
    v = sp.Matrix(velocities)
    found = []
    for row in given.system().constraints:
        chi = sp.Matrix([row.phi.diff(u) for u in velocities])
        # Gamma_k(v, v) = v^i v^j (d_i g_jk - d_k g_ij/2)
        lower = [
            sum((v[i] * v[j] * metric[j, k].diff(q) for i, q in enumerate(coordinates) for j in range(5)), sp.S.Zero)
            - sum((v[i] * v[j] * metric[i, j].diff(coordinates[k]) for i in range(5) for j in range(5)), sp.S.Zero) / 2
            for k in range(5)
        ]
        slope = sum((v[i] * (chi.T * v)[0].diff(q) for i, q in enumerate(coordinates)), sp.S.Zero)
        found.append(-(slope - (chi.T * inverse * sp.Matrix(lower))[0]))
    return found


def signs() -> Iterator[Claim]:
    """(9) against (13)."""
    lam = dict(zip(velocities, sp.Matrix(nonholonomic(given.system()).symbolic.N).T * sp.Matrix(_LAM), strict=True))
    p, E = given.form().p, given.form().E
    L = given.system().lagrangian
    # (9): pdot_i = dL/dq^i + lam phi_i, and the q-component of xi _| omega is -pdot_i + (dp_j/dq^i) qdot^j
    q_part = []
    for q, u in zip(coordinates, velocities, strict=True):
        turned = sum((pj.diff(q) * vj for pj, vj in zip(p, velocities, strict=True)), sp.S.Zero)
        q_part.append((-(L.diff(q) + lam[u]) + turned, E.diff(q), lam[u]))
    yield from given.printed(
        "(13)",
        "xi _| omega = dE + lambda phi with the lambda of (9)",
        [left - (dE + push) for left, dE, push in q_part],
        "xi _| omega = dE - lambda phi, or lambda with the other sign in (9)",
        [left - (dE - push) for left, dE, push in q_part],
        author(
            "omega = dq ^ dp gives pdot = -dE/dq - lambda phi from (13), + from (9). (17) to (20) have none.",
            r"\xi \lrcorner \omega = dE + \lambda_a \phi_a",
            r"\xi \lrcorner \omega = dE - \lambda_a \phi_a",
        ),
    )
    rows = sp.Matrix([[row.phi.diff(u) for u in velocities] for row in given.system().constraints])
    yield holds("(17) to (20)", "unaffected: lambda phi vanishes on H", rows * given.restricted().Z)
    yield _numbers()


_LAM = sp.symbols("lambda_1 lambda_2", real=True)


def _numbers() -> Claim:
    """The same at random states, with the library's multipliers: all ten components."""
    equations, gap = nonholonomic(given.system()), 0.0
    for place in given.work().places(3, seed=8):
        push = np.concatenate([_reference(equations, place) @ _normals(place), np.zeros(5)])
        off = place.xi @ place.local.omega - (place.local.dE - push)
        gap = max(gap, float(np.abs(off).max()))
    return small("(13)", "dE - lambda phi at random states", gap, ROUNDING)


# --- Theorem 2 -------------------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, sp.Expr] = {
    "x": x,
    "v_theta": vtheta,
    "m v_x": m * vx,
    "p_psi": C * (vpsi + vphi * c),
    "rho_psi": C_ * (vpsi + vphi * c),
    "J_z": m * (x * vy - y * vx) + A * vphi * s**2 + C * (vpsi + vphi * c) * c,
    "sin(x) v_phi^2 + cos(phi - psi) v_psi": sp.sin(x) * vphi**2 + sp.cos(phi - psi) * vpsi,
    "theta v_psi": theta * vpsi,
}


def theorem_2() -> Iterator[Claim]:
    """df/dt = -L_(xi_f^H) E for functions constant and not."""
    work = given.work()
    worst = 0.0
    for place in work.places(3, seed=2):
        for f in (*FUNCTIONS.values(), _energy()):
            df = work.derivative(f, place.values)
            along, energy = float(df @ place.xi), float(place.local.hamiltonian(df) @ place.local.dE)
            worst = max(worst, abs(along + energy) / (1 + abs(along)))
    count = len(FUNCTIONS) + 1
    yield small("Theorem 2", f"df/dt = -L_(xi_f^H) E for {count} functions f", worst, ROUNDING, key=True)
    found = conserved(given.system(), _energy())
    yield said("Theorem 2", "E is constant", bool(found), f"rate {found.rate:.1e}")
    moving = [name for name, f in FUNCTIONS.items() if not conserved(given.system(), f)]
    text = f"{len(moving)} of {len(FUNCTIONS)} change"
    yield said("Theorem 2", "no other of them is", len(moving) == len(FUNCTIONS), text)
    worst = max(_hidden(place) for place in work.places(3, seed=2))
    statement = "c1, c2 of (36): L_(xi_f^H) E = 0 and df/dt = 0, though no symmetry gives them"
    yield small("Theorem 2", statement, worst, SLOPE, key=True)


def _hidden(place: DistributionsAt) -> float:
    """The largest df/dt and L_(xi_f^H) E of c1, c2, over the size of df."""
    names = [z.name for z in (*coordinates, *velocities)]
    df = np.zeros((2, len(names)))
    for name in ("theta", "vphi", "vpsi"):
        df[:, names.index(name)] = _slope(place.values, name)
    rates = [*(df @ place.xi), *(float(place.local.hamiltonian(row) @ place.local.dE) for row in df)]
    return float(np.abs(rates).max() / np.abs(df).max())


def _slope(values: Mapping[str, float], name: str) -> np.ndarray:
    """d(c1, c2)/d(name) by differences of the fourth order; exact along velocities."""

    def at(step: float) -> np.ndarray:
        return given.disc.constants({**values, name: values[name] + step}, given.values())

    h = STEP
    return np.asarray((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))


def _energy() -> sp.Expr:
    """v dL/dv - L, by the L that is printed."""
    return sum((u * PRINTED_L.diff(u) for u in velocities), sp.S.Zero) - PRINTED_L


def symmetries() -> Iterator[Claim]:
    """Section 3: symmetry and conservation are two things."""
    judged = noether(given.system())
    names = ", ".join(each.generator.name for each in judged.momenta)
    yield said(
        "sections 4, 6", "G = E(2) x SO(2) preserves L, M and H", all(e.symmetric for e in judged.momenta), names
    )
    still = any(e.conserved for e in judged.momenta) or bool(judged.conserved)
    yield said("section 3", "symmetries that conserve nothing: the disc's four", not still, names, key=True)


# --- growth ----------------------------------------------------------------------------------------------------------


@cache
def on_M_as_space() -> System:
    """H as constraints on curves in M: coordinates of M, velocities free but for phi_1, phi_2."""
    free = [u for u in velocities if u.name not in given.DEPENDENT]
    names = [q.name for q in coordinates] + [f"at_{u.name}" for u in free]
    space = plain(names, velocities=[*(u.name for u in velocities), *(f"{u.name}_rate" for u in free)])
    L = sum((u**2 for u in space.velocities), sp.S.Zero) / 2
    rows = {row.name: row.phi for row in given.system().constraints}
    return System(space, L, rows, parameters={"r": given.values()["r"]})


def growth() -> Iterator[Claim]:
    """H is not integrable, and only TM is integrable and contains it."""
    below, above = examine(given.system()), examine(on_M_as_space())
    text = f"growth {', '.join(map(str, below.growth))}"
    yield said("section 6", "on Q the brackets grow as (3, 4, 5)", below.growth == (3, 4, 5), text)
    text = f"growth {', '.join(map(str, above.growth))} on M"
    full = above.growth == (6, 7, 8) and bool(above.generating)
    statement = "H is not integrable: the smallest integrable distribution that contains it is TM"
    yield said("section 6", statement, full, text, key=True)


GROUPS: tuple[Group, ...] = (
    manifold,
    theorem_1,
    acceleration,
    signs,
    theorem_2,
    symmetries,
    growth,
)
