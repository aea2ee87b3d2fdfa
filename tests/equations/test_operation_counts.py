"""Operation counts, held where they are: no form may cost more than it did, and chains grow as they must."""

import math

import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import operations
from dalembert.systems import (
    ball_on_turntable,
    car_with_trailers,
    chaplygin_sleigh,
    heisenberg,
    penny,
    rattleback,
    roller_racer,
    rolling_disc,
    snakeboard,
    suslov,
    symmetric_sphere,
    wheeled_snake,
)

# operations of one evaluation of the accelerations (and multipliers), counted once and written down
MOST = {  # nonholonomic, vakonomic, Maggi's form
    "disc": (147, 182, 569),
    "penny": (37, 53, 145),
    "sleigh": (99, 105, 146),
    "particle": (0, 28, 0),
    "turntable": (69, 82, 144),
    "rattleback": (414, 490, 1025),
    "roller racer": (80, 121, 306),
    "snakeboard": (97, 147, 278),
    "suslov": (81, 82, 130),
    "sphere": (252, 256, 329),
    "snake": (503, 542, 839),
    "car": (327, 367, 643),
}
SYSTEMS = {
    "disc": rolling_disc.system,
    "penny": penny.system,
    "sleigh": chaplygin_sleigh.system,
    "particle": heisenberg.system,
    "turntable": ball_on_turntable.system,
    "rattleback": rattleback.system,
    "roller racer": roller_racer.system,
    "snakeboard": snakeboard.system,
    "suslov": suslov.system,
    "sphere": symmetric_sphere.system,
    "snake": wheeled_snake.system,
    "car": car_with_trailers.system,
}
FORMS = {"nonholonomic": da.nonholonomic, "vakonomic": da.vakonomic, "maggi": da.forms.maggi}
CHAINS = {"snake": wheeled_snake, "car": car_with_trailers}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_no_form_costs_more_than_it_did(name, form):
    assert FORMS[form](SYSTEMS[name]()).operations()["total"] <= MOST[name][list(FORMS).index(form)]


def _count(nodes):
    return sum(operations(nodes).values())


@pytest.mark.parametrize("name", CHAINS)
def test_chains_grow_as_they_must(name):
    # L and the constraints are sums along the chain, as are f and g; W and N have n^2 entries
    parts = {n: _parts(CHAINS[name].system(n)) for n in (8, 16, 32)}
    for which, power in (("given", 1), ("f", 1), ("g", 1), ("W", 2), ("N", 2)):
        for n in (8, 16):
            growth = math.log2(parts[2 * n][which] / parts[n][which])
            assert growth < power + 0.15, (which, n, growth)


def _parts(system):
    machine = da.nonholonomic(system).machine
    form = machine.form
    given = [system.algebra.read(system.lagrangian), *machine.phi]
    rows = {"W": [e for row in form.W for e in row], "N": [e for row in form.N for e in row]}
    return {key: _count(nodes) for key, nodes in {"given": given, "f": form.f, "g": form.g, **rows}.items()}


@pytest.mark.parametrize("name", CHAINS)
def test_elimination_grows_with_the_third_power_at_most(name):
    # W is dense in absolute angles, and as many rows as links hold it: no order of elimination does with less
    totals = {n: da.nonholonomic(CHAINS[name].system(n)).operations()["total"] for n in (8, 16, 32)}
    for n in (8, 16):
        assert math.log2(totals[2 * n] / totals[n]) < 3
    assert totals[32] < 2.5 * 32**3


@pytest.mark.parametrize("name", CHAINS)
def test_the_graph_of_a_formation_grows_with_its_entries(name):
    # checks, form and start together make a few nodes for each of the entries of W and N
    sizes = {}
    for n in (8, 16, 32):
        system = CHAINS[name].system(n)
        equations = da.nonholonomic(system)
        equations.evaluate(equations.start(**next(iter(CHAINS[name]._starts(n).values()))))
        sizes[n] = len(system.algebra.graph.nodes)
    assert math.log2(sizes[32] / sizes[16]) < 2.1
    assert sizes[32] < 30 * 32**2


def test_a_long_chain_runs_within_the_default_limits():
    snake = wheeled_snake.system(64)
    equations = da.nonholonomic(snake)
    found = equations.evaluate(equations.start(**wheeled_snake._starts(64)["straight"]))
    assert max(map(abs, found["accelerations"].values())) < 1e-9  # straight on, at constant speed
    assert snake.changed(limits=None).limits["coordinates"] > 64
    with pytest.raises(da.DalembertError, match="E135"):
        snake.changed(limits={"coordinates": 64})


def test_nothing_is_simplified_on_the_way_to_an_acceleration(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("SymPy was asked to work")

    disc, snake = _written_disc(), wheeled_snake.system(4)
    for owner, names in (
        (sp, ("simplify", "expand", "solve", "factor", "trigsimp", "cancel", "together", "nsimplify")),
        (sp.Expr, ("expand", "simplify", "factor", "subs", "diff")),
        (sp.MatrixBase, ("inv", "LUsolve", "pinv", "det", "jacobian", "diff")),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, refuse)
    system = da.System(*disc)
    for principle in (da.nonholonomic, da.vakonomic, da.free):
        equations = principle(system)
        lam = dict.fromkeys((s.name for s in equations.states_of_multipliers), 0.0)
        moving = {"vx": 0.0, "vy": 0.0} if principle is da.free else {}
        equations.evaluate(equations.start(**rolling_disc.START, **moving, **lam))
    equations = da.nonholonomic(snake)
    equations.evaluate(equations.start(**wheeled_snake._starts(4)["bent"]))


def _written_disc():
    given = rolling_disc.system()
    constraints = {c.name: c.given for c in given.constraints}
    return given.space, given.lagrangian, constraints, None, dict(given.parameters)


def test_remarks_wait_until_they_are_asked_for(monkeypatch):
    import dalembert.geometry.examination as doctor

    def refuse(*_):
        raise AssertionError("the constraints were examined")

    with monkeypatch.context() as patch:
        patch.setattr(doctor, "_examine", refuse)
        equations = da.nonholonomic(rolling_disc.system())
        equations.start(**rolling_disc.START)
    assert "N141" in [n.code for n in equations.notes]
