"""Section 2 of [lewis1995], and appendices A to C as far as it rests on them: affine constraints and the two methods.

An affine constraint is a distribution D = ker{w^1, ..., w^(n-k)} and a field gamma; phi^a = w^a(qdot) - w^a(gamma).
The misprints of the section, (2.2) second line, (2.7), (2.9), Remark 2.6.2, Propositions 2.3 and 2.8, are in `errata`.

Beyond the paper: with L_gamma the Lie derivative, Lagrange's expression of phi is

    E[phi] = L_gamma w + (qdot - gamma) _| dw

so that both methods have the same motions for every multiplier exactly if D is integrable and [gamma, D] lies in D.
Proposition 2.8 asks for gamma in D, which is more than that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.integrate import simpson

from ...calculus.frame import TIME
from ...equations import Equations, Form
from ...errors import InvalidValue
from ...model.factors import coordinates
from ...model.system import System
from ...numerics.run.simulate import simulate
from ...principles.free import free
from ...principles.nonholonomic import nonholonomic
from ...principles.vakonomic import vakonomic
from ...trajectory import Trajectory
from ..arbitrary import jet, unknown
from ..claim import Claim, Group, identity
from .derivations import plain_motion, rows_of

SAME = 1e-9  # of lengths about 1, over a few units of time at a tolerance of 1e-12 per step
QUADRATURE = 1e-7  # Simpson's rule with steps of 1/400
STEPS = 400


# --- two arbitrary one-forms on R^3 ----------------------------------------------------------------------------------

N, FORMS = 3, 2
Q = sp.symbols("x y z", real=True)
U = sp.symbols("vx vy vz", real=True)
ACC = sp.symbols("ax ay az", real=True)
LAM = sp.symbols(f"lam_w1:{FORMS + 1}", real=True)
RATES = sp.symbols(f"lamdot1:{FORMS + 1}", real=True)
REACTIONS = sp.symbols(f"l1:{FORMS + 1}", real=True)
PLAIN = plain_motion(Q, U)


class Given(NamedTuple):
    """L, the rows w^a (FORMS x N) and gamma."""

    L: Any
    w: Any
    gamma: Any

    @property
    def phi(self) -> Any:
        """w^a(qdot - gamma), one for each form."""
        return self.w * (sp.Matrix(U) - self.gamma)


@cache
def polynomial() -> Given:
    """L with arbitrary second, w and gamma with arbitrary first derivatives."""
    w = sp.Matrix(FORMS, N, lambda a, i: jet(f"w{a + 1}{i + 1}", Q, 1))
    gamma = sp.Matrix([jet(f"g{i + 1}", Q, 1) for i in range(N)])
    return Given(jet("k", (TIME, *Q, *U), 2), w, gamma)


@cache
def undefined() -> Given:
    """L, w and gamma as undefined functions."""
    w = sp.Matrix(FORMS, N, lambda a, i: unknown(f"w{a + 1}{i + 1}", *Q))
    return Given(unknown("L", *Q, *U, TIME), w, sp.Matrix([unknown(f"gamma{i + 1}", *Q) for i in range(N)]))


@cache
def general_system() -> System:
    """The polynomial one as a `System`."""
    given = polynomial()
    return System(coordinates("x y z"), given.L, {f"w{a + 1}": phi for a, phi in enumerate(given.phi)})


def euler_lagrange(L: Any) -> Any:
    """d/dt dL/dqdot - dL/dq as a column."""
    return sp.Matrix(rows_of(PLAIN.euler_lagrange(L), ACC))


def rows(form: Form, multipliers: Sequence[Any], accelerations: Sequence[Any] = ACC) -> Any:
    """W udot - N^T mu - f as a column."""
    return (
        sp.Matrix(form.W) * sp.Matrix(accelerations) - sp.Matrix(form.N).T * sp.Matrix(multipliers) - sp.Matrix(form.f)
    )


def definition_21() -> Iterator[Claim]:
    """Definition 2.1 and X_c of appendix A."""
    given, c = undefined(), sp.Symbol("c", real=True)
    X = given.w[0, :].T.cross(given.w[1, :].T)  # spans D = ker{w1, w2}
    yield identity("2.1", "qdot = gamma + c X, X in D, satisfies (D, gamma)", along(given.phi, given.gamma + c * X))
    solved = sp.solve(list(given.phi), list(U[1:]), dict=True)[0]
    gap = (sp.Matrix(U) - given.gamma).subs(solved).cross(X)
    yield identity("2.1", "and nothing else does: qdot - gamma is parallel to X", gap)
    shifted = Given(given.L, given.w, given.gamma + c * X)
    yield identity("2.1", "gamma and gamma + c X are one constraint", shifted.phi - given.phi)
    u = sp.Matrix(sp.symbols("u1:4", real=True))
    moved = along(given.phi, sp.Matrix(U) + u) - given.phi - given.w * u
    yield identity("A.2", "qdot + u satisfies (D, gamma) exactly if w(u) = 0", moved)
    kinds = {c.kind for c in general_system().constraints}
    yield Claim("2.1", "the library calls it affine", True, ", ".join(sorted(kinds)), kinds == {"affine"})


def along(expressions: Any, velocity: Any) -> Any:
    """The expressions with this velocity for qdot."""
    return expressions.subs(dict(zip(U, velocity, strict=True)), simultaneous=True)


# --- the nonholonomic method -----------------------------------------------------------------------------------------


def proposition_23() -> Iterator[Claim]:
    """Proposition 2.3: dJ(c) u = -int EL u dt, for every L and every u that vanishes at both ends."""
    L = undefined().L
    u = [unknown(f"u{i + 1}", TIME) for i in range(N)]
    EL = euler_lagrange(L)
    change = sum((L.diff(q) * e + L.diff(v) * e.diff(TIME) for q, v, e in zip(Q, U, u, strict=True)), sp.S.Zero)
    boundary = sum((L.diff(v) * e for v, e in zip(U, u, strict=True)), sp.S.Zero)
    total = rows_of(PLAIN.derivative([boundary]), ACC)[0]
    residual = change + sum((E * e for E, e in zip(EL, u, strict=True)), sp.S.Zero) - total
    yield identity("Prop. 2.3", "dL/dq u + dL/dqdot udot + EL u = d/dt (dL/dqdot u), every L", residual)
    # EL u = 0 for every u in D: EL is in the span of w, since (EL . X = 0, X = w1 x w2) leaves two dimensions
    w1, w2 = (undefined().w[a, :].T for a in range(FORMS))
    R, X = sp.Matrix(sp.symbols("R1:4", real=True)), w1.cross(w2)
    # |X|^2 R = (R . w2 x X) w1 + (R . X x w1) w2 + (R . X) X
    parts = X.dot(X) * R - R.dot(w2.cross(X)) * w1 - R.dot(X.cross(w1)) * w2 - R.dot(X) * X
    yield identity("Prop. 2.3", "EL u = 0 for every u in D makes EL = lam_a w^a", parts)


def equation_21() -> Iterator[Claim]:
    """(2.1) from the library, and appendix B."""
    given, form = polynomial(), nonholonomic(general_system()).symbolic
    # EL(L)_i = lam_a w_i^a
    printed = euler_lagrange(given.L) - given.w.T * sp.Matrix(REACTIONS)
    yield identity("(2.1)", "the library's nonholonomic equations", rows(form, REACTIONS) - printed, key=True)
    X = given.w[0, :].T.cross(given.w[1, :].T)
    reaction = euler_lagrange(given.L) - rows(form, REACTIONS)
    yield identity("B.1", "the library's reaction does no work on D", reaction.dot(X))
    power = reaction.dot(sp.Matrix(U)) - (sp.Matrix(REACTIONS).T * (given.phi + given.w * given.gamma))[0]
    yield identity("B.1", "on the motion itself its power is lam_a w^a(gamma)", power)


def variations() -> Iterator[Claim]:
    """Remark 2.4.1: variations with u in D leave the constraint, by dw(qdot, u) + d(w(gamma))(u)."""
    given = polynomial()
    eps = sp.Symbol("eps")
    phi, wg = given.phi[0], (given.w[0, :] * given.gamma)[0]
    u = [unknown(f"u{i + 1}", TIME) for i in range(N)]
    moved = dict(zip((*Q, *U), (*(q + eps * e for q, e in zip(Q, u, strict=True)), *velocities(u, eps)), strict=True))
    change = phi.subs(moved, simultaneous=True).diff(eps).subs(eps, 0)
    w = list(given.w[0, :])
    # d/ds phi(c_s) = d/dt w(u) + dw(u, qdot) - d(w(gamma))(u)
    rate = sum((w[i].diff(Q[j]) * U[j] * u[i] for i in range(N) for j in range(N)), sp.S.Zero)
    rate += sum((w[i] * u[i].diff(TIME) for i in range(N)), sp.S.Zero)
    pairs = itertools.product(range(N), repeat=2)
    dw = sum(((w[i].diff(Q[j]) - w[j].diff(Q[i])) * u[j] * U[i] for i, j in pairs), sp.S.Zero)
    drift = sum((wg.diff(q) * e for q, e in zip(Q, u, strict=True)), sp.S.Zero)
    residual = change - rate - dw + drift
    statement = "dphi(c_s)/ds = d/dt w(u) + dw(u, qdot) - d(w(gamma))(u): not 0 with w(u) = 0"
    yield identity("Remark 2.4.1", statement, residual)


def velocities(u: Sequence[Any], eps: Any) -> list[Any]:
    """qdot + eps udot."""
    return [v + eps * e.diff(TIME) for v, e in zip(U, u, strict=True)]


# --- both definitions on computed motions ----------------------------------------------------------------------------


@cache
def particle_paths() -> tuple[Trajectory, Trajectory]:
    """zdot = y xdot, L = |qdot|^2/2: the motions of both methods from one start, lam(0) = 1, over [0, 1]."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    given = System(q, L, {"w": q["vz"] - q["y"] * q["vx"]}, title="Nonholonomic particle")
    start = {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 1.0, "vy": 1.0}
    return run(nonholonomic(given), start, 1.0), run(vakonomic(given), {**start, "lam_w": 1.0}, 1.0)


