"""Programs of the lean form: what the library computes, motions that it integrates, and poles that stop them."""

import json
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate

from .conftest import COMPILER, NODE, build, equations, run, start_of

SYSTEMS = [
    "rolling_disc", "chaplygin_sleigh", "snakeboard", "chaplygin_ball", "ball_on_turntable", "veselova", "roller_racer",
    "pendulum_cartesian", "car_with_trailers",
]  # fmt: skip
FUNCTIONS = ("rhs", "velocities", "health")
ASK = """
import json, runpy, sys
program = runpy.run_path(sys.argv[1])
for t, given, p in json.load(sys.stdin):
    p = program["prepare"](dict(zip(program["PARAMETERS"], p)))
    y = program["from_velocities"](t, given, p)
    print(json.dumps([y, *(program[f](t, y, p) for f in ("rhs", "velocities", "health"))]))
"""
ASK_NODE = """
const program = require(process.argv[2]);
for (const [t, given, p] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
  const y = [], answers = { rhs: [], velocities: [], health: [] };
  program.prepare(p);
  program.from_velocities(t, given, p, y);
  for (const name in answers) program[name](t, y, p, answers[name]);
  console.log(JSON.stringify([y, ...Object.values(answers)].flat()));
}
"""
DRIVER = """
#include <stdio.h>
#include "program.c"
int main(void)
{
    double t, given[N_GIVEN], p[N_PARAMETERS + N_PREPARED + 1], y[N_STATES], out[2 * N_STATES + N_VELOCITIES + 1];
    int i;
    while (scanf("%lf", &t) == 1) {
        for (i = 0; i < N_GIVEN; i++) if (scanf("%lf", &given[i]) != 1) return 1;
        for (i = 0; i < N_PARAMETERS; i++) if (scanf("%lf", &p[i]) != 1) return 1;
        prepare(p);
        from_velocities(t, given, p, y);
        for (i = 0; i < N_STATES; i++) out[i] = y[i];
        rhs(t, y, p, out + N_STATES);
        velocities(t, y, p, out + 2 * N_STATES);
        health(t, y, p, out + 2 * N_STATES + N_VELOCITIES);
        for (i = 0; i < 2 * N_STATES + N_VELOCITIES + 1; i++) printf("%.17g ", out[i]);
        printf("\\n");
    }
    return 0;
}
"""


def points(made, count=4):
    """Random states with velocities that the constraints allow, {name: number} with parameters and t."""
    lean, rng = made.lean, np.random.default_rng(5)
    for _ in range(count):
        values = {**made.space.sample(rng), **made.system.values(), "t": float(rng.uniform())}
        values |= {name: float(rng.normal()) for name in lean.speeds}
        u = lean.motion(values)
        yield values | {a.name: float(e) for a, e in zip(made.space.velocities, u, strict=True)}


def by_the_library(lean, values):
    states = lean.start(values)
    known = {**values, **dict(zip(lean.states, states, strict=True))}
    rates = [float(e) for e in evaluate(list(lean.rates), known)]
    shares = [abs(evaluate([c], known)[0]) / evaluate([size], known)[0] / 0.02 for c, size in lean.charts]
    shares += [evaluate([d], known)[0] / abs(evaluate([e], known)[0]) / 1e-10 for d, e in lean.pivots]
    return [*states, *rates, *lean.motion(known), min(shares, default=1.0)]


def asked(made, text, values):
    names = [line.split('"')[1] for line in text.split("PARAMETERS = {")[1].split("}")[0].splitlines() if '"' in line]
    given = [*made.lean.coordinates, *(u.name for u in made.space.velocities)]
    return [values["t"], [values[n] for n in given], [values[n] for n in names]]


def by_python(text, asked, folder):
    (folder / "program.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", ASK, str(folder / "program.py")]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [[x for part in json.loads(line) for x in part] for line in done.stdout.splitlines()]


def by_javascript(text, asked, folder):
    (folder / "program.js").write_text(text, encoding="utf-8")
    (folder / "ask.js").write_text(ASK_NODE, encoding="utf-8")
    command = [NODE, str(folder / "ask.js"), str(folder / "program.js")]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_c(text, asked, folder):
    (folder / "program.c").write_text(text, encoding="utf-8")
    (folder / "driver.c").write_text(DRIVER, encoding="utf-8")
    build(folder / "driver.c", folder / "driver")
    numbers = " ".join(repr(float(x)) for t, y, p in asked for x in (t, *y, *p))
    done = subprocess.run([folder / "driver"], input=numbers, capture_output=True, text=True, check=True)
    return [list(map(float, line.split())) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", SYSTEMS)
def test_they_compute_what_the_library_computes(name, tmp_path):
    made = equations(name, "nonholonomic")
    values = list(points(made))
    text = made.lean.to_python()
    wanted = [by_the_library(made.lean, v) for v in values]
    questions = [asked(made, text, v) for v in values]
    found = [by_python(text, questions, tmp_path)]
    if COMPILER:
        found.append(by_c(made.lean.to_c(), questions, tmp_path))
    if NODE:
        found.append(by_javascript(made.lean.to_javascript(), questions, tmp_path))
    for way in found:
        for got, want in zip(way, wanted, strict=True):
            # sums in another order: a few roundings of the largest intermediate number
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * max(1.0, float(np.abs(want[:-1]).max())))


