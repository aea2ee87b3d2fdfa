"""Systems of the gallery under several principles, and generated programs run outside the library."""

import json
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from dalembert.principles.principle_table import named

NODE = shutil.which("node")
COMPILER = shutil.which("gcc") or shutil.which("cc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
ASK = """
import json, runpy, sys
program = runpy.run_path(sys.argv[1])
for t, y, p in json.load(sys.stdin):
    p = dict(zip(program["PARAMETERS"], p))
    print(json.dumps([program[f](t, y, p) for f in ("rhs", "multipliers", "residual")]))
"""
ASK_NODE = """
const program = require(process.argv[2]);
for (const [t, y, p] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
  const answers = { rhs: [], multipliers: [], residual: [] };
  for (const name in answers) program[name](t, y, p, answers[name]);
  console.log(JSON.stringify(Object.values(answers)));
}
"""
DRIVER = """
#include <stdio.h>
#include "program.c"
int main(void)
{
    double t, y[N_STATES], p[N_PARAMETERS + 1], out[N_STATES + N_MULTIPLIERS + N_RESIDUALS + 1];
    int i, all = N_STATES + N_MULTIPLIERS + N_RESIDUALS;
    while (scanf("%lf", &t) == 1) {
        for (i = 0; i < N_STATES; i++) if (scanf("%lf", &y[i]) != 1) return 1;
        for (i = 0; i < N_PARAMETERS; i++) if (scanf("%lf", &p[i]) != 1) return 1;
        if (rhs(t, y, p, out) || multipliers(t, y, p, out + N_STATES)) return 1;
        residual(t, y, p, out + N_STATES + N_MULTIPLIERS);
        for (i = 0; i < all; i++) printf("%.17g ", out[i]);
        printf("\\n");
    }
    return 0;
}
"""


@cache
def equations(name, principle):
    module = import_module(f"dalembert.systems.{name}")
    return named(principle)(module.system())


def start_of(name, made, lam=0.05):
    module = import_module(f"dalembert.systems.{name}")
    lams = {s.name: lam * (-0.8) ** i for i, s in enumerate(made.states_of_multipliers)}
    return made.start(**next(iter(module.STARTS.values())), **lams)


def states(made, count=4, seed=1):
    """Random states ``{name: number}`` with parameters and t; the equations are defined off the constraints too."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        point = made.space.sample(rng)
        point |= {s.name: float(rng.normal()) for s in made.states_of_multipliers}
        yield {**point, **made.system.values(), "t": float(rng.uniform())}


def expected(made, values):
    """[dy/dt, multipliers, residuals] by the library, at one state or at arrays of them, entry by entry."""
    from dalembert.calculus.from_sympy import read
    from dalembert.calculus.graph import evaluate

    udot, mu = made.accelerations(values)
    rates = evaluate(made.machine.qdot, values)
    m = made.machine
    rows = []
    for i in range(len(made.constraints)):
        rows += [m.position[i]] if i in m.position else []
        rows += [m.phi[i]]
    rows += [read(e, m.graph) for e in made.space.embedding]
    residual = evaluate(rows, values)
    states = made.states_of_multipliers
    udot, mu = np.moveaxis(udot, -1, 0), np.moveaxis(mu, -1, 0)
    return [[*rates, *udot, *(mu if states else [])], [] if states else list(mu), residual]


def ask_python(text, states, folder):
    """[dy/dt, multipliers, residuals] of the generated module, in a Python without any site packages."""
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", ASK, str(file)],
        input=json.dumps(states), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_javascript(text, states, folder):
    """The same of the generated JavaScript, in node."""
    if not NODE:
        pytest.skip("no node")
    (folder / "program.js").write_text(text, encoding="utf-8")
    (folder / "ask.js").write_text(ASK_NODE, encoding="utf-8")
    command = [NODE, str(folder / "ask.js"), str(folder / "program.js")]
    done = subprocess.run(command, input=json.dumps(states), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_c(text, states, folder, lengths):
    """The same of the generated C, compiled with every warning an error."""
    if not COMPILER:
        pytest.skip("no C compiler")
    (folder / "program.c").write_text(text, encoding="utf-8")
    (folder / "driver.c").write_text(DRIVER, encoding="utf-8")
    build(folder / "driver.c", folder / "driver")
    numbers = " ".join(repr(float(x)) for t, y, p in states for x in (t, *y, *p))
    done = subprocess.run([folder / "driver"], input=numbers, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    ends = np.cumsum(lengths)[:-1]
    return [[part.tolist() for part in np.split(np.array(row), ends)] for row in rows]


def build(source, target, *more):
    done = subprocess.run(
        [COMPILER, *FLAGS, "-O0", "-o", str(target), str(source), *more, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def run(command, status=0):
    """(header, table, standard error) of a program's main, which ends with this status."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    head, *rows = done.stdout.splitlines()
    return head.split(","), np.array([[float(x) for x in row.split(",")] for row in rows]), done.stderr
