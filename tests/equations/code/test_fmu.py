"""Functional Mock-up Units: called by ctypes as an importing tool calls them, and run in FMPy where it is there."""

import ctypes
import itertools
import subprocess
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.equations.code import fmu as binaries
from dalembert.equations.code.fmu.variables import Units

from .conftest import COMPILER, FLAGS, equations, start_of
from .test_lean_programs import ring
from .test_libraries import FUNCTIONS, STEERED, SYSTEMS, asked, columns, hold, points_of, steered

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")
DOUBLE = ctypes.POINTER(ctypes.c_double)
LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
OK, DISCARD, ERROR = 0, 2, 3
ROLLING = [STEERED, ("rolling_disc", "nonholonomic"), ("ball_on_turntable", "nonholonomic")]
START = {"x": 0.0, "y": 0.0, "theta": 0.3, "left": 0.0, "right": 0.0, "vx": 0.5, "omega": 0.2}


class Unit:
    """An instance of the model in a file, as an importing tool sees it."""

    def __init__(self, file, folder):
        with zipfile.ZipFile(file) as container:
            container.extractall(folder)
        self.xml = ElementTree.parse(folder / "modelDescription.xml").getroot()
        variables = self.xml.find("ModelVariables")
        self.variables = {v.get("name"): dict(v.items()) for v in variables}
        self.states = [v.get("name") for v in variables if v.get("initial") == "exact"]
        self.parameters = [v.get("name") for v in variables if v.get("causality") in ("parameter", "input")]
        self.shown = [v.get("name") for v in variables if v.get("initial") == "calculated"]
        self.token = self.xml.get("instantiationToken")
        (library,) = (folder / "binaries").rglob("*.*")
        self.functions, self.said = ctypes.CDLL(str(library)), []
        self.log = LOG(lambda _, status, category, message: self.said.append((status, message.decode())))
        self.instance = self.instantiate(self.token)

    def instantiate(self, token):
        f = self.functions.fmi3InstantiateModelExchange
        f.restype = ctypes.c_void_p
        return f(b"one", token.encode(), None, ctypes.c_bool(False), ctypes.c_bool(True), None, self.log)

    def call(self, name, *arguments):
        return getattr(self.functions, f"fmi3{name}")(ctypes.c_void_p(self.instance), *arguments)

    def initialize(self, t=0.0):
        done, no = ctypes.c_double(t), ctypes.c_bool(False)
        assert self.call("EnterInitializationMode", no, ctypes.c_double(0), done, no, ctypes.c_double(0)) == OK
        assert self.call("ExitInitializationMode") == OK

    def references(self, names):
        return (ctypes.c_uint32 * len(names))(*(int(self.variables[name]["valueReference"]) for name in names))

    def set(self, values):
        n, numbers = len(values), np.array(list(values.values()), float)
        size = ctypes.c_size_t(n)
        return self.call("SetFloat64", self.references(list(values)), size, numbers.ctypes.data_as(DOUBLE), size)

    def get(self, names):
        out, n = np.empty(len(names)), ctypes.c_size_t(len(names))
        return self.call("GetFloat64", self.references(names), n, out.ctypes.data_as(DOUBLE), n), out

    def place(self, t, y):
        """Time and states, as a solver sets them."""
        y = np.ascontiguousarray(y, float)
        assert self.call("SetTime", ctypes.c_double(t)) == OK
        assert self.call("SetContinuousStates", y.ctypes.data_as(DOUBLE), ctypes.c_size_t(len(y))) == OK

    def rates(self):
        out = np.empty(len(self.states))
        status = self.call("GetContinuousStateDerivatives", out.ctypes.data_as(DOUBLE), ctypes.c_size_t(len(out)))
        return status, out

    def at(self, t, y, names):
        self.place(t, y)
        status, found = self.get(names)
        assert status == OK, self.said
        return found


def unit_of(made, folder, start, **more):
    made.to_fmu(folder / "model.fmu", start=start, binary=True, **more)
    return Unit(folder / "model.fmu", folder / "unpacked")


