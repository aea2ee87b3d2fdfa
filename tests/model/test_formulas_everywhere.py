"""A parameter that a formula gives is taken wherever a number is: the same motion as with the number, to rounding."""

import pytest
import sympy as sp

import dalembert as da
from dalembert.study import read_source, write_source

TH, K, M, R = sp.symbols("th k m r")
C, S = sp.cos(TH), sp.sin(TH)
NUMBER = {"m": 1.3, "k": 0.208}
FORMULAS = ({"m": 1.3, "r": 0.4, "k": "r^2*m"}, {"m": 1.3, "r": 0.4, "k": R**2 * M})
PLANE = da.coordinates("x y", velocities="vx vy")
TURNING = da.Space("x y th", velocities="f g w", anchor=[[C, -S, 0], [S, C, K * S], [0, 0, 1]])
GEARED = da.Space(
    "x y th",
    velocities="f g w",
    anchor=[[C, -S, 0], [S, C, 0], [0, 0, K]],
    brackets={("w", "f"): [0, K, 0], ("w", "g"): [-K, 0, 0]},
)
ENERGY, ROLLING = "m/2*(f^2 + g^2) + w^2/3", {"x": 0.1, "y": 0.2, "th": 0.3, "f": 0.9, "w": 0.5}


def moved(equations, start, until=1.0, column="x", **options):
    path = da.simulate(equations, start, until=until, **options)
    assert path.ok, path.message
    return path.t[-1], path[column][-1]


def rolling(space, row):
    return lambda given: moved(da.nonholonomic(da.System(space, ENERGY, {"b": row}, parameters=given)), ROLLING)


def beside(given):
    """In a factor of a product."""
    space = TURNING * da.coordinates("z")
    system = da.System(space, f"{ENERGY} + vz^2/2", {"b": "g - 0.3*w"}, parameters=given)
    return moved(da.nonholonomic(system), {**ROLLING, "z": 0, "vz": 0})


def restricted(given):
    """In the tables of a space that was projected, with which another system is made."""
    free = da.System(TURNING, ENERGY, {"b": "g - 0.3*w"}, parameters={"m": None, "k": None})
    smaller = da.symmetry.restrict(free).system.changed(parameters=given)
    return moved(da.free(smaller), {name: 0.2 + 0.1 * i for i, name in enumerate(smaller.space.by_name)})


def falling(given, **more):
    return da.System(PLANE, "m/2*(vx^2 + vy^2) - m*9.81*y", parameters=given, **more)


def wall(given):
    return moved(da.free(falling(given, walls={"w": {"guard": "y - k", "restitution": "k"}})), FALL, 0.45, "y")


def contact(given):
    touch = da.contact(gap="y - k", slip=["vx"], mu="k", restitution="k")
    return moved(da.nonholonomic(falling(given, contacts={"c": touch})), FALL, 0.6)


def event(guard, then="stop"):
    return lambda given: moved(da.free(falling(given)), FALL, 0.42, "y", events=[da.Event("e", guard, then)])


def driven(given):
    return moved(da.free(falling(given, forces={"vx": "tau"}, inputs="tau")), FALL, inputs={"tau": "k*cos(t) - x*k"})


def penalty(way):
    def run(given):
        forces = [{"vx": "-k*vx"}, da.forces.rolling_friction(["vy"], "k", "m")]
        system = da.System(PLANE, "m/2*(vx^2 + vy^2) - x^2/2", {"b": "vy - k*vx"}, forces, given)
        return moved(da.free(way(system, 50.0)), {"x": 0, "y": 0, "vx": 1, "vy": 0.208})

    return run


FALL = {"x": 0, "y": 1, "vx": 1, "vy": 0}
PLACES = {
    "anchor": rolling(TURNING, "g - 0.3*w"),
    "anchor and row": rolling(TURNING, "g - 0.3*k*w"),
    "brackets": rolling(GEARED, "g - 0.3*w"),
    "product": beside,
    "projected": restricted,
    "wall": wall,
    "contact": contact,
    "event": event("y - k"),
    "event of symbols": event(sp.Symbol("y") - K),
    "jump": event("y - 0.5", {"vy": "-k*vy"}),
    "jump of symbols": event("y - 0.5", {"vy": -K * sp.Symbol("vy")}),
    "input": driven,
    "viscous": penalty(da.penalties.viscous),
    "inertial": penalty(da.penalties.inertial),
}