def run(equations: Equations, start: Mapping[str, Any], until: float) -> Trajectory:
    """A motion at equal steps."""
    return simulate(equations, equations.start(**start), until=until, samples=np.linspace(0.0, until, STEPS + 1))


def definitions_22_25() -> Iterator[Claim]:
    """Definitions 2.2 and 2.5, decided by integrals along the simulated motions of zdot = y xdot."""
    for name, path, expected in zip(("nonholonomic", "vakonomic"), particle_paths(), (True, False), strict=True):
        in_D, admissible = first_variations(path)
        for where, values, holds in (("Def. 2.2", in_D, expected), ("Def. 2.5", admissible, not expected)):
            largest = max(abs(v) for v in values)
            what = "u in D" if where == "Def. 2.2" else "u along curves that satisfy (D, gamma)"
            text = f"|dJ u| up to {largest:.2g}"
            statement = f"zdot = y xdot: the {name} motion has dJ(c) u = 0, {what}"
            yield Claim(where, statement, holds, text, largest <= QUADRATURE, key=True)


def first_variations(path: Trajectory) -> tuple[list[float], list[float]]:
    """dJ(c) u for sample u in D, and for sample u tangent to the curves that satisfy the constraint; 0 at both ends."""
    t, y, (vx, vy, vz) = path.t, path["y"], (path[n] for n in ("vx", "vy", "vz"))

    def dJ(udot: Sequence[Any]) -> float:
        # L = |qdot|^2/2: dJ u = int qdot udot dt
        return float(simpson(vx * udot[0] + vy * udot[1] + vz * udot[2], x=t))

    bumps = [(np.sin(k * np.pi * t), k * np.pi * np.cos(k * np.pi * t)) for k in (1, 2, 3)]
    # u = b (1, 0, y) and u = b (0, 1, 0)
    in_D = [dJ((bd, 0 * b, y * bd + vy * b)) for b, bd in bumps] + [dJ((0 * b, bd, 0 * b)) for b, bd in bumps]
    admissible = []
    for (_, ad), (b, bd) in itertools.product(bumps, bumps):
        # udot_z = y udot_x + u_y xdot, and u_z = 0 at the end: u_x = s a with s from one integral
        free_end, tied_end = float(simpson(b * vx, x=t)), float(simpson(y * ad, x=t))
        if abs(tied_end) > 1e-3:
            s = -free_end / tied_end
            admissible.append(dJ((s * ad, bd, y * s * ad + b * vx)))
    return in_D, admissible


