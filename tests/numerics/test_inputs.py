"""Inputs of a run: closed solutions, the same system with the formula written in, runs made piece by piece by hand."""

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline

import dalembert as da
from dalembert.numerics.inputs.input_signal import of_table
from dalembert.numerics.run.run_context import Run
from dalembert.systems import two_wheeled_robot

TIMES, VALUES = np.array([0, 1, 2.5, 4]), np.array([1.0, -2.0, 3.0, 0.5])
AT_REST = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
POINT = da.coordinates("x y")
PUSHED = da.nonholonomic(
    da.System(
        POINT,
        "m/2*(vx^2 + vy^2) - k*x^2/2",
        forces={"vx": "F", "vy": "G"},
        parameters={"m": 2.0},
        inputs="F G k",
    )
)
CART = da.coordinates("x phi")
KINETIC = "vx^2/2 + (vphi^2 + 2*vx*vphi*cos(phi) + vx^2)/2 - 9.81*cos(phi)"
PENDULUM = {"x": 0.0, "phi": 0.1, "vphi": 0.0}


def run(until=4.0, start=AT_REST, **given):
    options = {name: given.pop(name) for name in list(given) if name not in ("F", "G", "k")}
    return da.simulate(PUSHED, start, until=until, inputs={"F": 0.0, "G": 0.0, "k": 0.0} | given, **options)


def carried(system):
    """The pendulum on a driven cart under several principles and forms."""
    multiplier = {"lam_drive": 0.0}
    forms = {form: (form(system), {}) for form in (da.nonholonomic, da.forms.maggi, da.forms.hamel)}
    return {**forms, da.vakonomic: (da.vakonomic(system), multiplier)}


def test_held_table_is_a_motion_of_parabolas():
    x, v, ends = 0.0, 0.0, [1.0, 2.5, 4.0, 5.0]
    for h, force in zip(np.diff([0.0, *ends]), VALUES, strict=True):
        x, v = x + v * h + force / 2 * h * h / 2, v + force / 2 * h
    path = run(5.0, F=(TIMES, VALUES))
    assert path["x"][-1] == pytest.approx(x, abs=1e-13)
    assert path["vx"][-1] == pytest.approx(v, abs=1e-13)
    assert set(TIMES) <= set(path.t)  # landed on
    assert path["F"].tolist() == [VALUES[max(np.searchsorted(TIMES, t, side="right") - 1, 0)] for t in path.t]


def test_a_value_holds_from_its_own_time_on():
    table = da.inputs.tabulated(TIMES, VALUES)
    drive = of_table("F", table, str)
    assert [drive.at(t)[0] for t in (*TIMES, 4.5)] == [*VALUES, VALUES[-1]]
    assert drive.at(np.nextafter(1.0, 0))[0] == VALUES[0]
    path = da.simulate(PUSHED, PUSHED.start(**AT_REST, t=1.0), until=2.0, inputs={"F": table, "G": 0.0, "k": 0.0})
    assert path["vx"][-1] == pytest.approx(VALUES[1] / 2, abs=1e-13)


@pytest.mark.parametrize(
    "given",
    [
        (TIMES, VALUES),
        [TIMES.tolist(), VALUES.tolist()],
        np.array([TIMES, VALUES]),
        np.column_stack([TIMES, VALUES]),
        np.column_stack([TIMES, VALUES]).tolist(),
        tuple(zip(TIMES, VALUES, strict=True)),
        {"times": TIMES, "values": VALUES},
        {"times": TIMES.tolist(), "values": VALUES.tolist(), "kind": "hold"},
    ],
)
def test_forms_of_a_table(given):
    expected = run(F=da.inputs.tabulated(TIMES, VALUES))
    np.testing.assert_array_equal(run(F=given)["x"], expected["x"])


