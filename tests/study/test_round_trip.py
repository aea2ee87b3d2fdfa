"""Writing a system and reading it gives the same system, and the same text again."""

import pkgutil
import warnings
from dataclasses import fields
from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as da
import dalembert.systems
from dalembert.errors import DalembertError
from dalembert.study import (
    CompareSpec,
    FamilySpec,
    RunSpec,
    Study,
    SweepSpec,
    read,
    read_source,
    write,
    write_source,
)
from dalembert.study.writing.file_text import _ORDER

x, y, theta, vx, vy, vtheta = Q = da.plane("x y") * da.angle("theta")
m = sp.Symbol("m", positive=True)
k = sp.Symbol("k", nonnegative=True)
T = m * (vx**2 + vy**2 + vtheta**2) / 2


def gallery():
    for entry in pkgutil.iter_modules(dalembert.systems.__path__):
        module = import_module(f"dalembert.systems.{entry.name}")
        if hasattr(module, "system"):
            yield pytest.param(module, {}, module.STARTS, id=entry.name)
            for name, variant in getattr(module, "VARIANTS", {}).items():
                yield pytest.param(module, variant.options, variant.starts, id=f"{entry.name}: {name}")


@pytest.mark.parametrize(("module", "options", "starts"), list(gallery()))
def test_every_system_of_the_gallery(files, module, options, starts):
    system = module.system(**options)
    runs = tuple(RunSpec(name, "nonholonomic", dict(start), until=1.0) for name, start in starts.items())
    text = write_source(Study(system.title, system, (module.SOURCE,), runs))
    study = read_source(text)
    assert files.differences(system.changed(cite=module.SOURCE), study.system) == []
    assert write_source(study) == text
    assert [run.name for run in study.runs] == list(starts)
    assert study.cite == study.system.cite == (module.SOURCE,)
    for run, (_, start) in zip(study.runs, starts.items(), strict=True):
        assert run.start.keys() == start.keys()
        assert all(np.array_equal(run.start[name], value) for name, value in start.items() if np.ndim(value))
        assert all(run.start[name] == value for name, value in start.items() if not np.ndim(value))
    assert read_source(write_source(system)).system.title == system.title


@pytest.mark.parametrize("name", ["rolling_disc", "rattleback", "ball_on_turntable", "knife_edge_on_incline"])
def test_the_equations_are_the_same_in_numbers(name):
    module = import_module(f"dalembert.systems.{name}")
    system = module.system()
    again = read_source(write_source(system)).system
    a, b = da.nonholonomic(system), da.nonholonomic(again)
    assert a.states == b.states
    start = next(iter(module.STARTS.values()))
    ends = [da.simulate(da.nonholonomic(s), start, until=0.3).values[-1] for s in (system, again)]
    assert np.array_equal(*ends)


SPACES = {
    "matrix": da.rotation("R", attitude="matrix"),
    "body": da.rotation("Q", "p q r", frame="body"),
    "letters": da.rotation("R", "wx wy wz") * da.direction("n", "ax ay az"),
    "two rotations": da.rotation("A", "a1 a2 a3") * da.rotation("B", "b1 b2 b3"),
    "direction": da.direction("n"),
    "se2": da.SE2(),
    "se2 in space": da.SE2("a b c", "u v w", frame="space"),
    "se3": da.SE3(),
    "se3 in space": da.SE3("a b c", "Q", frame="space"),
    "apart": da.line("x") * da.rotation("R") * da.angle("a"),
    "user's names": da.coordinates("θ x_1 Ω", "u v w"),
    "frame": da.Space("x y", "f s", [[sp.cos(y), 0], [0, 1]]),
    "given brackets": da.Space("x y", "f s", [[1, 0], [0, 1]], {("f", "s"): [0, 0]}),
    "almost": da.Space("x y z", "a b", [[1, 0], [0, 1], [sp.Symbol("y"), 0]], {}, almost=True),
    "angles": da.Space("x y", angles=["y"]),
    "frame and plane": da.Space("x y", "f s", [[sp.cos(y), 0], [0, 1]]) * da.plane("a b"),
}


@pytest.mark.parametrize("name", SPACES)
def test_spaces(files, name):
    space = SPACES[name]
    system = da.System(space, sum(u**2 for u in space.velocities) + sum(space.coordinates))
    text = write_source(system)
    assert files.differences(system, read_source(text).system) == []
    assert write_source(read_source(text)) == text


