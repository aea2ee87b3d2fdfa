"""Wrong arguments of public functions: a value comes back, or a refusal of our own, in words and with a remedy.

The campaign is ``python -m fuzz arguments``; here some hundred calls of it, and arguments that were foreign errors.
"""

import random
import sys
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from sympy.physics.mechanics import ReferenceFrame, dynamicsymbols

import dalembert as da

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the fuzzers are no part of the package

from fuzz.arguments import KINDS, POOL, each, ignored, outcome, spoilt
from fuzz.surface import World, quick

WORLD = World()
SLOW = {"Fit", "Reduction", "Study"}
SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_argument_is_refused_in_our_words(seed):
    rng, pool = random.Random(seed), {name: make for name, make in POOL.items() if name not in SLOW}
    table = quick(WORLD)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(150):
            call, told = spoilt(rng, rng.choice(table), WORLD, pool)
            found = outcome(call)
            assert not found.startswith("FOUND"), (call.name, told, found)


def test_every_argument_is_tried_with_every_kind_of_wrong_one():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in quick(WORLD):
            tried = {told: outcome(wrong) for wrong, told in each(call, WORLD)}
            assert not [(call.name, told) for told, found in tried.items() if found.startswith("FOUND")]
            assert not [(call.name, told) for told, found in tried.items() if ignored(call, told, found)]
            assert tried["nope=1"].startswith(("signature", "refused")) or call.name == "da.ensembles.table"
            assert len(tried) >= (len(KINDS) - 1) * len({*range(len(call.given)), *call.named})


def test_the_arguments_that_are_spoilt_were_right():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {call.name: outcome(call) for call in quick(WORLD)} == {call.name: "value" for call in quick(WORLD)}