def test_two_rows_of_two_are_a_table_of_either_reading():
    with pytest.raises(ValueError, match="times 0, 500 and values 2, 0, and as well one of the rows") as refused:
        run(1.0, F=[[0, 500], [2, 0]])
    assert "da.inputs.tabulated([0, 500], [2, 0])" in str(refused.value)
    assert "da.inputs.tabulated([0, 2], [500, 0])" in str(refused.value)
    with pytest.raises(ValueError, match="as well one of the rows"):
        run(1.0, F=np.array([[0, 500], [2, 0]]))
    with pytest.raises(ValueError, match=r"after 0 comes -500(.|\n)*tabulated\(\[0, 2\], \[-500, 0\]\)"):
        run(1.0, F=[[0, -500], [2, 0]])
    with pytest.raises(ValueError, match=r"rise; after 5 comes 2"):  # not rows either
        run(1.0, F=[[5, 2], [0, 1]])
    rises = [[0, 2], [0, 1]]  # no rows: two values at t = 0
    for given in (rises, ([0, 2], [7, 1]), (np.array([0, 2]), np.array([7, 1])), {"times": (0, 2), "values": (7, 1)}):
        first = 0.0 if given is rises else 7.0
        assert run(1.0, F=given).at(0.5)["F"] == first


def test_joined_tables_are_integrals_of_their_splines():
    spline = CubicSpline(TIMES, VALUES)
    twice, once = spline.antiderivative(2), spline.antiderivative(1)
    path = run(F=da.inputs.tabulated(TIMES, VALUES, "cubic"))
    assert path["x"][-1] == pytest.approx((twice(4.0) - twice(0.0) - 4 * once(0.0)) / 2, abs=1e-13)
    path = run(F=da.inputs.tabulated(TIMES, VALUES, "linear"))
    assert 2 * path["vx"][-1] == pytest.approx(np.trapezoid(VALUES, TIMES), abs=1e-12)


def test_formula_of_time_in_a_constraint_is_the_constraint_with_it_written_in():
    driven = da.System(CART, KINETIC, {"drive": "vx - w"}, inputs="w")
    written = da.System(CART, KINETIC, {"drive": "vx - sin(2*t)/2"})
    for (equations, more), (known, _) in zip(carried(driven).values(), carried(written).values(), strict=True):
        path = da.simulate(equations, PENDULUM | more, until=2.0, inputs={"w": "sin(2*t)/2"})
        other = da.simulate(known, PENDULUM | more, until=2.0)
        assert path.ok
        for name in known.states:
            assert path[name][-1] == pytest.approx(other[name][-1], abs=1e-9), (equations.principle, name)


def test_linear_table_in_a_constraint_moves_by_its_integral():
    equations = da.nonholonomic(da.System(CART, KINETIC, {"drive": "vx - w"}, inputs="w"))
    table = da.inputs.tabulated([0, 0.5, 1], [0, 1, 0.5], "linear")
    path = da.simulate(equations, PENDULUM, until=1.0, inputs={"w": table})
    assert path.ok
    assert path["x"][-1] == pytest.approx(0.625, abs=1e-13)
    assert path.at(0.75)["vx"] == pytest.approx(0.75, abs=1e-13)


def test_function_is_asked_once_a_sample_and_held():
    asked = []

    def controller(t, state):
        asked.append(t)
        return 1 - state["x"] - 0.5 * state["vx"]

    path = run(1.0, F=da.inputs.sampled(controller, 0.25), G=([0, 0.1, 1], [1.0, 2.0, 2.0]))
    assert asked == [0.0, 0.25, 0.5, 0.75]
    x = v = 0.0
    for t in [0.0, 0.25, 0.5, 0.75]:
        force = controller(t, {"x": x, "vx": v})
        x, v = x + v / 4 + force / 64, v + force / 8
    assert path["x"][-1] == pytest.approx(x, abs=1e-14)
    assert path["vy"][-1] == pytest.approx((0.1 * 1.0 + 0.9 * 2.0) / 2, abs=1e-14)


def test_a_run_that_is_made_again_does_not_ask_again(monkeypatch):
    """It began in the speeds of the lean form, and goes on from the start as the equations are written."""
    asked = []

    def torque(t, state):
        asked.append((t, state["theta"]))
        return 0.1 * np.sin(t) - 0.05 * state["omega"]

    driven = two_wheeled_robot.system().changed(forces={"vleft": "tau", "vright": "-tau"}, inputs="tau")
    equations = da.nonholonomic(driven)
    start = dict.fromkeys(("x", "y", "theta", "left", "right"), 0.0) | {"vx": 0.5, "omega": 1.0}
    inputs = {"tau": da.inputs.sampled(torque, 0.1)}
    lean = da.simulate(equations, start, until=1.0, inputs=inputs)
    assert lean.dense.legs[0].field.lean is not None
    assert [t for t, _ in asked] == pytest.approx(np.arange(10) / 10)
    asked.clear()
    monkeypatch.setattr(Run, "left", property(lambda run: run.leg.field.lean is not None))
    written = da.simulate(equations, start, until=1.0, inputs=inputs)
    assert written.dense.legs[0].field.lean is None
    assert [t for t, _ in asked] == pytest.approx(np.arange(10) / 10)
    assert written["theta"][-1] == pytest.approx(lean["theta"][-1], abs=1e-11)