def whole(**more):
    e = sp.Symbol("e", real=True)
    wall = {"guard": x + 9, "constraints": {"grip": vy}, "restitution": {"normal": 0.3, "grip": e}}
    return da.System(
        Q,
        **{
            "lagrangian": T - m * y + k * x**2 / 3 + sp.Float(0.1) * x**2 - sp.sqrt(1 + y**2),
            "constraints": {"blade": vx * sp.sin(theta) - vy * sp.cos(theta)},
            "parameters": {"m": 1 / 3, "k": 1e-17, "e": 0.1 + 0.2},
            "momenta": {"p": m * vx},
            "title": 'A "quoted"  title # with = signs \\ and é',
            "equivalent": {"other": vx * sp.sin(theta) - vy * sp.cos(theta)},
            "inertias": {"body": [m, m, m], "full": sp.Matrix([[2, 0, k], [0, 2, 0], [k, 0, 2]])},
            "up": y,
            "symmetry": [{"odd name": {"x": 1, "y": -1}}, da.symmetry.turns("x y", "theta")],
            "walls": {"floor": y + 9, "side": wall},
            "cite": ["lewis1995", "a note, with commas"],
            "sources": {"m": "weighed", "k": "Table 1"},
            **more,
        },
    )


LAWS = [
    {vx: -k * x, "vy": 2.5},
    da.forces.applied([vx, vy], [k, -0.1 * vx], "push"),
    {vy: k},
    da.forces.rayleigh(k * vx**2, "damper"),
    da.forces.viscous_friction([vx, vy], k),
    da.forces.viscous_friction([vx], 0.25, "air"),
    da.forces.rotational_friction([vtheta], k),
    da.forces.rolling_friction([vx, vy], k, m * 9.81),
    da.forces.rolling_friction([vx - 1, vy], k, m, velocity=[vx, vy], name="belt"),
]


@pytest.mark.parametrize("laws", [[], LAWS, LAWS[::-1], LAWS[4:], LAWS[:1], [k, 0, -vtheta]])
def test_all_parts(files, laws):
    system = whole(forces=laws)
    text = write_source(system)
    again = read_source(text).system
    found = set(files.differences(system, again)) - {"laws"}
    assert found == set()
    assert [getattr(law, "name", "") for law in again.laws] == [
        getattr(law, "name", "") for law in system.laws
    ] or laws == [k, 0, -vtheta]
    assert write_source(again) == text
    assert write_source(again, comments=False) == write_source(system, comments=False)
    assert "#" not in write_source(da.System(Q, T, parameters={"m": 1}), comments=False)


def test_units_come_back(files):
    space, units = da.plane("x y"), {"x": "m", "y": "m"}
    system = da.System(space, m * (vx**2 + vy**2) / 2, parameters={"m": "2 kg"}, units=units)
    assert files.differences(system, read_source(write_source(system)).system) == []


def test_formulas_of_parameters_come_back(files):
    text = files.changed("J = 0.5", 'J = "2/5*m*r^2*s"\nr = "s*3"\ns = 2.0')
    study = read_source(text)
    again = read_source(write_source(study))
    assert again.derived == study.derived
    assert again.constants == study.constants
    assert files.differences(study.system, again.system) == []
    assert again.runs == study.runs


def test_an_expression_longer_than_a_text_is_cut(files):
    long = sp.Symbol("coefficient_" * 5, real=True)
    many = sum(long * sp.sin(x * n) * sp.cos(theta * n) for n in range(1, 300))
    system = da.System(Q, T - many + sp.exp(-(many**2)), parameters={"m": 1, long: 1}, limits={"operations": 100_000})
    text = write_source(system)
    assert len(text) > 45_000
    assert "[definitions]" in text
    assert read_source(text, limits={"operations": 100_000}).system.lagrangian == system.lagrangian


# --- what a file cannot hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: da.System(Q, T * sp.Symbol("n", integer=True), parameters={"m": 1, "n": 1}), "integer"),
        (lambda: da.System(Q, T + sp.bessely(0, x)), "bessely"),
    ],
)
def test_what_cannot_be_written_is_refused_with_the_reason(make, word):
    try:
        system = make()
    except DalembertError:
        pytest.skip("the system itself refuses it")
    with pytest.raises(DalembertError) as caught:
        write_source(system)
    assert caught.value.code == "E512"
    assert word in str(caught.value)


def test_a_space_of_a_factory_that_files_do_not_know_is_refused():
    torus = da.coordinates("a b").made_by("torus", names="a b")
    with pytest.raises(DalembertError, match="torus") as caught:
        write_source(da.System(torus, "va**2/2 + vb**2/2"))
    assert caught.value.code == "E512"


def test_a_space_with_a_rotation_of_its_own_is_refused():
    R = da.rotation("R")
    space = da.Space(R.coordinates, R.velocities, R.anchor, R.brackets, attitudes=R.attitudes)
    with pytest.raises(DalembertError) as caught:
        write_source(da.System(space, sum(u**2 for u in space.velocities)))
    assert caught.value.code == "E512"


@pytest.mark.parametrize("thing", [None, 3, "text", Q])
def test_only_systems_and_studies_are_written(thing):
    with pytest.raises(TypeError) as caught:
        write_source(thing)
    assert caught.value.code == "E512"


