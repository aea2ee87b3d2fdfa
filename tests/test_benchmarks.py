"""The benchmarks: every job has a bar, the command works, and the yardsticks solve the problem that is timed."""

import io
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

import dalembert as da

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the benchmarks are no part of the package

from benchmarks import disc, formation, table, whipple, yardsticks
from benchmarks.__main__ import main
from benchmarks.contest import Bar, Contest, Job, Line, Measured, Missing, Timing, hold
from benchmarks.jobs import JOBS, branches, right_hand_side

compiled = pytest.mark.skipif(yardsticks.compiler() is None, reason="no C compiler")
RNG = np.random.default_rng(20)


# --- the scheme ------------------------------------------------------------------------------------------------------


def test_every_job_has_a_bar_and_names_are_unique():
    names = [job.name for job in JOBS]
    assert len(set(names)) == len(names) >= 10
    for job in JOBS:
        keys = [contest.key for contest in job.contests]
        assert len(set(keys)) == len(keys)
        assert any(contest.bar for contest in job.contests)
        assert len(job.title) <= table.WIDTH
        assert all(len(contest.against) < table.COLUMNS["against"] for contest in job.contests)


def test_reasons_belong_to_bars():
    barred = {f"{job.name}/{contest.key}" for job in JOBS for contest in job.contests if contest.bar}
    assert set(table.reasons()) <= barred


def test_the_command_lists_jobs_and_refuses_strange_ones():
    listed = CliRunner().invoke(main, ["--list"])
    assert listed.exit_code == 0
    assert all(job.name in listed.output for job in JOBS)
    refused = CliRunner().invoke(main, ["disk"])
    assert refused.exit_code == 2
    assert "disk" in refused.output


def test_one_line_of_a_job_is_run_alone(monkeypatch):
    given = Measured(2.0, "two")
    lines = [
        Contest("half", "a half", None, lambda: Measured(1.0, "one")),
        Contest("whole", "all", None, lambda: given),
    ]
    monkeypatch.setattr("benchmarks.jobs.JOBS", [Job("work", "Work", lines)])
    alone = CliRunner().invoke(main, ["work/whole"])
    assert alone.exit_code == 0
    assert "two" in alone.output
    assert "one" not in alone.output
    refused = CliRunner().invoke(main, ["work/none"])
    assert refused.exit_code == 2
    assert "work has half, whole" in refused.output


@pytest.mark.parametrize(("value", "met"), [(0.5, True), (1.0, True), (1.5, False), (math.nan, False)])
def test_a_bar_is_met_by_numbers_on_its_side_only(value, met):
    assert Bar("<=", 1.0).met(value) == met
    assert not Bar(">=", 1.0).met(math.nan)


def test_ratios_are_of_the_best_times_and_of_single_things():
    timing = Timing([2.0, 1.0, 4.0], [6.0, 8.0, 3.0])
    assert timing.share().value == pytest.approx(1 / 3)
    assert timing.gain().value == pytest.approx(3)
    # 10 of ours in the time of 5 of theirs
    assert timing.gain(10, 5).value == pytest.approx(6)
    assert timing.share(10, 5).value == pytest.approx(1 / 6)
    low, high = timing.gain().spread
    assert 0.75 <= low <= high <= 8


def held():
    """One line of each kind."""

    def absent():
        raise Missing("casadi not installed")

    def broken():
        raise ZeroDivisionError("division by zero")

    measures = {
        "good": lambda: Measured(0.5, "1 ms", "2 ms", (0.4, 0.6)),
        "bad": lambda: Measured(123.456, "1.23 ms", "1.23e+03 s", (101.01, 140.3)),
        "absent": absent,
        "broken": broken,
    }
    job = Job("job", "A job", [Contest(key, "somebody else's", Bar("<=", 1.0), f) for key, f in measures.items()])
    return [hold(job, contest) for contest in job.contests]


def test_what_is_missed_missing_or_broken_is_said(monkeypatch):
    lines = held()
    assert [line.verdict for line in lines] == ["met", "missed", "missing", "failed"]
    monkeypatch.setattr(table, "reasons", lambda: {"job/bad": "it is slow"})
    assert table.remarks(lines) == [
        "missed: job/bad: it is slow",
        "missing: job/absent: casadi not installed",
        "failed: job/broken: ZeroDivisionError: division by zero",
    ]


