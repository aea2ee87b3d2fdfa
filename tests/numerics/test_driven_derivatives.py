"""Derivatives with inputs: integrals of tables, formulas written in, differences of runs, stretch by stretch."""

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline, PPoly

import dalembert as da
from dalembert.systems import two_wheeled_robot
from driven import ROLLING, robot

TIMES, VALUES = np.array([0, 1, 2.5, 4]), np.array([1.0, -2.0, 3.0, 0.5])
AT_REST = {"x": 0.0, "vx": 0.0}
PUSHED = da.free(da.System(da.line("x"), "m/2*vx^2", forces={"vx": "F"}, parameters={"m": 2.0}, inputs="F"))
CART = da.coordinates("x phi")
KINETIC = "vx^2/2 + m*(l^2*vphi^2 + 2*l*vx*vphi*cos(phi) + vx^2)/2 - 9.81*m*l*cos(phi)"
SIZES = {"m": 0.7, "l": 0.8, "k": 9.0, "c": 1.5}
LAW = "k*phi + c*vphi + x/3 + sin(2*t)"
LEANS = {"x": 0.0, "phi": 0.1, "vx": 0.2, "vphi": 0.0}
WHEELS = np.linspace(0, 2, 6)
LEFT, RIGHT = 0.03 * np.sin(3 * WHEELS), 0.02 * np.cos(WHEELS)


def cart(law="F"):
    return da.free(da.System(CART, KINETIC, forces={"vx": law}, parameters=SIZES, inputs="F" if law == "F" else ""))


def difference(run, h=1e-3):
    """Slope of a function of a number at 0, of fourth order."""
    return (8 * (run(h) - run(-h)) - (run(2 * h) - run(-2 * h))) / (12 * h)


def ends(equations, start, until, **given):
    path = da.simulate(equations, start, until=until, rtol=1e-13, **given)
    assert path.reached
    return path.values[-1, : len(equations.states)]


def moved(values, k, h):
    """A table's values with one of them moved, all for None."""
    return values + h * (np.arange(len(values)) == k if k is not None else 1.0)


def pieces(kind, values):
    """The table as a polynomial in pieces, by SciPy."""
    if kind == "cubic":
        return CubicSpline(TIMES, values)
    if kind == "hold":
        return PPoly(values[None], np.r_[TIMES, 5.5])
    return PPoly(np.array([np.diff(values) / np.diff(TIMES), values[:-1]]), TIMES)


@pytest.mark.parametrize("kind", ["hold", "linear", "cubic"])
def test_by_the_values_of_a_table_they_are_integrals_of_what_these_carry(kind):
    """m x(t) = int_0^t (t - s) F(s) ds, which is linear in the values."""
    by = ["F[0]", "m", "F[2]", "F[3]", "F", "F[1]"]
    samples = [0.0, 0.5, 1.0, 1.7, 2.5, 3.9, 4.0]
    table = da.inputs.tabulated(TIMES, VALUES, kind)
    found = da.sensitivities(PUSHED, AT_REST, until=4.0, by=by, inputs={"F": table}, samples=samples)
    assert found.by == tuple(by)
    assert dict(found.parameters) == {"m": 2.0}

    def x(values):
        twice = pieces(kind, values).antiderivative(2)
        return np.array([(twice(t) - twice(0) - t * twice(0, 1)) / 2 for t in samples])

    for k in range(4):
        np.testing.assert_allclose(found["x", f"F[{k}]"], x(np.eye(4)[k]), atol=1e-12)
    np.testing.assert_allclose(found["x", "F"], np.array(samples) ** 2 / 4, atol=1e-12)
    np.testing.assert_allclose(found["x", "m"], -x(VALUES) / 2, atol=1e-11)
    # the input itself: what a value carries, and behind a jump
    np.testing.assert_allclose(found["F", "F[1]"], pieces(kind, np.eye(4)[1])(samples), atol=1e-13)
    np.testing.assert_allclose(found["F", "F"], 1.0, atol=1e-13)
    np.testing.assert_allclose(found["F", "m"], 0.0, atol=1e-13)


