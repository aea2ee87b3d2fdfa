"""What the motions say: (17) to (29) run, rest, both sets of constraints, and where the principles agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from dalembert import DalembertError, nonholonomic, vakonomic
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group
from ..runs import refusal, run
from . import given
from .given import REST

SAME = 1e-9  # of the path's length: the integrator's tolerance is 1e-10, and errors grow with the time
TURNS = 20.0  # s
SPAN = 3.0  # s
STRAIGHT = 2.0  # s: errors of the straight vakonomic motion grow like exp(t^2 sqrt(F A_tau/I')/2), here to 10^3
MULTIPLIERS = {"lam_blade": 0.0, "lam_roll": 0.0, "lam_thread": 0.0}


# --- runs ------------------------------------------------------------------------------------------------------------


def newton(until: float, start: Mapping[str, float] | None = None, samples: Any = None, **values: float) -> Trajectory:
    """The nonholonomic motion with (1), (2), (3); from rest with thetadot = 1 rad/s unless told otherwise."""
    return run(nonholonomic(given.linear(**values)), {**REST, "phi": 0.0, **(start or {})}, until, samples)


def geodesic(
    until: float, start: Mapping[str, float] | None = None, samples: Any = None, **values: float
) -> Trajectory:
    """The vakonomic motion with (1), (2), (3), from the same start and lam(0) = 0 unless told otherwise."""
    every = {**REST, "phi": 0.0, **MULTIPLIERS, **(start or {})}
    return run(vakonomic(given.linear(**values)), every, until, samples)


def exact(t: Any, values: Mapping[str, float], heading: float, omega: float) -> tuple[np.ndarray, np.ndarray]:
    """x, y from rest at the origin: (17), (18) repaired where omega = 0, else (27), (28) turned by `heading`."""
    A_tau = forwards(values)
    t = np.asarray(t, float)
    if not omega:
        return A_tau * t**2 / 2 * np.cos(heading), A_tau * t**2 / 2 * np.sin(heading)
    tau = omega * t
    x = A_tau / omega**2 * (tau * np.sin(tau) + np.cos(tau) - 1)
    y = A_tau / omega**2 * (np.sin(tau) - tau * np.cos(tau))
    return x * np.cos(heading) - y * np.sin(heading), x * np.sin(heading) + y * np.cos(heading)


def forwards(values: Mapping[str, float]) -> float:
    """A_tau of (12)."""
    return _number(given.A_TAU, values)


def inertia(values: Mapping[str, float]) -> float:
    """K = I + (m + M) a^2 + m b^2."""
    return _number(given.K, values)


def _number(expression: Any, values: Mapping[str, float]) -> float:
    return float(expression.subs({symbol: values[symbol.name] for symbol in expression.free_symbols}))


def apart(first: Trajectory, second: Trajectory) -> np.ndarray:
    """Distance in the plane at the common samples."""
    return np.asarray(np.hypot(first["x"] - second["x"], first["y"] - second["y"]))


def length(path: Trajectory) -> float:
    """Largest distance from the start."""
    return float(np.hypot(path["x"] - path["x"][0], path["y"] - path["y"][0]).max())


def difference(first: Trajectory, second: Trajectory) -> float:
    """Largest distance at the common samples, over the first path's extent; infinite where one ended early."""
    if first.t.shape != second.t.shape or not (first.ok and second.ok):
        return float("inf")
    return float(apart(first, second).max()) / length(first)


def _same(where: str, statement: str, first: Trajectory, second: Trajectory, key: bool = False) -> Claim:
    """The claim that two paths are one."""
    found = difference(first, second)
    return Claim(where, statement, True, f"{found:.1e} of the path apart", found <= SAME, key)


# --- the closed forms ------------------------------------------------------------------------------------------------