def test_the_table_fits_a_terminal():
    console = Console(file=io.StringIO(), width=200)
    every = [
        Line(j, c, Measured(1.234e-10, "1.2e-15", "1.23 ms", (1.2e-10, 1.3e-10))) for j in JOBS for c in j.contests
    ]
    table.show([*held(), *every], console)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= table.WIDTH
    assert "missed" in text


def test_the_page_has_the_command_and_the_machine():
    page = table.markdown(held(), {"processor": "abacus"}, "python -m benchmarks job")
    assert "python -m benchmarks job" in page
    assert "abacus" in page
    assert page.count("| somebody else's |") == 4


# --- the yardsticks --------------------------------------------------------------------------------------------------


def accelerations(states):
    """The library's, at rows x, y, ..., vx, ..., shape (N, 5)."""
    names = disc.equations().states
    found = [disc.equations().accelerations({**disc.PARAMETERS, **dict(zip(names, y, strict=True))})[0] for y in states]
    return np.array(found)


def test_hand_reduced_equations_are_the_library_s():
    states = disc.as_written(disc.many(20, seed=1))
    values = dict(zip(disc.equations().states, states.T, strict=True))
    rates = np.array([disc.rates(math, y, disc.P) for y in disc.reduce(values)])
    exact = accelerations(states)
    np.testing.assert_allclose(rates[:, :5], states[:, 5:], rtol=0, atol=1e-13)
    np.testing.assert_allclose(rates[:, 5:7], exact[:, 2:4], rtol=1e-12, atol=1e-12)
    # d/dt (vpsi + cos(theta) vphi)
    c, s = np.cos(values["theta"]), np.sin(values["theta"])
    w = exact[:, 4] + c * exact[:, 3] - s * values["vtheta"] * values["vphi"]
    np.testing.assert_allclose(rates[:, 7], w, rtol=1e-12, atol=1e-12)


@compiled
@pytest.mark.parametrize("which", ["unreduced", "thought"])
@pytest.mark.parametrize("layout", ["rows", "simd", "columns"])
def test_c_gives_the_library_s_accelerations(which, layout):
    states = disc.as_written(disc.many(24, seed=2))
    states[:, [0, 1, 3, 4]] += 1000 * RNG.standard_normal((24, 4))  # place and headings, far out
    states = disc.as_written(dict(zip(disc.equations().states, states.T, strict=True)))
    Y = np.ascontiguousarray(states.T if layout == "columns" else states)
    out = np.empty_like(Y)
    disc.yardsticks().batch(f"{which}_{layout}", Y, disc.P, out)()
    found = out.T if layout == "columns" else out
    np.testing.assert_array_equal(found[:, :5], states[:, 5:])
    # some tens of roundings of terms of size 10; the reduction of angles of some 10^3 is exact
    np.testing.assert_allclose(found[:, 5:], accelerations(states), rtol=1e-12, atol=1e-12)


@compiled
def test_c_and_the_library_s_compiled_function_agree_on_what_is_timed():
    out = right_hand_side.ours(64)()
    theirs = np.empty((64, 10))
    disc.yardsticks().batch("unreduced_rows", np.ascontiguousarray(right_hand_side.states()[:64]), disc.P, theirs)()
    np.testing.assert_allclose(out[:, :10], theirs, rtol=1e-10, atol=1e-10)


@pytest.fixture(scope="module")
def ends():
    """End states of the library after 5 s: reduced, and as written."""
    path = da.simulate(disc.equations(), disc.start(), until=5.0, rtol=1e-13, atol=1e-15)
    return disc.reduce(path)[-1], np.array([path[n][-1] for n in disc.equations().states])


@compiled
def test_c_ends_where_the_library_does(ends):
    for first, end in zip((disc.reduced_start(), disc.as_written(disc.GIVEN)), ends, strict=True):
        found = disc.yardsticks().single(first, disc.P, 5.0, 1e-13, 1e-15)
        np.testing.assert_allclose(found, end, rtol=0, atol=1e-10)


@compiled
@pytest.mark.parametrize("count", [1, 8, 21])
def test_c_lanes_end_where_single_motions_do(count):
    # 21 leaves lanes idle at the end; the starts need different numbers of steps, so lanes are refilled one by one
    given = disc.many(count, seed=3)
    given["vpsi"] = np.linspace(0.5, 6.0, count)
    for states in (disc.reduce(given), disc.as_written(given)):
        c = disc.yardsticks()
        found = c.ensemble(states, disc.P, 3.0, 1e-12, 1e-14)
        each = [c.single(y, disc.P, 3.0, 1e-12, 1e-14) for y in states]
        np.testing.assert_allclose(found, each, rtol=0, atol=1e-10)