def test_it_lands_on_the_times_of_the_table():
    found = da.sensitivities(PUSHED, AT_REST, until=4.0, by=["F", "m"], inputs={"F": (TIMES, VALUES)})
    assert set(TIMES) <= set(found.t)
    assert np.all(np.diff(found.t) > 0)
    path = da.simulate(PUSHED, AT_REST, until=4.0, inputs={"F": (TIMES, VALUES)})
    np.testing.assert_allclose(found.states, np.stack([path.at(found.t)[n] for n in PUSHED.states], 1), atol=1e-12)
    power, slopes = found.of(sp.Symbol("F") * sp.Symbol("vx", real=True))
    held = VALUES[np.maximum(np.searchsorted(TIMES, found.t, side="right") - 1, 0)]
    np.testing.assert_allclose(power, held * found.states[:, 1], atol=1e-12)
    # d(F v)/dF = v + F dv/dF
    np.testing.assert_allclose(slopes[:, 0], found.states[:, 1] + held * found.t / 2, atol=1e-12)


def test_a_formula_is_differentiated_as_if_it_were_written_into_the_forces():
    by = ["phi", "k", "c", "m", "l", "vx"]
    given = {"samples": np.linspace(0, 2, 9), "by": by}
    found = da.sensitivities(cart(), LEANS, until=2.0, inputs={"F": LAW}, **given)
    other = da.sensitivities(cart(LAW), LEANS, until=2.0, **given)
    np.testing.assert_allclose(found.values, other.values, rtol=1e-9, atol=1e-9)
    value, slopes = other.of(sp.sympify(LAW, locals={s.name: s for s in CART}))
    np.testing.assert_allclose(found.driven.values[:, 0], value, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found["F"], slopes, rtol=1e-9, atol=1e-9)
    every = da.sensitivities(cart(), LEANS, until=2.0, inputs={"F": LAW}, samples=[2.0])
    assert every.by == ("x", "phi", "vx", "vphi", "F", "c", "k", "l", "m")
    slope = difference(lambda h: ends(cart(), LEANS, 2.0, inputs={"F": f"{LAW} + ({h!r})"}))
    np.testing.assert_allclose(every.values[0, :, 4], slope, rtol=1e-8, atol=1e-8)


def test_a_robot_that_rolls_under_the_torques_of_tables():
    tables = {"tau_l": (WHEELS, LEFT), "tau_r": da.inputs.tabulated(WHEELS, RIGHT, "linear")}
    by = ["omega", "tau_l[2]", "tau_r[3]", "tau_l", *sorted(robot().system.parameters)[:2]]
    found = da.sensitivities(robot(), ROLLING, until=2.0, by=by, inputs=tables, samples=[2.0])
    begun = robot().start(**ROLLING)

    def run(h, name):
        left = moved(LEFT, 2 if name == "tau_l[2]" else None, h if name.startswith("tau_l") else 0)
        right = moved(RIGHT, 3, h if name == "tau_r[3]" else 0)
        given = {"tau_l": (WHEELS, left), "tau_r": da.inputs.tabulated(WHEELS, right, "linear")}
        start = {**ROLLING, name: ROLLING[name] + h} if name in ROLLING else ROLLING
        own = {name: begun.parameters[name] + h} if name in begun.parameters else {}
        return ends(robot(), start, 2.0, inputs=given, parameters=own)

    for name in by:
        size = begun.parameters.get(name, 1.0)
        slope = difference(lambda h, name=name, size=size: run(h * size, name)) / size
        np.testing.assert_allclose(found.values[0, :, by.index(name)], slope, rtol=2e-8, atol=2e-8, err_msg=name)
    keeps = robot().machine.phi
    assert keeps
    for row in two_wheeled_robot.system().constraints:
        value, slopes = found.of(row.given)
        np.testing.assert_allclose(value, 0, atol=1e-11)
        np.testing.assert_allclose(slopes, 0, atol=1e-9)


