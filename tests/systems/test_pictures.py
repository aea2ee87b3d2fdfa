"""What is drawn of the gallery agrees with its mechanics: bodies rigid, rods of one length, contacts at rest."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, tangent
from dalembert.scene import poses

FLAT = ("floor", "table")
# which bodies roll, and on what; those without an angle of their own are not listed
ROLLING = {
    "rolling_ball_on_plane": ["ball"],
    "ball_on_turntable": ["ball"],
    "chaplygin_ball": ["ball"],
    "gyroscopic_ball": ["ball"],
    "symmetric_sphere": ["ball"],
    "routh_sphere": ["ball"],
    "chaplygin_top": ["ball"],
    "rubber_ball": ["ball"],
    "coupled_discs": ["rear disc", "front disc"],
    "ball_with_pendulum": ["ball"],
    "rattleback": ["stone"],
    "rolling_ellipsoid": ["ellipsoid"],
    "penny": ["penny"],
    "rolling_disc": ["disc"],
    "two_wheeled_robot": ["left wheel", "right wheel"],
    "whipple_bicycle": ["rear wheel", "front wheel"],
    "appell_hamel": ["wheel"],
    "appell_hamel/with wheel": ["wheel"],
    "disguised_holonomic": ["wheel"],
    "disguised_holonomic/heading": ["penny"],
}
STIFF = {"pendulum_cartesian": ["rod"], "double_pendulum_cartesian": ["upper rod", "lower rod"]}
STIFF |= {f"car_with_trailers{n}": ["bar 1"] for n in ("", "/n = 1", "/n = 3")}


def follow(system, state, free):
    """Values of coordinates that a start leaves to the holonomic constraints."""
    nodes = [read(c.given, Graph()) for c in system.constraints if c.holonomic]
    if not nodes or not free:
        return {}
    off = lambda q: [evaluate([n], {**state, **dict(zip(free, q, strict=True))})[0] for n in nodes]  # noqa: E731
    return dict(zip(free, map(float, least_squares(off, [0.0] * len(free), xtol=1e-15, ftol=1e-15).x), strict=True))


def moving(case, seed):
    """A state with the place of a start and velocities that satisfy the constraints, and the rates of all symbols."""
    system, rng = case.system(), np.random.default_rng(seed)
    space = system.space
    state = space.sample(rng) | system.values() | {"t": 0.4}
    start = next(iter(case.starts.values()))
    state |= {name: value for name, value in start.items() if name in state and np.isscalar(value)}
    for name, attitude in space.attitudes.items():
        if isinstance(start.get(name), list):
            R = np.array(start[name], float)
            state |= dict(zip((s.name for s in attitude.coordinates), map(float, attitude.from_matrix(R)), strict=True))
    state |= follow(system, state, [q.name for q in space.coordinates if q.name not in start])
    u = [s.name for s in space.velocities]
    state |= dict(zip(u, rng.normal(size=len(u)), strict=True))
    nodes = [read(c.phi, Graph()) for c in system.constraints]
    value = lambda v: np.array([evaluate([n], {**state, **dict(zip(u, v, strict=True))})[0] for n in nodes], float)  # noqa: E731
    at, unit = np.array([state[name] for name in u]), np.eye(len(u))
    drift = value(0 * at)
    J = np.array([value(e) - drift for e in unit]).T  # the constraints are affine
    at = at - np.linalg.lstsq(J, value(at), rcond=None)[0]
    assert abs(value(at)).max() < 1e-9
    state |= dict(zip(u, at, strict=True))
    rates = {q.name: float(evaluate([read(e, Graph())], state)[0]) for q, e in space.rates.items()}
    return state, rates | {"t": 1.0}


def posed(case, seed=0):
    """By name: frame (3 x 4), its rate, half sizes, pose."""
    state, rates = moving(case, seed)
    graph = Graph()
    found = {}
    for pose in poses(case.system(), graph):
        frame = list(pose.frame)
        turned = tangent(frame, [graph.symbol(n) for n in rates], list(rates.values()))
        values = np.array(evaluate([*frame, *turned, *pose.size], state), float)
        found[pose.name] = values[:12].reshape(3, 4), values[12:24].reshape(3, 4), values[24:], pose
    return found


def lowest(frame, size, shape, n):
    """The point of a body that is the lowest along n."""
    R, c = frame[:, :3], frame[:, 3]
    if shape in ("ball", "ellipsoid"):
        # c - A^2 n/|A n| in the body's axes
        own = R.T @ n
        return c - R @ (size**2 * own) / np.linalg.norm(size * own)
    across = n - (n @ R[:, 2]) * R[:, 2]
    return c - size[0] * across / np.linalg.norm(across)


def test_every_system_has_bodies_that_are_rigid(case):
    system = case.system()
    assert system.bodies and system.explore.ranges
    state = system.space.sample(np.random.default_rng(3)) | system.values() | {"t": 0.7}
    for pose in poses(system, Graph()):
        values = np.array(evaluate([*pose.frame, *pose.size, *(pose.trace or ())], state), float)
        R = values[:12].reshape(3, 4)[:, :3]
        assert np.isfinite(values).all() and (values[12:15] > 0).all(), pose.name
        if pose.shape == "rod":
            R = R / [1, 1, np.linalg.norm(R[:, 2])]
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-9) and np.linalg.det(R) == pytest.approx(1), pose.name


@pytest.mark.parametrize("name", ROLLING)
def test_what_rolls_is_at_rest_where_it_touches_the_ground(name, named):
    found = posed(named(name))
    ground, moved, thick, under = next(v for v in found.values() if v[3].shape in FLAT)
    n = ground[:, 2]
    for body in ROLLING[name]:
        frame, rate, size, pose = found[body]
        p = lowest(frame, size, pose.shape, n)
        top = thick[2] if under.shape == "table" else 0.0
        assert n @ (p - ground[:, 3]) == pytest.approx(top, abs=1e-9)
        # the same material point of the body, and of the ground
        own, below = (F[:, :3].T @ (p - F[:, 3]) for F in (frame, ground))
        slip = rate[:, :3] @ own + rate[:, 3] - moved[:, :3] @ below - moved[:, 3]
        assert abs(slip).max() < 1e-9, body
        assert abs(rate[:, 3]).max() > 1e-3  # it does move


@pytest.mark.parametrize("name", STIFF)
def test_rods_keep_their_length(name, named):
    found = posed(named(name))
    for rod in STIFF[name]:
        frame, rate, *_ = found[rod]
        assert frame[:, 2] @ rate[:, 2] == pytest.approx(0, abs=1e-10)
        assert abs(rate).max() > 1e-3
