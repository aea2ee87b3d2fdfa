"""Contacts that cannot open, and dry friction whose normal force is given, wherever contacts are met."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import errors

G = 9.81


def spring():
    """A mass on a spring with dry friction."""
    values = {"m": 1.0, "k": 20.0, "F": 0.9}
    L = "m/2*dot(x)^2 - k/2*x^2"
    return da.System(da.coordinates("x"), L, forces=[da.forces.dry("x", "F")], parameters=values)


def ring(mu=0.2, g=G):
    """A bead on a circle."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    r = sp.sqrt(x**2 + y**2)
    rough = {"slip": [(x * vy - y * vx) / r], "mu": "mu"} if mu else {}
    values = {"mu": mu} if mu else {}
    wire = {"wire": da.contact(gap=1 - r, sides=2, **rough)}
    return da.System(q, (vx**2 + vy**2) / 2 - g * y, contacts=wire, parameters=values)


def test_friction_everywhere_changes_the_energy_and_leaves_other_momenta():
    L = "m/2*(dot(x)^2 + dot(y)^2)"
    system = da.System(da.coordinates("x y"), L, forces=[da.forces.dry("x", 1)], parameters={"m": 1.0})
    assert da.symmetry.conserved(system, "m*vy").answer.value is True
    assert da.symmetry.conserved(system, "m*vx").answer.value is False
    assert da.symmetry.conserved(system, "m/2*(vx^2 + vy^2)").answer.value is False


def test_a_size_that_changes_with_the_place_leaves_no_symmetry_along_it():
    q = da.coordinates("x y")
    system = da.System(q, "dot(x)^2 + dot(y)^2", forces=[da.forces.dry("y", "1 + x^2")])
    found = da.symmetries(system).generators
    assert [[str(e) for e in g.components] for g in found] == [["0", "1"]]


@pytest.mark.parametrize(("mu", "value"), [(0.2, False), (0, None)])
def test_a_smooth_wire_is_not_said_to_take_energy(mu, value):
    energy = "(vx^2 + vy^2)/2 + 9.81*y"
    assert da.symmetry.conserved(ring(mu), energy).answer.value is value
    assert da.symmetry.measure(ring(mu)).answer.value is False


def test_motions_under_forces_of_contacts_are_not_said_to_break_a_principle():
    """What a run makes is a motion; what leaves a wire is none; dry friction is always there."""
    path = da.simulate(da.nonholonomic(spring()), {"x": 1, "vx": 0}, until=0.6)
    assert da.satisfies(spring(), path).nonholonomic.holds is None
    assert da.satisfies(spring(), {"x": "cos(sqrt(20)*t)"}, over=(0, 2)).free.holds is None
    smooth = ring(0, g=0)
    assert da.satisfies(smooth, {"x": "cos(t)", "y": "sin(t)"}, over=(0, 2)).nonholonomic.holds is None
    for x in ("t/4", "2 + t"):
        assert da.satisfies(smooth, {"x": x, "y": "0"}, over=(0, 2)).nonholonomic.holds is False


def test_accelerations_without_dry_friction_are_said_to_be_that():
    with pytest.warns(errors.DalembertWarning, match=r"W803 dry_x: .*dry_x_friction"):
        da.nonholonomic(spring()).evaluate({"x": 1, "vx": 0})


def test_printed_systems_say_what_a_contact_holds():
    for system, row in ((spring(), "N"), (ring(), "=")):
        page = system._repr_html_()
        assert "&#x02265;" not in page  # >=
        assert f"contact {system.contacts[0].name}" in page and row in page


@pytest.mark.parametrize("y", [1, -1])
def test_what_rests_on_either_side_of_a_wire_is_steady(y):
    equations = da.nonholonomic(ring())
    found = da.steady(equations, {"x": 0, "y": y, "vx": 0, "vy": 0})
    assert found.state["y"] == pytest.approx(y)
    off = 0.9 * np.arctan(0.2)  # within the cone, at whatever angle
    beside = da.steady(equations, {"x": np.sin(off), "y": y * np.cos(off), "vx": 0, "vy": 0})
    assert beside.state["x"] == pytest.approx(np.sin(off))
    assert beside.eigenvalues == pytest.approx([0], abs=1e-300)
    assert beside.verdict != "attracting"


def test_what_no_longer_slides_is_no_steady_sliding():
    for equations, guess in (
        (da.nonholonomic(spring()), {"x": 1, "vx": -0.5}),
        (da.nonholonomic(ring()), {"x": 0, "y": -1, "vx": 6, "vy": 0}),
    ):
        with pytest.raises(errors.InvalidValue, match=r"E244.*mode"):
            da.steady(equations, guess)


def test_a_mass_on_a_belt_slides_steadily():
    """At x = mu N/k, and swings about it as without friction."""
    belt = {"belt": da.contact(slip=["dot(x) - 1"], load=3, mu=0.3)}
    equations = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", contacts=belt))
    found = da.steady(equations, {"x": 0.1, "vx": 0})
    assert found.state["x"] == pytest.approx(0.3 * 3 / 20)
    assert found.eigenvalues == pytest.approx([1j * np.sqrt(20), -1j * np.sqrt(20)])