@pytest.mark.parametrize("wrong", [lambda t: 1 / (0.5 - t), lambda t: "much" if t > 0.4 else 1.0])
def test_a_function_that_fails_under_way_leaves_the_path_until_then(wrong):
    path = run(1.0, F=da.inputs.sampled(lambda t, state: wrong(t) * 0 + 1.0 if t < 0.45 else wrong(t), 0.25))
    assert not path.ok
    assert path.outcome.startswith("E184 the function of the input F r")
    assert path.t[-1] == 0.5
    assert path["vx"][-1] == pytest.approx(0.25, abs=1e-14)
    assert path.audit.work_balance < 1e-12


def test_samples_that_are_those_of_a_table_but_for_rounding():
    """0.1 + 0.1 + 0.1 is not 0.3: no leg of a run may be as long as a rounding."""
    times = np.cumsum(np.full(9, 0.1)) - 0.1
    path = run(0.8, F=da.inputs.sampled(lambda t, state: 1.0 if round(10 * t) % 2 else -1.0, 0.1), G=(times, times))
    assert path.ok
    assert path["vx"][-1] == pytest.approx(0.0, abs=1e-14)
    assert np.diff(path.t)[np.diff(path.t) > 0].min() > 1e-12


def test_work_of_a_spring_that_jumps():
    """The energy changes by dk x^2/2 at once: the work of the input, which the audit knows."""
    begun = AT_REST | {"x": 1.0}
    path = run(1.5, begun, k=([0, 0.5, 1], [1.0, 3.0, 2.0]))
    there = [path.at(t)["x"] for t in (0.5, 1.0)]
    work = 2 * there[0] ** 2 / 2 - 1 * there[1] ** 2 / 2
    assert path.audit.energy_change == pytest.approx(work, abs=1e-11)
    assert path.audit.work_balance < 1e-11
    assert path.ok
    smooth = run(1.5, begun, k="1 + t")
    assert smooth.audit.energy_change > 0.1
    assert smooth.audit.work_balance < 1e-11


def test_rates_of_moving_mass():
    """d/dt (a v) = 0 with a = 1 + t."""
    equations = da.free(da.System(da.line("x"), "a*vx^2/2", inputs="a"))
    path = da.simulate(equations, {"x": 0.0, "vx": 1.0}, until=1.0, inputs={"a": "1 + t"})
    assert path.ok
    assert path["vx"][-1] == pytest.approx(0.5, abs=1e-13)
    assert path["x"][-1] == pytest.approx(np.log(2), abs=1e-13)


@pytest.mark.parametrize("options", [{"method": "radau"}, {"method": "taylor"}, {"dense": False, "samples": [0, 4.0]}])
def test_methods_agree(options):
    given = {"F": da.inputs.sampled(lambda t, state: -state["x"], 0.5), "G": (TIMES, VALUES), "k": "2 + sin(t)"}
    begun = AT_REST | {"x": 1.0}
    usual, other = run(start=begun, **given), run(start=begun, **given, **options)
    assert other.ok
    assert other["F"][-1] == pytest.approx(usual["F"][-1], abs=1e-11)
    for name in PUSHED.states:
        assert other[name][-1] == pytest.approx(usual[name][-1], abs=1e-9)


def test_fixed_steps_land_on_the_table():
    with pytest.warns(da.DalembertWarning, match="W308"):
        path = run(F=(TIMES, VALUES), method="dla", step=0.03, order=4)
    assert path["vx"][-1] == pytest.approx(run(F=(TIMES, VALUES))["vx"][-1], abs=1e-12)