def test_stretch_by_stretch_with_numbers_it_is_the_chain_rule():
    """The tangent is continuous where the value that is held jumps."""
    S, state = np.eye(4), dict(LEANS)
    times, values = [0.0, 0.4, 1.1, 1.5], [2.0, -3.0, 1.0]
    for begin, end, force in zip(times[:-1], times[1:], values, strict=True):
        start = cart().start(**state, t=begin)
        part = da.sensitivities(cart(), start, until=end, by=list(LEANS), inputs={"F": force}, samples=[end])
        S, state = part.values[0] @ S, dict(zip(part.names, part.states[0].tolist(), strict=True))
    table = (times, [*values, 0.0])
    whole = da.sensitivities(cart(), LEANS, until=1.5, by=list(LEANS), inputs={"F": table}, samples=[0.4, 1.5])
    np.testing.assert_allclose(whole.values[-1], S, rtol=1e-9, atol=1e-9)


def constrained(case):
    """Equations, a start, the input, the kind and values of its table, and what else is moved."""
    if case == "bead":
        bowl = {"bowl": "y + x^2 - r"}
        system = da.System(da.coordinates("x y"), "vx^2/2 + vy^2/2 - g*y", bowl, parameters={"g": 9.81}, inputs="r")
        return da.nonholonomic(system), {"x": 0.6, "vx": 0.1}, "r", "cubic", 0.1 * VALUES, "g"
    system = da.System(CART, KINETIC, {"drive": "vx - w"}, parameters=SIZES, inputs="w")
    start, other = {"x": 0.0, "phi": 0.1, "vphi": 0.0}, "l" if case == "linear" else "phi"
    return da.nonholonomic(system), start, "w", case, 0.3 * VALUES, other


@pytest.mark.parametrize("case", ["linear", "cubic", "bead"])
def test_a_constraint_that_a_table_drives(case):
    """What follows at the start from the first values moves with them."""
    equations, start, name, kind, values, other = constrained(case)
    by = [other, f"{name}[0]", f"{name}[1]", f"{name}[3]", name]
    own = dict(equations.system.parameters)

    def table(which="", h=0.0):
        rows = [moved(values, k, h) for k in range(4) if which == f"{name}[{k}]"]
        at = moved(values, None, h) if which == name else rows[0] if rows else values
        return {name: da.inputs.tabulated(TIMES / 2, at, kind)}

    def run(which, h):
        begun = {n: v + h * (n == which) for n, v in start.items()}
        given = {n: v + h * (n == which) for n, v in own.items() if n in SIZES or n == "g"}
        return ends(equations, begun, 2.0, inputs=table(which, h), parameters=given)

    found = da.sensitivities(equations, start, until=2.0, by=by, inputs=table(), samples=[0.0, 2.0])
    for place, which in enumerate(by):
        slope = difference(lambda h, which=which: run(which, h))
        np.testing.assert_allclose(found.values[1, :, place], slope, rtol=1e-7, atol=1e-7, err_msg=which)


def test_a_wall_between_two_times_of_a_table():
    """x'' = -2 to t = 1.5 from x = 1 meets x = 0 at t = 1 and comes back; then x'' = +2."""
    walls = {"stop": {"guard": "x", "restitution": 1}}
    equations = da.free(PUSHED.system.changed(walls=walls))

    def table(first, second):
        return {"F": ([0, 1.5, 3], [first, second, 0.0])}

    by = ["x", "m", "F[0]", "F[1]", "F"]
    start = {"x": 1.0, "vx": 0.0}
    found = da.sensitivities(equations, start, until=2.0, by=by, inputs=table(-4.0, 4.0), samples=[2.0])
    for name, (a, b) in {"F[0]": (1, 0), "F[1]": (0, 1), "F": (1, 1)}.items():
        slope = difference(lambda h, a=a, b=b: ends(equations, start, 2.0, inputs=table(-4.0 + a * h, 4.0 + b * h)))
        np.testing.assert_allclose(found.values[0, :, by.index(name)], slope, rtol=1e-8, atol=1e-8, err_msg=name)


