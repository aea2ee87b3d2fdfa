"""Generated programs compute what the library computes: derivatives, multipliers, residuals, and short runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

from .conftest import (
    COMPILER,
    NODE,
    ask_c,
    ask_javascript,
    ask_python,
    build,
    equations,
    expected,
    run,
    start_of,
    states,
)

SYSTEMS = [
    "ball_on_turntable", "chaplygin_ball", "chaplygin_sleigh", "disguised_holonomic", "double_pendulum_cartesian",
    "heisenberg", "knife_edge_on_incline", "nonholonomic_particle", "pendulum_cartesian", "penny", "roller_racer",
    "rolling_disc", "rolling_ball_on_plane", "snakeboard", "suslov", "symmetric_sphere", "two_wheeled_robot",
    "veselova", "whipple_bicycle", "appell_hamel", "car_with_trailers", "rattleback", "routh_sphere", "wheeled_snake",
]  # fmt: skip
FORMS = [
    ("penny", "maggi"), ("chaplygin_sleigh", "hamel"), ("heisenberg", "voronec"), ("penny", "gauss"),
    ("chaplygin_sleigh", "gibbs_appell"), ("penny", "almost_poisson"), ("chaplygin_sleigh", "chaplygin"),
    ("penny", "free"), ("rolling_disc", "free"), ("rolling_disc", "maggi"), ("appell_hamel", "gauss"),
]  # fmt: skip
PAIRS = [(s, p) for s in SYSTEMS for p in ("nonholonomic", "vakonomic")] + FORMS
# accelerations at random states come from matrices of condition up to 1e4; elimination without pivots may lose that
TOLERANCE = 1e-10
FULL = Path("/dev/full")


def agree(found, wanted, what):
    for got, want, name in zip(found, wanted, ("rhs", "multipliers", "residual"), strict=True):
        size = max(1.0, float(np.abs(want).max(initial=0.0)))
        assert np.shape(got) == np.shape(want), (what, name)
        assert np.abs(np.subtract(got, want)).max(initial=0.0) <= TOLERANCE * size, (what, name)


def compare(made, tmp_path, **options):
    points = list(states(made))
    python, c = made.to_python(**options), made.to_c(**options)
    names = list(ask_names(python))
    asked = [(v["t"], [v[s] for s in made.states], [v[k] for k in names]) for v in points]
    wanted = [expected(made, v) for v in points]
    for found, want in zip(ask_python(python, asked, tmp_path), wanted, strict=True):
        agree(found, want, "Python")
    if NODE:
        script = made.to_javascript(**options)
        for found, want in zip(ask_javascript(script, asked, tmp_path), wanted, strict=True):
            agree(found, want, "JavaScript")
    for found, want in zip(ask_c(c, asked, tmp_path, [len(part) for part in wanted[0]]), wanted, strict=True):
        agree(found, want, "C")


def ask_names(text):
    """The parameters of a module in order."""
    inside = text.split("PARAMETERS = {")[1].split("}")[0]
    return [line.split('"')[1] for line in inside.splitlines() if '"' in line]


@pytest.mark.parametrize(("name", "principle"), PAIRS)
def test_programs_agree_with_the_library(name, principle, tmp_path):
    compare(equations(name, principle), tmp_path)


@pytest.mark.parametrize(
    ("name", "principle"), [("penny", "nonholonomic"), ("snakeboard", "vakonomic"), ("penny", "maggi")]
)
def test_with_pivots_they_agree_as_well(name, principle, tmp_path):
    compare(equations(name, principle), tmp_path, pivots=True)


LINKED = """
#include <stdio.h>
extern const char *const STATES[];
extern const double START[], PARAMETER_VALUES[];
int rhs(double t, const double *y, const double *p, double *out);
int main(void)
{
    double out[64];
    int i;
    if (rhs(0.0, START, PARAMETER_VALUES, out)) return 1;
    for (i = 0; STATES[i]; i++) printf("%s%s", i ? "," : "", STATES[i]);
    for (i = 0; STATES[i]; i++) printf("%c%.17g", i ? ',' : '\\n', out[i]);
    return 0;
}
"""


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
@pytest.mark.parametrize("pivots", [False, True])
def test_without_main_other_code_is_linked_to_it(pivots, tmp_path):
    made = equations("penny", "nonholonomic")
    start = start_of("penny", made)
    text = made.to_c(start=start, pivots=pivots)
    assert "main" not in text
    assert "stdio" not in text
    assert "\nint main(" in made.to_c(start=start, pivots=pivots, main=True)
    (tmp_path / "penny.c").write_text(text, encoding="utf-8")
    (tmp_path / "other.c").write_text(LINKED, encoding="utf-8")
    for name in ("penny", "other"):
        build(tmp_path / f"{name}.c", tmp_path / f"{name}.o", "-c")
    build(tmp_path / "penny.o", tmp_path / "program", str(tmp_path / "other.o"))
    head, table, _ = run([str(tmp_path / "program")])
    assert head == list(made.states)
    np.testing.assert_allclose(table[0], expected(made, {**start.parameters, **start.state, "t": 0.0})[0], atol=1e-14)


@pytest.mark.parametrize(
    ("name", "principle"),
    [("chaplygin_sleigh", "nonholonomic"), ("penny", "vakonomic"), ("rolling_disc", "nonholonomic"),
     ("ball_on_turntable", "nonholonomic"), ("appell_hamel", "vakonomic")],
)  # fmt: skip
def test_main_integrates_as_simulate_does(name, principle, tmp_path):
    made = equations(name, principle)
    start = start_of(name, made)
    path = da.simulate(made, start, until=1.0, samples=np.linspace(0, 1, 11), rtol=1e-11, atol=1e-13)
    (tmp_path / "program.py").write_text(made.to_python(start=start), encoding="utf-8")
    results = [run([sys.executable, "-I", "-S", str(tmp_path / "program.py"), "1", "10", "200"])]
    if COMPILER:
        (tmp_path / "program.c").write_text(made.to_c(start=start, main=True), encoding="utf-8")
        build(tmp_path / "program.c", tmp_path / "program")
        results.append(run([str(tmp_path / "program"), "1", "10", "200"]))
    if NODE:
        (tmp_path / "program.js").write_text(made.to_javascript(start=start), encoding="utf-8")
        results.append(run([NODE, str(tmp_path / "program.js"), "1", "10", "200"]))
    for head, table, talk in results:
        assert head[: 1 + len(made.states)] == ["t", *made.states]
        assert head[1 + len(made.states) :] == (
            [] if made.states_of_multipliers else [s.name for s in made.multipliers]
        )
        np.testing.assert_allclose(table[:, 0], np.linspace(0, 1, 11), atol=1e-12)
        for i, s in enumerate(made.states):
            # 2000 steps of a method of order 4: (1/2000)^4 = 6e-14 of each second's change
            np.testing.assert_allclose(table[:, 1 + i], path[s], atol=2e-9 * max(1, np.abs(path[s]).max()))
        assert "largest residual at the end" in talk
    for other in results[1:]:
        np.testing.assert_allclose(results[0][1], other[1], rtol=1e-12, atol=1e-12)


def test_main_halves_its_step_to_a_sixteenth_of_the_error(tmp_path):
    made = equations("chaplygin_sleigh", "nonholonomic")
    (tmp_path / "program.py").write_text(made.to_python(start=start_of("chaplygin_sleigh", made)), encoding="utf-8")
    ends = [
        run([sys.executable, "-I", "-S", str(tmp_path / "program.py"), "2", "1", str(n)])[1][-1] for n in (20, 40, 80)
    ]
    order = np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max())
    assert 3.7 < order < 4.3


def test_what_is_missing_is_asked_for_and_taken_from_the_command_line(tmp_path):
    import subprocess

    made = equations("pendulum_cartesian", "nonholonomic")
    (tmp_path / "program.py").write_text(made.to_python(), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(tmp_path / "program.py")]
    told = subprocess.run([*command, "1"], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "give NAME=VALUE for: " + ", ".join(made.states) in told.stderr
    wrong = subprocess.run([*command, "1", "z=3"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "unknown name 'z'" in wrong.stderr
    start = start_of("pendulum_cartesian", made)
    given = [f"{k}={v!r}" for k, v in start.items()]
    text = made.to_python(start=start)
    (tmp_path / "full.py").write_text(text, encoding="utf-8")
    a = run([*command, "1", "2", "10", *given])[1]
    b = run([sys.executable, "-I", "-S", str(tmp_path / "full.py"), "1", "2", "10"])[1]
    np.testing.assert_array_equal(a, b)


def test_the_same_text_every_time_whatever_was_asked_before():
    name = "penny"
    from importlib import import_module

    fresh = [da.nonholonomic(import_module(f"dalembert.systems.{name}").system()) for _ in range(2)]
    fresh[0].start(**import_module(f"dalembert.systems.{name}").START)
    assert fresh[0].to_python() == fresh[1].to_python()
    assert fresh[0].to_c() == fresh[1].to_c()
    assert fresh[0].to_javascript() == fresh[1].to_javascript()


def test_a_program_runs_to_the_end_it_is_given_and_ten_seconds_without(tmp_path):
    made = equations("penny", "nonholonomic")
    begun = made.start(**{**start_of("penny", made)}, t=20.0)
    for until, end in ((20.5, 20.5), (None, 30.0)):
        (tmp_path / "program.py").write_text(made.to_python(start=begun, until=until), encoding="utf-8")
        _, rows, _ = run([sys.executable, str(tmp_path / "program.py")])
        assert [rows[0, 0], rows[-1, 0]] == [20.0, end]
    for words in (made.to_python, made.to_javascript, made.lean.to_python):
        with pytest.raises(da.DalembertError, match="E301"):
            words(until=float("nan"))


def test_main_takes_steps_that_are_small_enough_whatever_the_end(tmp_path):
    """x = cos 2 pi t: a hundred steps for each of a hundred periods left 8e-5, and at w = 3000 none are enough."""
    w = da.System(da.coordinates("x"), "vx^2/2 - w^2*x^2/2", parameters={"w": 2 * np.pi})
    made = da.free(w)
    options = {"start": made.start(x=1, vx=0), "until": 25.25}
    (tmp_path / "program.py").write_text(made.to_python(**options), encoding="utf-8")
    programs = [[sys.executable, "-I", "-S", str(tmp_path / "program.py")]]
    if NODE:
        (tmp_path / "program.js").write_text(made.to_javascript(**options), encoding="utf-8")
        programs.append([NODE, str(tmp_path / "program.js")])
    if COMPILER:
        (tmp_path / "program.c").write_text(made.to_c(**options, main=True), encoding="utf-8")
        build(tmp_path / "program.c", tmp_path / "program")
        programs.append([str(tmp_path / "program")])
    for program in programs:
        _, rows, told = run(program)
        assert abs(rows[-1, 1]) < 1e-7 and "not enough" not in told
        _, rows, told = run([*program, "100.25", "100", "100"])
        assert 1e-5 < abs(rows[-1, 1]) < 1e-3 and "not enough" not in told
        rough = run([*program, "10", "2", "w=3000"], status=4)[2]  # which a script sees
        assert "in 2 of 2 rows 6400 steps are not enough" in rough
        tells_who_cannot_write(program)


def tells_who_cannot_write(program):
    """On a full disk a program says so and returns 5; where its reader has left it says nothing."""
    short = {"args": [*program, "1", "2", "2"], "stderr": subprocess.PIPE, "text": True}
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as left:
        done = subprocess.run(check=False, stdout=left, **short)
    assert done.returncode in (0, -signal.SIGPIPE), done.stderr
    assert all("largest residual" in line for line in done.stderr.splitlines()), done.stderr
    if FULL.exists():
        with FULL.open("w") as disk:
            done = subprocess.run(check=False, stdout=disk, **short)
        assert done.returncode == 5 and "Traceback" not in done.stderr
        assert "the table cannot be written: " in done.stderr
