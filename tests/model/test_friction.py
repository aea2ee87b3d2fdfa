"""Dry friction: pivoting, and laws made smooth at rest; closed forms, refusals, and the way through a file."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.model.force import pivoting_friction, rolling_friction
from dalembert.model.system_checks import _switches
from dalembert.study import read_source, write_source

top = da.line("x") * da.angle("theta")
x, theta, vx, w = top
J, m, c, N = sp.symbols("J m c N", positive=True)
v0 = sp.Symbol("v0", real=True)
STOPS = 2e-6  # a run with dry friction ends at a millionth of the first slip
VALUES = {"J": 0.5, "m": 2.0, "c": 0.01, "N": 9.0}


def spinning(law, **more):
    return da.System(top, m * vx**2 / 2 + J * w**2 / 2, forces=law, parameters={**VALUES, **more})


def run(system, until, **start):
    equations = da.free(system)
    return da.simulate(equations, equations.start(**{"x": 0, "theta": 0, "vx": 0, "vtheta": 0, **start}), until=until)


@pytest.mark.parametrize("spin", [1.5, -1.5])
def test_a_spin_falls_linearly_and_stops(spin):
    # J w' = -c N sgn(w):  rest at t = J |w0|/(c N),  after the angle J w0^2/(2 c N)
    path = run(spinning(pivoting_friction(w, c, N)), 100, vtheta=spin)
    rate = 0.01 * 9.0 / 0.5
    assert "pivoting friction at rest" in path.outcome
    assert path.t[-1] == pytest.approx(1.5 / rate, rel=STOPS)
    assert path["theta"][-1] == pytest.approx(np.sign(spin) * 1.5**2 / (2 * rate), rel=STOPS)
    assert np.allclose(path["vtheta"], spin - np.sign(spin) * rate * path.t, atol=1e-9)


def test_pivoting_is_relative_to_the_surface():
    # on a surface that turns with 2, a body at rest is spun up and at rest on it with w = 2
    path = run(spinning(pivoting_friction(w - 2, c, N)), 100)
    assert path["vtheta"][-1] == pytest.approx(2.0, rel=STOPS)
    assert path.t[-1] == pytest.approx(2.0 * 0.5 / 0.09, rel=STOPS)


def test_regularised_pivoting_meets_its_closed_form():
    # J w' = -c N w/sqrt(w^2 + w0^2):  with s = sqrt(w^2 + w0^2),  s + w0/2 log((s - w0)/(s + w0)) = const - c N t/J
    path = run(spinning(pivoting_friction(w, c, N, regularised=0.3)), 10, vtheta=1.5)
    s = np.sqrt(path["vtheta"] ** 2 + 0.3**2)
    fallen = s + 0.15 * np.log((s - 0.3) / (s + 0.3))
    assert path.reached
    assert np.allclose(fallen - fallen[0], -0.18 * path.t, atol=1e-8)


def test_regularised_friction_goes_through_rest():
    # a spring pulls the body to and fro: the smooth law goes through every rest, the dry one stops at the first
    spring = {vx: -50 * x}
    smooth = run(spinning([rolling_friction([vx], c, N, regularised=1e-3), spring]), 3, x=0.1)
    assert smooth.reached
    assert smooth.ok
    assert np.diff(np.sign(smooth["vx"][1:])).any()
    dry = run(spinning([rolling_friction([vx], c, N), spring]), 3, x=0.1, vx=1e-6)
    assert "rolling friction at rest" in dry.outcome


def test_regularised_friction_tends_to_dry_friction():
    # the distance gone under c N falls short of v^2 m/(2 c N) by about v0^2 log(v/v0): second order up to the logarithm
    exact = 1.0 * 2.0 / (2 * 0.09)
    gaps = []
    for small in (1e-1, 1e-2):
        path = run(spinning(rolling_friction([vx], c, N, regularised=small)), 200, vx=1)
        gaps.append(abs(path["x"][-1] - exact))
    assert 30 < gaps[0] / gaps[1] < 300


def test_no_dry_law_drives():
    for law in (pivoting_friction(w, c, N, regularised=0.2), rolling_friction([vx, w], c, N, regularised=0.2)):
        power = sum(F * v for F, v in zip(law.force, law.velocity, strict=True))
        for values in ((1, -2), (-0.1, 0.3), (1e-3, 5)):
            assert power.subs({vx: values[0], w: values[1], c: 0.1, N: 1}) < 0


BELOW = [0, -1, 0.0, sp.Rational(-1, 2), sp.Float(0), sp.Symbol("a", nonpositive=True)]


@pytest.mark.parametrize("speed", BELOW)
@pytest.mark.parametrize(
    "make", [lambda v: pivoting_friction(w, c, N, regularised=v), lambda v: rolling_friction([vx], c, N, regularised=v)]
)
def test_the_speed_is_above_0(make, speed):
    with pytest.raises(da.DalembertError, match="must be > 0") as caught:
        make(speed)
    assert caught.value.code == "E128"


@pytest.mark.parametrize("speed", [True, [1], 1j])
def test_the_speed_is_a_number_or_an_expression(speed):
    with pytest.raises(da.DalembertError) as caught:
        pivoting_friction(w, c, N, regularised=speed)
    assert caught.value.code == "E127"


@pytest.mark.parametrize("value", [0, -0.1])
def test_the_value_of_a_speed_is_above_0(value):
    law = pivoting_friction(w, c, N, regularised=v0)
    with pytest.raises(da.DalembertError) as caught:
        spinning(law, v0=value)
    assert caught.value.code == "E128"
    system = spinning(law, v0=0.1)
    with pytest.raises(da.DalembertError) as caught:
        system.values({"v0": value})
    assert caught.value.code == "E128"


def test_a_sweep_refuses_a_speed_of_0():
    system = spinning(pivoting_friction(w, c, N, regularised=v0), v0=0.1)
    starts = {"x": 0, "theta": 0, "vx": 0, "vtheta": 1}
    found = da.sweep(da.free(system), starts=starts, parameters={"v0": [0.1, 0.0, -0.1]}, until=1)
    assert found.outcome.values.tolist() == [0, 128, 128]


@pytest.mark.parametrize(("given", "code"), [((1, [2], 3), "E127"), ((w, {"c"}, N), "E127"), ((w, c, None), "E127")])
def test_arguments_of_pivoting(given, code):
    with pytest.raises(da.DalembertError) as caught:
        pivoting_friction(*given)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "make",
    [
        lambda: rolling_friction([0, 0], c, N),
        lambda: rolling_friction([], c, N),
        lambda: rolling_friction([1.0], c, N, regularised=v0),
        lambda: rolling_friction([vx - vx], c, N),
        lambda: rolling_friction([vx], c, N, velocity=[0]),
        lambda: pivoting_friction(0, c, N),
        lambda: pivoting_friction(sp.Integer(2), c, N, regularised=v0),
    ],
)
def test_dry_friction_is_along_a_velocity(make):
    with pytest.raises(da.DalembertError, match="no velocity is in it") as caught:
        make()
    assert caught.value.code == "E127" and caught.value.remedy


def test_dry_friction_may_be_along_a_velocity_and_a_number():
    # beside a belt that runs across the track with speed 1
    path = run(spinning(rolling_friction([vx, 1], c, N, velocity=[vx, 0])), 0.01, vx=1)
    assert (path["vx"][-1] - 1) / path.t[-1] == pytest.approx(-0.09 / 2 / 2**0.5, rel=1e-3)


def test_what_is_too_small_is_called_by_its_kind():
    with pytest.raises(da.DalembertError, match="E128") as caught:
        pivoting_friction(w, c, N, regularised=0)
    assert caught.value.remedy.startswith("give an angular velocity")
    with pytest.raises(da.DalembertError, match="E128") as caught:
        rolling_friction([vx], c, N, regularised=0)
    assert caught.value.remedy.startswith("give a speed")


def test_a_negative_coefficient_of_pivoting_is_refused():
    with pytest.raises(da.DalembertError) as caught:
        spinning(pivoting_friction(w, -0.1, N))
    assert caught.value.code == "E128"


# --- in files --------------------------------------------------------------------------------------------------------

FILE = """schema = 1
[space]
coordinates = { x = "line", theta = "angle" }
[units]
x = "m"
[parameters]
m = "2 kg"
J = "0.5 kg m^2"
g = "9.81 m/s^2"
[lagrangian]
L = "m/2*dot(x)^2 + J/2*dot(theta)^2"
[friction]
rolling = { slip = ["dot(x)"], load = "m*g", delta = 0.01, regularised = "1 mm/s" }
pivoting = { spin = "dot(theta)", load = "m*g", tau = "0.1 mm" }
"""


def test_a_file_says_both():
    system = read_source(FILE).system
    assert system.values()["v0"] == pytest.approx(1e-3)
    assert system.values()["tau"] == pytest.approx(1e-4)
    delta, tau = sp.symbols("delta tau", nonnegative=True)
    mass, g, slow = system.symbols["m"], system.symbols["g"], system.symbols["v0"]
    u, spin = system.space.velocities
    laws = (rolling_friction([u], delta, mass * g, regularised=slow), pivoting_friction(spin, tau, mass * g))
    assert system.laws == laws


@pytest.mark.parametrize(
    "pivoting",
    [
        'pivoting = { spin = "dot(theta) + wo", load = "m*g", tau = "0.1*r0", regularised = "0.01 rad/s" }',
        'pivoting = { name = "bearing", spin = "dot(theta) - wo", load = "m*g", coefficient = "r0" }',
        'pivoting = [{ spin = "dot(theta)", load = 3, coefficient = "r0", regularised = "2*wo" }, '
        '{ spin = "dot(theta)", load = 3, tau = "r0" }]',
    ],
)
def test_files_are_written_as_they_were_read(pivoting):
    text = FILE.replace('pivoting = { spin = "dot(theta)", load = "m*g", tau = "0.1 mm" }', pivoting)
    text = text.replace("[units]", '[units]\nr0 = "m"\nwo = "1/s"').replace(
        'm = "2 kg"', 'm = "2 kg"\nr0 = 0.1\nwo = 1'
    )
    text = text.replace("load = 3", 'load = "m*g"')
    system = read_source(text).system
    written = write_source(system)
    again = read_source(written).system
    assert again.forces == system.forces
    assert again.coefficients == system.coefficients
    assert write_source(again) == written


@pytest.mark.parametrize("speed", ["0", "-1", '"0 m/s"', '"-1 mm/s"'])
def test_a_file_refuses_a_speed_that_is_not_above_0(speed):
    with pytest.raises(da.DalembertError) as caught:
        read_source(FILE.replace('"1 mm/s"', speed))
    assert caught.value.code == "E128"
    assert speed.strip('"') in str(caught.value)


def test_a_law_along_another_velocity_is_written_as_a_force():
    law = rolling_friction([vx - 1], c, N, velocity=[vx], regularised=v0)
    system = spinning(law, v0=0.1)
    again = read_source(write_source(system)).system
    assert again.forces == system.forces
    assert set(again.coefficients) == set(system.coefficients)


def test_a_law_in_text_is_the_law_in_symbols():
    text = rolling_friction(["vx - Om*y", "vy + Om*x"], "c + c", "N", regularised="v0")
    q = da.coordinates("x y")
    x, y, ux, uy = *q.coordinates, *q.velocities
    Om, mu, load = sp.symbols("Om c N", real=True)
    given = rolling_friction([ux - Om * y, uy + Om * x], 2 * mu, load, regularised=v0)
    values = {"c": 0.1, "N": 2.0, "v0": 0.1, "Om": 0.3}
    one, other = (da.System(q, (ux**2 + uy**2) / 2, forces=[law], parameters=values) for law in (text, given))
    assert one.forces == other.forces
    assert one.coefficients == other.coefficients
    assert read_source(write_source(one)).system.forces == other.forces
    assert one.changed(title="again").forces == other.forces


def test_a_law_in_text_that_is_no_expression_is_refused_with_its_place():
    with pytest.raises(da.DalembertError, match=r"E704 rolling friction: the text ends with '\*'") as caught:
        spinning(rolling_friction(["vx*"], "c", "N"))
    assert "vx*" in str(caught.value)


def test_parts_that_a_force_holds_many_times_are_looked_at_once():
    """2^60 paths lead to the root in this tower of 60 storeys, as friction solved for is one."""
    e = sp.Symbol("v")
    for i in range(60):
        e = sp.Add(sp.sqrt(e), sp.Mul(i + 2, e, evaluate=False), evaluate=False)
    assert len(list(_switches(e))) == 60
