"""The misprints of [lewis1995], each shown to fail as printed and to hold as repaired.

Every truth value is computed: by algebra where the line is a formula, on a definite example where it is a step of a
proof or a definition. The two rows of Table 1 are in `table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from ...equations import Form
from ...model.factors import coordinates, hat
from ...model.system import System
from ...principles.nonholonomic import nonholonomic
from ...principles.vakonomic import vakonomic
from ...systems import ball_on_turntable as ball
from ..claim import Claim, Group, identity, pair
from ..vanishing import vanishes
from .derivations import (
    FLOW,
    XI,
    XIDOT,
    I,
    Lam,
    Lamdot,
    Om,
    R,
    Rdot,
    V,
    a,
    a1,
    a2,
    against_36,
    ax,
    ay,
    characteristic,
    closed_form,
    constraint_rows,
    delta,
    derivative_of_39d,
    disagreement,
    e1,
    e2,
    equation_39a,
    equation_39b,
    equation_39d,
    equation_311,
    equations_36,
    extended,
    g,
    initial_residual,
    lam,
    lam1,
    lam2,
    lamdot,
    ld1,
    ld2,
    m,
    modulo_39d,
    motion_rows,
    mu,
    nu,
    ode_residual,
    om,
    plain_motion,
    planar,
    r,
    rolling,
    rows_of,
    solved,
    spiral,
    stability_determinant,
    t,
    u0,
    v0,
    vakonomic_motion,
    vx,
    vy,
    w1,
    w2,
    w3,
    x,
    y,
)

# --- section 2 -------------------------------------------------------------------------------------------------------


def equation_22() -> Iterator[Claim]:
    """(2.2) with arbitrary L, w^a (a = 1, 2) and gamma on R^3."""
    n, k = 3, 2
    q, u, acc = (sp.symbols(f"{letter}1:4", real=True) for letter in ("q", "u", "acc"))
    mult, rate = (sp.symbols(f"{letter}1:3", real=True) for letter in ("l", "ldot"))
    w = sp.Matrix(k, n, lambda i, j: sp.Function(f"w{i + 1}{j + 1}")(*q))
    gamma = sp.Matrix(n, 1, lambda j, _: sp.Function(f"gamma{j + 1}")(*q))
    L = sp.Function("L")(*q, *u)
    motion = plain_motion((*q, *mult), (*u, *rate))
    second = (*acc, *sp.symbols("_second:2"))
    # LL = L - lam_a w^a_i qdot^i + lam_a w^a_i gamma^i
    appended = L - (sp.Matrix(mult).T * w * (sp.Matrix(u) - gamma))[0]
    exact = rows_of(motion.euler_lagrange(appended), second)[:n]
    EL = rows_of(motion.euler_lagrange(L), second)[:n]
    momenta = [L.diff(u[i]) - sum(mult[b] * w[b, i] for b in range(k)) for i in range(n)]
    first = [e - L.diff(q[i]) for i, e in enumerate(rows_of(motion.derivative(momenta), second))]

    def drift(i: int) -> Any:
        # lam_a (d_i w_j^a) gamma^j + lam_a w_j^a d_i gamma^j
        terms = (
            mult[b] * (w[b, j].diff(q[i]) * gamma[j] + w[b, j] * gamma[j].diff(q[i]))
            for b in range(k)
            for j in range(n)
        )
        return sum(terms, sp.S.Zero)

    def moving(i: int, curl: int) -> Any:
        # lam_a (d_i w_j^a - curl d_j w_i^a) qdot^j
        terms = (mult[b] * (w[b, j].diff(q[i]) - curl * w[b, i].diff(q[j])) * u[j] for b in range(k) for j in range(n))
        return sum(terms, sp.S.Zero)

    line_1 = [first[i] + moving(i, 0) - drift(i) - exact[i] for i in range(n)]
    yield identity("(2.2) first line", "Lagrange's equations of L - lam (w(qdot) - w(gamma))", line_1)
    line_2 = [EL[i] - sum(rate[b] * w[b, i] for b in range(k)) - drift(i) - exact[i] for i in range(n)]
    repaired = [e + moving(i, 1) for i, e in enumerate(line_2)]
    yield from pair(
        "(2.2) second line",
        "equals the first line",
        line_2,
        "with + lam_a (d_i w_j^a - d_j w_i^a) qdot^j it equals the first line",
        repaired,
        key=True,
    )


def heisenberg() -> tuple[System, list[dict[str, Any]]]:
    """zdot = (x ydot - y xdot)/2, with sample states."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    start = {"x": 1, "y": 2, "vx": 1, "vy": -1, "vz": sp.Rational(-3, 2)}
    given = System(q, L, {"plane": q["vz"] - (q["x"] * q["vy"] - q["y"] * q["vx"]) / 2})
    return given, [{**start, "lam_plane": value} for value in (0, 3)]


