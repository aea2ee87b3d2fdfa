"""Constants from no symmetry: momenta transported along one shape coordinate."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import nonholonomic_particle, rolling_disc
from zoo import GALLERY


@pytest.fixture(scope="module")
def disc():
    system = rolling_disc.system()
    return system, da.reduce(system), da.nonholonomic(system)


def test_two_constants_of_the_disc_along_the_full_motion(disc):
    _, reduction, equations = disc
    constants = da.symmetry.gauge_momenta(reduction, at=1.3)
    start = equations.start(**rolling_disc.START)
    path = da.simulate(equations, start, until=2.0, rtol=1e-12, atol=1e-13)
    track = np.array([constants(da.reduced_start(reduction, path.at(t))) for t in np.linspace(0, 2, 9)])
    assert track.shape[1] == 2
    assert np.ptp(track, axis=0).max() < 1e-10
    # each alone, not only a combination; and they are no functions of each other
    assert (
        np.linalg.matrix_rank(
            [constants({"theta": 1.0, "vtheta": 0.1, "vphi": a, "vpsi": b}) for a, b in ((1, 0), (0, 1))]
        )
        == 2
    )


def test_they_are_the_momenta_at_the_base(disc):
    _, reduction, _ = disc
    constants = da.symmetry.gauge_momenta(reduction, at=1.1)
    state = {"theta": 1.1, "vtheta": 0.3, "vphi": 0.7, "vpsi": -0.4}
    L = reduction.system.lagrangian
    values = {**reduction.system.values(), **state}
    expected = [
        float(L.diff(sp.Symbol(v, real=True)).xreplace({s: values[s.name] for s in L.free_symbols}))
        for v in constants.velocities
    ]
    assert constants(state) == pytest.approx(expected)
    assert constants.shape == "theta"


def test_transport_there_and_back_and_in_two_legs(disc):
    _, reduction, _ = disc
    one, other = da.symmetry.gauge_momenta(reduction, at=0.8), da.symmetry.gauge_momenta(reduction, at=1.9)
    assert one.transport(1.9) @ other.transport(0.8) == pytest.approx(np.eye(2), abs=1e-10)
    middle = da.symmetry.gauge_momenta(reduction, at=1.4)
    assert middle.transport(1.9) @ one.transport(1.4) == pytest.approx(one.transport(1.9), abs=1e-10)


def test_the_particles_constant_is_known():
    # p = m vx sqrt(1 + y^2) sqrt(1 + y^2): the constant is vx sqrt(1 + y^2), here scaled to p at y = 0
    reduction = da.reduce(nonholonomic_particle.system(m=1.7))
    constants = da.symmetry.gauge_momenta(reduction, at=0.0)
    for y, vx in ((0.0, 1.2), (0.9, -0.4), (-2.0, 0.3)):
        assert constants({"y": y, "vx": vx, "vy": 0.8}) == pytest.approx([1.7 * vx * np.sqrt(1 + y**2)], rel=1e-11)


def test_parameters_can_be_replaced():
    reduction = GALLERY.reduction("nonholonomic_particle")
    state = {"y": 0.5, "vx": 1.0, "vy": 0.0}
    assert da.symmetry.gauge_momenta(reduction, 0.0, {"m": 3.0})(state) == pytest.approx(
        3 * da.symmetry.gauge_momenta(reduction, 0.0)(state)
    )


def test_more_shapes_are_refused():
    with pytest.raises(da.DalembertError, match=r"E124 gauge momenta need .* one shape coordinate"):
        da.symmetry.gauge_momenta(GALLERY.reduction("routh_sphere"), at=0.0)


def test_a_slope_of_the_potential_is_refused():
    # y moves, x is moved along by a field that is not proportional to ydot: no transport
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    driven = da.System(q, (vx**2 + vy**2) / 2, forces={vx: 1 + 0 * x}, symmetry="x")
    with pytest.raises(da.DalembertError, match="E124"):
        da.symmetry.gauge_momenta(da.reduce(driven), at=0.0)


def made(forces, **given):
    system = da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2", forces=forces, symmetry="x", **given)
    return da.symmetry.gauge_momenta(da.reduce(system), at=0.0)


def test_a_contact_with_friction_changes_a_constant_and_a_smooth_one_does_not():
    # p = vx and dp/dt = vy p: c = vx exp(-y)
    ask = {"vx": "vy*vx"}
    smooth = made(ask, contacts={"floor": da.contact("y + 1")})
    rough = made(ask, contacts={"floor": da.contact("y + 1", ["vx"], mu=0.3)})
    assert smooth.answer.value is True and rough.answer.value is False
    assert "floor changes it; constant while floor does not act" in str(rough)
    for found in (smooth, rough):
        assert found({"y": 0.7, "vx": 1.2, "vy": 0.0}) == pytest.approx([1.2 * np.exp(-0.7)])


@pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")
@pytest.mark.parametrize(
    "push", ["1e-12*vx", "max(0, y - 100)", "1e-9*t", "1e-12*vx*vy*t"], ids=["weak", "beyond", "late", "in time"]
)
def test_what_changes_a_constant_little_or_far_away_is_refused(push):
    with pytest.raises(da.DalembertError, match=r"E124 the momenta .* is not 0 at y = "):
        made({"vx": f"y*vy*vx + {push}"})


@pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")
def test_what_is_nowhere_seen_and_no_identity_leaves_it_open():
    found = made({"vx": "y*vy*vx + exp(-(y - 70)^2)*vx"})
    assert found.answer.value is None and "constant: not decided" in str(found)


# --- poles and ends ---------------------------------------------------------------------------------------------------

STATE = {"theta": 1.2, "vtheta": 0.1, "vphi": 0.8, "vpsi": 4.0}


@pytest.mark.parametrize(
    ("at", "theta", "where"), [(1.0, 4.0, "3.14159"), (1.0, 0.0, "0"), (1.0, -1.0, "0"), (4.0, 7.0, "6.28319"),
                               (1.0, 3.141592653589793, "3.14159")]
)  # fmt: skip
def test_a_pole_of_the_transport_on_the_way_is_refused(disc, at, theta, where):
    # the flat disc: sin(theta) = 0
    constants = da.symmetry.gauge_momenta(disc[1], at=at)
    with pytest.raises(da.DalembertError, match=rf"E124 the transport has a pole at theta = -?{where}\b"):
        constants({**STATE, "theta": theta})


def test_a_base_at_a_pole_is_refused(disc):
    with pytest.raises(da.DalembertError, match="E124 the transport has a pole at theta = 0"):
        da.symmetry.gauge_momenta(disc[1], at=0)


def test_a_way_that_is_too_long_ends(disc, monkeypatch):
    from dalembert.reconstruction import gauge_momenta as gauge

    monkeypatch.setattr(gauge, "MOST", 20)
    with pytest.raises(da.DalembertError, match="E313 the transport to theta = 3 takes more than 20 evaluations"):
        da.symmetry.gauge_momenta(disc[1], at=0.5).transport(3.0)


WRONG = {
    "at is not a number": (lambda r: da.symmetry.gauge_momenta(r, float("nan")), "E203"),
    "at is text": (lambda r: da.symmetry.gauge_momenta(r, "1"), "E204"),
    "a value is not a number": (lambda r: da.symmetry.gauge_momenta(r, 1.0)({**STATE, "theta": float("nan")}), "E203"),
    "a value is text": (lambda r: da.symmetry.gauge_momenta(r, 1.0)({**STATE, "vphi": "fast"}), "E204"),
    "a value is missing": (lambda r: da.symmetry.gauge_momenta(r, 1.0)({"theta": 1.0}), "E230"),
    "no state": (lambda r: da.symmetry.gauge_momenta(r, 1.0)([1.0, 2.0]), "E241"),
    "transport to nowhere": (lambda r: da.symmetry.gauge_momenta(r, 1.0).transport(float("inf")), "E203"),
    "parameters": (lambda r: da.symmetry.gauge_momenta(r, 1.0, 3), "E204"),
    "unknown parameter": (lambda r: da.symmetry.gauge_momenta(r, 1.0, {"rr": 3}), "E202"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_arguments_are_refused(disc, case):
    call, code = WRONG[case]
    with pytest.raises(da.DalembertError) as caught:
        call(disc[1])
    assert caught.value.code == code


def test_a_start_with_other_parameters_is_refused(disc):
    _, reduction, equations = disc
    start = equations.start(**rolling_disc.START, parameters={"r": 0.8})
    with pytest.raises(da.DalembertError, match=r"E124 the constants were made with r = 0.5, the start has r = 0.8"):
        da.symmetry.gauge_momenta(reduction, 1.0)(start)
    assert da.symmetry.gauge_momenta(reduction, 1.0, {"r": 0.8})(start).shape == (2,)


def test_its_summary(disc):
    found = da.symmetry.gauge_momenta(disc[1], at=1.3)
    assert str(found) == repr(found) == "gauge momenta of vphi, vpsi, transported along theta from theta = 1.3"


def test_the_velocity_that_moves_the_shape_need_not_be_its_rate():
    # the particle with zdot = y xdot, in a velocity h with ydot = (2 + y^2) h: xdot sqrt(1 + y^2) stays whatever h is
    y, u, h, w = sp.symbols("y u h w", real=True)
    space = da.Space("x y z", "u h w", anchor=sp.diag(1, 2 + y**2, 1))
    L = (u**2 + (2 + y**2) ** 2 * h**2 + w**2) / 2
    system = da.System(space, L, {"c": w - y * u}, symmetry=da.symmetry.translations("x z"))
    constants = da.symmetry.gauge_momenta(da.reduce(system), at=0.0)
    for place, speed in ((0.0, 1.2), (0.9, -0.4), (-2.0, 0.3)):
        there = {"y": place, "u": speed, "h": 0.8}
        assert constants(there) == pytest.approx([speed * np.sqrt(1 + place**2)], rel=1e-10)


def test_a_field_adds_what_no_momentum_is_in_proportion_to():
    """Along z' = k r ph', a row that turns with the place, and L with B r^2 ph': (1 + k^2) r^2 ph' is no constant.

    By hand p = (1 + k^2) r^2 ph' + B r^2, and dp/dr = k^2/(1 + k^2) (p - B r^2)/r + 2 B r.
    """
    q = da.coordinates("r ph z", velocities="vr vp vz")
    L = "(vr^2 + r^2*vp^2 + vz^2)/2 - r^2/2 + B*r^2*vp"
    B, k = 1.7, 0.4
    system = da.System(q, L, {"c": "vz - k*r*vp"}, parameters={"B": B, "k": k}, symmetry="ph z")
    equations, reduction = da.nonholonomic(system), da.reduce(system)
    path = da.simulate(equations, equations.start(r=0.9, ph=0, z=0, vr=0.2, vp=0.5), until=4)
    constants = da.symmetry.gauge_momenta(reduction, at=1.0)
    track = [constants(da.reduced_start(reduction, {**path.at(t), "t": t})) for t in np.linspace(0, 4, 9)]
    assert np.ptp(track) < 1e-10
    momentum = (1 + k**2) * path["r"] ** 2 * path["vp"]
    assert np.ptp(momentum) > 0.1


@pytest.mark.parametrize("force", ["-t*w", "-cos(t)*w", "-vr*w*cos(t)"])
def test_momenta_that_change_with_the_time_are_refused(force):
    q = da.coordinates("r th", velocities="vr w")
    system = da.System(q, "(vr^2 + (1 + r^2)*w^2)/2 - r^2/2", forces={"w": force}, symmetry="th")
    with pytest.raises(da.DalembertError, match="E124"):
        da.symmetry.gauge_momenta(da.reduce(system), at=0.5)
