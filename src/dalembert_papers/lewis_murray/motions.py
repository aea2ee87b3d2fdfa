"""What the motions say: the closed circle, the stability boundary, and where the two principles part."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from dalembert import nonholonomic, simulate, vakonomic
from dalembert.systems import ball_on_turntable as ball

from ..claim import Claim, Group
from ..runs import run

CIRCLE_TIME, CIRCLE_BOUND, SAMPLES = 500.0, 1e-10, 2_001
SHORT, SAME = 1.0, 1e-8  # s and cm: the common motion at w3 = Omega is unstable, errors grow tenfold in 0.2 s


LINEAR: dict[str, tuple[dict[str, Any], float]] = {
    "no friction": ({}, CIRCLE_TIME),
    "nu = 5": ({"nu": 5.0}, 50.0),
    "mu = 6": ({"mu": 6.0}, 50.0),
    "nu = 5, mu = 6": ({"nu": 5.0, "mu": 6.0}, 20.0),
}


def closed_forms() -> Iterator[Claim]:
    """Simulated motion against the closed form of every linear case."""
    for label, (_, error) in linear_cases().items():
        statement = f"closed form, {label}, {LINEAR[label][1]:g} s, to {CIRCLE_BOUND:g}"
        text = f"largest error {error:.1e} of the orbit"
        yield Claim("3.3", statement, True, text, error <= CIRCLE_BOUND, label == "no friction")


@cache
def linear_cases() -> dict[str, tuple[tuple[complex, complex], float]]:
    """For each linear case of the stated ball: two eigenvalues, and the error of `closed_form_error`."""
    found = {}
    for label, (friction, until) in LINEAR.items():
        values = {**ball.stated_ball(), "Omega": ball.RPM_45, **friction}
        found[label] = ball.characteristic_roots(values), closed_form_error(friction, until)
    return found


def closed_form_error(friction: dict[str, Any], until: float) -> float:
    """Largest distance between simulation and closed form, over the largest distance from the axis."""
    equations = nonholonomic(ball.system(**friction))
    start = equations.start(**ball.START, w3=0.0)
    samples = np.linspace(0.0, until, SAMPLES)
    path = simulate(equations, start, until=until, samples=samples, dense=False)
    x, y, _, _ = ball.exact(path.t, list(ball.START.values()), dict(start.parameters))
    return float(np.hypot(path["x"] - x, path["y"] - y).max() / np.hypot(x, y).max())


def stability() -> Iterator[Claim]:
    """Both roots decay iff nu I > mu m: eigenvalues on both sides of the boundary."""
    ball_values = ball.stated_ball()
    boundary = 6.0 * ball_values["m"] / ball_values["I"]  # nu at mu = 6
    for factor, decays in ((1.01, True), (0.99, False)):
        values = {**ball_values, "Omega": ball.RPM_45, "mu": 6.0, "nu": factor * boundary}
        growth = max(s.real for s in ball.characteristic_roots(values))
        statement = f"nu = {factor} mu m/I: both roots {'decay' if decays else 'do not decay'}"
        yield Claim(
            "3.3", statement, True, f"largest real part {growth:.2e}", (growth < 0) == decays == ball.decays(values)
        )


def principles() -> Iterator[Claim]:
    """Lemma 3.1 and its two exceptions, by running both principles."""
    start: dict[str, Any] = {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 5.0}
    apart = distance(ball.RPM_45, {**start, "w3": 0.0}, (0.0, 0.0))
    yield Claim(
        "Lemma 3.1", "w3(0) = 0, lam(0) = 0: both principles agree", False, f"{apart:.1e} cm apart", apart <= SAME, True
    )
    rest = distance(0.0, {**start, "w3": 0.0}, (0.0, 0.0))
    yield Claim(
        "Lemma 3.1", "Omega = 0, lam(0) = 0: both principles agree", True, f"{rest:.1e} cm apart", rest <= SAME, True
    )
    # circle centred on the axis: v = i om z with om = I Omega/(I + m r^2); lam = -(I/r^2) (vx, vy)
    om = 2 / 7 * ball.RPM_45
    centred = {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 10.0 * om, "w3": ball.RPM_45}
    p = ball.stated_ball()
    lam = (0.0, -p["I"] / p["r"] ** 2 * 10.0 * om)
    close = distance(ball.RPM_45, centred, lam)
    yield Claim(
        "Lemma 3.1",
        "w3(0) = Omega, centred circle, that lam(0): agree",
        True,
        f"{close:.1e} cm apart",
        close <= SAME,
        True,
    )
    off = distance(ball.RPM_45, {**centred, "vy": 5.0}, (0.0, -p["I"] / p["r"] ** 2 * 5.0))
    yield Claim("Lemma 3.1", "w3(0) = Omega, circle not centred: agree", False, f"{off:.1e} cm apart", off <= SAME)


def distance(Omega: float, start: dict[str, Any], lam: tuple[float, float]) -> float:
    """Largest distance in the plane between the two principles' motions over a short time, in cm."""
    system = ball.system(Omega=Omega)
    truth, rival = nonholonomic(system), vakonomic(system)
    t = np.linspace(0.0, SHORT, 201)
    a = run(truth, start, SHORT, t)
    b = run(rival, {**start, "lam_roll_x": lam[0], "lam_roll_y": lam[1]}, SHORT, t)
    return float(np.hypot(a["x"] - b["x"], a["y"] - b["y"]).max())


GROUPS: tuple[Group, ...] = (closed_forms, stability, principles)