def knife_edge() -> tuple[System, list[dict[str, Any]]]:
    """xdot sin theta = ydot cos theta, with sample states at theta = 0."""
    q = coordinates("x y theta")
    L = (q["vx"] ** 2 + q["vy"] ** 2) + q["vtheta"] ** 2 / 2
    start = {"theta": 0, "vx": 2, "vy": 0, "vtheta": 3}
    given = System(q, L, {"edge": q["vx"] * sp.sin(q["theta"]) - q["vy"] * sp.cos(q["theta"])})
    return given, [{**start, "lam_edge": value} for value in (0, 1)]


def penny() -> tuple[System, list[dict[str, Any]]]:
    """The upright rolling penny; lam = m (xdot, ydot) gives the nonholonomic motion [bloch1995]."""
    q = coordinates("x y theta phi")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 + q["vtheta"] ** 2 / 4 + q["vphi"] ** 2 / 8
    rows = {"px": q["vx"] - sp.cos(q["phi"]) * q["vtheta"], "py": q["vy"] - sp.sin(q["phi"]) * q["vtheta"]}
    start = {"phi": 0, "vx": 2, "vy": 0, "vtheta": 2, "vphi": 3}
    return System(q, L, rows), [{**start, "lam_px": p, "lam_py": s} for p, s in ((2, 0), (1, 1))]


def disguised() -> tuple[System, list[dict[str, Any]]]:
    """(1 + x^2) d(z - x^2)/dt = 0: holonomic, and its one-form is not closed."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    given = System(q, L, {"leaf": (1 + q["x"] ** 2) * (q["vz"] - 2 * q["x"] * q["vx"])})
    return given, [{"x": 1, "vx": 1, "vy": 1, "vz": 2, "lam_leaf": 3}]


def curl_term(system: System) -> Any:
    """lam_a dw^a(qdot, .), the row lam_a (d_j w_i^a - d_i w_j^a) qdot^j, in plain coordinates."""
    q, u = system.space.coordinates, system.space.velocities
    total = sp.zeros(1, len(q))
    for c in system.constraints:
        D = sp.Matrix(c.normal).jacobian(q)  # D[i, j] = d_j w_i
        total += sp.Symbol(f"lam_{c.name}", real=True) * ((D - D.T) * sp.Matrix(u)).T
    return total


def saddle_solution(form: Form, point: dict[Any, Any]) -> Any:
    """udot at a state, exactly."""
    W, N = (sp.Matrix(block).xreplace(point) for block in (form.W, form.N))
    matrix = sp.Matrix(sp.BlockMatrix([[W, -N.T], [N, sp.zeros(N.rows)]]).as_explicit())
    right = sp.Matrix([*form.f, *form.g]).xreplace(point)
    return matrix.LUsolve(right)[: W.rows, :].applyfunc(sp.simplify)


def remark_262() -> Iterator[Claim]:
    """Remark 2.6.2 on four systems with gamma = 0."""
    where = "Remark 2.6.2"
    named = {"Heisenberg": heisenberg(), "knife edge": knife_edge(), "penny": penny()}
    for name, (system, _) in named.items():
        non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
        gap = sp.Matrix([vak.f]) - sp.Matrix([non.f])
        yield from pair(
            where,
            f"{name}, gamma = 0: the vakonomic equations are the nonholonomic ones with lamdot for lam",
            gap,
            f"{name}: they differ by the term lam_a dw^a(qdot, .)",
            gap - curl_term(system),
        )
    table = [row for system, states in (*named.values(), disguised()) for row in comparisons(system, states)]
    text = ", ".join(f"{'in' if inside else 'out'}: {'same' if same else 'differ'}" for inside, same in table)
    both = {inside for inside, _ in table} == {True, False}
    always = all(same for _, same in table)
    yield Claim(where, "for gamma = 0 both methods give the same accelerations at every sample", False, text, always)
    holds = both and all(inside == same for inside, same in table)
    yield Claim(where, "they do exactly where lam_a dw^a(qdot, .) is in span{w}", True, text, holds)


def comparisons(system: System, states: list[dict[str, Any]]) -> Iterator[tuple[bool, bool]]:
    """At each state: is lam_a dw^a(qdot, .) in the span of w, and are the accelerations of both principles the same?"""
    non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
    for state in states:
        point = _point(state, (*non.entries, *vak.entries))
        N = sp.Matrix(non.N).xreplace(point)
        inside = N.col_join(curl_term(system).xreplace(point)).rank() == N.rank()
        same = vanishes_all(saddle_solution(non, point) - saddle_solution(vak, point))
        yield inside, same


def _point(state: dict[str, Any], expressions: Sequence[Any]) -> dict[Any, Any]:
    """The symbols of the expressions with the state's values; 0 where it has none."""
    symbols = set().union(*(e.free_symbols for e in expressions))
    return {symbol: sp.Integer(0) + state.get(symbol.name, 0) for symbol in symbols}