# --- the vakonomic method --------------------------------------------------------------------------------------------


def equations_22_23() -> Iterator[Claim]:
    """(2.2), first line, and (2.3) from the library; its second line is in `errata`."""
    given, form = polynomial(), vakonomic(general_system()).symbolic
    L, w, gamma = given
    lam, rate = sp.Matrix(LAM), sp.Matrix(RATES)
    momentum = sp.Matrix([L.diff(v) for v in U]) - w.T * lam
    derivative = rows_of(PLAIN.derivative(list(momentum)), ACC)
    printed = []
    for i in range(N):
        # d/dt(dL/dqdot^i - lam_a w_i^a) - dL/dq^i + lam_a (d_i w_j^a)(qdot^j - gamma^j) - lam_a w_j^a d_i gamma^j
        e = derivative[i] - (rate.T * w[:, i])[0] - L.diff(Q[i])
        e += (lam.T * w.diff(Q[i]) * (sp.Matrix(U) - gamma))[0] - (lam.T * w * gamma.diff(Q[i]))[0]
        printed.append(e)
    residual = rows(form, RATES) - sp.Matrix(printed)
    yield identity("(2.2) first line", "the library's vakonomic equations", residual, key=True)
    phis = sp.Matrix([c.phi for c in general_system().constraints]) - w * sp.Matrix(U) + w * gamma
    yield identity("(2.3)", "the constraints", phis)