def begun(pair, made):
    return START if pair[0] == "two_wheeled_robot" else start_of(pair[0], made)


# --- numbers ---------------------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("pair", SYSTEMS)
def test_the_unit_computes_what_the_library_does(pair, tmp_path):
    made = asked(pair)
    unit = unit_of(made, tmp_path, begun(pair, made))
    unit.initialize()
    assert tuple(unit.states) == made.states
    points = list(points_of(made, 1000))
    t, y, _, w = columns(made, points)
    multipliers = [name for name in unit.shown if name.startswith("lam_")]
    residuals = [name for name in unit.shown if name.startswith("residual(")]
    found = {name: [] for name in FUNCTIONS}
    for i in range(len(points)):
        assert not made.system.inputs or unit.set(dict(zip(made.system.inputs, w[:, i], strict=True))) == OK
        unit.place(t[0, i], y[:, i])
        status, rates = unit.rates()
        assert status == OK
        np.testing.assert_array_equal(unit.get([f"der({name})" for name in unit.states])[1], rates)
        for name, row in (("rhs", rates), *((f, unit.get(names)[1]) for f, names in (
            ("multipliers", multipliers), ("residual", residuals)))):  # fmt: skip
            found[name].append(row)
    hold(made, [np.array(found[name]).T for name in FUNCTIONS], points)


