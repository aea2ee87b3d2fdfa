"""The sphere by the functions that any system can be given to: every form, the splitting, walls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.impacts import impose, loss, wall
from dalembert.symmetry import splitting
from dalembert.systems import symmetric_sphere as machine

from ..claim import Claim, Group, small
from ..every_form import every_form, states
from . import given

STEP, ROUNDING = 1e-2, 1e-9
CURVED = 2e-4  # of differences of fields that are flowed along
E = 0.5
Matrix = Callable[[np.ndarray], np.ndarray]  # at a place of the sphere


def forms() -> Iterator[Claim]:
    """The equations by every route."""
    turning = {"chaplygin": "the velocities are not the rates of the coordinates"}
    yield from every_form("section 3", {"sphere": given.system()}, turning)


# --- the curvature, by going round -----------------------------------------------------------------------------------


def curvature() -> Iterator[Claim]:
    """The vertical part of [H1, H2] by flowing along H1, H2, -H1, -H2 in R^2 x S^2, without any bracket."""
    found = splitting(given.over_sphere())
    z = list(found.quotient.system.space.coordinates)
    *parts, curved = (_at(z, part) for part in (found.H, found.S, found.U, found.B_tilde[0, 1]))
    worst = size = 0.0
    for place in (np.array([0.36, 0.48, 0.8]), np.array([-0.48, 0.6, 0.64])):
        H, S, U = (part(place) for part in parts)
        lie = _extrapolated(parts[0], place)
        share = np.linalg.lstsq(np.hstack([H, S, U]), lie, rcond=None)[0]
        seen = np.hstack([S, U]) @ share[H.shape[1] :]
        exact = -curved(place).ravel()  # B~ = -[H1, H2] along S + U
        worst, size = max(worst, float(np.abs(seen - exact).max())), max(size, float(np.abs(exact).max()))
    yield small("section 3", "the curvature of the splitting is what four small steps leave", worst / size, CURVED)


def _at(z: Sequence[sp.Symbol], part: Any) -> Matrix:
    """The entries of a matrix of functions of z."""
    graph = Graph()
    nodes = [read(e, graph) for e in sp.Matrix(part)]

    def numbers(place: np.ndarray) -> np.ndarray:
        values = {**given.VALUES, **{s.name: x for s, x in zip(z, place, strict=True)}}
        return np.array(evaluate(nodes, values), float).reshape(sp.Matrix(part).shape)

    return numbers


def _extrapolated(H: Matrix, place: np.ndarray) -> np.ndarray:
    """(vx, vy, w) of the bracket at a place: squares of two sizes, without their first error."""
    one, half = _square(H, place, STEP), _square(H, place, STEP / 2)
    return 2 * half - one


def _square(H: Matrix, place: np.ndarray, h: float) -> np.ndarray:
    """((x, y) and rotation vector of what the square of side h leaves)/h^2."""
    spot, turned = np.zeros(2), np.eye(3)
    for column, way in ((0, h), (1, h), (0, -h), (1, -h)):
        for _ in range(8):
            spot, turned = _along(H, column, place, spot, turned, way / 8)
    left = (turned - turned.T) / 2
    return np.r_[spot, left[2, 1], left[0, 2], left[1, 0]] / h**2


def _along(
    H: Matrix, column: int, place: np.ndarray, spot: np.ndarray, turned: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """A step of Runge and Kutta along a field: xdot = (vx, vy), Rdot = w^ R, z = R place."""

    def rate(R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u = H(R @ place)[:, column]
        hat = np.array([[0, -u[4], u[3]], [u[4], 0, -u[2]], [-u[3], u[2], 0]])
        return u[:2], hat @ R

    one = rate(turned)
    two = rate(turned + h / 2 * one[1])
    three = rate(turned + h / 2 * two[1])
    four = rate(turned + h * three[1])
    weights = zip(one, two, three, four, strict=True)
    moved, turning = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in weights)
    return spot + moved, turned + turning


# --- walls -----------------------------------------------------------------------------------------------------------


def walls() -> Iterator[Claim]:
    """What a rough wall takes from the energy, by `loss` and by the velocities before and after."""
    system, spec = given.system(), machine.RIGHT
    for e in (1.0, E):
        options = {"constraints": spec["constraints"], "restitution": e}
        event, lost = wall(system, spec["guard"], **options), loss(system, spec["guard"], **options)
        assert isinstance(event.then, Mapping)  # a wall changes velocities
        worst = 0.0
        for values in states(system):
            after = {**values, **{name: _number(jump, values) for name, jump in event.then.items()}}
            before = _number(system.lagrangian, values)
            worst = max(worst, abs(before - _number(system.lagrangian, after) - _number(lost, values)) / before)
        statement = f"e = {e:g}: `loss` is the energy before less the energy after"
        yield small("section 4", statement, worst, ROUNDING)


def _number(e: sp.Expr, values: Mapping[str, float]) -> float:
    return float(evaluate([read(e, Graph())], values)[0])


def imposed() -> Iterator[Claim]:
    """The rolling constraint put on a sphere that slides: what is lost is the energy of what the impulse takes away."""
    system = given.system()
    start = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": -0.4, "w1": 0.3, "w2": 0.2, "w3": 0.5, "R": "identity"}
    found = impose(given.whole(), start)
    # at R = 1 the inertia is diag(I1, I1, I3):  J = I1 + m r^2 about the contact, I1 w + m r v kept there
    m, r, inertia = (given.VALUES[name] for name in ("m", "r", "I1"))
    J = inertia + m * r**2
    after = {"w2": (inertia * 0.2 + m * r * 1.0) / J, "w1": (inertia * 0.3 + m * r * 0.4) / J}
    worst = max(abs(found[name] - value) for name, value in after.items())
    yield small("section 4", "angular momentum about the contact is kept when rolling begins", worst, ROUNDING)
    # m (v+ - v) is the sum of impulses dphi/dv
    v = {"vx": 1.0, "vy": -0.4}
    pushed = {
        n: sum(found.impulses[c.name] * float(c.phi.diff(system.space[n])) for c in system.constraints) for n in v
    }
    worst = max(abs(pushed[n] - m * (found[n] - v[n])) for n in v)
    yield small("section 4", "the impulses of the rows are what the centre gains of momentum", worst, ROUNDING)
    energy = 0.5 * m * (1.0 + 0.16) + 0.5 * inertia * (0.09 + 0.04)
    left = 0.5 * J * (after["w1"] ** 2 + after["w2"] ** 2)
    yield small("section 4", "and the rest of the energy is lost", abs(found.lost - (energy - left)), ROUNDING)


GROUPS: tuple[Group, ...] = (forms, curvature, walls, imposed)