def remark_261() -> Iterator[Claim]:
    """Remark 2.6.1: first order equations in (q, qdot, lam), and lam(0) belongs to the start."""
    given = penny_system()
    first, second = nonholonomic(given), vakonomic(given)
    extra = [name for name in second.states if name not in first.states]
    text = f"{len(second.states)} states, {', '.join(extra)} among them"
    yield Claim("Remark 2.6.1", "penny: the states are q, qdot and lam", True, text, extra == ["lam_x", "lam_y"])
    # W udot - w^T lamdot = f, w udot = g: solvable for udot and lamdot, the determinant is not 0
    form = second.symbolic
    W, A = sp.Matrix(form.W), sp.Matrix(form.N)
    matrix = sp.Matrix(sp.BlockMatrix([[W, -A.T], [A, sp.zeros(2)]]).as_explicit())
    value = sp.factor(sp.simplify(matrix.det()))
    text = f"determinant {value}"
    yield Claim("Remark 2.6.1", "penny: they can be solved for udot, lamdot", True, text, bool(value.is_nonzero))
    try:
        second.start(**PENNY_START)
        code = "accepted"
    except InvalidValue as refusal:
        code = refusal.code
    text = f"refused, {code}" if code != "accepted" else code
    yield Claim("Remark 2.6.1", "penny: q and qdot are enough for a start", False, text, code == "accepted", key=True)


def lie_derivative(w: Any, gamma: Any) -> Any:
    """L_gamma w as a column."""
    # (L_gamma w)_i = gamma^j d_j w_i + w_j d_i gamma^j
    return sp.Matrix(
        [sum((gamma[j] * w[i].diff(Q[j]) + w[j] * gamma[j].diff(Q[i]) for j in range(N)), sp.S.Zero) for i in range(N)]
    )


def inner(v: Any, w: Any) -> Any:
    """v _| dw as a column."""
    # (v _| dw)_i = v^j (d_j w_i - d_i w_j)
    return sp.Matrix([sum((v[j] * (w[i].diff(Q[j]) - w[j].diff(Q[i])) for j in range(N)), sp.S.Zero) for i in range(N)])


def difference() -> Iterator[Claim]:
    """By how much the two sets of equations differ, for every L, w, gamma."""
    for a in range(FORMS):
        w, gamma = list(undefined().w[a, :]), undefined().gamma
        phi = undefined().phi[a]
        found = euler_lagrange(phi) - lie_derivative(w, gamma) - inner(sp.Matrix(U) - gamma, w)
        yield identity("E[phi]", f"phi^{a + 1}: it is L_gamma w + (qdot - gamma) _| dw", found)
    w, gamma = list(undefined().w[0, :]), undefined().gamma
    Y = sp.Matrix([unknown(f"Y{i + 1}", *Q) for i in range(N)])
    # (L_gamma w)(Y) = d(w(Y))(gamma) - w([gamma, Y])
    wY = sum((w[i] * Y[i] for i in range(N)), sp.S.Zero)
    rate = sum((wY.diff(q) * g for q, g in zip(Q, gamma, strict=True)), sp.S.Zero)
    found = lie_derivative(w, gamma).dot(Y) - rate + sp.Matrix(w).dot(bracket(gamma, Y))
    yield identity("E[phi]", "(L_gamma w)(Y) = -w([gamma, Y]) for Y in D", found)
    given = polynomial()
    non, vak = (principle(general_system()).symbolic for principle in (nonholonomic, vakonomic))
    gap = rows(vak, RATES) - rows(non, REACTIONS)
    lag = sum((LAM[a] * euler_lagrange(given.phi[a]) for a in range(FORMS)), sp.zeros(N, 1))
    span = given.w.T * (sp.Matrix(REACTIONS) - sp.Matrix(RATES))
    statement = "vakonomic - nonholonomic = (lam_non - lamdot)_a w^a - lam_a E[phi^a]"
    yield identity("2.3 text", statement, gap - span + lag, key=True)
    without = dict.fromkeys((s for g in given.gamma for s in g.free_symbols - set(Q)), 0)
    curl = sum((LAM[a] * inner(sp.Matrix(U), list(given.w[a, :])) for a in range(FORMS)), sp.zeros(N, 1))
    yield identity("Remark 2.6.2", "gamma = 0: what is left is - lam_a dw^a(qdot, .)", (curl - lag).subs(without))


# --- the penny -------------------------------------------------------------------------------------------------------

