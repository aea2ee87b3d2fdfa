"""Every claim about [cendra2001a] comes out as the derivation says; a wrong sphere or a wrong formula is noticed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert.systems import symmetric_sphere as machine
from dalembert_papers import symmetric_sphere
from dalembert_papers.reproduction import Chapter
from dalembert_papers.symmetric_sphere import bundles, dynamics, figures, given, impacts, kinematics, motions
from worked import worked

MODULES = (bundles, kinematics, dynamics, impacts, motions)
GROUPS = [group for module in MODULES for group in module.GROUPS]

# every line of the list of misprints, by the place and a word of the printed form
MISPRINTS = [
    ("section 4", "-z0^3"),
    ("section 4", "left side is Delta (z, v0)"),
    ("section 4", "z0 x z0"),
    ("section 4", "T(SO(3) x R)"),
    ("section 3, covariant derivative", "adot"),
    ("section 3, kinematics", "A = A Omega^"),
    ("section 3, vertical", "|_z"),
    ("end of section 3", "_z"),
    ("section 3, X_i2", "e3^"),
]


def name(group):
    return f"{group.__module__.rpartition('.')[2]}.{group.__name__}"


def test_every_misprint_fails_as_printed_and_holds_as_repaired():
    found = [c for group in GROUPS if group not in motions.GROUPS for c in worked(group)]
    printed = [c.erratum.printed for c in found if c.erratum]
    assert all(not c.expected and not c.holds for c in printed)
    for place, word in MISPRINTS:
        assert [c for c in printed if c.where == place and word in c.statement], (place, word)
        assert [c for c in found if c.where == place and c.erratum and c.holds], place
    assert len(printed) == len(MISPRINTS)


def test_figures_are_written_as_svg_and_png(tmp_path: Path):
    drawn = [file.name for files in figures.draw(tmp_path) for file in files]
    assert drawn == ["axis.svg", "axis.png", "bounces.svg", "bounces.png"]
    assert all((tmp_path / file).stat().st_size > 10_000 for file in drawn)


def test_the_table_of_bounces_shows_the_impact_law():
    # by numbers: (w1, ydot1) = 2 lambda (u, v) - (w0, ydot0) at the first bounce
    path, p = motions.bouncing(), given.VALUES
    marks = path.marks["right"]
    before = {n: float(marks[n][0]) for n in marks.names}
    z = motions.along(machine.AXIS, before)
    w = np.array([before[n] for n in ("w1", "w2", "w3")])
    alpha, beta = p["I3"] / p["I1"], p["m"] * p["r"] ** 2 / p["I1"]
    spin, u = w @ z, np.array([1.0, 0.0, 1.0])
    lam = ((alpha - 1) * spin * (u @ z) + w @ u - beta * before["vy"]) / (2 + (alpha - 1) * (u @ z) ** 2 + beta)
    after = path.at(float(marks.t[0]))
    assert [after[n] for n in ("w1", "w2", "w3")] == pytest.approx(2 * lam * u - w, abs=1e-11)
    row = next(motions.rows())
    assert row == ("0.942", "right", f"{spin:.4f}", f"{(2 * lam * u - w) @ z:.4f}", f"{w[2]:.4f}", f"{after['w3']:.4f}")


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def forget():
    """What was derived of the right sphere, by all modules of the paper."""
    for module in (given, *MODULES):
        for found in vars(module).values():
            getattr(found, "cache_clear", lambda: None)()


def change_system(monkeypatch, **changes):
    right = machine.system

    def system(**options):
        found = right(**options)
        return found.changed(**{k: make(found) for k, make in changes.items()})

    monkeypatch.setattr(machine, "system", system)
    forget()


@pytest.fixture
def hanging(monkeypatch):
    """The sphere below the plane: the sign of the constraint. Its reduced equations are the same."""
    vx, vy, w1, w2, r = machine.VX, machine.VY, machine.W1, machine.W2, machine.RADIUS
    change_system(monkeypatch, constraints=lambda _: {"roll_x": vx + r * w2, "roll_y": vy - r * w1})
    yield
    forget()


@pytest.fixture
def geared(monkeypatch):
    """A sphere that rolls as if it had another radius."""
    vx, vy, w1, w2, r = machine.VX, machine.VY, machine.W1, machine.W2, machine.RADIUS
    change_system(monkeypatch, constraints=lambda _: {"roll_x": vx - 2 * r * w2, "roll_y": vy + 2 * r * w1})
    yield
    forget()


SIGN = [
    bundles.parts,
    kinematics.rolling,
    kinematics.connection,
    impacts.remaining,
    impacts.jump,
    impacts.reduced_variables,
    impacts.homogeneous,
]
SIZE = [
    dynamics.vertical_equation,
    dynamics.horizontal_equation,
    dynamics.newton_euler,
    dynamics.conserved,
    motions.by_momentum,
]


@pytest.mark.parametrize("group", SIGN, ids=name)
@pytest.mark.usefixtures("hanging")
def test_a_constraint_with_a_wrong_sign_is_noticed(group):
    assert not all(c.is_right for c in group())


@pytest.mark.parametrize("group", SIZE, ids=name)
@pytest.mark.usefixtures("geared")
def test_a_constraint_of_a_wrong_size_is_noticed(group):
    assert not all(c.is_right for c in group())


@pytest.fixture
def heavier(monkeypatch):
    """A kinetic energy with more mass in y than in x."""
    change_system(monkeypatch, lagrangian=lambda found: found.lagrangian + machine.MASS * machine.VY**2 / 4)
    yield
    forget()


@pytest.mark.parametrize(
    "group",
    [bundles.parts, dynamics.reduced_lagrangian, dynamics.newton_euler, impacts.kinetic, impacts.homogeneous],
    ids=name,
)
@pytest.mark.usefixtures("heavier")
def test_a_wrong_lagrangian_is_noticed(group):
    assert not all(c.is_right for c in group())


@pytest.fixture
def smooth(monkeypatch):
    """A wall without grip."""
    right = impacts.wall
    monkeypatch.setattr(impacts, "wall", lambda system, guard, constraints: right(system, guard))
    forget()
    yield
    forget()


@pytest.mark.parametrize("group", [impacts.jump, impacts.reduced_variables, impacts.homogeneous], ids=name)
@pytest.mark.usefixtures("smooth")
def test_a_wall_without_grip_is_noticed(group):
    assert not all(c.is_right for c in group())


BROKEN = [
    (kinematics, "hat", lambda w: sp.Matrix([[0, w[2], w[1]], [-w[2], 0, -w[0]], [-w[1], w[0], 0]]), kinematics.hats),
    (kinematics, "OMEGA", given.A * given.w, kinematics.rates),
    (kinematics, "bracket", lambda frame, x, y: [e / 2 for e in x], kinematics.horizontal_fields),
    (kinematics, "bracket", lambda frame, x, y: list(y), kinematics.curvature),
    (kinematics, "_refusal", lambda system: "E122", kinematics.symmetry),
    (bundles, "_bracket", lambda x, y: y * x - x * y, bundles.covariant_derivative),
    (bundles, "_bracket", lambda x, y: y * x - x * y, bundles.variations),
    (bundles, "_turning", lambda frame, right=bundles._turning: right("body"), bundles.momentum_equation),
    (dynamics, "momenta", lambda right=dynamics.momenta: (2 * right()[0], right()[1]), dynamics.momentum_map),
    (dynamics, "NABLA", given.zdot, dynamics.covariant),
    (dynamics, "K", given.w, dynamics.conserved),
    (impacts, "scaled", lambda e: e.xreplace({**given.SCALED, given.M: 2 * given.beta}), impacts.kinetic),
    (motions, "SAME", 0.0, motions.reduction),
]


@pytest.mark.parametrize(("module", "what", "wrong", "group"), BROKEN, ids=[f"{b[1]}-{name(b[3])}" for b in BROKEN])
def test_a_broken_step_is_noticed(monkeypatch, module, what, wrong, group):
    monkeypatch.setattr(module, what, wrong)
    assert not all(c.is_right for c in group())


def test_without_reconstruction_the_bounces_do_not_come_out(monkeypatch):
    monkeypatch.setattr(motions, "bounced_back", motions.full)
    assert not all(c.is_right for c in motions.bounces())


def test_a_metric_on_fewer_velocities_is_noticed(monkeypatch):
    class Other:
        class space:
            velocities = range(4)

    monkeypatch.setattr(given, "system", Other)
    assert not all(c.is_right for c in impacts.space())


def test_a_wrong_formula_turns_the_exit_code_to_1(monkeypatch):
    tampered = replace(symmetric_sphere.PAPER, chapters=[Chapter("", [dynamics.covariant])])
    monkeypatch.setattr(symmetric_sphere, "PAPER", tampered)
    monkeypatch.setattr(dynamics, "NABLA", given.zdot)
    result = CliRunner().invoke(main, ["reproduce", "symmetric-sphere", "--no-figures"])
    assert result.exit_code == 1
    assert "UNEXPECTED" in result.output


def test_a_curvature_of_another_size_is_noticed(monkeypatch):
    split = given.split()
    twice = {pair: tuple(-2 * e for e in row) for pair, row in split.curvature.items()}
    wrong = replace(split)
    wrong.__dict__["curvature"] = twice
    monkeypatch.setattr(given, "split", lambda: wrong)
    assert not all(c.is_right for c in bundles.curvature())