def test_a_file_is_written_whole_or_not_at_all(files, tmp_path):
    system = whole()
    path = tmp_path / "whole.toml"
    assert write(system, path) == "whole.toml"
    assert files.differences(system, read(path).system) == []
    with pytest.raises(DalembertError) as caught:
        write(system, path)
    assert caught.value.code == "E530"
    write(system, path, overwrite=True)
    with pytest.raises(DalembertError) as caught:
        write(system, tmp_path / "none" / "whole.toml")
    assert caught.value.code == "E530"
    assert [p.name for p in tmp_path.iterdir()] == ["whole.toml"]


# --- random studies --------------------------------------------------------------------------------------------------

NUMBERS = st.integers(-8000, 8000).map(lambda n: n / 7)
EXPRESSIONS = st.recursive(
    st.sampled_from([x, y, theta, vx, m, k, sp.Integer(2), sp.Rational(-3, 7), sp.pi]) | NUMBERS.map(sp.Float),
    lambda e: st.one_of(
        st.tuples(e, e).map(lambda p: p[0] + p[1]),
        st.tuples(e, e).map(lambda p: p[0] * p[1]),
        st.tuples(e, st.sampled_from([2, -1, sp.Rational(1, 2)])).map(lambda p: (1 + p[0] ** 2) ** p[1]),
        e.map(sp.sin),
        e.map(sp.atan),
    ),
    max_leaves=6,
)
QUANTITIES = NUMBERS | NUMBERS.map(lambda v: f"{v!r} cm")
STARTS = st.dictionaries(st.sampled_from(["x", "y", "theta", "vx", "vy"]), QUANTITIES)
GIVEN = STARTS.filter(len)  # a comparison or a sweep without a start takes that of the first run when it is read
NAMES = st.text("abc é-", min_size=1, max_size=6).filter(lambda s: s.strip() == s)
OPTIONS = st.fixed_dictionaries(
    {}, optional={"rtol": st.floats(1e-12, 1e-3), "method": st.sampled_from(["radau", "taylor"])}
)
EVENTS = st.lists(
    st.builds(da.Event, NAMES, EXPRESSIONS, st.sampled_from(["mark", "stop"]), st.sampled_from([-1, 0, 1])),
    max_size=2, unique_by=lambda e: e.name,
).map(tuple)  # fmt: skip
COMMON = {"t": st.floats(0, 1), "until": st.floats(1, 100), "options": OPTIONS}
SAMPLES = st.none() | st.integers(2, 1000)
RUNS = st.builds(
    RunSpec, NAMES, st.sampled_from(["nonholonomic", "hamel"]), STARTS, samples=SAMPLES, events=EVENTS,
    parameters=st.fixed_dictionaries({}, optional={"m": st.floats(0.1, 9), "k": st.floats(0, 9)}), **COMMON,
)  # fmt: skip
COMPARES = st.builds(CompareSpec, NAMES, st.just(("free", "vakonomic")), GIVEN, samples=SAMPLES, **COMMON)
AXIS = st.lists(QUANTITIES, min_size=1, max_size=4).map(tuple) | NUMBERS
AXES = st.dictionaries(st.sampled_from(["x", "vx"]), AXIS, min_size=1)
SWEEPS = st.builds(SweepSpec, NAMES, st.just("gauss"), AXES, times=SAMPLES, events=EVENTS, **COMMON)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    L=EXPRESSIONS, title=st.text("aé \"'\\#[]=<>{}", max_size=12),
    values=st.tuples(st.floats(1e-300, 1e300), st.floats(0, 1e300)),
    runs=st.lists(RUNS, max_size=2, unique_by=lambda run: run.name),
    compares=st.lists(COMPARES, max_size=1), sweeps=st.lists(SWEEPS, max_size=1),
)  # fmt: skip
def test_random_studies_come_back(files, L, title, values, runs, compares, sweeps):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = da.System(Q, T + k * x + L, parameters=dict(zip("mk", values, strict=True)), title=title)
        text = write_source(Study(title, system, (), tuple(runs), tuple(compares), tuple(sweeps)))
        study = read_source(text)
        assert files.differences(system, study.system) == []
        assert (study.runs, study.compares) == (tuple(runs), tuple(compares))
        assert study.sweeps == tuple(sweeps)
        assert write_source(study) == text


@pytest.mark.parametrize("name", [None, 3, b"x", []])
def test_a_file_has_a_name(name):
    with pytest.raises(da.DalembertError, match="E501"):
        write(da.System(da.line("x"), "dot(x)^2/2"), name)


def test_a_file_keeps_inputs(files):
    push, pull = sp.symbols("push pull", real=True)
    system = da.System(Q, T, forces={vx: push - pull}, inputs="push pull", parameters={"m": 1.0})
    text = write_source(system)
    assert files.differences(system, read_source(text).system) == []
    assert write_source(system.changed(forces={vx: sp.Symbol("push") - pull})) == text  # numbers are real
    assert write_source(read_source(text)) == text


def test_no_key_of_an_entry_is_lost_on_the_way_to_a_file():
    for record in (RunSpec, CompareSpec, SweepSpec, FamilySpec):
        told = {each.name for each in fields(record) if each.compare}  # the others are places in a file
        assert told - {"options", "events"} <= {*_ORDER}, record