PENNY_START: dict[str, Any] = {"x": 0.0, "y": 0.0, "theta": 0.0, "phi": 0.3, "vtheta": 1.5, "vphi": 0.8}
PENNY = {"m": 2.0, "I": 0.7, "J": 0.4, "R": 0.9}


@cache
def penny_system() -> System:
    """The penny rolling upright; m, I, J, R its mass, inertias about its axle and a diameter, radius [bloch1995]."""
    q = coordinates("x y theta phi")
    m, I, J, R = sp.symbols("m I J R", positive=True)
    L = m / 2 * (q["vx"] ** 2 + q["vy"] ** 2) + I / 2 * q["vtheta"] ** 2 + J / 2 * q["vphi"] ** 2
    rolling = {
        "x": q["vx"] - R * sp.cos(q["phi"]) * q["vtheta"],
        "y": q["vy"] - R * sp.sin(q["phi"]) * q["vtheta"],
    }
    return System(q, L, rolling, parameters=PENNY, title="Rolling penny")


def penny() -> Iterator[Claim]:
    """Section 2.3: with lam(0) = m (xdot, ydot) the vakonomic penny does what the nonholonomic one does."""
    given, where = penny_system(), "2.3, penny"
    q = given.space
    m, R = given.symbols["m"], given.symbols["R"]
    non, vak = (saddle_solution(principle(given).symbolic) for principle in (nonholonomic, vakonomic))
    lam1, lam2 = (c.multiplier for c in given.constraints)
    rolling = {q["vx"]: R * sp.cos(q["phi"]) * q["vtheta"], q["vy"]: R * sp.sin(q["phi"]) * q["vtheta"]}
    p, s = sp.symbols("p s", real=True)
    special = {lam1: m * q["vx"] + p, lam2: m * q["vy"] + s}
    gap = (vak[:4, :] - non[:4, :]).subs(special).subs(rolling)
    rate = (vak[4:, :] - m * vak[:2, :]).subs(special).subs(rolling)
    yield identity(where, "lamdot = m (xddot, yddot) for every lam", rate)
    at = {p: 0, s: 0}
    yield identity(where, "lam = m (xdot, ydot): the accelerations are the nonholonomic ones", gap.subs(at), key=True)
    # lam = m (xdot, ydot) + (p, s): the gap is B K with B = p sin(phi) - s cos(phi) and K = 0 only at rest
    B = p * sp.sin(q["phi"]) - s * sp.cos(q["phi"])
    K = sp.simplify(gap.diff(p) / sp.sin(q["phi"]))
    yield identity(where, "m (xdot, ydot) + (p, s): they differ by K (p sin(phi) - s cos(phi))", gap - B * K)
    turning = [sp.simplify(K[2] / q["vphi"]), sp.simplify(K[3] / q["vtheta"])]
    text = f"K/(phidot, thetadot) = {', '.join(map(str, turning))}"
    yield Claim(where, "K is 0 only at rest", True, text, all(bool(e.is_nonzero) for e in turning))
    # p, s are constant, so B = 0 for all t needs dB/dt = phidot (p cos(phi) + s sin(phi)) = 0 as well
    Bdot = B.diff(q["phi"]) * q["vphi"]
    determined = sp.Matrix([B, Bdot]).jacobian([p, s]).det()
    yield identity(
        where, "same for all t: det of B = dB/dt = 0 is phidot, spinning only p = s = 0", determined - q["vphi"]
    )
    zero = {p: -m * q["vx"], s: -m * q["vy"]}
    yield identity(where, "lam = 0: the same accelerations at that instant", gap.subs(zero).subs(rolling))
    yield identity(where, "lam = 0: and ever after", Bdot.subs(zero).subs(rolling), expected=False)
    yield from penny_motions()


def saddle_solution(form: Form) -> Any:
    """udot and mu as a column."""
    W, A = sp.Matrix(form.W), sp.Matrix(form.N)
    matrix = sp.Matrix(sp.BlockMatrix([[W, -A.T], [A, sp.zeros(A.rows)]]).as_explicit())
    return matrix.LUsolve(sp.Matrix([*form.f, *form.g])).applyfunc(sp.simplify)