def vanishes_all(entries: Any) -> bool:
    """Is every entry identically 0?"""
    return all(vanishes(e) for e in entries)


def equations_27_29() -> Iterator[Claim]:
    """(2.7), (2.9): the multiplier of the leaf y = 0 in adapted coordinates, for a sample Lagrangian."""
    q = coordinates("x y")
    X, Y, VX, VY = q
    L = VX**2 * (1 + Y) / 2 + VY**2 / 2 + X**2 * VX * VY + X**3 * Y
    system = System(q, L, {"leaf": VY})
    leaf = {Y: 0, VY: 0}
    for where, form in (("(2.7)", nonholonomic(system).symbolic), ("(2.9)", vakonomic(system).symbolic)):
        acc, value = sp.symbols("acc:2", real=True), sp.Symbol("mu", real=True)
        W, N, f = sp.Matrix(form.W), sp.Matrix(form.N), sp.Matrix(form.f)
        row = (W * sp.Matrix(acc) - N.T * sp.Matrix([value]) - f)[1]
        multiplier = solved([row], [value])[value].subs(leaf)
        motion = plain_motion((X, Y), (VX, VY))
        partial, total, momentum = (
            (e - L.diff(Y)).subs(leaf) - multiplier
            for e in (
                L.diff(Y, t),
                rows_of(motion.derivative([L.diff(Y)]), acc)[0],
                rows_of(motion.derivative([L.diff(VY)]), acc)[0],
            )
        )
        yield identity(where, "as printed: d^2L/dy dt - dL/dy is the multiplier", partial, expected=False)
        yield identity(where, "as printed, with d/dt total", total, expected=False)
        yield identity(where, "repaired: d/dt(dL/d ydot) - dL/dy", momentum)


def proof_23() -> Iterator[Claim]:
    """Proof of Proposition 2.3: L = qdot^2/2 - q^3, q = t^2 + s u, u = t (1 - t) on [0, 1]."""
    where, (q, qd, qdd, eps) = "Proposition 2.3 proof", sp.symbols("q qd qdd eps", real=True)
    L = qd**2 / 2 - q**3
    u = t * (1 - t)
    family = t**2 + eps * u
    rates = [family.diff(t, order).diff(eps).subs(eps, 0) for order in range(3)]  # d/ds of q, qdot, qddot
    on_curve = {q: t**2, qd: 2 * t, qdd: 2}
    Lq, Lv = (L.diff(z).subs(on_curve) for z in (q, qd))
    dJ = integral(L.subs({q: family, qd: family.diff(t)}), 0, 1).diff(eps).subs(eps, 0)
    yield from pair(
        where,
        "dJ(c).u = int (dL/dq dqdot/ds + dL/dqdot dqddot/ds) dt",
        integral(Lq * rates[1] + Lv * rates[2], 0, 1) - dJ,
        "dJ(c).u = int (dL/dq dq/ds + dL/dqdot dqdot/ds) dt",
        integral(Lq * rates[0] + Lv * rates[1], 0, 1) - dJ,
    )
    yield from pair(
        where,
        "dqdot/ds = u, dqddot/ds = udot at s = 0",
        [rates[1] - u, rates[2] - u.diff(t)],
        "dq/ds = u, dqdot/ds = udot at s = 0",
        [rates[0] - u, rates[1] - u.diff(t)],
    )