@pytest.mark.filterwarnings("ignore:W119")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("given", FORMULAS, ids=["text", "symbols"])
def test_a_formula_moves_as_its_number(place, given):
    assert PLACES[place](given) == pytest.approx(PLACES[place](NUMBER), rel=1e-9, abs=1e-9)


def test_what_follows_from_others_follows_in_a_space_too():
    """k = r^2 m with r = 0.5: 0.325."""
    system = da.System(TURNING, ENERGY, {"b": "g - 0.3*w"}, parameters=FORMULAS[0])
    number = da.System(TURNING, ENERGY, {"b": "g - 0.3*w"}, parameters={"m": 1.3, "k": 0.325})
    found = moved(da.nonholonomic(system), ROLLING, parameters={"r": 0.5})
    assert found == pytest.approx(moved(da.nonholonomic(number), ROLLING), rel=1e-9)
    with pytest.raises(da.DalembertError, match="E202 k follows from m, r"):
        moved(da.nonholonomic(system), ROLLING, parameters={"k": 0.3})


def test_a_space_without_such_parameters_is_the_given_one_and_one_with_them_is_written():
    assert da.System(PLANE, "m/2*(vx^2 + vy^2)", parameters=FORMULAS[0]).space is PLANE
    system = da.System(TURNING, ENERGY, {"b": "g - 0.3*w"}, parameters=FORMULAS[0])
    again = read_source(write_source(system)).system
    assert moved(da.nonholonomic(again), ROLLING) == pytest.approx(moved(da.nonholonomic(system), ROLLING), rel=1e-9)
    assert system.changed(title="again").space.anchor == system.space.anchor


@pytest.mark.filterwarnings("ignore:W119")
def test_the_limit_of_rising_penalties_is_that_of_the_number():
    start, strengths = {"x": 0, "y": 0, "vx": 1, "vy": 0.208}, [1e2, 1e3, 1e4]
    found = []
    for given in (NUMBER, FORMULAS[0]):
        system = da.System(PLANE, "m/2*(vx^2 + vy^2) - x^2/2", {"b": "vy - k*vx"}, {"vx": "-k*vx"}, given)
        limit = da.limit(system, da.penalties.viscous, da.nonholonomic, start=start, until=1.0, strengths=strengths)
        found.append(limit.distances)
    assert found[0] == pytest.approx(found[1], rel=1e-4)


@pytest.mark.parametrize(
    "more",
    [
        {"walls": {"w": {"guard": "y", "restitution": 0.5}}},
        {"contacts": {"c": da.contact(gap="y", slip=["vx"], mu=0.1)}},
        {"inputs": "tau", "forces": {"vy": "tau"}},
    ],
    ids=["wall", "contact", "input"],
)
def test_what_a_system_meets_stays_where_a_symmetry_holds_at_one_value_alone(more):
    """At k = 0 the potential does not know x: its value is put in, and all else is as in the system without it."""
    reduced = [
        da.reduce(da.System(PLANE, L, parameters=given, symmetry="x", **more)).system
        for L, given in (
            ("(vx^2 + vy^2)/2 - k*x^2/2 - 9.81*y", {"k": 0.0}),
            ("(vx^2 + vy^2)/2 - 9.81*y", {}),
        )
    ]
    for name in ("walls", "contacts"):
        assert [(each.name, each.given) for each in getattr(reduced[0], name)] == [
            (each.name, each.given) for each in getattr(reduced[1], name)
        ]
    assert reduced[0].inputs == reduced[1].inputs and reduced[0].forces == reduced[1].forces
    assert any(getattr(reduced[0], name) for name in more)
