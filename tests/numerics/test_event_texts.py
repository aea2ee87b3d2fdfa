"""An event whose guard and new values are text is the event whose guard and new values are built from symbols."""

import numpy as np
import pytest

import dalembert as da

q = da.coordinates("x y")
x, y, vx, vy = q
ONTO = {"bead": "dot(y) - x*dot(x)"}
GIVEN = {"parameters": {"m": 1}, "forces": {"vx": "F"}, "inputs": "F"}
POINT = da.System(q, "m/2*(dot(x)^2 + dot(y)^2) - 2*x^2", ONTO, **GIVEN)
m, F = POINT.symbols["m"], POINT.symbols["F"]
START = {"x": 1.0, "y": 0.5, "vx": 0.5}
EQUATIONS = {"nonholonomic": (da.nonholonomic(POINT), {}), "vakonomic": (da.vakonomic(POINT), {"lam_bead": 0.3})}
lam = da.vakonomic(POINT).states_of_multipliers[0]
PAIRS = {
    "states": (da.Event("there", "x - y/2"), da.Event("there", x - y / 2)),
    "a parameter": (da.Event("there", "x - m/2", "stop", -1), da.Event("there", x - m / 2, "stop", -1)),
    "a rate": (da.Event("there", "dot(x)^2 - 1"), da.Event("there", vx**2 - 1)),
    "an input": (da.Event("there", "vx - F"), da.Event("there", vx - F)),
    "a jump": (da.Event("there", "x", {"y": "y + m*x^2/2"}), da.Event("there", x, {"y": y + m * x**2 / 2})),
}


def run(principle, event):
    equations, more = EQUATIONS[principle]
    how = {"until": 3.0, "inputs": {"F": "cos(3*t)"}, "events": [event]}
    return da.simulate(equations, {**START, **more}, **how)


@pytest.mark.parametrize("principle", EQUATIONS)
@pytest.mark.parametrize("pair", PAIRS)
def test_text_is_what_symbols_are(pair, principle):
    of_text, of_symbols = (run(principle, event) for event in PAIRS[pair])
    assert len(of_text.marks["there"]) > 0
    np.testing.assert_array_equal(of_text.marks["there"].t, of_symbols.marks["there"].t)
    np.testing.assert_array_equal(of_text.values, of_symbols.values)
    assert of_text.outcome == of_symbols.outcome


def test_multipliers_that_are_states_stand_in_text():
    path = run("vakonomic", da.Event("there", "lam_bead - 0.2"))
    assert len(path.marks["there"]) > 0
    np.testing.assert_allclose(path.marks["there"]["lam_bead"], 0.2, atol=1e-10)
    with pytest.raises(da.DalembertError, match=r"E702[^@]*states of its motions"):
        run("nonholonomic", da.Event("there", "lam_bead - 0.2"))


def test_text_is_read_by_plants_and_sweeps():
    """y = 1 - g t^2/2 is 0 at t = sqrt(2/g)."""
    fall = da.free(da.System(da.coordinates("y"), "m/2*dot(y)^2 - m*g*y", parameters={"m": 1, "g": 9.81}))
    ground, start = da.Event("ground", "y", "stop", -1), {"y": 1.0, "vy": 0.0}
    t = np.sqrt(2 / 9.81)
    sweep = da.sweep(fall, starts={**start, "y": [0.25, 1.0]}, until=2.0, events=[ground], progress=False)
    np.testing.assert_allclose(sweep["t_end"], [t / 2, t], rtol=1e-9)
    plant = da.plant(fall, start, step=0.25, events=[ground])
    with pytest.raises(da.DalembertError, match="E188"):
        for _ in range(4):
            plant.step([])
    assert plant.t == pytest.approx(t)


def test_events_are_taken_by_name_and_times_with_their_unit():
    free = da.free(da.System(da.line("x"), "vx^2/2 - x^2/2"))
    start = {"x": 1, "vx": 0, "t": "0 s"}
    marked = da.simulate(
        free, start, until="0.1 min", events={"zero": "x", "back": {"guard": "x + 1/2", "then": "stop"}}
    )
    listed = da.simulate(free, start, until=6.0, events=[da.Event("zero", "x"), da.Event("back", "x + 1/2", "stop")])
    assert marked.outcome == listed.outcome and marked.t[-1] == listed.t[-1] == pytest.approx(2 * np.pi / 3)
    assert list(marked.marks["zero"].t) == list(listed.marks["zero"].t)
    assert marked.at(["500 ms", 1])["x"] == pytest.approx(np.cos([0.5, 1]))
    for wrong in ({"name": "edge", "gaurd": "x"}, {"edge": {"gaurd": "x"}}):  # no event is called "name"
        with pytest.raises(da.DalembertError, match="E316"):
            da.simulate(free, start, until=1, events=wrong)
    for until, said in (("6 m", "E207 until is m, needs s"), ("6", "E301 until = '6' is no time")):
        with pytest.raises(da.DalembertError, match=said):
            da.simulate(free, start, until=until)
    with pytest.raises(da.DalembertError, match="E303 the time = 'noon' is no time"):
        marked.at("noon")