@pytest.mark.parametrize("name", ["rolling_disc", "ball_on_turntable"])
def test_main_integrates_as_simulate_does(name, tmp_path):
    made = equations(name, "nonholonomic")
    start = start_of(name, made)
    path = da.simulate(made, start, until=1.0, samples=np.linspace(0, 1, 6), rtol=1e-11, atol=1e-13)
    (tmp_path / "program.py").write_text(made.lean.to_python(start=start), encoding="utf-8")
    commands = [[sys.executable, "-I", "-S", str(tmp_path / "program.py"), "1", "5", "200"]]
    if COMPILER:
        (tmp_path / "program.c").write_text(made.lean.to_c(start=start, main=True), encoding="utf-8")
        build(tmp_path / "program.c", tmp_path / "program")
        commands.append([str(tmp_path / "program"), "1", "5", "200"])
    if NODE:
        (tmp_path / "program.js").write_text(made.lean.to_javascript(start=start), encoding="utf-8")
        commands.append([NODE, str(tmp_path / "program.js"), "1", "5", "200"])
    for command in commands:
        head, table, talk = run(command)
        assert head == ["t", *made.states]
        for i, column in enumerate(made.states):
            # 1000 steps of a method of order 4: (1/1000)^4 = 1e-12 of each second's change
            np.testing.assert_allclose(table[:, 1 + i], path[column], atol=3e-8 * max(1, np.abs(path[column]).max()))
        assert "largest change of a given velocity" in talk


def ring():
    """A particle whose constraint leaves one speed that a chart has to be chosen for: a pole somewhere."""
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    a = sp.Symbol("a", positive=True)
    rows = {"row": (a + x) * vx + (1 + y**2) * vy + x * y * vz}
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2, rows, parameters={"a": 1.0}))


def stopped(made, text, tmp_path, suffix, *arguments):
    file = tmp_path / f"program.{suffix}"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(file)]
    if suffix == "c":
        build(file, tmp_path / "program")
        command = [str(tmp_path / "program")]
    done = subprocess.run([*command, "1", "2", "2", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("suffix", ["py", "c"] if COMPILER else ["py"])
def test_a_program_does_not_start_at_a_pole(suffix, tmp_path):
    made = ring()
    ((chart, _size),) = made.lean.charts
    # far from the origin one of the coefficients is small beside the others: of a row (a + x, 1 + y^2, x y)
    places = [{"x": -0.9999, "y": 9.0}, {"x": 99.0, "y": 0.0}, {"x": 0.0, "y": 99.0}]
    shares = [abs(evaluate([chart], {**p, "a": 1.0})[0]) / np.sqrt((1 + p["x"]) ** 2 + (1 + p["y"] ** 2) ** 2
              + (p["x"] * p["y"]) ** 2) for p in places]  # fmt: skip
    at = places[int(np.argmin(shares))]
    assert min(shares) < 0.02
    text = made.lean.to_c(main=True) if suffix == "c" else made.lean.to_python()
    given = [f"{k}={v}" for k, v in {**at, "z": 0.0, "vx": 0.0, "vy": 0.0, "vz": 0.0}.items()]
    code, said = stopped(made, text, tmp_path, suffix, *given)
    assert code == 3
    assert "near a pole of these equations" in said
    # a program made for this start has another chart
    start = made.start(**at, z=0.0, vx=0.0, vy=0.0, vz=0.0)
    text = made.lean.to_c(start=start, main=True) if suffix == "c" else made.lean.to_python(start=start)
    assert stopped(made, text, tmp_path, suffix)[0] == 0


def test_what_depends_on_parameters_alone_is_computed_once():
    text = equations("rolling_disc", "nonholonomic").lean.to_python()
    rhs = text.split("def rhs")[1].split("\n\n\n")[0]
    assert 'p["C"]' not in rhs
    assert 'p["C"]' in text.split("def prepare")[1].split("\n\n\n")[0]
    assert text == equations("rolling_disc", "nonholonomic").lean.to_python()