def test_a_kick_at_a_time_of_a_table_is_refused():
    kick = da.Event("kick", sp.Symbol("t", real=True) - 1, {"vx": 1.0})
    with pytest.raises(da.DalembertError, match="E319 an input changes at t = 1, where") as refused:
        da.sensitivities(PUSHED, AT_REST, until=2.0, inputs={"F": (TIMES, VALUES)}, events=[kick])
    assert refused.value.remedy


def test_only_what_was_given_is_told():
    found = da.sensitivities(PUSHED, AT_REST, until=1.0, inputs={"F": da.inputs.tabulated(TIMES, VALUES, "cubic")})
    assert found.by == ("x", "vx", "F", "m")
    assert "F_" not in str(found)
    number = da.sensitivities(PUSHED, AT_REST, until=1.0, inputs={"F": 3.0})
    assert number.by == ("x", "vx", "F", "m")
    np.testing.assert_allclose(number.of(sp.Symbol("F") ** 2)[1][-1], [0, 0, 6, 0], atol=1e-12)
    with pytest.raises(da.DalembertError, match="E317"):
        number["G"]


@pytest.mark.parametrize(
    ("given", "by", "code"),
    [
        (lambda t, state: 1.0, None, "E319 the input F is <lambda>, sampled every 0.001"),
        (da.inputs.sampled(lambda t, state: -state["x"], 0.5), ["m"], "E319"),
        (([0, 1, 2], [1, np.nan, 1]), None, "E182"),
        (([0, 1, 2], [1, 1, 1]), None, "E183"),
        ("F", None, "E186"),
        ("2*zeta", None, "E702"),
        (lambda t: 1.0, None, "E182"),
        (None, None, "E204"),
        ((TIMES, VALUES), ["F[4]"], r"E202 there is no F\[4\]: the input has 4 values, F\[0\] to F\[3\]"),
        ("sin(t)", ["F[0]"], "E202 .* is no table"),
        (1.0, ["F[0]"], "E202"),
        ((TIMES, VALUES), ["F[x]"], "E202"),
        ((TIMES, VALUES), ["F[]"], "E202"),
        ((TIMES, VALUES), ["F[0]:0"], "E202"),
        (da.inputs.tabulated(TIMES, VALUES, "linear"), ["F_from"], "E202"),
    ],
)
def test_refusals(given, by, code):
    with pytest.raises(da.DalembertError, match=code) as refused:
        da.sensitivities(PUSHED, AT_REST, until=4.0, by=by, inputs={"F": given})
    assert refused.value.remedy


def test_missing_inputs_and_contacts():
    with pytest.raises(da.DalembertError, match="E180"):
        da.sensitivities(PUSHED, AT_REST, until=4.0)
    with pytest.raises(da.DalembertError, match="E181"):
        da.sensitivities(PUSHED, AT_REST, until=4.0, inputs={"F": 1.0, "G": 2.0})
    q = da.coordinates("x y")
    floor = {"floor": da.contact(gap=q["y"], slip=[q["vx"]], mu=0.3)}
    L = "(vx^2 + vy^2)/2 - 9.81*y"
    block = da.nonholonomic(da.System(q, L, forces={"x": "F"}, inputs="F", contacts=floor))
    with pytest.raises(da.DalembertError, match="E139 inputs of systems with contacts are numbers"):
        da.sensitivities(block, dict.fromkeys(("x", "y", "vx", "vy"), 0.0), until=1.0, inputs={"F": "9*t"})