def special_motions() -> Iterator[Claim]:
    """Simulated motions from rest against (17), (18) and (27), (28) as repaired."""
    t = np.linspace(0.0, TURNS, 401)
    cases: tuple[tuple[str, str, dict[str, float], float, float], ...] = (
        ("(17) to (19)", "from rest, theta0 = 0.6, straight", {}, 0.6, 0.0),
        ("(27) to (29)", "from rest, thetadot = 1/s", {}, 0.0, 1.0),
        ("(27) to (29)", "the same for the paper's I = 0", {"I": 0.0}, 0.0, 1.0),
        ("(22)", "turned by theta0 = 0.6, thetadot = -1/s", {}, 0.6, -1.0),
    )
    for where, statement, values, heading, omega in cases:
        path = newton(TURNS, {"theta": heading, "omega": omega}, t, **values)
        x, y = exact(t, {**given.VALUES, **values}, heading, omega)
        error = float(np.hypot(path["x"] - x, path["y"] - y).max() / np.hypot(x, y).max()) if path.ok else np.inf
        yield Claim(where, f"{statement}: the run, {TURNS:g} s", True, f"{error:.1e} of the path apart", error <= SAME)


# --- rest ------------------------------------------------------------------------------------------------------------


def from_rest() -> Iterator[Claim]:
    """The paper's own start, where (4) has no normal."""
    for principle, more in ((nonholonomic, {}), (vakonomic, {"lam_blade": 0.0, "lam_cone": 0.0})):
        refused = refusal(principle(given.quadratic()), {**REST, "vy": 0.0, "vz": 0.0, **more})
        statement = f"a {principle.__name__} motion follows from (4) at the paper's start, rest"
        yield Claim(
            "(14), (21)",
            statement,
            False,
            _text(refused),
            not refused or refused.code != "E121",  # (4) has no normal there, which is why
            principle is nonholonomic,
        )
    for principle, more in ((nonholonomic, {}), (vakonomic, MULTIPLIERS)):
        refused = refusal(principle(given.linear()), {**REST, "phi": 0.0, **more})
        statement = f"a {principle.__name__} motion follows from (1) to (3) there"
        yield Claim(
            "(14), (21)",
            statement,
            True,
            _text(refused),
            not refused,
            principle is nonholonomic,
        )
    yield from _through_rest()


def _text(refused: DalembertError | None) -> str:
    return f"{refused.code} {refused.fact}" if refused else "accepted"


def _through_rest() -> Iterator[Claim]:
    """The wheel rolls backwards and lifts the block; where it turns back, (4) stops."""
    start = {**REST, "vx": -1.0}
    rest_at = 1.0 / forwards(given.VALUES)
    path = newton(SPAN, start)
    statement = "rolling backwards at 1 m/s: (1) to (3) carry the motion through rest"
    yield Claim("(14), (21)", statement, True, f"rest at {rest_at:.3f} s, {path.outcome}", path.ok)
    blocked = run(nonholonomic(given.quadratic()), {**start, "vy": 0.0, "vz": given_vz(start["vx"])}, SPAN)
    stopped = not blocked.reached and abs(blocked.t[-1] - rest_at) < 1e-6
    said = blocked.outcome.split(":")[0]
    yield Claim("(14), (21)", "the same with (4)", False, said, not stopped)
    yield from _vakonomic_through_rest()


def _vakonomic_through_rest() -> Iterator[Claim]:
    """lam_cone = lam_roll/(2 s) has no limit where s passes through 0 with lam_roll != 0."""
    statement = "the vakonomic run, rolling backwards at 1 m/s: (1) to (3) carry it through s = 0"
    path = geodesic(SPAN, {"vx": -1.0})
    speed = path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])
    i = int(np.argmax(speed > 0))
    low, high = float(path.t[i - 1]), float(path.t[i])
    text = f"s = 0 between {low:.3f} and {high:.3f} s, {path.outcome}"
    yield Claim("vakonomic motion", statement, True, text, path.ok and bool(speed[0] < 0 < speed[i]))
    cone = {**REST, "vx": -1.0, "vy": 0.0, "vz": given_vz(-1.0), "lam_blade": 0.0, "lam_cone": 0.0}
    blocked = run(vakonomic(given.quadratic()), cone, SPAN)
    at_rest = not blocked.reached and low <= blocked.t[-1] <= high
    said = f"{blocked.outcome.split(':')[0]}, lam_cone = {blocked['lam_cone'][-1]:.1e}"
    yield Claim("vakonomic motion", "the run from (1), (4) goes through s = 0 as well", False, said, not at_rest, True)