def penny_motions() -> Iterator[Claim]:
    """The same by running both methods over 5 s."""
    where, until = "2.3, penny", 5.0
    for label, spin, extra, expected in (
        ("lam(0) = m (xdot, ydot)", 0.8, 0.0, True),
        ("lam(0) = 0", 0.8, None, False),
        ("lam(0) = m (xdot, ydot) + (cos, sin)(phi)", 0.8, 1.0, False),
        ("no spin, lam(0) = m (xdot, ydot) + (cos, sin)(phi)", 0.0, 1.0, True),
    ):
        start = {**PENNY_START, "vphi": spin}
        speed = PENNY["m"] * PENNY["R"] * start["vtheta"]
        size = 0.0 if extra is None else speed + extra
        lam = {"lam_x": size * float(np.cos(0.3)), "lam_y": size * float(np.sin(0.3))}
        a = run(nonholonomic(penny_system()), start, until)
        b = run(vakonomic(penny_system()), {**start, **lam}, until)
        apart = largest_gap(a, b, "x y theta phi")
        statement = f"{label}: the nonholonomic motion"
        yield Claim(where, statement, expected, f"{apart:.2g} apart after {until:g} s", apart <= SAME, extra != 1.0)


def largest_gap(a: Trajectory, b: Trajectory, names: str) -> float:
    """Largest difference of any of these columns."""
    return max(float(np.abs(a[n] - b[n]).max()) for n in names.split())


# --- Proposition 2.8 in adapted coordinates --------------------------------------------------------------------------


class Adapted(NamedTuple):
    """Coordinates x (on the leaves) and y (across), and an arbitrary L."""

    k: int
    m: int
    q: tuple[Any, ...]
    u: tuple[Any, ...]
    acc: tuple[Any, ...]
    L: Any

    @property
    def leaf(self) -> dict[Any, Any]:
        """ydot = 0 and yddot = 0."""
        return dict.fromkeys((*self.u[self.k :], *self.acc[self.k :]), 0)


def adapted(k: int, m: int) -> Adapted:
    """k coordinates x, m coordinates y."""
    names = [f"x{i + 1}" for i in range(k)] + [f"y{a + 1}" for a in range(m)]
    q, u, acc = (tuple(sp.symbols([prefix + n for n in names], real=True)) for prefix in ("", "v", "a"))
    return Adapted(k, m, q, u, acc, unknown("L", *q, *u, TIME))


def proposition_28() -> Iterator[Claim]:
    """(2.4) to (2.11) for arbitrary L, and for arbitrary one-forms that span the annihilator of D."""
    for k, m in ((2, 1), (1, 2)):
        given = adapted(k, m)
        label = f"k = {k}, n - k = {m}"
        lam, rate, l = (sp.symbols(f"{name}1:{m + 1}", real=True) for name in ("lam", "lamdot", "l"))
        motion = plain_motion((*given.q, *lam), (*given.u, *rate))
        acc = (*given.acc, *sp.symbols(f"_dd1:{m + 1}"))
        EL = rows_of(motion.euler_lagrange(given.L), acc)
        closed = given.L - sum((lam[a] * given.u[k + a] for a in range(m)), sp.S.Zero)
        found = rows_of(motion.euler_lagrange(closed), acc)
        along_x = [found[i] - EL[i] for i in range(k)]
        yield identity("(2.6), (2.8)", f"{label}: the equations on the leaf are the same", along_x, key=m == 1)
        across = [found[k + a] - EL[k + a] + rate[a] for a in range(m)]
        yield identity("(2.7), (2.9)", f"{label}: lamdot_a of one is lam_a of the other", across)
        yield from any_forms(given, label, (lam, rate, l), EL)
        yield from on_leaf(given, label)


def any_forms(given: Adapted, label: str, multipliers: Sequence[Any], EL: Sequence[Any]) -> Iterator[Claim]:
    """w^a = h^a_b dy^b with arbitrary h, and gamma in D: d/dt(lam_a h^a_b) = (lam_non)_a h^a_b."""
    k, m, (lam, rate, l) = given.k, given.m, multipliers
    h = sp.Matrix(m, m, lambda a, b: unknown(f"h{a + 1}{b + 1}", *given.q))
    motion = plain_motion((*given.q, *lam), (*given.u, *rate))
    acc = (*given.acc, *sp.symbols(f"_dd1:{m + 1}"))
    phi = h * sp.Matrix(given.u[k:])
    gap = [
        e - found
        for e, found in zip(
            rows_of(motion.euler_lagrange(given.L - (sp.Matrix(lam).T * phi)[0]), acc), EL, strict=False
        )
    ]
    # on the leaf the difference is - d/dt(lam_a h^a_b) across, 0 along
    carried = rows_of(motion.derivative(list(h.T * sp.Matrix(lam))), acc)
    residuals = [sp.expand(e).subs(given.leaf) for e in gap[:k]]
    residuals += [(sp.expand(e.doit()) + c).subs(given.leaf) for e, c in zip(gap[k : k + m], carried, strict=True)]
    yield identity(
        "Prop. 2.8", f"{label}, any w and L: same leaf equations, d/dt(lam h) = lam_non h", residuals, key=m == 1
    )
    if m == 1:
        # lamdot + lam hdot/h = lam_non
        hdot = rows_of(motion.derivative([h[0, 0]]), acc)[0]
        solved = carried[0].subs(rate[0], l[0] - lam[0] * hdot / h[0, 0]) - l[0] * h[0, 0]
        yield identity("(2.9)", "w = h dF: lamdot + lam hdot/h = lam_non", solved)