def test_wall_is_met_while_inputs_jump():
    """x = 1 - F t^2/4 with F = -4 meets x = 0 at t = 1, and goes back with the force reversed at 1.5."""
    system = PUSHED.system.changed(walls={"stop": {"guard": "x", "restitution": 1}})
    given = {"F": ([0, 1.5, 3], [-4.0, 4.0, 4.0]), "G": 0, "k": 0}
    path = da.simulate(da.nonholonomic(system), AT_REST | {"x": 1.0}, until=2.0, inputs=given)
    assert path.marks["stop"].t == pytest.approx([1.0])
    # v = 2 after the wall, x'' = -2 for half a second, then +2
    assert path["x"][-1] == pytest.approx(0.75 + 0.5 * 1.0 + 0.25, abs=1e-12)
    assert path.ok


def test_event_sees_the_input():
    """x = t^2/4 crosses F/2 = 0.5 in the first leg, and 1/2 + t + t^2/2 of the second is 5 - F/2 at no time in it."""
    event = da.Event("crossed", POINT["x"] - sp.Symbol("F", real=True) / 2, direction=1)
    path = run(2.5, F=([0, 2, 4], [1.0, 4.0, 4.0]), events=[event])
    # then x = 1 + (t - 2) + (t - 2)^2, which is 2 = F/2 at t - 2 = (sqrt(5) - 1)/2, beyond the end
    assert path.marks["crossed"].t == pytest.approx([np.sqrt(2.0)])
    longer = run(3.0, F=([0, 2, 4], [1.0, 4.0, 4.0]), events=[event])
    assert longer.marks["crossed"].t == pytest.approx([np.sqrt(2.0), 2 + (np.sqrt(5) - 1) / 2])


def test_derivatives_by_constant_inputs():
    slopes = da.sensitivities(PUSHED, AT_REST, until=3.0, by=["F"], inputs={"F": 1.0, "G": 0.0, "k": 0.0})
    # x = F t^2 / (2 m)
    assert slopes["x", "F"][-1] == pytest.approx(9 / 4, abs=1e-12)


def test_start_and_evaluate_take_inputs():
    state = PUSHED.start(**AT_REST)
    assert "F" not in state.parameters
    found = PUSHED.evaluate(state, inputs={"F": 3.0, "G": 1.0, "k": 0.0})["accelerations"]
    assert found == pytest.approx({"vx": 1.5, "vy": 0.5})
    cart = da.nonholonomic(da.System(CART, KINETIC, {"drive": "vx - w"}, inputs=["w"]))
    assert cart.start(**PENDULUM, inputs={"w": 0.3})["vx"] == pytest.approx(0.3)


def test_units_of_inputs_are_checked():
    system = da.System(
        da.line("x"), "m*vx^2/2", forces={"vx": "F"}, inputs="F", parameters={"m": "2 kg"}, units={"x": "m", "F": "N"}
    )
    path = da.simulate(da.free(system), {"x": 0, "vx": 0}, until=2.0, inputs={"F": "1 kN"})
    assert path["vx"][-1] == pytest.approx(1000.0)
    with pytest.raises(da.DalembertError, match="E207"):
        da.simulate(da.free(system), {"x": 0, "vx": 0}, until=2.0, inputs={"F": "1 kg"})


def test_path_with_inputs_is_stored_and_goes_on(tmp_path):
    path = run(2.0, F="sin(t)")
    path.save(tmp_path / "path.npz")
    assert np.array_equal(da.load(tmp_path / "path.npz")["F"], path["F"])
    on = da.simulate(PUSHED, path.at(2.0), until=4.0, inputs={"F": "sin(t)", "G": 0.0, "k": 0.0})
    assert on["x"][-1] == pytest.approx(2.0 - np.sin(4.0) / 2, abs=1e-10)
    assert path.provenance["inputs"] == {"F": "sin(t)", "G": "0", "k": "0"}


def test_systems_with_inputs_are_changed_and_shown():
    changed = PUSHED.system.changed(title="pushed")
    assert changed.inputs == ("F", "G", "k")
    assert "F" in str(da.nonholonomic(changed))