def given_vz(vx: float) -> float:
    """zdot at theta = 0 by (2) and (3)."""
    return -given.VALUES["b"] / given.VALUES["a"] * vx


# --- both sets, both principles --------------------------------------------------------------------------------------

MOVING = {**REST, "vx": 0.3, "omega": 1.0}


@cache
def cone_start(roll: float = 0.4, blade: float = -0.2) -> tuple[dict[str, float], dict[str, float]]:
    """The same moving start for (1), (4) and for (1) to (3); lam_roll = 2 lam_cone s, lam_thread = (a/b) lam_roll."""
    ratio = given.VALUES["a"] / given.VALUES["b"]
    linear = {**MOVING, "lam_blade": blade, "lam_roll": roll, "lam_thread": ratio * roll}
    cone = {**MOVING, "vy": 0.0, "vz": given_vz(MOVING["vx"]), "lam_blade": blade}
    return {**cone, "lam_cone": roll / (2 * MOVING["vx"])}, linear


def both_sets() -> Iterator[Claim]:
    """(1), (4) and (1), (2), (3) from a moving start, under both principles."""
    t = np.linspace(0.0, SPAN, 301)
    cone, linear = cone_start()
    plain = {k: v for k, v in cone.items() if not k.startswith("lam")}
    yield _same(
        "section 3",
        "one nonholonomic motion from (1), (4) and from (1) to (3)",
        newton(SPAN, MOVING, t),
        run(nonholonomic(given.quadratic()), plain, SPAN, t),
    )
    yield _same(
        "vakonomic motion",
        "one run from (1), (4) and from (1) to (3)",
        geodesic(SPAN, linear, t),
        run(vakonomic(given.quadratic()), cone, SPAN, t),
        key=True,
    )
    other = {**linear, "lam_thread": linear["lam_thread"] + 5.0}
    statement = "another lam_thread(0) gives the same motion"
    yield _same("vakonomic motion", statement, geodesic(SPAN, linear, t), geodesic(SPAN, other, t))


def agreement() -> Iterator[Claim]:
    """Straight rolling and F = 0: runs of both principles from one start."""
    t = np.linspace(0.0, STRAIGHT, 201)
    for F in (1.0, -3.0):
        for roll in (0.0, 2.0):
            start = {"omega": 0.0, "theta": 0.6}
            pair = newton(STRAIGHT, start, t, F=F), geodesic(STRAIGHT, {**start, "lam_roll": roll}, t, F=F)
            yield _same("section 4, scope", f"straight, F = {F:g} N, lam_roll(0) = {roll:g}: one motion", *pair)
    t = np.linspace(0.0, SPAN, 301)
    # lam_roll = (m + M) s at the start; 0 at rest
    mass = given.VALUES["m"] + given.VALUES["M"]
    for I in (0.0, given.VALUES["I"]):
        for speed in (0.0, 0.5):
            matching = {"vx": speed, "lam_roll": mass * speed}
            pair = newton(SPAN, {"vx": speed}, t, F=0.0, I=I), geodesic(SPAN, matching, t, F=0.0, I=I)
            statement = f"turning, F = 0, I = {I:g}, s(0) = {speed:g}, lam_roll(0) = (m + M) s: one motion"
            yield _same("section 4, scope", statement, *pair, key=bool(I and speed))
    missed = difference(newton(SPAN, {}, t, F=0.0), geodesic(SPAN, {"lam_roll": 1.0}, t, F=0.0))
    text = f"{missed:.1e} of the path apart"
    yield Claim("section 4, scope", "turning, F = 0, lam_roll(0) = 1: one motion", False, text, missed <= SAME)


GROUPS: tuple[Group, ...] = (special_motions, from_rest, both_sets, agreement)