def on_leaf(given: Adapted, label: str) -> Iterator[Claim]:
    """(2.10), (2.11): restricting L to the leaf and taking Lagrange's equations of it."""
    k, q, u = given.k, given.q, given.u
    still = dict.fromkeys((*q[k:], *u[k:]), sp.S.Zero)
    restricted = given.L.subs(still)
    residuals = [given.L.diff(s).subs(still) - restricted.diff(s) for s in (*q[:k], *u[:k])]
    yield identity("(2.11)", f"{label}: derivatives along the leaf may be taken on it", residuals)
    whole = rows_of(plain_motion(q, u).euler_lagrange(given.L), given.acc)[:k]
    leaf = rows_of(plain_motion(q[:k], u[:k]).euler_lagrange(restricted), given.acc[:k])
    flat = [e.subs(given.leaf).subs(still).doit() - f for e, f in zip(whole, leaf, strict=True)]
    yield identity("(2.10)", f"{label}: (2.6) on the leaf is Lagrange's equation of L_Lambda", flat)


# --- instances -------------------------------------------------------------------------------------------------------

RUN = 2.0  # units of time


class Instance(NamedTuple):
    """w and gamma on R^3, a start that satisfies them, and what is to come out."""

    name: str
    w: Any
    gamma: Any
    start: dict[str, float]
    in_D: bool
    kept: bool

    @property
    def system(self) -> System:
        """With L = |qdot|^2/2 - z - x y."""
        q = coordinates("x y z")
        phi = (self.w * (sp.Matrix(U) - self.gamma))[0]
        return System(q, sum(v**2 for v in U) / 2 - Q[2] - Q[0] * Q[1], {"leaf": phi}, title=self.name)


def instances() -> tuple[Instance, ...]:
    """D integrable in all of them; gamma in D, or only [gamma, D] in D, or neither."""
    x, y, z = Q
    dz = sp.Matrix([[0, 0, 1]])
    start = {"x": 0.4, "y": 0.3, "z": 0.16, "vx": 1.0, "vy": 0.5}
    h = 1 + x**2
    return (
        Instance(
            "(1 + x^2) d(z - x^2), gamma = d/dx + 2 x d/dz",
            h * sp.Matrix([[-2 * x, 0, 1]]),
            sp.Matrix([1, 0, 2 * x]),
            start,
            True,
            True,
        ),
        Instance(
            "spheres, gamma a rotation",
            sp.Matrix([[x, y, z]]),
            sp.Matrix([-y, x, 0]),
            {"x": 0.6, "y": 0.0, "z": 0.8, "vx": 0.8, "vy": 1.0},
            True,
            True,
        ),
        Instance("zdot = -z", dz, sp.Matrix([0, 0, -z]), start, False, True),
        Instance("zdot = x", dz, sp.Matrix([0, 0, x]), start, False, False),
    )


def sharp_condition() -> Iterator[Claim]:
    """For every integrable D: both methods agree for every lam exactly if [gamma, D] lies in D."""
    for each in instances():
        w = list(each.w)
        where = "Prop. 2.8" if each.kept else "Prop. 2.8, scope"
        integrable = sp.Matrix(w).dot(curl(w))
        yield identity(where, f"{each.name}: D is integrable", integrable)
        yield identity(where, f"{each.name}: gamma lies in D", (each.w * each.gamma)[0], expected=each.in_D)
        # X spans D: w x e_i; w([gamma, X]) = -(L_gamma w)(X)
        span = [sp.Matrix(w).cross(sp.eye(N)[:, i]) for i in range(N)]
        brackets = [(each.w * bracket(each.gamma, X))[0] for X in span]
        yield identity(where, f"{each.name}: [gamma, D] lies in D", *brackets, expected=each.kept)
        E = euler_lagrange((each.w * (sp.Matrix(U) - each.gamma))[0])
        off = [on_constraint(each, e) for e in sp.Matrix(w).cross(E)]
        statement = f"{each.name}: E[phi] is in the span of w, so that every lam has the same motion"
        yield identity(where, statement, *off, expected=each.kept)


