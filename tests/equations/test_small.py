"""Small print of lean equations: what is printed holds along the motion, and it fits half a page."""

from importlib import import_module

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations.quasi_velocity_form import small
from dalembert.model.space import Space
from dalembert.model.space_factors import plane, rotation

from .test_moving import put, state

REDUCED = "reduced "
SHORT = [
    "chaplygin_ball", "routh_sphere", "rolling_disc", "snakeboard", "chaplygin_sleigh", "suslov", "veselova",
    "roller_racer", "two_wheeled_robot", "ball_on_turntable", "reduced chaplygin_ball", "reduced chaplygin_top",
]  # fmt: skip


def top():
    """Chaplygin's top: a sphere that rolls, its centre of mass anywhere."""
    space = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="body"))
    m, r, g, I1, I2, I3 = sp.symbols("m r g I1 I2 I3", positive=True)
    a = sp.Matrix(sp.symbols("a1 a2 a3", real=True))
    R, w = sp.Matrix(space.R), sp.Matrix([space[n] for n in ("w1", "w2", "w3")])
    spin = R * w
    v = sp.Matrix([space["vx"], space["vy"], 0]) + spin.cross(R * a)
    T = (m * v.dot(v) + I1 * w[0] ** 2 + I2 * w[1] ** 2 + I3 * w[2] ** 2) / 2
    values = {"m": 1.0, "r": 0.5, "a1": 0.05, "a2": 0.02, "a3": -0.1, "I1": 0.09, "I2": 0.08, "I3": 0.06, "g": 9.81}
    rows = {"roll_x": space["vx"] - r * spin[1], "roll_y": space["vy"] + r * spin[0]}
    return da.System(space, T - m * g * (R * a)[2], rows, parameters=values, title="Chaplygin top")


def made(name):
    system = import_module(f"dalembert.systems.{name.removeprefix(REDUCED)}").system if name != "top" else top
    return da.nonholonomic(da.reduce(system()).system if name.startswith(REDUCED) else system())


@pytest.mark.parametrize("name", ["top", *SHORT])
def test_they_take_half_a_page(name):
    lines = made(name).lean.text(80).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert not any("..." in line for line in lines if "the matrix of" not in line)


@pytest.mark.filterwarnings("ignore:.*no rigid body has the moments")  # of random parameters
@pytest.mark.parametrize(
    "name", ["top", "rolling_disc", "veselova", "routh_sphere", "ball_on_turntable", "reduced chaplygin_top"]
)
def test_what_is_printed_holds_along_the_motion(name):
    equations = made(name)
    lean, form = equations.lean, equations.matrix_form()
    sheet = small(form, "", "nonholonomic", [*lean.states, *(u.name for u in equations.space.velocities), "t"])
    values, rates = state(lean, np.random.default_rng(2))
    for symbol, meaning in sheet.definitions:
        if symbol.name in values:
            assert number(meaning, values) == pytest.approx(values[symbol.name], abs=1e-10)
        if symbol.name not in rates:
            put(symbol.name, meaning, values, rates)
    everything = values | {f"{name}:dot": rate for name, rate in rates.items()}
    for left, right in sheet.motion:
        assert number(left, everything) == pytest.approx(number(right, everything), rel=1e-9, abs=1e-9)
    for q, rate in sheet.kinematics.items():
        if q.name in rates:
            assert number(rate, everything) == pytest.approx(rates[q.name], abs=1e-10)


def number(e, values):
    return float(evaluate([read(e, Graph())], values)[0])


def test_a_ball_up_to_euclidean_motions_is_chaplygins():
    # (I + D(1 - gamma gamma^T)) w' = I w x w ,  gamma' = gamma x w  [chaplygin1903],  D = m r^2 ,  |gamma| = 1
    text = made("reduced chaplygin_ball").lean.text()
    for row in ("(I2 - I3)*w2*w3", "(I3 - I1)*w1*w3", "(I1 - I2)*w1*w2"):
        assert f" = {row}\n" in text
    for row in ("A12 = -m*r**2*g1*g2", "A33 = m*r**2*(g1**2 + g2**2) + I3", "g1' = g2*w3 - g3*w2"):
        assert f"  {row}\n" in text


def test_a_rotation_is_one_row():
    text, latex = made("suslov").lean.text(), made("suslov").lean.latex()
    assert "R' = R hat(w1, w2, w3)" in text
    assert r"\dot{R} &= R \widehat{(w_{1}, w_{2}, w_{3})}" in latex
    assert "R_w" not in text
    assert "R follows by integration" in text


def test_what_is_not_written_out_is_shown_in_speeds():
    latex = made("top").latex()
    assert "the equations of motion take" in latex
    assert r"A_{11} \dot{w}_{1} + A_{12} \dot{w}_{2} + A_{13} \dot{w}_{3} &=" in latex
    assert len(latex.splitlines()) <= 60


def test_the_heading_says_by_which_principle_it_moves():
    system = import_module("dalembert.systems.chaplygin_sleigh").system()
    for principle in (da.free, da.nonholonomic):
        lean = principle(system).lean
        name = principle(system).principle
        assert f": {name}, in speeds" in lean.text() and rf"\text{{{name}: }}" in lean.latex()
