"""The end map's derivatives against differences, and its pieces against their definitions."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.numerics.policy import Policy
from dalembert.numerics.two_point.boundary_conditions import problem_of
from dalembert.numerics.two_point.collocation import action
from dalembert.numerics.two_point.end_conditions import inverse_right_jacobian
from dalembert.numerics.two_point.initial_guesses import points
from dalembert.systems import ball_on_turntable, heisenberg, pendulum_cartesian

TIGHT = Policy.of({"rtol": 1e-13})


def edge():
    plane = da.SE2()
    _, _, _, v1, v2, omega = plane
    return da.vakonomic(da.System(plane, (v1**2 + omega**2) / 2, constraints={"blade": v2}, massless=[v2]))


def chain():
    q = da.coordinates("x y")
    _, y, vx, vy = q
    return da.vakonomic(da.System(q, (vx**2 + vy**2) / 2 + y, constraints={"speed": vx**2 + vy**2 - 1}))


TURN = Rotation.from_rotvec([0.3, 0.5, -0.2])
ORIGIN = {"x": 0, "y": 0, "theta": 0}
CASES = {
    "whole": (edge, ORIGIN, {"x": 0.3, "y": 1, "theta": 0.5}),
    "free heading": (edge, ORIGIN, {"x": 0.3, "y": 1}),
    "free place": (edge, ORIGIN, {"theta": 1.0}),
    "free x": (edge, {**ORIGIN, "theta": 0.7}, {"y": 1.0, "theta": 0.2}),
    "nonlinear": (chain, {"x": 0, "y": 0}, {"x": 0.5, "y": 0.3}),
    "nonlinear, free": (chain, {"x": 0, "y": 0}, {"x": 0.5}),
    "rod": (lambda: da.vakonomic(pendulum_cartesian.system(l=1.0)), {"x": 0.6, "y": -0.8}, {"x": 0.3}),
    "ball": (lambda: da.vakonomic(ball_on_turntable.system()), {"x": 3, "y": 0, "R": "identity"},
             {"x": 4, "y": 1, "R": TURN}),
    "ball, free": (lambda: da.vakonomic(ball_on_turntable.system()), {"x": 3, "y": 0, "R": "identity"}, {"R": TURN}),
    "held": (edge, {**ORIGIN, "omega": 0.4}, {"x": 0.3, "y": 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_differences(case):
    equations, start, end = CASES[case]
    rng = np.random.default_rng(3)
    setting = problem_of(equations(), start, end, 0.0, 0.4, None, rng)
    problem = setting.problem
    *_, guess = points(problem, setting.ways, 4, rng)
    shot = problem.shoot(problem.settled(guess), TIGHT)
    h = 1e-4

    def missed(direction):
        return problem.shoot(problem.settled(shot.point + h * direction), TIGHT).F

    for column in range(shot.basis.shape[1]):
        direction = shot.basis[:, column]
        difference = (missed(direction) - missed(-direction)) / (2 * h)
        atol = 1e-5 * max(np.abs(shot.J).max(), 1)  # h^2 times third derivatives
        np.testing.assert_allclose(shot.J[:, column], difference, atol=atol)


@pytest.mark.parametrize("vector", [[0.0, 0, 0], [1e-9, 0, 1e-9], [0.4, -0.9, 1.1], [0, 0, 3.0]])
def test_the_derivative_of_the_rotation_vector(vector):
    R, h = Rotation.from_rotvec(vector), 1e-6
    J = inverse_right_jacobian(np.array(vector, float))
    for i in range(3):
        step = Rotation.from_rotvec(h * np.eye(3)[i])
        difference = ((R * step).as_rotvec() - (R * step.inv()).as_rotvec()) / (2 * h)
        np.testing.assert_allclose(J[:, i], difference, atol=1e-8)


def test_the_action_is_exact_for_a_motion_that_is_known():
    """m/2 v^2 T along the Heisenberg helix, and the integral of cos^2 for an oscillator of many periods."""
    rng = np.random.default_rng(0)
    flat = problem_of(
        da.vakonomic(heisenberg.system(m=2.0)), {"x": 0, "y": 0, "z": 0}, {"x": 1}, 0.0, 3.0, None, rng
    ).problem
    flight, _ = flat.launch(flat.settled(np.array([0.3, 0.4, 0.0, 5.0])), TIGHT)
    assert action(flat, flight)[0] == pytest.approx(0.25 * 3, rel=1e-13)
    q = da.coordinates("x")
    x, v = q
    w, T = 30.0, 3.0
    spring = da.free(da.System(q, v**2 / 2 - sp.Integer(900) * x**2 / 2))
    problem = problem_of(spring, {"x": 0}, {"x": 1}, 0.0, T, None, rng).problem
    found = action(problem, problem.launch(np.array([w]), TIGHT)[0])
    # L = w^2 (cos^2 - sin^2)/2 = w^2 cos(2 w t)/2
    assert found[0] == pytest.approx(w * np.sin(2 * w * T) / 4, abs=1e-10 * found[1])
