"""A robot on two wheels under torques, a millisecond at a time, alone and many together; its linear model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import dalembert as da
from dalembert.systems import two_wheeled_robot

from ..contest import Bar, Contest, Job, Measured, Timing, alternate, need

STEP, STEPS, MEMBERS, TOLERANCE = 1e-3, 2000, 1000, 1e-9
START = {"x": 0.0, "y": 0.0, "theta": 0.0, "left": 0.0, "right": 0.0, "vx": 0.5, "omega": 0.3}
TORQUES = {"tau_l": 0.01, "tau_r": 0.012}


@cache
def _robot() -> da.nouns.Equations:
    torques = {"vleft": "tau_l", "vright": "tau_r"}
    return da.nonholonomic(two_wheeled_robot.system().changed(forces=torques, inputs="tau_l tau_r"))


def _by_hand(casadi: Any) -> tuple[Any, Any, Any]:
    """States x, y, theta, left, right, v, omega, the torques, and the rates."""
    m, J, C, w, R, a = (_robot().system.parameters[name] for name in ("m", "J", "C", "w", "R", "a"))
    q, tau = casadi.MX.sym("q", 7), casadi.MX.sym("tau", 2)
    theta, v, omega = q[2], q[5], q[6]
    # (m + 2 C/R^2) vdot = m a omega^2 + (l + r)/R ,  (J + m a^2 + 2 C w^2/R^2) omegadot = -m a v omega + (r - l) w/R
    rates = casadi.vertcat(
        v * casadi.cos(theta),
        v * casadi.sin(theta),
        omega,
        (v - w * omega) / R,
        (v + w * omega) / R,
        (m * a * omega**2 + (tau[0] + tau[1]) / R) / (m + 2 * C / R**2),
        (-m * a * v * omega + (tau[1] - tau[0]) * w / R) / (J + m * a**2 + 2 * C * w**2 / R**2),
    )
    return q, tau, rates


def _theirs() -> Callable[[], object]:
    """Steps by CasADi's CVodes, of equations reduced by hand."""
    casadi = need("casadi")
    q, tau, rates = _by_hand(casadi)
    options = {"reltol": TOLERANCE, "abstol": TOLERANCE / 100}
    onwards = casadi.integrator("onwards", "cvodes", {"x": q, "p": tau, "ode": rates}, 0.0, STEP, options)
    torques = list(TORQUES.values())

    def work() -> None:
        state = [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.3]
        for _ in range(STEPS // 10):
            state = onwards(x0=state, p=torques)["xf"]

    return work


def _ours() -> Callable[[], object]:
    plant = da.plant(_robot(), START, step=STEP, rtol=TOLERANCE)

    def work() -> None:
        plant.reset()
        for _ in range(STEPS):
            plant.step(TORQUES)

    return work


def _many() -> Callable[[], object]:
    starts = {**START, "vx": np.linspace(0.2, 0.8, MEMBERS)}
    plants = da.plants(_robot(), starts, step=STEP, rtol=TOLERANCE)
    torques = np.tile(list(TORQUES.values()), (MEMBERS, 1))

    def work() -> None:
        plants.reset()
        for _ in range(STEPS // 10):
            plants.step(torques)

    return work


def _microseconds(timing: Timing, steps: int, theirs: int) -> Measured:
    """Best time of one step of ours, in us."""
    shared = timing.share(steps, theirs)
    return Measured(min(timing.ours) / steps * 1e6, shared.ours, shared.theirs)


def _step() -> Measured:
    return _microseconds(alternate(_ours(), _theirs(), rounds=5), STEPS, STEPS // 10)


def _batch() -> Measured:
    return _microseconds(alternate(_many(), _theirs(), rounds=5), MEMBERS * STEPS // 10, STEPS // 10)


def _linear() -> Measured:
    """A, B at a state, once the derivatives are there."""
    casadi = need("casadi")
    q, tau, rates = _by_hand(casadi)
    slopes = casadi.Function("slopes", [q, tau], [casadi.jacobian(rates, q), casadi.jacobian(rates, tau)])
    start = _robot().start(**START)
    inputs = {"tau_l": 0.0, "tau_r": 0.0}
    state = [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.3]
    return alternate(
        lambda: da.linearise(_robot(), at=start, inputs=inputs), lambda: slopes(state, [0.0, 0.0]), rounds=9
    ).share()


JOB = Job(
    "plants",
    "A robot on two wheels, a millisecond a step at 1e-9: us of a step",
    [
        Contest("step", "one; CVodes by hand", Bar("<=", 20.0), _step),
        Contest("batch", "one of a thousand", Bar("<=", 2.0), _batch),
        Contest("linear", "its A and B; CasADi by hand", None, _linear),
    ],
)