@needs_compiler
@pytest.mark.parametrize(
    "pair", [*SYSTEMS[:1], ("rolling_disc", "nonholonomic"), ("ball_on_turntable", "nonholonomic")]
)
def test_the_unit_in_free_speeds_computes_what_the_library_does(pair, tmp_path):
    made = asked(pair)
    lean = made.lean
    unit = unit_of(lean, tmp_path, begun(pair, made))
    unit.initialize()
    assert tuple(unit.states) == lean.states
    velocities = [u.name for u in made.space.velocities]
    rng = np.random.default_rng(4)
    for point in points_of(made, 1000):
        known = {**point, **{name: float(rng.normal()) for name in lean.speeds}}
        y = [known[name] for name in lean.states]
        if not lean.regular({**known, **dict(zip(velocities, lean.motion(known), strict=True))}):
            continue
        assert not made.system.inputs or unit.set({name: point[name] for name in made.system.inputs}) == OK
        u = dict(zip(velocities, lean.motion(known), strict=True))
        want = [*map(float, evaluate(list(lean.rates), known)), *u.values()]
        want += map(float, evaluate([made.machine.energy], {**known, **u}))
        names = [*(f"der({name})" for name in lean.states), *velocities, "energy"]
        np.testing.assert_allclose(unit.at(point["t"], y, names), want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


@needs_compiler
@pytest.mark.parametrize("lean", [False, True])
@pytest.mark.parametrize("pair", [*SYSTEMS[:1], ("parallel_particles", "nonholonomic"), ("penny", "vakonomic")])
def test_power_is_the_rate_of_energy(pair, lean, tmp_path):
    """dE/dt along the rates that the unit itself gives, by central differences; on the constraints."""
    made = asked(pair)
    form = made.lean_if_any if lean else made
    if form is None:
        pytest.skip("no lean form")
    start = made.start(**begun(pair, made), inputs={"tau_l": 0.3, "tau_r": -0.2} if made.system.inputs else None)
    unit = unit_of(form, tmp_path, start)
    unit.initialize()
    y = np.array([float(unit.variables[name]["start"]) for name in unit.states])
    y = y if lean else np.array([start[name] for name in made.states])
    unit.place(0.0, y)
    (_, f), h = unit.rates(), 1e-5
    ahead, behind = (unit.at(s * h, y + s * h * f, ["energy"])[0] for s in (1, -1))
    assert unit.at(0.0, y, ["power"])[0] == pytest.approx((ahead - behind) / (2 * h), rel=1e-7, abs=1e-8)


@needs_compiler
def test_parameters_and_inputs_are_set_by_name(tmp_path):
    made = steered()
    unit = unit_of(made.lean, tmp_path, START, inputs={"tau_l": 0.4}, parameters={"m": 2.0})
    assert unit.variables["tau_l"]["start"] == "0.4"
    assert unit.variables["tau_r"]["start"] == "0.0"
    assert unit.variables["m"]["start"] == "2.0"
    assert unit.set({"m": 3.0, "x": 1.0}) == OK
    unit.initialize(t=0.5)
    assert unit.get(["m", "tau_l", "x", "t"])[1].tolist() == [3.0, 0.4, 1.0, 0.5]
    known = {**made.system.values({"m": 3.0, "tau_l": 0.4, "tau_r": 0.0}), "t": 0.5}
    known |= dict(zip(unit.states, unit.get(unit.states)[1], strict=True))
    np.testing.assert_allclose(unit.rates()[1], np.array(evaluate(list(made.lean.rates), known), float), rtol=1e-13)


# --- what an importing tool may do -----------------------------------------------------------------------------------


@needs_compiler
def test_calls_that_make_no_sense_are_refused_and_said(tmp_path):
    unit = unit_of(steered(), tmp_path, START)
    assert unit.call("ExitInitializationMode") == ERROR
    assert unit.set({"energy": 1.0}) == ERROR
    assert unit.set({"m": np.nan}) == ERROR
    unit.initialize()
    assert unit.set({"m": 1.0}) == ERROR
    assert unit.set({"x": 1.0}) == ERROR
    assert unit.set({"tau_l": 1.0}) == OK
    assert unit.call("EnterEventMode") == ERROR
    assert unit.call("EnterContinuousTimeMode") == OK
    assert unit.call("EnterContinuousTimeMode") == ERROR
    assert len([message for status, message in unit.said if status == ERROR and message]) == 7
    assert unit.instantiate("another") is None
    assert unit.functions.fmi3GetFloat32(ctypes.c_void_p(unit.instance), None, ctypes.c_size_t(0), None, 0) == OK
    assert unit.functions.fmi3DoStep(ctypes.c_void_p(unit.instance)) == ERROR


@needs_compiler
def test_a_state_is_kept_and_brought_back(tmp_path):
    unit = unit_of(steered(), tmp_path, START)
    unit.initialize()
    kept, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert unit.call("GetFMUState", ctypes.byref(kept)) == OK
    before = unit.get(["t", *unit.states, *unit.parameters])[1]
    assert unit.call("SerializedFMUStateSize", kept, ctypes.byref(size)) == OK
    bytes_ = (ctypes.c_uint8 * size.value)()
    assert unit.call("SerializeFMUState", kept, bytes_, size) == OK
    again = ctypes.c_void_p()
    assert unit.call("DeserializeFMUState", bytes_, size, ctypes.byref(again)) == OK
    for state in (kept, again):
        unit.place(2.0, np.ones(len(unit.states)))
        unit.set({"tau_l": 7.0})
        assert unit.call("SetFMUState", state) == OK
        np.testing.assert_array_equal(unit.get(["t", *unit.states, *unit.parameters])[1], before)
        assert unit.call("FreeFMUState", ctypes.byref(state)) == OK
    unit.set({"tau_l": 7.0})
    assert unit.call("Reset") == OK
    assert unit.get(["tau_l"])[1] == [0.0]


@needs_compiler
def test_where_nothing_determines_the_motion_it_asks_for_another_step(tmp_path):
    """A pendulum on a rod of length 0: the constraint has no normal there."""
    made = equations("pendulum_cartesian", "nonholonomic")
    unit = unit_of(made, tmp_path, start_of("pendulum_cartesian", made))
    unit.initialize()
    unit.place(0.0, np.zeros(len(unit.states)))
    assert unit.rates()[0] == DISCARD
    assert "nothing determines" in unit.said[-1][1]
    unit.place(0.0, np.full(len(unit.states), np.nan))
    assert unit.rates()[0] == DISCARD


@needs_compiler
def test_near_a_pole_the_lean_unit_ends_the_simulation(tmp_path):
    made = ring()
    at = {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 0.1, "vy": -0.1, "vz": 0.3}
    unit = unit_of(made.lean, tmp_path, at)
    unit.initialize()
    seen = set()
    for x, y in itertools.product((-1.0001, 0.3, 99.0), (0.1, 9.0, 99.0)):  # a row (1 + x, 1 + y^2, x y)
        unit.place(0.0, [x, y, 0.5, 0.1, 0.2])
        health = unit.get(["health"])[1][0]
        event, ends = ctypes.c_bool(), ctypes.c_bool()
        done = unit.call("CompletedIntegratorStep", ctypes.c_bool(True), ctypes.byref(event), ctypes.byref(ends))
        assert (done, event.value, ends.value) == (OK, False, health < 1)
        seen.add(ends.value)
    assert seen == {True, False}
    assert {message for _, message in unit.said} == {"near a pole of these equations: their health is below 1"}


# --- the file --------------------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("lean", [False, True])
def test_the_same_equations_make_the_same_bytes(lean, tmp_path):
    files = []
    for name in ("a", "b"):
        made = steered()
        made.latex()  # what was asked before makes no difference
        form = made.lean if lean else made
        files.append(form.to_fmu(tmp_path / f"{name}.fmu", start=START).read_bytes())
    assert files[0] == files[1]
    other = steered().to_fmu(tmp_path / "c.fmu", start={**START, "vx": 0.6})
    tokens = set()
    for file in (tmp_path / "a.fmu", other):
        with zipfile.ZipFile(file) as container:
            tokens.add(ElementTree.fromstring(container.read("modelDescription.xml")).get("instantiationToken"))
            assert {each.date_time for each in container.filelist} == {(1980, 1, 1, 0, 0, 0)}
    assert len(tokens) == 2


@needs_compiler
@pytest.mark.parametrize("standard", ["c99", "gnu99", "gnu17"])
@pytest.mark.parametrize("lean", [False, True])
def test_its_c_compiles_without_a_warning(lean, standard, tmp_path):
    """Also where the importing tool's compiler knows more names than the standard has."""
    made = equations("ball_on_turntable", "nonholonomic")
    file = (made.lean if lean else made).to_fmu(
        tmp_path / "a.fmu", start=start_of("ball_on_turntable", made), binary=False
    )
    with zipfile.ZipFile(file) as container:
        assert not [name for name in container.namelist() if name.startswith("binaries")]
        container.extractall(tmp_path)
    flags = [*FLAGS, f"-std={standard}", *(["-D_GNU_SOURCE"] if standard.startswith("gnu") else [])]
    command = [COMPILER, *flags, "-c", "-DFMI3_FUNCTION_PREFIX=ball_", "-o", "a.o", "sources/fmu.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    names = subprocess.run(
        ["nm", "-g", "--defined-only", "a.o"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    seen = [line.split()[-1] for line in names.stdout.splitlines()]
    assert not [name for name in seen if not name.startswith("ball_fmi3")]


@needs_compiler
@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_functions_of_the_table_have_names_that_no_library_takes(tmp_path):
    """All functions that C gets the text of, in one unit, with every name that the GNU library declares."""
    from .test_elementary import CASES, inside, symbolic

    (x,), (v,) = (q := da.coordinates("x")).coordinates, q.velocities
    made = da.free(da.System(q, v**2 / 2, forces={v: sum(symbolic(c, inside(c)) for c in CASES.values())}))
    file = made.to_fmu(tmp_path / "a.fmu", start={x.name: 0.5, v.name: 0.0}, binary=False)
    with zipfile.ZipFile(file) as container:
        container.extractall(tmp_path)
    command = [COMPILER, "-std=gnu17", "-D_GNU_SOURCE", "-c", "-o", "a.o", "sources/fmu.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_units_follow_from_those_of_the_system(tmp_path):
    q = da.coordinates("x")
    system = da.System(
        q,
        "m*vx^2/2 - k*x^2/2",
        forces={"vx": "F"},
        inputs="F",
        parameters={"m": "1 kg", "k": "2 N/m"},
        units={"x": "m"},
    )
    file = da.free(system).to_fmu(tmp_path / "a.fmu", start={"x": 1.0, "vx": 0.0}, binary=False)
    with zipfile.ZipFile(file) as container:
        root = ElementTree.fromstring(container.read("modelDescription.xml"))
    found = {v.get("name"): v.get("unit") for v in root.find("ModelVariables")}
    assert found == {
        "t": "s", "x": "m", "vx": "m/s", "der(x)": "m/s", "der(vx)": "m/s**2", "m": "kg", "k": "kg/s**2",
        "F": "kg*m/s**2", "energy": "kg*m**2/s**2", "power": "kg*m**2/s**3",
    }  # fmt: skip
    units = {u.get("name"): dict(u.find("BaseUnit").items()) for u in root.find("UnitDefinitions")}
    assert units["kg*m**2/s**3"] == {"kg": "1", "m": "2", "s": "-3"}


def test_what_depends_on_what_is_told(tmp_path):
    file = steered().to_fmu(tmp_path / "a.fmu", start=START, binary=False)
    with zipfile.ZipFile(file) as container:
        root = ElementTree.fromstring(container.read("modelDescription.xml"))
    names = {v.get("valueReference"): v.get("name") for v in root.find("ModelVariables")}
    reads = {
        names[u.get("valueReference")]: {names[i] for i in u.get("dependencies").split()}
        for u in root.find("ModelStructure")
        if u.tag != "InitialUnknown"
    }
    assert reads["x"] == {"x"}
    assert reads["der(theta)"] == {"omega"}
    assert {"tau_l", "tau_r"} <= reads["der(omega)"] & reads["lam_across"]
    assert reads["residual(across)"] == {"vx", "vy", "theta"}
    assert not reads["energy"] & {"tau_l", "tau_r"}


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "file", "given"),
    [
        ("E804", "robot.zip", {"start": START}),
        ("E804", "robot", {"start": START}),
        ("E501", lambda t: t, {"start": START}),
        ("E510", "https://robot.fmu", {"start": START}),
        ("E530", "no-folder/robot.fmu", {"start": START}),
        ("E230", "robot.fmu", {}),
        ("E241", "robot.fmu", {"start": lambda: START}),
        ("E204", "robot.fmu", {"start": START, "parameters": {"m": lambda: 1.0}}),
        ("E204", "robot.fmu", {"start": START, "inputs": {"tau_l": lambda t, state: 0.0}}),
        ("E202", "robot.fmu", {"start": START, "parameters": {"mm": 1.0}}),
        ("E204", "robot.fmu", {"start": START, "parameters": 3}),
        ("E181", "robot.fmu", {"start": START, "inputs": {"tau": 1.0}}),
        ("E182", "robot.fmu", {"start": START, "inputs": 3}),
        ("E307", "robot.fmu", {"start": START, "binary": "yes"}),
    ],
)
def test_bad_givens_are_refused(code, file, given, tmp_path):
    made = steered()
    place = tmp_path / file if isinstance(file, str) and ":" not in file else file
    for form in (made, made.lean):
        with pytest.raises(da.DalembertError) as told:
            form.to_fmu(place, **given)
        assert told.value.code == code, told.value
    assert not list(tmp_path.iterdir())


def test_the_file_of_another_is_not_replaced(tmp_path):
    made, file = steered(), tmp_path / "a.fmu"
    file.write_bytes(b"of another")
    with pytest.raises(da.DalembertError, match="E530"):
        made.to_fmu(file, start=START, binary=False)
    assert file.read_bytes() == b"of another"
    made.to_fmu(file, start=START, binary=False, overwrite=True)
    first = file.read_bytes()
    made.to_fmu(file, start={**START, "vx": 0.7}, binary=False)  # its own it replaces
    assert file.read_bytes() != first
    with pytest.raises(da.DalembertError, match="E530"):
        made.lean.to_fmu(file, start=START, binary=False)


@pytest.mark.parametrize("name", ["energy", "power"])
def test_two_variables_of_one_name_are_refused(name, tmp_path):
    q, m = da.coordinates("x"), sp.Symbol(name, positive=True)
    made = da.free(da.System(q, m * q["vx"] ** 2 / 2, parameters={name: 2.0}))
    with pytest.raises(da.DalembertError, match=rf"E804.*{name}"):
        made.to_fmu(tmp_path / "a.fmu", start={"x": 0, "vx": 1}, binary=False)


def test_without_a_compiler_there_are_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(binaries.shutil, "which", lambda name: None)
    made = steered()
    with zipfile.ZipFile(made.to_fmu(tmp_path / "a.fmu", start=START)) as container:
        assert container.namelist() == [
            "modelDescription.xml", "sources/buildDescription.xml", "sources/fmu.c", "sources/model.h",
        ]  # fmt: skip
    with pytest.raises(da.DalembertError, match="E805"):
        made.to_fmu(tmp_path / "b.fmu", start=START, binary=True)


@needs_compiler
def test_a_compiler_that_fails_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(binaries, "FLAGS", ("-no-such-flag",))
    with pytest.raises(da.DalembertError, match=r"E805.*no-such-flag"):
        steered().to_fmu(tmp_path / "a.fmu", start=START)
    monkeypatch.setattr(binaries.shutil, "which", lambda name: str(tmp_path / "none"))
    with pytest.raises(da.DalembertError, match="E805"):
        steered().to_fmu(tmp_path / "a.fmu", start=START)


# --- in another tool -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fmpy():
    return pytest.importorskip("fmpy")


@needs_compiler
@pytest.mark.parametrize("pair", [*SYSTEMS, ("parallel_particles", "nonholonomic")])
def test_fmpy_finds_nothing_wrong(fmpy, pair, tmp_path):
    from fmpy.validation import validate_fmu

    made = asked(pair)
    for form in (made, made.lean_if_any):
        if form is not None:
            assert (
                validate_fmu(str(form.to_fmu(tmp_path / f"{type(form).__name__}.fmu", start=begun(pair, made)))) == []
            )


@needs_compiler
@pytest.mark.parametrize("pair", ROLLING)
@pytest.mark.parametrize("lean", [False, True])
def test_fmpy_integrates_to_what_simulate_finds(fmpy, pair, lean, tmp_path):
    """Its CVode with relative tolerance 1e-9; drift and error of energy are of that size too."""
    made = asked(pair)
    inputs = dict.fromkeys(made.system.inputs, 0.1) or None
    file = (made.lean if lean else made).to_fmu(tmp_path / "a.fmu", start=begun(pair, made), inputs=inputs)
    found = fmpy.simulate_fmu(str(file), solver="CVode", relative_tolerance=1e-9, stop_time=2.0, output_interval=0.1)
    path = da.simulate(made, made.start(**begun(pair, made)), until=2.0, inputs=inputs)
    names = [s.name for s in (*made.space.coordinates, *made.space.velocities)]
    want = path.at(found["time"])
    for name in (*names, "energy"):
        np.testing.assert_allclose(
            found[name], want[name], atol=2e-6 * max(1.0, np.abs(want[name]).max()), err_msg=name
        )
    drifts = [name for name in found.dtype.names if name.startswith("residual(")]
    assert max((np.abs(found[name]).max() for name in drifts), default=0.0) < 5e-6
    assert not lean or not [name for name in drifts if name.removeprefix("residual(")[:-1] in path.names]


def test_a_multiplier_has_the_unit_of_what_it_is():
    """A reaction is a force beside the rows; beside L, under the vakonomic principle, it is a momentum."""
    q = da.coordinates("x y theta")
    L, blade = "m/2*(vx^2 + vy^2) + J/2*vtheta^2", {"blade": "vy*cos(theta) - vx*sin(theta)"}
    units = {"x": "m", "y": "m", "m": "kg", "J": "kg*m^2"}
    sleigh = da.System(q, L, blade, parameters={"m": 1, "J": 2}, units=units)
    assert Units(da.nonholonomic(sleigh)).shown("multipliers", "lam_blade") == "kg*m/s**2"
    assert Units(da.vakonomic(sleigh)).of("lam_blade") == "kg*m/s"
