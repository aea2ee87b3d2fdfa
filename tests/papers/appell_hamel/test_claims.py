"""Every claim about [xu2007] comes out as the derivation says; and a wrong wheel or a wrong formula is noticed."""

import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner
from scipy.integrate import solve_ivp

from dalembert.apps.cli import main
from dalembert.systems import appell_hamel as machine
from dalembert_papers.appell_hamel import (
    chetaev,
    errata,
    figures,
    given,
    motions,
    newton_euler,
    parting,
    vakonomic_model,
)
from dalembert_papers.vanishing import vanishes
from worked import worked

# every line of the list of misprints
PLACES = {
    "(17), (18)",
    "(24), (25)",
    "(22)",
    "(48)",
    "(49)",
    "(35) to (37)",
    "(57)",
    "(4)",
    "(5)",
    "(10)",
}


def name(group):
    return f"{group.__module__.rpartition('.')[2]}.{group.__name__}"


def test_every_misprint_fails_as_printed_and_holds_as_repaired():
    found = [c for group in errata.GROUPS for c in worked(group)]
    assert {c.where for c in found if c.erratum and c.is_right} == PLACES


# --- by another route ------------------------------------------------------------------------------------------------


def reduced(t, state, p):
    """The four equations of `parting`, and x, y, theta, written out by hand."""
    s, momentum, blade, omega, theta, _, _ = state
    K = p["I"] + (p["m"] + p["M"]) * p["a"] ** 2 + p["m"] * p["b"] ** 2
    sdot = p["a"] * (p["F"] * p["a"] + p["m"] * p["g"] * p["b"] + p["a"] * omega * blade) / K
    turn = omega * blade
    return [sdot, p["F"] + turn, -omega * momentum, -blade * s / p["J"], omega, s * np.cos(theta), s * np.sin(theta)]


@pytest.mark.parametrize(("roll", "blade"), [(0.0, 0.0), (1.0, 0.0), (-0.5, 0.3)])
def test_vakonomic_runs_meet_the_reduced_equations_integrated_by_scipy(roll, blade):
    path = motions.geodesic(3.0, {"lam_roll": roll, "lam_blade": blade}, np.linspace(0.0, 3.0, 31))
    start = [0.0, -roll, blade, 1.0, 0.0, 0.0, 0.0]
    by_hand = solve_ivp(reduced, (0, 3), start, "DOP853", path.t, rtol=1e-12, atol=1e-13, args=(given.VALUES,))
    assert np.hypot(path["x"] - by_hand.y[5], path["y"] - by_hand.y[6]).max() < 1e-8  # errors grow some 10^3-fold
    assert np.abs(path["omega"] - by_hand.y[3]).max() < 1e-7


def test_figure_2_is_drawn_in_the_paper_s_variables():
    tau = np.array([0.5, np.pi, 10.0])
    xi, eta = figures.scaled(motions.newton(10.0), tau)  # omega = 1/s
    assert xi == pytest.approx(tau * np.sin(tau) + np.cos(tau) - 1, abs=1e-9)
    assert eta == pytest.approx(np.sin(tau) - tau * np.cos(tau), abs=1e-9)


def test_figures_are_written_as_svg_and_png(tmp_path: Path):
    drawn = [file.name for files in figures.draw(tmp_path) for file in files]
    assert drawn == ["figure-02.svg", "figure-02.png", "vakonomic.svg", "vakonomic.png"]
    assert all((tmp_path / file).stat().st_size > 10_000 for file in drawn)


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def forget():
    for cached in (given.left, newton_euler.form, newton_euler.motion, chetaev.form, chetaev.motion):
        cached.cache_clear()
    for cached in (vakonomic_model.rows, vakonomic_model.motion, motions.cone_start, parting.truth, parting.rivals):
        cached.cache_clear()


@pytest.fixture
def wrong_wheel(monkeypatch):
    """The wheel whose drum winds the thread up where it should let it down, in the linear set only."""
    monkeypatch.setitem(machine.WITH_WHEEL, "thread", given.vz - given.b * given.vphi)
    forget()
    yield
    forget()


@pytest.mark.parametrize(
    "group",
    [
        newton_euler.newton_euler,
        newton_euler.acceleration,
        newton_euler.special_motions,
        chetaev.result,
        vakonomic_model.reduced_equations,
        errata.straight_line,
        motions.special_motions,
        motions.both_sets,
    ],
    ids=name,
)
@pytest.mark.usefixtures("wrong_wheel")
def test_a_wrong_constraint_is_noticed(group):
    assert not all(c.is_right for c in group())


@pytest.fixture
def wrong_force(monkeypatch):
    """A force that does not follow the wheel."""
    right = machine.system

    def system(**options):
        return right(**options).changed(forces={given.vx: given.F}, symmetry=())  # it does not turn along

    monkeypatch.setattr(machine, "system", system)
    forget()
    yield
    forget()


@pytest.mark.parametrize(
    "group",
    [
        newton_euler.constraints,
        newton_euler.newton_euler,
        chetaev.equations,
        vakonomic_model.derived,
        vakonomic_model.scope,
        vakonomic_model.reduced_equations,
        motions.special_motions,
        parting.orders,
    ],
    ids=name,
)
@pytest.mark.usefixtures("wrong_force")
def test_a_force_that_does_not_follow_is_noticed(group):
    assert not all(c.is_right for c in group())


def test_without_the_misprints_the_list_of_misprints_does_not_come_out(monkeypatch):
    monkeypatch.setattr(errata, "DAMAGED", newton_euler.HALF)
    assert not all(c.is_right for c in errata.straight_line())


def test_a_wrong_constant_turns_the_exit_code_to_1(monkeypatch):
    monkeypatch.setattr(newton_euler, "A_TAU", given.A_TAU.subs(given.K, given.K + given.I))  # 2 I, as in (17)
    result = CliRunner().invoke(main, ["reproduce", "appell-hamel", "--no-figures"])
    assert result.exit_code == 1
    assert re.search(r"UNEXPECTED \S+ \(12\): A_tau", result.output)


@pytest.mark.parametrize("others", range(24))  # each number of symbols draws another sign for z
def test_what_holds_on_one_side_only_is_not_zero(others):
    z = sp.Symbol("z", real=True)
    factor = 1 + sum(symbol**2 for symbol in sp.symbols(f"a:{others}", real=True))
    for one_sided in (z / sp.sqrt(z**2) - 1, z / sp.sqrt(z**2) + 1):
        assert not vanishes(one_sided * factor)
    assert vanishes((z / sp.sqrt(z**2) - sp.sign(z)) * z * factor)
