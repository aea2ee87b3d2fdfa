"""Between full and reduced motions: parameters, times, marks, and what is refused."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import chaplygin_sleigh, rolling_ball_on_plane, rolling_disc


class Case:
    """A system, its reduction, and the equations of both."""

    def __init__(self, module, **start):
        self.system = module.system()
        self.reduction = da.reduce(self.system)
        self.full, self.small = da.nonholonomic(self.system), da.nonholonomic(self.reduction.system)
        self.start = self.full.start(**(start or module.START))

    def run(self, until=1.0, start=None, **options):
        reduced = da.reduced_start(self.reduction, self.start if start is None else start)
        return da.simulate(self.small, reduced, until=until, **options)


@pytest.fixture(scope="module")
def sleigh():
    return Case(chaplygin_sleigh)


@pytest.fixture(scope="module")
def disc():
    return Case(rolling_disc)


def refused(code, call, *texts):
    with pytest.raises(da.DalembertError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    assert caught.value.remedy
    for text in texts:
        assert text in str(caught.value)


def same(one, other, names, upto=1e-9):
    t = np.linspace(one.t[0], one.t[-1], 15)
    a, b = one.at(t), other.at(t)
    for n in names:
        assert np.abs(a[n] - b[n]).max() < upto * (1 + np.abs(a[n]).max()), n


# --- parameters -------------------------------------------------------------------------------------------------------


def test_a_path_run_with_other_parameters_than_the_start_is_refused(disc):
    path = disc.run(parameters={"r": 0.8})
    refused(
        "E124",
        lambda: da.reconstruct(disc.reduction, path, disc.start),
        "r = 0.8",
        f"r = {disc.start.parameters['r']:g}",
    )


def test_the_parameters_of_the_path_count_where_the_start_says_none(disc):
    # on the slice of the disc the constraints hold the radius: a start that fits r = 0.8
    start = disc.full.start(**rolling_disc.START, parameters={"r": 0.8})
    path = disc.run(start=start, parameters={"r": 0.8}, rtol=1e-12)
    expected = da.simulate(disc.full, start, until=1.0, rtol=1e-12)
    for given in (start, dict(start)):
        found = da.reconstruct(disc.reduction, path, given)
        same(expected, found, ("x", "y", "phi", "psi", "vx"))
        assert found.provenance["parameters"]["r"] == 0.8
        assert found.provenance["start"] == pytest.approx(dict(start))


def test_a_mapping_must_fit_the_parameters_of_the_path(disc):
    path = disc.run(parameters={"r": 0.8})
    refused("E231", lambda: da.reconstruct(disc.reduction, path, dict(disc.start)), "along")


# --- time -------------------------------------------------------------------------------------------------------------


def driven():
    """A particle whose mass grows with the time."""
    q, t = da.coordinates("x y"), sp.Symbol("t", real=True)
    return da.System(q, (1 + t**2) * (q["vx"] ** 2 + q["vy"] ** 2) / 2, symmetry="x")


def test_the_reduced_run_begins_when_the_full_one_does():
    system = driven()
    reduction, full = da.reduce(system), da.free(system)
    start = full.start(x=0, y=0, vx=1, vy=1, t=2.0)
    reduced = da.reduced_start(reduction, start)
    assert reduced["t"] == 2.0
    small = da.free(reduction.system)
    assert small.start(**reduced).t == 2.0
    found = da.reconstruct(reduction, da.simulate(small, reduced, until=3.0), start)
    # p = (1 + t^2) vx is constant: x = 5 (atan 3 - atan 2)
    assert found["x"][-1] == pytest.approx(5 * (math.atan(3) - math.atan(2)), abs=1e-10)


def test_a_mapping_may_hold_its_time():
    reduction = da.reduce(driven())
    state = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 1.0}
    assert da.reduced_start(reduction, {**state, "t": 2.0})["t"] == 2.0
    assert da.reduced_start(reduction, state)["t"] == 0.0


def test_another_beginning_is_refused(sleigh):
    late = sleigh.full.start(**chaplygin_sleigh.START, t=2.0)
    refused("E124", lambda: da.reconstruct(sleigh.reduction, sleigh.run(), late), "begins at t = 0", "at t = 2")
    path = sleigh.run(start=late, until=2.5)
    refused("E124", lambda: da.reconstruct(sleigh.reduction, path, sleigh.start), "begins at t = 2", "at t = 0")
    assert da.reconstruct(sleigh.reduction, path, dict(sleigh.start)).t[0] == 2.0  # a mapping without a time


# --- starts -----------------------------------------------------------------------------------------------------------


def state(case, **changed):
    return {**dict(case.start), **changed}


WRONG = {
    "nothing": (lambda c: None, "E241", "NoneType"),
    "a list": (lambda c: list(c.start.values()), "E241", "list"),
    "text": (lambda c: "identity", "E241", "str"),
    "a path": (lambda c: c.run(), "E241", "Trajectory"),
    "not a number": (lambda c: state(c, x=math.nan), "E203", "x = nan"),
    "infinite": (lambda c: state(c, omega=math.inf), "E203", "omega = inf"),
    "text in it": (lambda c: state(c, x="far"), "E204", "x = 'far'"),
    "None in it": (lambda c: state(c, x=None), "E204", "x = None"),
    "an array in it": (lambda c: state(c, x=np.zeros(3)), "E204", "x ="),
    "off the constraint": (lambda c: state(c, vy=c.start["vy"] + 5), "E231", "the constraint blade does not hold"),
    "incomplete": (lambda c: {"x": 0.0, "vx": 1.0}, "E230", "free: y, theta, vy, omega"),
    "misspelt": (lambda c: {k.replace("omega", "omgea"): v for k, v in c.start.items()}, "E230", "free: omega"),
    "a parameter in it": (lambda c: state(c, a=0.5), "E229", "a is a parameter"),
    "twice": (lambda c: {**dict(c.start), sp.Symbol("x"): 0.0}, "E102", "x is given twice"),
    "the reduced start": (lambda c: da.reduced_start(c.reduction, c.start), "E230", "free: x, y, theta"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
@pytest.mark.parametrize("door", ["reduced_start", "reconstruct", "holonomy"])
def test_wrong_starts_are_refused(sleigh, case, door):
    make, code, text = WRONG[case]
    path = sleigh.run(until=10.0)
    call = {
        "reduced_start": lambda s: da.reduced_start(sleigh.reduction, s),
        "reconstruct": lambda s: da.reconstruct(sleigh.reduction, path, s),
        # a path that stays where it is comes back after any time: the start is looked at
        "holonomy": lambda s: da.symmetry.holonomy(sleigh.reduction, standing(sleigh), s, 0.5),
    }[door]
    refused(code, lambda: call(make(sleigh)), text)


def standing(case):
    return da.simulate(case.small, dict.fromkeys(case.small.states, 0.0), until=1.0)


def test_names_may_be_symbols_and_values_carry_units(sleigh):
    space = sleigh.system.space
    expected = da.reduced_start(sleigh.reduction, sleigh.start)
    assert da.reduced_start(sleigh.reduction, {space[n]: v for n, v in sleigh.start.items()}) == expected
    assert da.reduced_start(sleigh.reduction, state(sleigh, theta=f"{sleigh.start['theta']!r} rad")) == expected


def test_a_unit_must_fit():
    system = chaplygin_sleigh.system().changed(units={"x": "m", "y": "m", "theta": "rad"})
    reduction = da.reduce(system)
    start = dict(da.nonholonomic(system).start(**chaplygin_sleigh.START))
    assert da.reduced_start(reduction, {**start, "x": "30 cm"})
    refused("E207", lambda: da.reduced_start(reduction, {**start, "x": "30 kg"}), "x")


def test_a_start_of_free_motion_is_looked_at_too(sleigh):
    # the constraint is not imposed on it, and a projection would hide that
    start = da.free(sleigh.system).start(**state(sleigh, vy=sleigh.start["vy"] + 5))
    refused("E231", lambda: da.reduced_start(sleigh.reduction, start), "blade")


def test_rotations_may_be_given_by_name():
    ball = Case(rolling_ball_on_plane)
    full = {n: v for n, v in ball.start.items() if not n.startswith("R_")}
    tilt = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
    assert da.reduced_start(ball.reduction, {**full, "R": tilt})
    refused("E239", lambda: da.reduced_start(ball.reduction, {**full, "R": 2 * np.eye(3)}), "R is not a rotation")
    refused("E238", lambda: da.reduced_start(ball.reduction, {**dict(ball.start), "R_w": 2.0}), "must be 0")


def test_a_relation_between_positions_must_hold_at_the_start():
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - y, {"circle": x**2 + y**2 - 1}, symmetry="z")
    reduction = da.reduce(system)
    on = {"x": 0.6, "y": 0.8, "z": 1.0, "vx": 0.8, "vy": -0.6, "vz": 0.5}
    assert da.reduced_start(reduction, on)["vz"] == pytest.approx(0.5)
    refused("E232", lambda: da.reduced_start(reduction, {**on, "x": 0.7}), "circle")
    refused("E231", lambda: da.reduced_start(reduction, {**on, "vx": 0.9}), "circle")


# --- things that are something else -----------------------------------------------------------------------------------


def test_what_is_no_reduction_is_refused(sleigh):
    path = sleigh.run()
    for given in (None, sleigh.system, path, sleigh.small, da.symmetry.quotient(sleigh.system)):
        kind = "Equations" if isinstance(given, da.nouns.Equations) else type(given).__name__
        refused(
            "E101",
            lambda g=given: da.reduced_start(g, sleigh.start),
            f"reduced_start needs a Reduction, not {kind}",
        )
        refused("E101", lambda g=given: da.reconstruct(g, path, sleigh.start), "reconstruct needs a Reduction")
        refused("E101", lambda g=given: da.symmetry.holonomy(g, path, sleigh.start, 1.0), "holonomy needs a Reduction")
        refused("E101", lambda g=given: da.symmetry.gauge_momenta(g, 1.0), "gauge_momenta needs a Reduction")


def test_what_is_no_path_of_the_reduced_system_is_refused(sleigh):
    full = da.simulate(sleigh.full, sleigh.start, until=1.0)
    missing = next(n for n in sleigh.small.states if n not in full.names)
    for door in (lambda p: da.reconstruct(sleigh.reduction, p, sleigh.start),
                 lambda p: da.symmetry.holonomy(sleigh.reduction, p, sleigh.start, 0.5)):  # fmt: skip
        for given in (None, sleigh.start, sleigh.small, "path"):
            kind = "Equations" if given is sleigh.small else type(given).__name__
            refused("E307", lambda d=door, g=given: d(g), f"not {kind}")
        refused("E124", lambda d=door: d(full), f"has no column {missing}")
        refused("E124", lambda d=door: d(sleigh.run()[:0]), "no samples")
        bare = sleigh.run(samples=np.linspace(0, 1, 4), dense=False)
        refused("E307", lambda d=door, b=bare: d(b), "needs the path between the samples")


# --- marks ------------------------------------------------------------------------------------------------------------


def test_marks_of_the_reduced_path_carry_full_states(disc):
    theta, vtheta = disc.system.space["theta"], disc.system.space["vtheta"]
    events = [da.Event("turns back", vtheta), da.Event("flat", theta - 10)]
    until = 3.0
    path = disc.run(until, events=events, rtol=1e-12)
    found = da.reconstruct(disc.reduction, path, disc.start)
    expected = da.simulate(disc.full, disc.start, until=until, events=events, rtol=1e-12)
    assert set(found.marks) == {"turns back", "flat"}
    assert len(expected.marks["turns back"]) > 0
    assert found.t_events[0] == pytest.approx(expected.t_events[0], abs=1e-9)
    for name in found.names:
        assert found.marks["turns back"][name] == pytest.approx(expected.marks["turns back"][name], abs=1e-8)
    assert found.y_events[0].shape == expected.y_events[0].shape
    assert found.marks["flat"].values.shape == (0, len(found.names))


def test_marks_where_the_frame_is_carried_along():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    L = (vx**2 + 2 * vy**2 + omega**2) / 2 + omega * (vx * sp.cos(theta) + vy * sp.sin(theta)) / 3
    L = L - vy**2 / 2  # the same along both axes
    system = da.System(q, L, symmetry=da.symmetry.euclidean("x y", "theta"))
    reduction, full = da.reduce(system), da.free(system)
    assert reduction.zeta is not None
    start = full.start(x=0.3, y=-0.2, theta=0.7, vx=0.4, vy=-0.3, omega=2.0)
    small = da.free(reduction.system)
    along = da.Event("sideways", reduction.system.space["vx"])
    path = da.simulate(small, da.reduced_start(reduction, start), until=4.0, events=[along], rtol=1e-12)
    found, expected = da.reconstruct(reduction, path, start), da.simulate(full, start, until=4.0, rtol=1e-12)
    marks = found.marks["sideways"]
    assert len(marks) > 1
    for name in found.names:
        assert marks[name] == pytest.approx(expected.at(marks.t)[name], abs=1e-8)


def test_a_mark_at_a_jump_holds_the_state_before_it():
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - 10 * q["y"], symmetry="x")
    reduction = da.reduce(system)
    start = da.free(system).start(x=1.0, y=1.0, vx=2.0, vy=0.0)
    # at the floor half of the speed is lost, along it too
    floor = da.Event("floor", q["y"], {"vy": -q["vy"] / 2, "vx": q["vx"] / 2}, -1)
    path = da.simulate(da.free(reduction.system), da.reduced_start(reduction, start), until=0.7, events=[floor])
    found = da.reconstruct(reduction, path, start)
    expected = da.simulate(da.free(system), start, until=0.7, events=[floor])
    for name in found.names:
        assert found.marks["floor"][name] == pytest.approx(expected.marks["floor"][name], abs=1e-10)
        assert found.at(0.65)[name] == pytest.approx(expected.at(0.65)[name], abs=1e-10)
    assert found.marks["floor"]["vx"][0] == pytest.approx(2.0)