def test_a_forced_mass_with_dry_friction_moves_periodically():
    """Den Hartog: at turning points |x| = sqrt(V^2 - (U F)^2), V = 1/(1 - r^2), U = sin(pi/r)/(r (1 + cos(pi/r)))."""
    r, F = 0.7, 0.2
    law = [{"x": f"cos({r}*t)"}, da.forces.dry("x", F)]
    equations = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - x^2/2", forces=law))
    found = da.periodic(equations, {"x": 1.9, "vx": 0.0}, period=2 * np.pi / r)
    path = da.simulate(equations, found.start, until=2 * np.pi / r, samples=np.linspace(0, 2 * np.pi / r, 2001))
    V, U = 1 / (1 - r**2), np.sin(np.pi / r) / (r * (1 + np.cos(np.pi / r)))
    assert np.abs(path["x"]).max() == pytest.approx(np.sqrt(V**2 - (U * F) ** 2), abs=1e-5)  # of samples
    assert found.verdict == "attracting"


def test_a_load_may_change_with_the_time():
    equations = da.nonholonomic(
        da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", forces=[da.forces.dry("x", "2 + sin(5*t)")])
    )
    path = da.simulate(equations, {"x": 1, "vx": 0}, until=0.5)
    own = solve_ivp(lambda t, z: [z[1], -20 * z[0] + 2 + np.sin(5 * t)], [0, 0.5], [1, 0], rtol=1e-11, atol=1e-13)
    assert path["x"][-1] == pytest.approx(own.y[0, -1], abs=1e-9)


@pytest.mark.parametrize("size", ["1 - t", "1 - x", "cos(3*t)"])
def test_a_load_that_falls_below_zero_ends_the_run_with_that(size):
    """Such friction would drive the motion."""
    L = "dot(x)^2/2 - (x - 2)^2" if "x" in size else "dot(x)^2/2 + 5*x"
    equations = da.nonholonomic(da.System(da.coordinates("x"), L, forces=[da.forces.dry("x", size)]))
    path = da.simulate(equations, {"x": 0, "vx": 1}, until=3)
    assert path.ending.code == "E410" and "load of dry_x" in path.outcome
    t, x = path.t[-1], path["x"][-1]
    assert {"1 - t": 1 - t, "1 - x": 1 - x, "cos(3*t)": np.cos(3 * t)}[size] == pytest.approx(0, abs=1e-8)
    later = equations.start({"x": 3, "vx": 1}, t=1.001)
    with pytest.raises(errors.InvalidValue, match=r"E410.*load of dry_x"):
        da.simulate(equations, later, until=3)


def test_a_load_that_only_reaches_zero_goes_on():
    """A pad that lifts off: what is left swings freely."""
    law = [da.forces.dry("x", sp.Max(0, 1 - sp.Symbol("t", real=True)))]
    equations = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", forces=law))
    path = da.simulate(equations, {"x": 1, "vx": 0}, until=3)
    late = path.t > 1.01
    energy = path["vx"] ** 2 / 2 + 10 * path["x"] ** 2
    assert path.reached and np.ptp(energy[late]) < 1e-9 * energy[-1]


def test_friction_that_is_no_number_at_these_values_is_refused():
    law = [da.forces.dry("x", "F", at_rest="Fs")]
    values = {"F": 0.9, "Fs": 1.2}
    system = da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", forces=law, parameters=values)
    with pytest.raises(errors.InvalidValue, match=r"E138.*no number"):
        da.simulate(da.nonholonomic(system), {"x": 1, "vx": 0}, until=1, parameters={"F": 0.0, "Fs": 0.0})


def test_inputs_may_press_and_move_the_other_surface():
    pad = {"pad": da.contact(slip=["dot(x) - V"], load="N", mu=0.3)}
    equations = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", contacts=pad, inputs="N V"))
    path = da.simulate(equations, {"x": 1, "vx": 0}, until=0.5, inputs={"N": "3 + sin(5*t)", "V": "0.2*sin(t)"})
    own = solve_ivp(
        lambda t, z: [z[1], -20 * z[0] + 0.3 * (3 + np.sin(5 * t))], [0, 0.5], [1, 0], rtol=1e-11, atol=1e-13
    )
    assert path["x"][-1] == pytest.approx(own.y[0, -1], abs=1e-9)


@pytest.mark.parametrize(
    ("system", "start", "name"),
    [(spring(), {"x": 1.0, "vx": 0.0}, "F"), (ring(), {"x": 0, "y": -1, "vx": 6.0, "vy": 0}, "mu")],
    ids=["spring", "wire"],
)
def test_derivatives_go_through_reversals(system, start, name):
    equations, value, h = da.nonholonomic(system), system.parameters[name], 1e-5
    found = da.sensitivities(equations, start, until=1.0)
    ends = [da.simulate(equations, start, until=1.0, parameters={name: value + s * h})["x"][-1] for s in (1, -1)]
    index = found.by.index(name)
    assert found.values[-1][0, index] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5)


@pytest.mark.parametrize(("load", "code"), [("N", "E138"), ("N + x^2/10", "E410")])
def test_a_load_that_jumps_below_zero_ends_the_run_there(load, code):
    pad = {"pad": da.contact(slip=["dot(x)"], load=load, mu=0.3)}
    equations = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - 10*x^2", contacts=pad, inputs="N"))
    path = da.simulate(equations, {"x": 1, "vx": 0}, until=3, inputs={"N": ([0, 1, 3], [2.0, -1.0, -1.0])})
    assert (path.t[-1], path.ending.code) == (1.0, code)
    assert "load" in path.outcome