def integral(integrand: Any, low: Any, high: Any) -> Any:
    """The integral over t."""
    return sp.integrate(sp.expand(integrand), (t, low, high))


def proposition_28() -> Iterator[Claim]:
    """Proposition 2.8: "integrable" must be read as the holonomic of section 2.3."""
    where = "Proposition 2.8"
    q = coordinates("x y z")
    k = sp.Symbol("k", positive=True)
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    # w = dz, gamma = k x d/dz not in D; w = (1 + x^2)(dz - 2 x dx), gamma = d/dx + 2 x d/dz in D
    w = sp.Matrix([[0, 0, 1]]), (1 + q["x"] ** 2) * sp.Matrix([[-2 * q["x"], 0, 1]])
    gamma = sp.Matrix([0, 0, k * q["x"]]), sp.Matrix([1, 0, 2 * q["x"]])
    integrable = [frobenius(form, q.coordinates) for form in w]
    yield identity(where, "both samples: w ^ dw = 0, D is integrable", integrable)
    yield identity(where, "zdot = k x: gamma lies in D", w[0] * gamma[0], expected=False)
    yield identity(where, "(1 + x^2)(dz - 2 x dx): gamma = d/dx + 2 x d/dz lies in D", w[1] * gamma[1])
    systems = [
        System(q, L, {"leaf": (form * (sp.Matrix(q.velocities) - g))[0]}) for form, g in zip(w, gamma, strict=True)
    ]
    yield identity(
        where,
        'read as "D integrable": zdot = k x, some lam gives the nonholonomic motion',
        *some_multiplier(systems[0]),
        expected=False,
    )
    yield identity(
        where, 'read as "D integrable and gamma in D": the same motion for every lam', acceleration_gap(systems[1])
    )