def test_the_slow_reference_is_the_library_s_motion(ends):
    pytest.importorskip("mpmath")
    found = disc._by_series([0.5])[0]
    path = da.simulate(disc.equations(), disc.start(), until=0.5, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(disc.reduce(path)[-1], found, rtol=0, atol=1e-13)


def test_circles_by_hand_nutate_as_euler_s_equations_say():
    m, r, A, C, g = disc.P
    s, c, u, D = math.sin(branches.LEAN), math.cos(branches.LEAN), branches.FIRST, C + m * r**2
    # D s u w = A s c u^2 - m g r c ,   (A + m r^2) (delta theta)'' = -Q delta theta
    w = (A * s * c * u**2 - m * g * r * c) / (D * s * u)
    Q = (A * (1 + 2 * c**2) + m * r**2 * s**2) * u**2 - c * (D + 2 * C) * u * w + C * D * w**2 / A - m * g * r * s
    (found,) = branches.circles_by_hand(np.array([u]))
    assert np.sort(found.imag)[[0, -1]] == pytest.approx(np.sqrt(Q / (A + m * r**2)) * np.array([-1, 1]), abs=1e-8)


# --- the bicycle -----------------------------------------------------------------------------------------------------


def test_the_bicycle_is_the_published_one():
    # eigenvalues of the upright bicycle at 5 m/s [Meijaard et al. 2007, Table 2]
    published = [-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.77534188219585 + 4.46486771378823j]
    published.append(-0.32286642900409)
    names, step = ("lean", "steer", "vlean", "vsteer"), 1e-5
    state, position = whipple.equations().states, [whipple.Q.index(n) for n in ("lean", "steer")]

    def second(name, value):
        place = {**dict.fromkeys(whipple.PLACE, 0.0), **({name: value} if name in whipple.PLACE else {})}
        rates = {**dict.fromkeys(whipple.RATES, 0.0), "vrear": -5.0 / whipple.REAR_RADIUS}
        start = whipple.completed(place, rates | ({name: value} if name in rates else {}))
        return whipple.equations().accelerations({n: start[n] for n in state})[0][position]

    lower = np.array([(second(n, step) - second(n, -step)) / (2 * step) for n in names]).T
    found = np.linalg.eigvals(np.vstack([np.eye(4)[2:], lower]))
    # differences of second order leave 1e-9 or so
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(published), rtol=0, atol=1e-6)


def test_the_bicycle_s_many_starts_roll():
    for y in whipple.many(5):
        assert np.abs(whipple.slips(math, y[:9], y[9:])).max() < 1e-13
        assert np.abs(whipple.contacts(math, y[:9])).max() < 1e-13


def test_heyoka_gets_the_same_bicycle():
    hy = pytest.importorskip("heyoka")
    rates = whipple.for_heyoka(hy)
    function = hy.cfunc([rate for _, rate in rates], [x for x, _ in rates])
    start = whipple.start()
    found = function(np.array([start[n] for n in whipple.equations().states]))
    exact = whipple.equations().accelerations(dict(start))[0]
    np.testing.assert_allclose(found[9:], exact, rtol=0, atol=1e-11)


# --- formation -------------------------------------------------------------------------------------------------------

SUBJECTS = {
    "disc": formation.disc,
    "snake": lambda: formation.snake(5),
    "snake in text": lambda: formation.snake_in_text(5),
    "bicycle": formation.bicycle,
}


@pytest.mark.parametrize("name", list(SUBJECTS))
@pytest.mark.parametrize("solve", [formation.schur, formation.bordered])
def test_casadi_forms_the_same_equations(name, solve):
    ca = pytest.importorskip("casadi")
    subject = SUBJECTS[name]()
    np.testing.assert_allclose(subject.theirs(ca, solve, *subject.state()), subject.ours(), rtol=1e-10, atol=1e-10)


def test_sympy_forms_the_same_equations():
    subject = formation.snake(3)
    np.testing.assert_allclose(formation.sympy_snake(3, *subject.state()), subject.ours(), rtol=1e-12, atol=1e-12)
