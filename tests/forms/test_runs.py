"""Runs under each form follow the nonholonomic path; a form that becomes singular on the way says so."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.vector_field.field import Field

from .conftest import FORMS, PAIRS, WEAK, WORST, condition

UNTIL = 10.0
LIMIT = 1e-9
# rods, axes and steering that turn through every direction in this time
CROSSING = {("voronec", name) for name in ("driven", "snakeboard", "pendulum", "bead", "gyroscope")}
CROSSING |= {("chaplygin", "snakeboard")}


def run(equations, state, t):
    start = equations.start(**{n: float(state[n]) for n in equations.states}, t=float(t))
    return da.simulate(equations, start, until=t + UNTIL, rtol=1e-12, atol=1e-13)


@pytest.fixture(scope="module")
def regular_path(shelf, states):
    """The nonholonomic path from the first random state along which accelerations and form keep well conditioned,
    and the time until which it does.

    Where they do not, errors of the path grow with the condition number: a disc that falls until it lies nearly flat,
    or velocities whose pivot vanishes.
    """
    known = {}

    def paths(name):
        reference = shelf.equations("nonholonomic", name)
        values, found = states(reference, 60, seed=7), known.setdefault(name, [])
        for i, t in enumerate(values["t"]):
            if i == len(found):
                path = run(reference, {n: v[i] for n, v in values.items()}, t)
                times = np.linspace(path.t[0], path.t[-1], 2000)
                along = {**reference.system.values(), **path.at(times), "t": times}
                found.append((path, along, path.ok and condition(reference, along).max() < WORST))
            yield found[i]

    def first(form, name):
        equations, crossing = shelf.equations(form, name), (form, name) in CROSSING
        for path, along, ok in paths(name):
            share = equations.share(along) if equations.dependent else np.ones(1)
            if ok and (share[0] > 0.5 if crossing else share.min() > WEAK):
                return path, next((float(t) for t, s in zip(along["t"], share, strict=False) if s < WEAK), path.t[-1])
        raise AssertionError("no regular path")

    return first


@pytest.mark.parametrize(("form", "name"), PAIRS)
def test_the_path_is_the_nonholonomic_one(shelf, regular_path, form, name):
    equations, (one, last) = shelf.equations(form, name), regular_path(form, name)
    two = run(equations, one.at(one.t[0]), one.t[0])
    assert one.names == two.names
    if (form, name) in CROSSING:
        assert two.outcome.startswith("E162")
        assert two.t[-1] > last > one.t[0] + 0.1
    else:
        assert two.ok
        assert last == one.t[-1]
    for t in np.linspace(one.t[0], last, 12):
        a, b = one.at(t), two.at(t)
        size = 1 + max(abs(v) for v in a.values())
        assert max(abs(a[n] - b[n]) for n in one.names) < LIMIT * size


@pytest.mark.parametrize("form", ["voronec", "chaplygin"])
def test_a_run_ends_where_the_named_velocities_fail_and_was_right_until_there(shelf, form):
    reference, equations = shelf.equations("nonholonomic", "sleigh"), shelf.equations(form, "sleigh")
    given = {"x": 0, "y": 0, "theta": 0.2, "vx": 1.0, "omega": 1.5}
    path = da.simulate(equations, equations.start(**given), until=UNTIL, rtol=1e-12)
    assert not path.ok
    assert path.outcome.startswith("E162")
    for words in (f"the form {form} is singular here, the motion is not", "do not determine vy", "da.forms.maggi"):
        assert words in path.outcome
    assert abs(np.cos(path["theta"][-1])) < 2e-3
    same = da.simulate(reference, reference.start(**given), until=UNTIL, rtol=1e-12)
    assert same.ok
    for t in np.linspace(0, path.t[-1], 10):
        assert path.at(t) == pytest.approx(same.at(t), abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("definite", [True, False], ids=["plain", "pivoted"])
def test_a_rank_that_the_constraints_lose_ends_the_run_under_every_form(form, definite):
    # the motion that a form divides out could go on: the constraint could not hold it there
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2, {"slit": (1 - x) * vy})
    options = {} if form == "gauss" else {"dependent": "vy"}
    equations = FORMS[form](system, **options)
    equations = equations if definite else replace(equations, definite=False, metric_definite=False)
    path = da.simulate(equations, {"x": 0, "y": 0, "vx": 1, "vy": 0}, until=3.0)
    assert path.outcome.startswith("E404")
    assert path.t[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "options", [{"method": "radau", "rtol": 1e-8}, {"stabilisation": da.methods.Baumgarte(5.0)}], ids=str
)
def test_stiff_steps_and_baumgarte(shelf, form, options):
    reference, equations = shelf.equations("nonholonomic", "disc"), shelf.equations(form, "disc")
    given = {"x": 0, "y": 0, "theta": 1.2, "phi": 0.1, "psi": 0, "vtheta": 0.1, "vphi": 0.2, "vpsi": 2.0}
    one, two = (da.simulate(e, e.start(**given), until=2.0, **options) for e in (reference, equations))
    assert one.ok
    assert two.ok
    assert two.at(2.0) == pytest.approx(one.at(2.0), abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_baumgarte_draws_the_velocities_back_to_the_constraints(shelf, form):
    # phi' = -rate phi, but for terms of the order of phi times the rate of turning
    equations, rate, turning, slip = shelf.equations(form, "sleigh"), 5.0, 0.01, 1e-3
    state = {"x": 0, "y": 0, "theta": 0.4, "vx": np.cos(0.4), "vy": np.sin(0.4), "omega": turning}
    field = Field(equations, equations.start(**state), da.methods.Baumgarte(rate))
    off = field.first.copy()
    off[3:5] += slip * np.array([-np.sin(0.4), np.cos(0.4)])
    udot = field.rate(0.0, off)[3:6]
    numbers = field.form(np.zeros(1), off[None])
    lack = float(numbers.N[0, 0] @ udot - numbers.g[0, 0])
    assert lack == pytest.approx(-rate * slip, abs=3 * turning * slip)


def test_energy_and_work_are_audited_with_moving_constraints(shelf, states):
    # the work of the reaction of a belt is counted, though the form has no multiplier
    for form in (f for f in FORMS if f != "chaplygin"):
        equations = shelf.equations(form, "conveyor")
        values = states(equations, 20, seed=8)
        start = equations.start(**{n: float(values[n][0]) for n in equations.states}, t=float(values["t"][0]))
        path = da.simulate(equations, start, until=5.0)
        assert path.audit.work_balance < 1e-8 * path.audit.energy_scale
        assert abs(path.audit.energy_change) > 1e-3 * path.audit.energy_scale