REFUSED = {
    "E180": [{"F": 1.0}, None],
    "E181": [{"z": 1}, {"m": 1}, {"F": "2*zeta"}],
    "E182": [
        [1, 2],
        {"F": ([0, 1, 5], [1, 2])},
        {"F": ([0, 1, 5], [1, 2, np.nan])},
        {"F": ([0, 5, 1], [1, 2, 3])},
        {"F": [1, 2, 3, 4]},
        {"F": lambda t: 1.0},
        {"F": ([0, 5], "ab")},
        {"F": da.inputs.sampled(lambda t, state: 0.0, 1e-9)},
        {"F": [[0, 500], [2, 0]]},
        {"F": [(0, 500), (2, 0)]},
        {"F": ((0, 500), (2, 0))},
        {"F": [[0, -500], [2, 0]]},
        {"F": {"times": [0, 2]}},
        {"F": {"t": [0, 2], "F": [1, 2]}},
        {"F": {"times": [0, 2], "values": [1, 2], "kind": "steps"}},
    ],
    "E183": [{"F": ([0, 0.1, 0.2], [1, 2, 3])}, {"F": da.inputs.tabulated([0.5, 2], [1, 2], "linear")}],
    "E184": [{"F": lambda t, state: 1 / t}, {"F": lambda t, state: "2"}, {"F": lambda t, state: state["q"]}],
    "E186": [{"F": "G"}, {"k": "1 + x"}],
    "E203": [{"F": float("nan")}],
    "E204": [{"F": None}],
}


@pytest.mark.parametrize(("code", "given"), [(code, each) for code, some in REFUSED.items() for each in some])
def test_refusals(code, given):
    whole = {"F": 0.0, "G": 0.0, "k": 0.0} | given if isinstance(given, dict) and code != "E180" else given
    with pytest.raises(da.DalembertError) as refused:
        da.simulate(PUSHED, AT_REST, until=1.0, inputs=whole)
    assert refused.value.code == code if given != {"F": "2*zeta"} else refused.value.code == "E702"
    assert refused.value.remedy


SWEPT = np.sin(np.linspace(0, 20, 501))
CYCLE = np.arange(1801.0)  # a drive cycle of half an hour, a row a second


@pytest.mark.parametrize(
    ("table", "until", "doubted"),
    [
        ((np.linspace(0, 5000, 501), SWEPT), 5, True),  # 5 s in ms
        (da.inputs.tabulated(np.linspace(0, 5000, 5001), np.cos(np.linspace(0, 20, 5001)), "linear"), 5, True),
        (da.inputs.tabulated([0, 2500, 5000], [0, 1, 0], "cubic"), 3, True),
        (([0, 2000], [1, 0]), 4, True),  # a pulse of 2 s in ms
        ((np.linspace(0, 5e6, 501), SWEPT), 5, True),  # in microseconds
        ((np.linspace(0, 5, 501), SWEPT), 5, False),
        ((np.linspace(0, 5, 501), SWEPT), 0.02, False),  # a short trial of it
        (([0, 1, 1e6], [0, 1, 1]), 5, False),  # a last row for ever
        (([0, 1e6], [1, 1]), 5, False),  # one value for ever
        ((CYCLE, np.sin(CYCLE)), 10, False),
        ((CYCLE, np.sin(CYCLE)), 0, False),
    ],
)
def test_a_run_that_sees_next_to_nothing_of_a_table_says_so(table, until, doubted):
    given = {"F": table, "G": 0.0, "k": 0.0}
    if not doubted:
        assert not any("W183" in n for n in da.simulate(PUSHED, AT_REST, until=until, inputs=given).audit.notes)
        return
    with pytest.warns(da.DalembertWarning, match="W183 the table of F .* Are they in milliseconds"):
        path = da.simulate(PUSHED, AT_REST, until=until, inputs=given)
    assert any("W183" in note for note in path.audit.notes)


def test_a_table_among_the_parameters_has_to_cover_the_run_too():
    with pytest.raises(da.DalembertError, match="E183"):
        da.simulate(PUSHED, AT_REST, until=9, parameters={"F": ([0, 1], [1, 2]), "G": 0.0, "k": 0.0})