def frobenius(w: Any, q: Sequence[Any]) -> Any:
    """w . curl w, the only component of w ^ dw in three dimensions."""
    D = w.jacobian(list(q))
    curl = sp.Matrix([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
    return (w * curl)[0]


def acceleration_gap(system: System) -> Any:
    """udot_vakonomic - udot_nonholonomic on the constraints, solved for the last velocity."""
    non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
    last = system.space.velocities[-1]
    allowed = solved([c.phi for c in system.constraints], [last])
    gap = saddle_solution(vak, {}) - saddle_solution(non, {})
    return gap.subs(allowed).applyfunc(sp.simplify)


def some_multiplier(system: System) -> list[Any]:
    """The conditions for the same motion at the only lam that gives the same accelerations: lamdot there.

    The accelerations agree only at one lam (0 here); to stay there lamdot must vanish.
    """
    vak = vakonomic(system).symbolic
    multiplier = sp.Symbol("lam_leaf", real=True)
    gap = [e for e in acceleration_gap(system) if not vanishes(e)]
    (root,) = {value for e in gap for value in sp.solve(e, multiplier)}
    W, N = sp.Matrix(vak.W), sp.Matrix(vak.N)
    matrix = sp.Matrix(sp.BlockMatrix([[W, -N.T], [N, sp.zeros(1)]]).as_explicit())
    rate = matrix.LUsolve(sp.Matrix([*vak.f, *vak.g]))[-1]
    return [rate.subs(multiplier, root)]


# --- section 3, nonholonomic -----------------------------------------------------------------------------------------


def equation_36() -> Iterator[Claim]:
    """(3.6): sign and dimension of the rolling term."""
    derived = planar(nu=1.0, mu=1.0, delta=1.0)
    size = delta * m * g
    yield from pair(
        "(3.6)",
        "rolling term -(delta m g/|v|) v on the left side",
        against_36(derived, -size, nu, mu),
        "rolling term +(r^2 delta m g/|v|) v on the left side",
        against_36(derived, r**2 * size, nu, mu),
        key=True,
    )
    only_sign = against_36(derived, size, nu, mu)
    yield identity("(3.6)", "the sign alone repairs it: +(delta m g/|v|) v", only_sign, expected=False)
    yield from pair(
        "(3.6)", "homogeneous in the unit of length", homogeneity(-size), "homogeneous", homogeneity(r**2 * size)
    )


def homogeneity(rolling_term: Any) -> list[Any]:
    """(3.6) with lengths in a unit c times smaller, less c^3 times (3.6); mu is a torque times a time: c^2."""
    c = sp.Symbol("c", positive=True)
    lengths = {z: c * z for z in (x, y, vx, vy, ax, ay, r, g)}
    scaled = {**lengths, I: c**2 * I, mu: c**2 * mu}
    equations = equations_36(rolling_term, nu, mu)
    return [e.subs(scaled, simultaneous=True) - c**3 * e for e in equations]


def closed_form_exponent() -> Iterator[Claim]:
    """The closed form with nu only: its exponent."""
    equations = planar(nu=1.0)
    yield from pair(
        "3.3 item 2",
        "closed form with exp(-nu r^2 t) solves (3.6) with nu",
        ode_residual(equations, closed_form(nu * r**2)),
        "with exp(-nu r^2 t/J) it solves (3.6) with nu",
        ode_residual(equations, closed_form(a)),
    )


def closed_form_velocity() -> Iterator[Claim]:
    """The closed form with nu only: its start."""
    yield from pair(
        "3.3 item 2",
        "closed form, exponent repaired: starts with the given position and velocity",
        initial_residual(closed_form(a)),
        "prefactor 1/(a^2 + om^2), its matrix and centre: starts as given",
        initial_residual(spiral()),
    )
    # (xdot, ydot)(0) - (u0, v0) = (a/om)(-v0, u0)
    off = sp.Matrix(initial_residual(closed_form(a))[2:]) - a / om * sp.Matrix([-v0, u0])
    yield identity("3.3 item 2", "exponent repaired: the velocity is off by (a/om)(-v0, u0)", off)
    yield identity("3.3 item 2", "repaired closed form solves (3.6) with nu", ode_residual(planar(nu=1.0), spiral()))


def stability_33() -> Iterator[Claim]:
    """3.3 item 3: how bulky the boundary is, and what it is."""
    where, D = "3.3 item 3", stability_determinant()
    boundary = sp.prod([base for base, _ in sp.factor_list(sp.numer(D))[1] if base.has(nu)])
    text = f"the boundary is {boundary} = 0: {sp.count_ops(boundary)} operations"
    bulky = int(sp.count_ops(boundary)) > 12
    yield Claim(where, "as printed: the stability boundary is too bulky to allow any analysis", False, text, bulky)
    (threshold,) = sp.solve(boundary, nu)
    yield identity(where, "repaired: the boundary is nu I = mu m", threshold * I - mu * m, key=True)
    sides = [decay(nu_value) for nu_value in (sp.Rational(1, 2), sp.Rational(7, 2))]
    text = f"largest real parts {', '.join(f'{part:.3g}' for part in sides)} below and above it"
    yield Claim(
        where, "solid sphere, m = r = mu = Omega = 1: decays only above nu = 5/2", True, text, sides[0] > 0 > sides[1]
    )


def decay(nu_value: Any) -> float:
    """The largest real part of the eigenvalues of a solid sphere with m = r = mu = Omega = 1."""
    values = {m: 1, r: 1, I: sp.Rational(2, 5), Om: 1, mu: 1, nu: nu_value}
    polynomial = sp.Poly(characteristic(planar(nu=1.0, mu=1.0)).subs(values), sp.Symbol("s"))
    return max(float(sp.re(root)) for root in polynomial.nroots())


# --- section 3, vakonomic --------------------------------------------------------------------------------------------


def equation_39() -> Iterator[Claim]:
    """(3.9d): xi without a dot."""
    row = (V.T * extended().xi)[0]
    yield from pair(
        "(3.9d)",
        "v^T(I xidot + ...) + tr(Lam hat(v) R) = 0",
        row + equation_39d(XIDOT),
        "v^T(I xi + ...) + tr(Lam hat(v) R) = 0",
        row + equation_39d(XI),
    )


def torque(spin: Any, p: Any, q: Any) -> Any:
    """I spin + p r e2 - q r e1."""
    return I * spin + p * r * e2 - q * r * e1


def first_line() -> Iterator[Claim]:
    """First line of the derivation of (3.11): d/dt of (3.9d)."""
    exact = derivative_of_39d()
    printed = (V.T * torque(XIDOT, lam1, lam2))[0] + (Lamdot * hat(V) * R - Lam * hat(V) * Rdot).trace()
    repaired = (V.T * torque(XIDOT, ld1, ld2))[0] + (Lamdot * hat(V) * R + Lam * hat(V) * Rdot).trace()
    yield from pair(
        "(3.11) derivation, line 1",
        "v^T(I xidot + lam1 r e2 - ...) + tr(Lamdot hat(v) R - Lam hat(v) Rdot) is d/dt of (3.9d)",
        printed - exact,
        "with lamdot1, lamdot2 and + Lam hat(v) Rdot it is",
        repaired - exact,
    )


def commutator(inner: Any) -> Any:
    """v^T I xidot - tr(Lam inner R) + v^T(lamdot1 r e2 - lamdot2 r e1): lines 2 and 3."""
    return (V.T * torque(XIDOT, ld1, ld2))[0] - (Lam * inner * R).trace()


def third_line() -> Iterator[Claim]:
    """Lines 2 and 3: the bracket of two skew matrices is the skew matrix of the cross product."""
    exact = derivative_of_39d().xreplace(FLOW)
    second = commutator(hat(XI) * hat(V) - hat(V) * hat(XI))
    yield identity("(3.11) derivation, line 2", "follows from (3.9c) and (3.7)", second - exact)
    yield from pair(
        "(3.11) derivation, line 3",
        "hat(xi v), the product taken by components (as matrices it does not exist)",
        commutator(hat(sp.matrix_multiply_elementwise(XI, V))) - second,
        "hat(xi x v)",
        commutator(hat(XI.cross(V))) - second,
    )


def fourth_line() -> Iterator[Claim]:
    """Lines 4 and 5, where (3.9d) holds."""
    third = commutator(hat(XI.cross(V)))

    def fourth(spin: Any) -> Any:
        rest = (V.T * torque(XIDOT, ld1, ld2))[0]
        return rest - (V.T * hat(XI) * torque(spin, lam1, lam2))[0]

    yield from pair(
        "(3.11) derivation, line 4",
        "- v^T hat(xi)(I xidot + lam1 r e2 - lam2 r e1)",
        modulo_39d(fourth(XIDOT) - third),
        "- v^T hat(xi)(I xi + lam1 r e2 - lam2 r e1)",
        modulo_39d(fourth(XI) - third),
    )
    yield identity("(3.11) derivation, line 5", "is the repaired line 4", fourth(XI) - (V.T * equation_311())[0])


def before_315() -> Iterator[Claim]:
    """The display before (3.15): r xi against r xidot."""
    form = vakonomic(ball.system()).symbolic
    acceleration = solved(motion_rows(form, lamdot)[:2], (ax, ay))
    right = (lam1 * Om - ld2) / m + Om * vx, (lam2 * Om + ld1) / m + Om * vy
    printed = [r * rolling()[w1] - (Om * vx - vy), r * rolling()[w2] - (Om * vy + vx)]
    printed += [Om * vx - vy - right[0], Om * vy + vx - right[1]]
    rate = solved(constraint_rows(form), (a1, a2))
    repaired = [r * rate[a1] - (Om * vx - ay), r * rate[a2] - (Om * vy + ax)]
    repaired += [(e - p).subs(acceleration) for e, p in zip((Om * vx - ay, Om * vy + ax), right, strict=True)]
    yield from pair(
        "before (3.15)",
        "r xi1 = Omega xdot - ydot = (lam1 Omega - lamdot2)/m + Omega xdot, and the same for xi2",
        printed,
        "r xidot1 = Omega xdot - yddot, r xidot2 = Omega ydot + xddot, right sides as printed",
        repaired,
    )


def lemma_31() -> Iterator[Claim]:
    """Lemma 3.1 with and without the hypothesis Omega != 0."""
    where = "Lemma 3.1"
    gap = disagreement(Omega=0)
    stuck = not vanishes_all(gap)
    text = "lam(0) = 0: accelerations differ or lamdot != 0" if stuck else "lam(0) = 0: same accelerations, lamdot = 0"
    statement = "as printed, for Omega = 0 too: some nonholonomic motion is reproduced by no lam(0)"
    yield Claim(where, statement, False, text, stuck, key=True)
    yield Claim(where, "repaired: for Omega != 0, xi3 != Omega and the ball moving, no lam(0)", True, *no_multiplier())


def no_multiplier() -> tuple[str, bool]:
    """Can any lam follow the nonholonomic motion with xi3 != Omega? lam = 0 is forced, and lamdot = 0 only at rest."""
    excess = sp.Symbol("excess", real=True, nonzero=True)  # xi3 - Omega
    forced = sp.solve([e.subs(w3, Om + excess) for e in disagreement_in_plane()], lam, dict=True)
    rates = [vakonomic_motion()[k].subs({lam1: 0, lam2: 0}) for k in lamdot]
    # lamdot1^2 + lamdot2^2 = factor (xdot^2 + ydot^2)
    factor = sp.factor(sum(e**2 for e in rates) / (vx**2 + vy**2))
    nonzero = factor.xreplace({Om: sp.Symbol("Omega", real=True, nonzero=True)})
    holds = forced == [{lam1: 0, lam2: 0}] and bool(nonzero.is_positive)
    return f"forced: {forced}; then |lamdot|^2 = |v|^2 {nonzero}", holds


def disagreement_in_plane() -> list[Any]:
    """xddot and yddot, vakonomic minus nonholonomic."""
    vak = vakonomic_motion()
    derived = solved(planar(), (ax, ay))
    return [sp.simplify(vak[k] - derived[k]) for k in (ax, ay)]


# --- appendices ------------------------------------------------------------------------------------------------------

Q1, Q2, U1, U2, ACC1, ACC2, L1, L1DOT, EPS = sp.symbols("q1 q2 u1 u2 acc1 acc2 l ldot eps", real=True)


def sample() -> tuple[Any, Any, list[Any], list[Any], Any]:
    """w(qdot), w(gamma), a curve, a variation that vanishes at t = 0 and 1, and lam(t)."""
    form = Q2 * U1 + (1 + Q1) * U2
    drift = Q2 * (Q1 * Q2) + (1 + Q1) * (Q1 + Q2**2)
    return form, drift, [t, t**2], [t * (1 - t), t**2 * (1 - t)], 1 + t**2


def on(expression: Any, curve: Sequence[Any]) -> Any:
    """An expression in q1, q2, u1, u2 along a curve."""
    first = [sp.diff(c, t) for c in curve]
    second = [sp.diff(c, t, 2) for c in curve]
    values = (*curve, *first, *second)
    return expression.subs(dict(zip((Q1, Q2, U1, U2, ACC1, ACC2), values, strict=True)), simultaneous=True)


@cache
def appended_functional(frozen: bool) -> tuple[Any, Any]:
    """J_D(c_s), gamma taken along c if `frozen` and along c_s if not; and -int (2.2)_i u^i dt."""
    form, drift, curve, change, multiplier = sample()
    varied = [c + EPS * d for c, d in zip(curve, change, strict=True)]
    L = (U1**2 + U2**2) / 2
    integrand = on(L - multiplier * form, varied) + multiplier * on(drift, curve if frozen else varied)
    motion = plain_motion((Q1, Q2, L1), (U1, U2, L1DOT))
    EL = rows_of(motion.euler_lagrange(L - L1 * (form - drift)), (ACC1, ACC2, 0))[:2]
    along = [on(e, curve).subs({L1: multiplier, L1DOT: multiplier.diff(t)}) for e in EL]
    return integral(integrand, 0, 1), -integral(sum(e * d for e, d in zip(along, change, strict=True)), 0, 1)


def proof_c2() -> Iterator[Claim]:
    """Proof of Proposition C.2: gamma varies with the curve."""
    residuals = []
    for frozen in (True, False):
        J_D, expected = appended_functional(frozen)
        residuals.append(J_D.diff(EPS).subs(EPS, 0) - expected)
    yield from pair(
        "App. C, proof of C.2",
        "with w^a(gamma(c(t))) inside d/ds the first variation is that of (2.2)",
        residuals[0],
        "with w^a(gamma(c_s(t))) it is",
        residuals[1],
    )


def proposition_c2() -> Iterator[Claim]:
    """Proposition C.2: annihilate D, C^2(..., D, gamma), dJ_D/ds; the first two on the ball."""
    where, N = "C.2", sp.Matrix(nonholonomic(ball.system()).symbolic.N)
    k, n = N.rows, N.cols
    everything, D = sp.eye(n), sp.Matrix.hstack(*N.nullspace())
    ranks = [len(vectors.T.nullspace()) for vectors in (everything, D)]  # forms that annihilate these vectors
    for word, vectors, rank, expected in (
        ("as printed: Q", "TQ", ranks[0], False),
        ("repaired: D", "D", ranks[1], True),
    ):
        statement = f"{word}: there are n - k = {k} independent one-forms that annihilate {vectors}"
        yield Claim(where, statement, expected, f"rank of the annihilator {rank}", rank == k)
    velocity = sp.Matrix([vx, vy, *(rolling()[w] for w in (w1, w2)), w3])
    gamma = sp.Matrix([-Om * y, Om * x, 0, 0, 0])
    yield from pair(
        where,
        "the curves that satisfy the constraints are C^2(q1, q2, [a, b], D): w(cdot) = 0",
        N * velocity,
        "C^2(q1, q2, [a, b], D, gamma): w(cdot) = w(gamma)",
        N * (velocity - gamma),
    )
    J_D, first = appended_functional(False)
    yield from pair(
        where,
        "J_D(c_s)/ds, no d before J_D: the value of J_D at s = 0 is the right side",
        J_D.subs(EPS, 0) - first,
        "dJ_D(c_s)/ds at s = 0 is the right side",
        J_D.diff(EPS).subs(EPS, 0) - first,
    )


def equation_d3() -> Iterator[Claim]:
    """(D.3) for L = qdot^2/2 - q^3, q = 1 + t^2, u = 1 + t on [0, 2]."""
    low, high, L = 0, 2, U1**2 / 2 - Q1**3
    curve, change = [1 + t**2, sp.S.Zero], 1 + t
    varied = [curve[0] + EPS * change, sp.S.Zero]
    dJ = integral(on(L, varied), low, high).diff(EPS).subs(EPS, 0)
    EL = on(rows_of(plain_motion((Q1,), (U1,)).euler_lagrange(L), (ACC1,))[0], curve)
    momentum = on(L.diff(U1), curve) * change
    boundary = momentum.subs(t, high) - momentum.subs(t, low)
    by_start = [integral(-EL * change, start, high) + boundary - dJ for start in (1, low)]
    yield from pair(
        "(D.3)", "the integral from 1 to b, with a = 0", by_start[0], "the integral from a to b", by_start[1]
    )


def lemma_d2() -> Iterator[Claim]:
    """Lemma D.2: the sign of lam2 in the Lagrangian."""
    printed, right = extended(+1), extended(-1)

    def residuals(EL: Any, sign: int = 1) -> list[Any]:
        flip = {lam2: sign * lam2, ld2: sign * ld2}
        equations = equation_39a(), equation_39b(), -equation_39d(XI)
        found = *EL.position, (V.T * EL.xi)[0]
        return [e - p.subs(flip, simultaneous=True) for e, p in zip(found, equations, strict=True)]

    yield from pair(
        "Lemma D.2",
        "+ lam2 (ydot + r xi1 - Omega x) gives (3.9)",
        residuals(printed),
        "- lam2 (ydot + r xi1 - Omega x) gives (3.9)",
        residuals(right),
    )
    yield identity("Lemma D.2", "the printed sign gives (3.9) with -lam2 for lam2", residuals(printed, -1))


GROUPS: tuple[Group, ...] = (
    equation_22,
    remark_262,
    equations_27_29,
    proof_23,
    proposition_28,
    equation_36,
    closed_form_exponent,
    closed_form_velocity,
    stability_33,
    equation_39,
    first_line,
    third_line,
    fourth_line,
    before_315,
    lemma_31,
    proof_c2,
    proposition_c2,
    equation_d3,
    lemma_d2,
)
