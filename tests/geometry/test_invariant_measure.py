"""Invariant measures: published densities, published obstructions, and the volume that a motion carries along."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.systems import chaplygin_ball, chaplygin_sleigh, penny, suslov, veselova
from zoo import GALLERY


def values(density, points, parameters):
    node = read(density, Graph())
    return np.array([evaluate([node], {**parameters, **point})[0] for point in points])


def reduced_ball():
    return GALLERY.reduction("chaplygin_ball").system


def test_the_density_of_chaplygins_ball_is_found():
    small = reduced_ball()
    found = da.symmetry.measure(small)
    assert found and found.exists
    gamma = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    points = [dict(zip(("g1", "g2", "g3"), g, strict=True)) for g in gamma.T]
    known = chaplygin_ball.density(gamma, small.parameters)
    ratio = values(found.density, points, small.parameters) / known
    assert ratio == pytest.approx([ratio[0]] * 3, rel=1e-11)
    text = "sqrt(1 - m*r^2*(g1^2/(I1 + m*r^2) + g2^2/(I2 + m*r^2) + g3^2/(I3 + m*r^2)))"
    assert da.symmetry.measure(small, text).rate < 1e-11
    assert not da.symmetry.measure(small, text.replace("sqrt", ""))
    assert not da.symmetry.measure(small, "1")


def test_the_density_of_veselovas_problem_is_found():
    found = da.symmetry.measure(veselova.system())
    space = found.system.space
    rng = np.random.default_rng(2)
    points = [space.sample(rng) for _ in range(4)]
    parameters = veselova.system().parameters
    # the measure N dq dv in v = (d_w1, d_w2), w1 = z3 d_w1: that in (w, gamma) is sqrt(<gamma, I^-1 gamma>)
    # dw1 dw2 dw3 on <gamma, w> = 0 is the area of |d(w1, w2, w3)/d(v1, v2)| per |gamma| = 1, and dR that of q
    points = [{s.name: point[s.name] for s in space} for point in points]
    at = [{s: point[s.name] for s in space} for point in points]
    gamma = np.array([np.array(veselova.system().space.R.subs(there), float).T @ [0, 0, 1] for there in at]).T
    published = veselova.density(gamma, parameters)
    lifts = [np.array([[sp.diff(e, v).subs(there) for v in space.velocities] for e in found.velocities.values()], float)
             for there in at]  # fmt: skip
    areas = np.array([np.sqrt(np.linalg.det(lift.T @ lift)) for lift in lifts])
    ratio = values(found.density, points, parameters) / (published * areas)
    assert ratio == pytest.approx([ratio[0]] * 4, rel=1e-10)


@pytest.mark.parametrize("make", [penny.system, lambda: GALLERY.reduction("rolling_disc").system])
def test_where_the_group_leaves_no_divergence_the_volume_of_momenta_stays(make):
    found = da.symmetry.measure(make())
    assert found and set(found.divergence.values()) == {0}
    G = sp.hessian(found.system.lagrangian, list(found.system.space.velocities))
    ratio = sp.simplify(found.density / G.det())
    assert not ratio.free_symbols & set(found.system.space.coordinates)  # N dq dv = dq dp


@pytest.mark.parametrize("system", [chaplygin_sleigh.system(), suslov.system()], ids=["sleigh", "suslov"])
def test_motions_with_attractors_preserve_no_volume(system):
    # [kozlov1988]: Suslov's problem has none unless the axis of the constraint is a principal one
    found = da.symmetry.measure(system)
    assert not found and found.exists is False
    assert "no differential" in found.obstruction
    assert not da.symmetry.measure(system, 1)


def test_suslovs_problem_about_a_principal_axis_preserves_one():
    found = da.symmetry.measure(suslov.system(I13=0, I23=0))
    assert found and found.density == 1


def test_friction_leaves_no_volume_and_a_field_does():
    q = da.coordinates("x y")
    L = "m/2*(vx^2 + vy^2) + B/2*(x*vy - y*vx) - k*x^2"
    given = {"m": 1.0, "B": 2.0, "k": 3.0}
    assert da.symmetry.measure(da.System(q, L, parameters=given))
    slowed = da.System(q, L, forces=[da.forces.viscous_friction(["vx"], 0.1)], parameters=given)
    assert "forces change dq dp" in da.symmetry.measure(slowed).obstruction


def test_an_exponential_is_found():
    # e_1 = d/dx, e_2 = exp(x) d/dy with [e_1, e_2] = e_2: in coordinates it is a free motion and dq dp stays;
    # dq dv has the density det G/det E
    x, y = sp.symbols("x y", real=True)
    space = da.Space([x, y], "a b", [[1, 0], [0, sp.exp(x)]])
    found = da.symmetry.measure(da.System(space, "(a^2 + b^2)/2"))
    assert sp.simplify(found.density * sp.exp(x)) == 1 or sp.simplify(found.density / sp.exp(-x)).is_number
    assert da.symmetry.measure(found.system, sp.exp(-x))
    assert not da.symmetry.measure(found.system, sp.exp(x))


def test_the_volume_of_a_run_grows_as_the_divergence_says():
    # the sleigh, by small differences of runs: log det dphi = int of div dt
    system = chaplygin_sleigh.system()
    found = da.symmetry.measure(system)
    small = da.free(found.system)
    states = [s.name for s in found.system.space]
    first = np.array([0.1, 0.2, 0.3, 0.8, 0.5])

    def end(y):
        path = da.simulate(small, dict(zip(states, y, strict=True)), until=0.5, rtol=1e-12, atol=1e-13)
        return np.array([path[n][-1] for n in states]), path

    h = 1e-5
    flow = np.array([(end(first + h * e)[0] - end(first - h * e)[0]) / (2 * h) for e in np.eye(5)]).T
    path = end(first)[1]
    t = np.linspace(0, 0.5, 401)
    at = path.at(t)
    beta = {n: np.array([evaluate([read(b, Graph())], {**system.parameters, **{s: at[s][i] for s in states}})[0]
                         for i in range(len(t))]) for n, b in found.divergence.items()}  # fmt: skip
    rate = sum(beta[n] * at[n] for n in beta)
    assert np.log(np.linalg.det(flow)) == pytest.approx(float(np.trapezoid(rate, t)), rel=1e-5)  # det G is constant


def test_refusals():
    with pytest.raises(da.DalembertError, match="E101"):
        da.symmetry.measure("sleigh")
    with pytest.raises(da.DalembertError, match="E104 the density holds speed"):
        da.symmetry.measure(GALLERY.reduction("suslov").system, sp.Symbol("speed"))
    q = da.line("x")
    with pytest.raises(da.DalembertError, match="E124 the time occurs"):
        da.symmetry.measure(da.System(q, "vx^2/2 + x*sin(t)"))


# --- verdicts that are shown ------------------------------------------------------------------------------------------

FLAT = da.coordinates("x y z")
(FX, FY, FZ), (UX, UY, UZ) = FLAT.coordinates, FLAT.velocities
KINETIC = (UX**2 + UY**2 + UZ**2) / 2
C = sp.Symbol("c")


@pytest.mark.parametrize(
    ("force", "density"),
    [
        # d/dx log N = -dQ_x/dvx for Q quadratic in v
        (-C * UX**2, sp.exp(2 * C * FX)),
        (-UX * UY, sp.exp(FY)),
        (FX * UX**2, sp.exp(-(FX**2))),
        (UX**2 / (1 + FX**2), sp.exp(-2 * sp.atan(FX))),
    ],
)
def test_forces_that_are_quadratic_in_the_velocities_leave_a_volume(force, density):
    system = da.System(FLAT, KINETIC, forces={"vx": force}, parameters={"c": 0.3} if force.has(C) else None)
    found = da.symmetry.measure(system)
    assert found.exists is True and da.symmetry.measure(system, density)
    at = [{FX: a, FY: b, C: 0.3} for a, b in ((0.4, -1.1), (-0.7, 0.2), (1.3, 0.9))]
    ratios = [float(sp.N((found.density / density).subs(values))) for values in at]
    assert ratios == pytest.approx([ratios[0]] * 3, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1, 1e6])
def test_forces_of_other_degrees_leave_none_however_small_they_are(scale):
    for force in (-UX, -(UX**3), -UX * sp.exp(-50 * (FX - 7) ** 2), -UX * sp.Max(0, FX - 100)):
        found = da.symmetry.measure(da.System(FLAT, KINETIC, forces={"vx": scale * force}))
        assert found.exists is False and found.density is None and "forces" in found.obstruction


@pytest.mark.parametrize("k", [1e-12, 1e-6, 1, 1e6])
def test_the_density_of_a_row_is_the_same_formula_at_every_scale(k):
    # vz = k y vx: det G = 1 + k^2 y^2, beta = k^2 y dy/(1 + k^2 y^2): N = sqrt(1 + k^2 y^2)
    system = da.System(FLAT, KINETIC, {"c": UZ - C * FY * UX}, parameters={"c": k})
    found = da.symmetry.measure(system)
    assert sp.simplify(found.density**2 - 1 - C**2 * FY**2) == 0
    assert not da.symmetry.measure(system, 1) and not da.symmetry.measure(system, 1 + C**2 * FY**2)


@pytest.mark.parametrize("product", [1e-10, 1e-3, 0.5])
def test_suslovs_body_has_a_volume_only_about_a_principal_axis(product):
    # I13 = I23 = 0 is needed [fedorov1995]
    R = da.rotation()
    a, b, c = R.velocities
    body = (2 * a**2 + 3 * b**2 + 1.5 * c**2) / 2
    assert da.symmetry.measure(da.System(R, body, {"s": c})).exists is True
    found = da.symmetry.measure(da.System(R, body + product * a * c, {"s": c}))
    assert found.exists is False and found.density is None


@pytest.mark.parametrize(("offset", "exists"), [(0, True), (1e-9, False), (0.3, False)])
def test_chaplygins_sleigh_has_a_volume_only_with_its_mass_over_the_blade(offset, exists):
    q = da.coordinates("x y theta")
    (_, _, theta), (vx, vy, w) = q.coordinates, q.velocities
    ux, uy = vx - offset * sp.sin(theta) * w, vy + offset * sp.cos(theta) * w
    sleigh = da.System(q, (ux**2 + uy**2 + w**2) / 2, {"blade": vy * sp.cos(theta) - vx * sp.sin(theta)})
    assert da.symmetry.measure(sleigh).exists is exists


def test_walls_that_keep_the_speed_keep_the_volume_and_others_and_friction_do_not():
    q = da.coordinates("x y")
    _, y, vx, vy = q
    L = (vx**2 + vy**2) / 2
    for e, exists in ((1, True), (0.999999999, False), (0, False)):
        found = da.symmetry.measure(da.System(q, L, walls={"w": {"guard": y, "restitution": e}}))
        assert found.exists is exists and ("w" in found.obstruction) is not exists
    open_ = da.System(q, L, walls={"w": {"guard": y, "restitution": "e"}}, parameters={"e": None})
    with pytest.raises(da.DalembertError, match="E158"):
        bool(da.symmetry.measure(open_))
    elastic = da.System(q, L, walls={"w": y})
    assert da.symmetry.measure(elastic, vx**2 + vy**2 + 1) and not da.symmetry.measure(elastic, sp.exp(vy))
    for mu, e, exists in ((0.3, 1, False), (0, 0, False), (0, 1, True)):
        touch = {"f": da.contact(gap=y, slip=[vx], mu=mu, restitution=e)}
        assert da.symmetry.measure(da.System(q, L - y, contacts=touch)).exists is exists