def test_velocities_never_jump_with_an_input():
    step, corners = ([0, 0.5, 1], [0.0, 1.0, 1.0]), da.inputs.tabulated([0, 0.5, 1], [1.0, 1.2, 1.1], "linear")
    driven = da.nonholonomic(da.System(CART, KINETIC, {"drive": "vx - w"}, inputs="w"))
    rod = da.nonholonomic(da.System(POINT, "vx^2/2 + vy^2/2", {"rod": "x^2 + y^2 - r^2"}, inputs="r"))
    mass = da.free(da.System(da.line("x"), "a*vx^2/2", inputs="a"))
    hung = {"x": 1.0, "y": 0.0, "vy": 1.0}
    for equations, start, given in (
        (driven, PENDULUM, {"w": step}),
        (driven, PENDULUM, {"w": lambda t, state: t}),
        (rod, hung, {"r": corners}),
        (mass, {"x": 0.0, "vx": 1.0}, {"a": ([0, 0.5, 1], [1.0, 2.0, 2.0])}),
    ):
        with pytest.raises(da.DalembertError, match="E185"):
            da.simulate(equations, start, until=1.0, inputs=given)
    assert da.simulate(rod, hung, until=1.0, inputs={"r": "1 + t/10"}).ok


def test_mass_that_an_input_makes_singular():
    mass = da.free(da.System(da.line("x"), "a*vx^2/2", inputs="a"))
    with pytest.raises(da.DalembertError, match="E107"):
        da.simulate(mass, {"x": 0.0, "vx": 1.0}, until=1.0, inputs={"a": 0.0})


def test_inputs_are_names_of_their_own():
    for inputs, code in (("x", "E103"), ("m", "E103"), ("F F", "E103"), (3, "E182"), ("2a", "E719")):
        with pytest.raises(da.DalembertError, match=code):
            da.System(POINT, "m*vx^2/2", parameters={"m": 1.0}, inputs=inputs)


def pushed_block():
    """A block on a rough floor, pushed by F."""
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    floor = da.contact(gap=y, slip=[vx], mu=0.3, mu_static=0.4)
    L = 2 * (vx**2 + vy**2) / 2 - 2 * 9.81 * y
    return da.nonholonomic(da.System(q, L, forces={"x": "F"}, inputs="F", contacts={"floor": floor}))


@pytest.mark.parametrize(("push", "reached"), [(7.0, 0.0), (9.0, (9.0 - 0.3 * 2 * 9.81) / 2 * 2**2 / 2)])
def test_an_input_that_is_a_number_pushes_what_touches(push, reached):
    # it stays below mu_s N = 7.85, and slides with (F - mu N)/m above
    path = da.simulate(pushed_block(), {"x": 0, "y": 0, "vx": 0, "vy": 0}, until=2, inputs={"F": push})
    assert path.ok
    assert path.at(2)["x"] == pytest.approx(reached, abs=1e-12)


def test_an_event_that_never_comes_while_an_input_jumps():
    q = da.coordinates("x")
    equations = da.free(da.System(q, "vx^2/2", forces={"x": "F"}, inputs="F"))
    never = da.Event("far", q["x"] - 100)
    jumps = {"F": ([0, 1, 2], [1, -1, 0])}
    path = da.simulate(equations, {"x": 0, "vx": 0}, until=2, inputs=jumps, events=[never])
    assert len(path.marks["far"]) == 0
    assert path.at(2)["x"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("formula", "fits"),
    [
        ("m*x", False),
        ("k*x + 3*m", False),
        ("k*dot(x)", False),
        ("-k*x", True),
        ("0.7*x", True),  # a decimal may carry a unit
        ("3*sin(2*t)", True),  # and so may what stands before a function of time
        ("2*t", True),
    ],
)
def test_a_formula_of_another_dimension_is_refused(formula, fits):
    units = {"x": "m", "F": "N"}
    parameters = {"m": "1 kg", "k": "2 N/m"}
    q = da.coordinates("x")
    e = da.free(da.System(q, "m*vx^2/2", forces={"vx": "F"}, parameters=parameters, inputs="F", units=units))
    if fits:
        assert da.simulate(e, {"x": 0, "vx": 0}, until=0.1, inputs={"F": formula}).ok
        return
    with pytest.raises(da.DalembertError, match=r"E207 .* in the formula of the input F is .* needs kg"):
        da.simulate(e, {"x": 0, "vx": 0}, until=0.1, inputs={"F": formula})