class Mute:
    """Nothing of it can be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")


W, Y, M, Q = WORLD, da.symmetry, da.measures, dynamicsymbols("q")
FOREIGN = {
    "penalty of equations": (lambda: da.penalties.viscous(W.equations, 10), "E101"),
    "penalty of constraint 3": (lambda: da.penalties.inertial(W.skate, 10, only=3), "E104"),
    "conserved of a path": (lambda: Y.conserved(W.path, "omega"), "E101"),
    "coincide with work as text": (lambda: da.coincide(W.skate, work="much"), "E307"),
    "camera with a number as scale": (lambda: M.camera("px py", "x y", scale=3), "E554"),
    "camera of one point twice": (lambda: M.camera("px px", "x y"), "E554"),
    "recorded columns from a module": (lambda: da.recorded({"t": [0, 1], "x": [0, 1]}, columns=np), "E317"),
    "radius that is complex": (lambda: M.exit_time(W.swung, 1j, "x"), "E307"),
    "radius that is negative": (lambda: M.exit_time(W.swung, -1.0, "x"), "E307"),
    "centre of another size": (lambda: M.exit_time(W.swung, 1.0, "x", centre=(0, 0)), "E307"),
    "count 0": (lambda: M.period(W.swung, "x", 0), "E307"),
    "count -1": (lambda: M.amplitudes(W.swung, "x", "x", -1), "E307"),
    "direction x": (lambda: M.crossings(W.swung, "x", direction="x"), "E307"),
    "deviations of paths": (lambda: M.deviations(W.swung, W.swung), "E318"),
    "deviations in one frame": (lambda: M.deviations(W.record, W.swung, frame="x"), "E549"),
    "deviations of no column": (lambda: M.deviations(W.record, W.swung, "vx")["x"], "E317"),
    "report with a fit as system": (lambda: da.report(W.swung, "a.html", system=W.record), "E101"),
    "report from a text as start": (lambda: da.report(W.swung, "a.html", start="x"), "E241"),
    "gauge momenta of a system": (lambda: Y.gauge_momenta(W.skate), "E101"),
    "distributions at half a state": (lambda: Y.distributions(W.skate).at({"x": 1.0}), "E230"),
    "distributions at a list": (lambda: Y.distributions(W.skate).at([1.0]), "E241"),
    "no generator of this name": (lambda: Y.noether(W.skate)["nope"], "E104"),
    "no column of this name": (lambda: W.swung["nope"], "E317"),
    "a column by number": (lambda: W.swung[3], "E317"),
    "no state of this name": (lambda: W.begun["nope"], "E229"),
    "a part that no system has": (lambda: W.skate.changed(gravity=9.81), "E307"),
    "a width of 0": (lambda: W.equations.text(0), "E307"),
    "a decimal that signals": (lambda: da.methods.Baumgarte(Decimal("sNaN")), "E305"),
    "a switch that has no repr": (lambda: da.simulate(W.equations, W.begun, until=1, dense=Mute()), "E307"),
    "a ragged column": (lambda: da.sweep(W.equations, starts={"x": [1.0, [2.0]]}, until=1), "E204"),
    "a formula in what is no parameter": (lambda: W.skate.changed(parameters={"m": 1.0, "J": "2/5*m*r^2"}), "E702"),
    "parameters of a plant as text": (lambda: da.plant(W.pushed, {"x": 0, "vx": 0}, parameters="m"), "E204"),
    "parameters of plants in a list": (lambda: da.plants(W.pushed, {"x": 0, "vx": 0}, parameters=[]), "E204"),
    "parameters of a model along a path": (lambda: da.linearise(W.swinging, at=W.swung, parameters="m"), "E204"),
    "parameters of a start as an array": (lambda: W.equations.evaluate(W.begun, parameters=np.ones(2)), "E204"),
    "parameters of a start in a list": (lambda: W.equations.evaluate(W.begun, parameters=[]), "E204"),
    "inputs as an array": (lambda: da.simulate(W.swinging, W.swing, until=1, inputs=np.ones(2)), "E182"),
    "parameters of a unit": (
        lambda: W.swinging.to_fmu("a.fmu", start=W.swing, parameters=np.array([])),
        "E204",
    ),
    "parameters of a page": (lambda: da.explore(W.spring, "a.html", start=W.swing, parameters=[1]), "E204"),
    "parameters beside inputs": (
        lambda: da.sensitivities(W.swinging, W.swing, until=1, parameters=[1], inputs={}),
        "E204",
    ),
    "principles of a page as a number": (lambda: da.explore(W.spring, "a.html", principles=1), "E308"),
    "further names as a number": (lambda: W.skate.read("x", others=1), "E102"),
    "inputs of a reduced start as a number": (lambda: da.reduced_start(W.reduction, W.begun, inputs=1), "E182"),
    "a folder that is none": (lambda: da.read("a.toml", folder=1), "E501"),
    "a law of restitution in an array": (lambda: da.contact(gap="x", restitution_law=np.ones(2)), "E137"),
    "a switch in an array": (lambda: da.fit(W.skate, W.record, progress=np.ones(2)), "E307"),
    "parameters of a branch as a number": (
        lambda: da.continue_steady(da.free(W.hill), parameter="k", start={}, over=(0, 1), parameters=-1),
        "E204",
    ),
    "members of plants in a ragged list": (
        lambda: da.plants(W.pushed, {"x": [0, 1], "vx": 0}).reset([0, [1]]),
        "E182",
    ),
    "a range that is one number in an array": (lambda: da.ensembles.samples(8, x=np.array(1.0)), "E204"),
    "names as a mapping": (lambda: da.coordinates({"x": 1.0, "y": 2.0}), "E102"),
    "components as a path": (lambda: da.forces.viscous_friction(W.swung, 1), "E127"),
    "components as a mapping": (lambda: da.forces.viscous_friction({"vx": 1}, 1), "E127"),
    "a dissipation that is a system": (lambda: da.forces.rayleigh(W.skate), "E127"),
    "the unit of nothing": (lambda: W.skate.unit(None), "E718"),
    "a negative mass that rolls": (lambda: da.rolling(da.Body("ball", radius=1), "z").kinetic(-1, 0.4), "E109"),
    "a negative moment that rolls": (lambda: da.rolling(da.Body("ball", radius=1), "z").kinetic(1, -0.4), "E109"),
    "constraints called by a number": (lambda: Y.affine(W.skate.space, {"a": {"x": 1}}, name=3), "E307"),
    "a drift in a list": (lambda: Y.affine(W.skate.space, {"a": {"x": 1}}, drift=[]), "E125"),
    "a unit of a column that is not there": (lambda: M.deviations(W.record, W.swung, units={"z": "m"}), "E317"),
    "points of a profile that are none": (lambda: W.fit.profile("k", [3.9, 4.1], "many"), "E553"),
    "a title that is a system": (lambda: da.report(W.swung, "a.html", title=W.skate), "E307"),
    "a verdict in one text": (lambda: da.report(W.swung, "a.html", verdict="decided"), "E307"),
    "a verdict by name": (lambda: da.report(W.swung, "a.html", verdict={"a": 1}), "E307"),
    "velocities beside a frame": (
        lambda: da.from_sympy(ReferenceFrame("N"), velocities="u"),
        "E307",
    ),
    "a frame without loads": (lambda: da.from_sympy(Q.diff("t") ** 2, [Q], frame=ReferenceFrame("N")), "E307"),
    "speeds beside a Lagrangian": (lambda: da.from_sympy(Q.diff("t") ** 2, [Q], u_ind=[Q]), "E307"),
    "rows of a plan at given times": (
        lambda: da.plan(W.skate, vary={"omega": 1}, count=3, times=[0, 1], start=W.full, uncertainty={"x": 1}),
        "E559",
    ),
    "an end of a plan at given times": (
        lambda: da.plan(W.skate, vary={"omega": 1}, until=3, times=[0, 1], start=W.full, uncertainty={"x": 1}),
        "E559",
    ),
    "a leaf at a place and on a chart": (
        lambda: Y.leaf(W.rolling, {"x": 0}, on=da.line("s"), chart={"x": "r*s", "phi": "s"}),
        "E124",
    ),
    "an impact of an event": (lambda: da.Event("ray", "x", impact=W), "E316"),
    "a scale of no column": (lambda: da.recorded({"t": [0, 1], "x": [0, 1]}, units={"x": "m"}, scale="1 mm"), "E207"),
    "an expression called by a number": (lambda: W.skate.read("x", 3), "E307"),
    "a coordinate in seconds": (lambda: W.swinging.start(x="3 s", vx=0), "E207"),
    "a program that ends as it begins": (lambda: W.equations.to_python(until=0), "E302"),
    "a formula as an override": (lambda: W.equations.start(W.begun, parameters={"m": "2/5*J"}), "E204"),
}


@pytest.mark.parametrize("asked, code", FOREIGN.values(), ids=FOREIGN)
def test_what_was_foreign_has_a_code_and_a_remedy(asked, code):
    with pytest.raises(da.DalembertError) as met:
        asked()
    assert met.value.code == code
    assert met.value.remedy


def test_distributions_take_a_start_and_a_row_of_a_path():
    found = Y.distributions(W.skate)
    by_name = {**W.begun.state, "t": 0.0, "m": 1.0, "J": 0.5}
    assert found.at(W.begun).values == found.at(by_name).values
    assert found.at(W.path.at(0.5)).values["theta"] == pytest.approx(0.35)


def test_a_path_starts_a_run():
    e, state = W.equations, W.path.state(0.5)
    assert state["t"] == 0.5
    assert e.start(**state).state == pytest.approx({name: state[name] for name in e.states})
    assert e.evaluate(state)["multipliers"]["blade"] == pytest.approx(W.path.at(0.5)["lam_blade"], rel=1e-6)
    assert da.simulate(e, state, until=1.0)["x"][-1] == pytest.approx(W.path["x"][-1], rel=1e-9)


def test_a_row_of_a_path_starts_a_run_with_all_its_columns():
    e, row = W.equations, W.path.at(0.5)
    again = e.start(row)
    assert again.t == 0.5
    assert again.left_out == ("lam_blade", "energy")
    assert "left out lam_blade, energy: no states here" in str(again)
    assert e.start(**row).state == again.state == e.start(**W.path.state(0.5)).state
    assert e.evaluate(row)["multipliers"]["blade"] == pytest.approx(row["lam_blade"], rel=1e-6)
    assert da.simulate(e, row, until=1.0)["x"][-1] == pytest.approx(W.path["x"][-1], rel=1e-9)
    with pytest.raises(KeyError, match="E235 lam_blade = 99"):
        e.start(**{**row, "lam_blade": 99.0})
    with pytest.raises(KeyError, match="E235 energy = 99"):
        e.start(**{**row, "energy": 99.0})
    with pytest.raises(ValueError, match="E303"):
        e.start(W.path.at([0.1, 0.5]))
    with pytest.raises(ValueError, match="E241"):
        e.start(row, vx=1.0)
    with pytest.raises(ValueError, match="E234"):  # reactions are no initial values of multipliers
        da.vakonomic(W.skate).start(row)


def test_a_mapping_and_a_start_are_values_by_name():
    e, given = W.equations, {name: v for name, v in W.path.state(0.5).items() if name != "t"}
    begun = e.start({**given, "t": 2.0})
    assert begun.t == 2.0 and begun.state == e.start(**given).state
    assert e.start({"t": 2.0}, **given).state == begun.state and e.start({**given, "t": 2.0}, t=3.0).t == 3.0
    assert e.start(begun, t=0.0).t == e.start({**given, "t": 2.0}, t=0.0).t == e.start(W.path.at(0.5), t=0.0).t == 0.0
    again = e.start(e.start(given, t=2.0, parameters={"J": 7.0}), parameters={"m": 3.0})
    assert again.t == 2.0 and again.parameters == {**begun.parameters, "J": 7.0, "m": 3.0}
    with pytest.raises(ValueError, match="E241 vx is given twice"):
        e.start(begun, vx=3.0)
    with pytest.raises(ValueError, match="E241 this is the start of another system"):
        da.nonholonomic(da.System(da.coordinates("a"), "dot(a)^2/2")).start(begun)


def test_a_vakonomic_row_starts_both_runs():
    e, v = W.equations, da.vakonomic(W.skate)
    path = da.simulate(v, {**W.path.state(0.0), "lam_blade": 0.3}, until=1.0)
    row = path.at(0.5)
    assert da.simulate(v, row, until=1.0)["theta"][-1] == pytest.approx(path["theta"][-1], rel=1e-9)
    assert v.evaluate(row)["multipliers"]["blade"] == row["lam_blade"]
    assert e.start(row).left_out == ("lam_blade", "energy")


def test_multipliers_that_a_row_lacks_are_given_beside_it():
    v, row = da.vakonomic(W.skate), W.path.at(0.5)
    with pytest.raises(
        ValueError, match=r"E234 .*\n  do: \{\*\*path\.state\(0\.5\), 'lam_blade': 0\}, or other numbers"
    ):
        v.start(row)
    told = v.start({**W.path.state(0.5), "lam_blade": 0.3})
    assert v.start(row, lam_blade=0.3).state == told.state and told.t == v.start(row, lam_blade=0.3).t == 0.5
    with pytest.raises(
        ValueError, match=r"E241 .* vx is given by name as well\n  do: \{\*\*path\.state\(0\.5\), 'vx': 2\}"
    ):
        v.start(row, vx=2, lam_blade=0)


def test_a_row_that_was_made_with_other_parameters_is_doubted():
    e = W.equations
    path = da.simulate(e, W.path.state(0.0), until=1.0, parameters={"m": 2.0})
    with pytest.warns(da.DalembertWarning, match="W212 the path was made with m = 2, here 1"):
        da.simulate(e, path.at(0.5), until=1.0)
    assert da.simulate(e, path.at(0.5), until=1.0, parameters={"m": 2.0}).ok


def test_no_message_steers_a_terminal():
    with pytest.raises(da.DalembertError) as met:
        W.begun["\x1b[31mx\u202e"]
    assert all(c.isprintable() or c == "\n" for c in f"{met.value}{met.value.line}")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: da.compare(W.skate, np.array(3.0), start={}, until=1), "E307"),
        (lambda: da.explore(W.skate, "page.html", start=[1]), "E241"),
        (lambda: W.skate.names_in(np.array(3.0)), "E718"),
        (lambda: da.sensitivities(W.equations, W.begun, until=1, samples=np.array("x")), "E303"),
        (lambda: da.explore(W.skate, "page.html", start=lambda: 0), "E241"),
        (lambda: Y.distributions(W.skate).places(10**400), "E307"),
        (lambda: da.recorded({"t": [0, 1], "x": [0, 1]}, uncertainty=np.array([1.0, 2.0])), "E"),
        (lambda: da.recorded({"t": [0, 1], "x": [0, 1]}, units=np.array([1.0, 2.0])), "E"),
    ],
)
def test_arguments_that_once_met_words_of_others(call, code):
    with pytest.raises(da.DalembertError, match=code):
        call()