def curl(w: Sequence[Any]) -> Any:
    """curl w: w . curl w is the only component of w ^ dw."""
    (x, y, z), (a, b, c) = Q, w
    return sp.Matrix([c.diff(y) - b.diff(z), a.diff(z) - c.diff(x), b.diff(x) - a.diff(y)])


def bracket(X: Any, Y: Any) -> Any:
    """[X, Y]^i = X^j d_j Y^i - Y^j d_j X^i."""
    return Y.jacobian(Q) * X - X.jacobian(Q) * Y


def on_constraint(each: Instance, expression: Any) -> Any:
    """The expression where phi = 0, solved for zdot."""
    phi = (each.w * (sp.Matrix(U) - each.gamma))[0]
    return expression.subs(U[2], sp.solve(phi, U[2])[0])


def every_drift() -> Iterator[Claim]:
    """zdot = f(z) with arbitrary f: gamma is not in D, and both methods agree all the same."""
    f = unknown("f", Q[2])
    w, gamma = [sp.S.Zero, sp.S.Zero, sp.S.One], sp.Matrix([0, 0, f])
    E = euler_lagrange(U[2] - f)
    slope = sp.Matrix(w) * f.diff(Q[2])
    where = "Prop. 2.8, scope"
    yield identity(where, "zdot = f(z): gamma lies in D", f, expected=False)
    yield identity(where, "zdot = f(z), every f: E[phi] = L_gamma w = f'(z) w", E - lie_derivative(w, gamma), E - slope)
    yield identity(where, "zdot = f(z), every f: it is in the span of w", E[0], E[1], key=True)


def motions() -> Iterator[Claim]:
    """The instances by simulation: distances between the methods for two lam(0)."""
    for each in instances():
        non, vak = nonholonomic(each.system), vakonomic(each.system)
        truth = run(non, each.start, RUN)
        rivals = [run(vak, {**each.start, "lam_leaf": lam}, RUN) for lam in (0.0, 1.0)]
        apart = [largest_gap(truth, path, "x y z") for path in rivals]
        text = f"{apart[0]:.1e} and {apart[1]:.1e} apart by t = {RUN:g}"
        statement = f"{each.name}: lam(0) = 0 and 1 give the nonholonomic motion"
        where = "Prop. 2.8" if each.in_D else "Prop. 2.8, scope"
        yield Claim(where, statement, each.kept, text, max(apart) <= SAME, key=True)


def leaf_motion() -> Iterator[Claim]:
    """(iii), (iv) of Proposition 2.8 and the multipliers, for the leaf z = x^2 of w = (1 + x^2) d(z - x^2)."""
    each = instances()[0]
    q = coordinates("x y")
    (x, y), (vx, vy) = q.coordinates, q.velocities
    # L on z = x^2
    L = ((1 + 4 * x**2) * vx**2 + vy**2) / 2 - x**2 - x * y
    leaf = run(free(System(q, L)), {n: each.start[n] for n in ("x", "y", "vx", "vy")}, RUN)
    truth = run(nonholonomic(each.system), each.start, RUN)
    apart = largest_gap(truth, leaf, "x y")
    statement = "Lagrange's equations of L_Lambda on z = x^2: the nonholonomic motion"
    yield Claim("Prop. 2.8 (iv)", statement, True, f"{apart:.1e} apart", apart <= SAME)
    kept = float(np.abs(truth["z"] - truth["x"] ** 2).max())
    yield Claim("Remark 2.7", "the motion stays on its leaf", True, f"z - x^2 = {kept:.1e}", kept <= SAME)
    path = run(vakonomic(each.system), {**each.start, "lam_leaf": 1.0}, RUN)
    # d/dt(h lam) = h lam_non, integrated
    h = 1 + truth["x"] ** 2
    gained = float((h * path["lam_leaf"])[-1] - (h * path["lam_leaf"])[0])
    off = abs(gained - float(simpson(h * truth["lam_leaf"], x=truth.t)))
    plainly = abs(float(np.diff(path["lam_leaf"][[0, -1]])[0]) - float(simpson(truth["lam_leaf"], x=truth.t)))
    text = f"off by {off:.1e}"
    yield Claim("(2.9)", "w = h dF: lamdot + lam hdot/h = lam_non along it", True, text, off <= QUADRATURE)
    text = f"off by {plainly:.2g}"
    yield Claim("(2.9)", "w = h dF: lamdot = lam_non along it", False, text, plainly <= QUADRATURE)


GROUPS: tuple[Group, ...] = (
    definition_21,
    proposition_23,
    equation_21,
    variations,
    definitions_22_25,
    equations_22_23,
    remark_261,
    difference,
    penny,
    proposition_28,
    sharp_condition,
    every_drift,
    motions,
    leaf_motion,
)
