"""Equations: what they print, count and evaluate; redundant, massless and moving constraints."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import wheeled_snake

Q = da.coordinates("x y theta", velocities="vx vy vtheta")
x, y, theta, vx, vy, vtheta = Q
m, J, a = sp.symbols("m J a", positive=True)
T = m / 2 * ((vx - a * vtheta * sp.sin(theta)) ** 2 + (vy + a * vtheta * sp.cos(theta)) ** 2) + J / 2 * vtheta**2
BLADE = -vx * sp.sin(theta) + vy * sp.cos(theta)


@pytest.fixture(scope="module")
def sleigh():
    return da.System(Q, T, {"blade": BLADE}, parameters={"m": 1.0, "J": 0.5, "a": 0.3}, title="Sleigh")


@pytest.mark.parametrize(
    ("principle", "convention"),
    [(da.nonholonomic, "lam_s dphi^s/du^a"), (da.vakonomic, "EL_a(L - lam_s phi^s)"), (da.free, "no constraint")],
)
def test_latex_and_text_say_principle_and_convention(sleigh, principle, convention):
    equations = principle(sleigh)
    for printed in (equations.latex(), equations.text(), str(equations)):
        assert "Sleigh: " + equations.principle in printed
        assert convention in printed
    assert equations.latex().count(r"\begin{aligned}") == equations.latex().count(r"\end{aligned}") == 1
    assert not equations._repr_latex_().startswith("%")
    assert max(map(len, str(equations).splitlines())) <= 100
    assert len(str(equations).splitlines()) <= 25


def test_latex_shows_rates_with_dots_and_the_multiplier_of_the_principle(sleigh):
    assert r"\ddot{x}" in da.nonholonomic(sleigh).latex()
    assert r"\lambda_{\mathrm{blade}}" in da.nonholonomic(sleigh).latex()
    assert r"\dot{\lambda}_{\mathrm{blade}}" in da.vakonomic(sleigh).latex()
    assert "lambda" not in da.free(sleigh).latex()


def test_printed_rows_are_those_that_are_evaluated(sleigh):
    # the sheet's rows, left minus right, vanish for the accelerations and multipliers of evaluate
    for principle, more in ((da.nonholonomic, {}), (da.vakonomic, {"lam_blade": 0.7})):
        equations = principle(sleigh)
        start = equations.start(x=0.1, y=0.2, theta=0.4, vx=1.0, vtheta=0.3, **more)
        found = equations.evaluate(start)
        udot = {u: sp.Symbol(f"a_{u}") for u in Q.velocities}
        mu = [sp.Symbol("mu")]
        sheet = equations._sheet(udot, mu)
        values = {**start, **start.parameters, **{f"a_{u}": v for u, v in found["accelerations"].items()}}
        values["mu"] = found.get("multiplier_rates", found["multipliers"])["blade"]
        values["lam_blade"] = found["multipliers"]["blade"]
        for left, right in sheet.motion:
            residual = left - right
            assert abs(residual.xreplace({s: sp.Float(values[s.name]) for s in residual.free_symbols})) < 1e-12


def test_the_count_of_operations_is_that_of_the_graph_and_does_not_swell(sleigh):
    count = da.nonholonomic(sleigh).operations()
    assert count["total"] == sum(v for k, v in count.items() if k != "total")
    assert 40 < count["total"] < 120


def test_operations_of_a_snake_grow_with_its_size_not_exponentially():
    def total(n):
        space = da.coordinates(["x", "y", *(f"t{i}" for i in range(n))])
        q, u = space.coordinates, space.velocities
        vx, vy, L, phi = u[0], u[1], sp.S.Zero, {}
        for i in range(n):
            c, s, w = sp.cos(q[2 + i]), sp.sin(q[2 + i]), u[2 + i]
            vx, vy = vx - s * w, vy + c * w
            L += (vx**2 + vy**2 + w**2) / 2
            phi[f"wheel{i}"] = -s * vx + c * vy
        return da.nonholonomic(da.System(space, L, phi)).operations()["total"]

    small, large = total(4), total(8)
    assert large / small < 10  # the solve grows with the cube


def test_reactions_are_multipliers_times_normals_and_redundant_rows_share_them():
    rows = {"a": BLADE, "b": 3 * BLADE}
    with pytest.warns(da.DalembertWarning, match="W113"):
        equations = da.nonholonomic(da.System(Q, T, rows, parameters={"m": 1.0, "J": 0.5, "a": 0.3}))
    start = equations.start(x=0, y=0, theta=0.4, vx=1.0, vtheta=0.2)
    found = equations.evaluate(start)
    lam = found["multipliers"]
    assert lam["b"] == pytest.approx(3 * lam["a"], rel=1e-12)  # least norm
    single = da.nonholonomic(da.System(Q, T, {"a": BLADE}, parameters={"m": 1.0, "J": 0.5, "a": 0.3}))
    alone = single.evaluate(single.start(**{n: start[n] for n in single.states}))
    assert lam["a"] + 3 * lam["b"] == pytest.approx(alone["multipliers"]["a"], rel=1e-12)
    path = da.simulate(equations, start, until=2.0)
    assert path.ok
    assert path["lam_b"] == pytest.approx(3 * path["lam_a"], rel=1e-9)


def test_a_massless_wheel_turns_as_it_must():
    q = da.coordinates("x phi")
    sx, phi = q.velocities
    F, r = sp.symbols("F r", positive=True)
    given = {"forces": {sx: F}, "parameters": {"F": 2.0, "r": 0.5}}
    with pytest.raises(da.DalembertError, match="E112"):
        da.nonholonomic(da.System(q, sx**2 / 2, {"roll": sx - r * phi}, **given))
    equations = da.nonholonomic(da.System(q, sx**2 / 2, {"roll": sx - r * phi}, massless=["phi"], **given))
    assert not equations.definite
    path = da.simulate(equations, equations.start(x=0, phi=0, vx=0.0), until=3.0)
    assert path.ok
    assert path["x"][-1] == pytest.approx(9.0, rel=1e-12)
    assert path["phi"][-1] == pytest.approx(18.0, rel=1e-12)


def test_notes_go_with_the_equations(sleigh):
    q = da.coordinates("u v")
    p, s = q.velocities
    nonlinear = da.System(q, (p**2 + s**2) / 2, {"c": p**2 - 4 * s**2})
    assert any(n.code == "N117" for n in da.nonholonomic(nonlinear).notes)
    assert not any(n.code == "N117" for n in da.vakonomic(nonlinear).notes)
    position = da.System(q, (p**2 + s**2) / 2, {"c": q["u"] - 2 * q["v"]})
    assert any(n.code == "N115" for n in da.nonholonomic(position).notes)


def test_a_start_explains_itself(sleigh):
    start = da.nonholonomic(sleigh).start(x=0, y=0, theta=0.4, vx=1.0, vtheta=0.2)
    printed = str(start)
    assert start.follows == ("vy",)
    assert "follows  vy = 0.4227932187" in printed
    assert "vx = 1.0" in printed
    moved = da.nonholonomic(sleigh).start(x=0, y=0, theta=0.0, vx=1.0, vy=0.5, vtheta=0.0, project="kinetic")
    assert "changed" in str(moved)
    assert moved["vy"] == pytest.approx(0.0, abs=1e-15)


def test_kinetic_projection_is_the_nearest_in_the_kinetic_metric(sleigh):
    equations = da.nonholonomic(sleigh)
    given = {"x": 0.0, "y": 0.0, "theta": 0.3, "vx": 1.0, "vy": 0.7, "vtheta": -0.4}
    start = equations.start(**given, project="kinetic")
    p = sleigh.values()
    s, c = np.sin(0.3), np.cos(0.3)
    W = np.array(
        [
            [p["m"], 0, -p["m"] * p["a"] * s],
            [0, p["m"], p["m"] * p["a"] * c],
            [-p["m"] * p["a"] * s, p["m"] * p["a"] * c, p["J"] + p["m"] * p["a"] ** 2],
        ]
    )
    moved = np.array([start[n] - given[n] for n in ("vx", "vy", "vtheta")])
    allowed = np.array([[c, s, 0.0], [0.0, 0.0, 1.0]])
    assert np.abs(allowed @ W @ moved).max() < 1e-14  # the change is W-orthogonal to what is allowed
    assert abs(-start["vx"] * s + start["vy"] * c) < 1e-15


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic, da.free])
def test_printed_rows_with_forces_are_those_that_are_evaluated(principle):
    c, F = sp.symbols("c F", positive=True)
    forces = [da.forces.viscous_friction([vx, vy], c), {"vtheta": F * sp.sin(theta), vx: -x}]
    values = {"m": 1.0, "J": 0.5, "a": 0.3, "c": 0.7, "F": 2.0}
    equations = principle(da.System(Q, T, {"blade": BLADE}, forces, values))
    more = {"lam_blade": 0.7} if equations.states_of_multipliers else {}
    start = equations.start(x=0.1, y=0.2, theta=0.4, vx=1.0, vy=np.tan(0.4), vtheta=0.3, **more)
    found = equations.evaluate(start)
    sheet = equations._sheet(
        {u: sp.Symbol(f"a_{u}") for u in Q.velocities}, [sp.Symbol("mu")][: len(equations.constraints)]
    )
    known = {**start, **start.parameters, **{f"a_{u}": v for u, v in found["accelerations"].items()}}
    known["mu"] = found.get("multiplier_rates", found["multipliers"]).get("blade", 0.0)
    assert len(sheet.motion) == 3
    for left, right in sheet.motion:
        assert abs((left - right).xreplace({s: sp.Float(known[s.name]) for s in (left - right).free_symbols})) < 1e-12
    assert any(right.has(c) for _, right in sheet.motion)


def test_latex_shows_the_convention_to_the_reader_not_only_in_a_comment(sleigh):
    visible = [line for line in da.nonholonomic(sleigh).latex().splitlines() if not line.startswith("%")]
    assert any(r"\lambda_s" in line and "nonholonomic" in line for line in visible)
    assert any(r"L - \lambda_s" in line for line in da.vakonomic(sleigh)._repr_latex_().splitlines())


def test_text_is_whole_unless_a_width_is_asked_for(sleigh):
    equations = da.vakonomic(sleigh)
    assert " ..." not in equations.text()
    assert max(map(len, equations.text(60).splitlines()[2:])) <= 60


def test_a_printed_system_says_what_it_leaves_out():
    q = da.coordinates([f"q{i}" for i in range(9)])
    rows = {f"c{i}": u - q.velocities[8] for i, u in enumerate(q.velocities[:8])}
    names = [f"parameter{i}" for i in range(30)]
    L = sum(sp.Symbol(n) * u**2 for n, u in zip(names, [*q.velocities] * 4, strict=False))
    printed = str(da.System(q, L, rows, parameters=dict.fromkeys(names, 1.0)))
    assert "and 3 more constraints" in printed
    assert " ..." in printed
    assert max(map(len, printed.splitlines())) <= 96


def test_vakonomic_with_an_indefinite_appended_hessian():
    # L* = L - lam phi has the Hessian diag(m - 2 lam, m - 2 lam, m + 2 lam): indefinite for lam > m/2
    q = da.coordinates("x y z")
    (px, py, pz), g = q.velocities, sp.Symbol("g", positive=True)
    system = da.System(
        q, (px**2 + py**2 + pz**2) / 2 - g * q["z"], {"cone": px**2 + py**2 - pz**2}, parameters={"g": 1.0}
    )
    equations = da.vakonomic(system)
    assert not equations.definite
    start = equations.start(x=0, y=0, z=0, vx=3.0, vy=4.0, vz=5.0, lam_cone=2.0)
    path = da.simulate(equations, start, until=0.5)
    assert path.ok
    # p = (1 - 2 lam) v_x, (1 - 2 lam) v_y are constant, p_z = (1 + 2 lam) v_z falls with g
    for name, sign, slope in (("vx", -1, 0.0), ("vy", -1, 0.0), ("vz", 1, -1.0)):
        p = (1 + sign * 2 * path["lam_cone"]) * path[name]
        assert p == pytest.approx(p[0] + slope * path.t, rel=1e-10)


def test_a_summary_shows_whole_rows_counts_the_others_and_writes_none_that_nobody_reads(monkeypatch):
    links = 16
    equations = da.nonholonomic(wheeled_snake.system(links))
    monkeypatch.setattr("dalembert.equations.written_rows.readable", None)
    lines = str(equations).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 25
    (left,) = (int(line.split()[1]) for line in lines if line.endswith(" more rows: .text() or .latex()"))
    # behind the row that counts: the constraints, and the rates of x, y and the angles
    assert sum("    (wheel" in line for line in lines) + left == links + len(equations.space.coordinates)


@pytest.mark.parametrize("make", [da.nonholonomic, da.free, da.vakonomic, da.forms.gauss])
def test_accelerations_without_the_forces_of_a_closed_contact_are_doubted(make):
    space = da.coordinates("x y", velocities="vx vy")
    ground = da.contact("y", ["vx"], mu=0.1)
    equations = make(da.System(space, "(vx^2+vy^2)/2 - 9.81*y", contacts={"ground": ground}))
    with pytest.warns(da.DalembertWarning, match="W803 ground: closed here"):
        equations.evaluate({"x": 0, "y": 0, "vx": 1, "vy": 0})
    equations.evaluate({"x": 0, "y": 1e-6, "vx": 1, "vy": 0})  # it is open
