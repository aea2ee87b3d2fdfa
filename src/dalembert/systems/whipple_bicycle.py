"""The Whipple-Carvallo bicycle, nothing reduced [meijaard2007].

Four bodies: rear wheel R, rear frame B with its rider, front frame H, front wheel F. Axes: x ahead, y to the right,
z down. (x, y, z) is the rear hub; the rear frame turns by yaw, lean, pitch (about z, x, y), the front frame by steer
about an axis that is tilted back by `tilt`; rear and front are the wheels' rotations, negative when riding ahead.

    L = sum over the bodies  m/2 |v|^2 + 1/2 <w, I w> + m g z
    rear_contact, front_contact:  the lowest point of each wheel is on the ground, z = 0
    rear_x, rear_y, front_x, front_y:  the wheel is at rest there

Wheels are knife-edge discs. Two holonomic and four linear constraints on nine coordinates leave three velocities (lean,
steer, speed); by brackets, growth vector (3, 5, 7), every position is reached that the contacts allow. Riding straight
ahead upright is steady at every speed v. Small departures (lean, steer) of it obey

    M qdd + v C1 qd + (g K0 + v^2 K2) q = 0          [meijaard2007 (5.3)], `linearised`

With the published values it is stable between the weave speed, 4.292 m/s, and the capsize speed, 6.024 m/s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..errors import UnknownName, as_given, did_you_mean
from ..model.space import Space
from ..model.space_factors import angle, line, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts

SOURCE = "meijaard2007"
UNSOLVED = "that of small departures from riding straight ahead: `linearised`"
SPACE = Space.product(plane("x y"), line("z"), *map(angle, ("yaw", "lean", "pitch", "steer", "rear", "front")))
# [meijaard2007 table 1], SI: wheel base w, trail c, tilt of the steering axis; places from the rear contact
BENCHMARK = {"w": 1.02, "c": 0.08, "tilt": math.pi / 10, "g": 9.81}
BENCHMARK |= {"rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12}
BENCHMARK |= {"xB": 0.3, "zB": -0.9, "mB": 85.0, "IBxx": 9.2, "IBxz": 2.4, "IByy": 11.0, "IBzz": 2.8}
BENCHMARK |= {"xH": 0.9, "zH": -0.7, "mH": 4.0, "IHxx": 0.05892, "IHxz": -0.00756, "IHyy": 0.06, "IHzz": 0.00708}
BENCHMARK |= {"rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28}
SYMBOLS = {name: sp.Symbol(name, **({"positive": True} if name[0] in "wgrm" else {"real": True})) for name in BENCHMARK}
CONSTRAINTS = ("rear_contact", "front_contact", "rear_x", "rear_y", "front_x", "front_y")

Values = Mapping[str, Any]  # parameters by name, numbers or expressions


# --- vectors of numbers or expressions; exact zeros and ones leave no trace ------------------------------------------


def _is(x: Any, value: int) -> bool:
    return isinstance(x, int | float) and x == value


def _times(a: Any, b: Any) -> Any:
    if _is(a, 0) or _is(b, 0):
        return 0
    return b if _is(a, 1) else a if _is(b, 1) else a * b


def _sum(*terms: Any) -> Any:
    kept = [t for t in terms if not _is(t, 0)]
    total = kept[0] if kept else 0
    for term in kept[1:]:
        total = total + term
    return total


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return _sum(*(_times(x, y) for x, y in zip(a, b, strict=True)))


def _plus(*vectors: Sequence[Any]) -> list[Any]:
    return [_sum(*parts) for parts in zip(*vectors, strict=True)]


def _scaled(factor: Any, a: Sequence[Any]) -> list[Any]:
    return [_times(factor, x) for x in a]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [_sum(_times(a[i], b[j]), -_times(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]


def _on(R: Sequence[Sequence[Any]], a: Sequence[Any]) -> list[Any]:
    return [_dot(row, a) for row in R]


def _back(R: Sequence[Sequence[Any]], a: Sequence[Any]) -> list[Any]:
    return [_dot(column, a) for column in zip(*R, strict=True)]


def _turn(xp: Any, axis: int, angle: Any) -> list[list[Any]]:
    s, c = xp.sin(angle), xp.cos(angle)
    R: list[list[Any]] = [[int(i == j) for j in range(3)] for i in range(3)]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


# --- the bicycle, over any module xp with sin, cos and sqrt ----------------------------------------------------------


class Bicycle:
    """Orientations and angular velocities at q, v: B the rear frame, H the front frame, N the axes at rest.

    Args:
        xp: `math`, `sympy`, or another module with sin, cos and sqrt.
        q, v: the nine coordinates and their rates, numbers or expressions of that module.
        p: the parameters by name, likewise.
    """

    def __init__(self, xp: Any, q: Sequence[Any], v: Sequence[Any], p: Values) -> None:
        self.xp, self.q, self.v, self.p = xp, q, v, p
        self.yaw, self.lean, self.pitch = _turn(xp, 2, q[3]), _turn(xp, 0, q[4]), _turn(xp, 1, q[5])
        tilt = p["tilt"]
        self.steer, self.tilt = _turn(xp, 2, q[6]), _turn(math if isinstance(tilt, float) else xp, 1, tilt)
        swing = _plus(_back(self.lean, [0, 0, v[3]]), [v[4], 0, 0])
        self.w = _plus(_back(self.pitch, swing), [0, v[5], 0])
        self.w_front = _plus(self.to_front(self.w), _scaled(v[6], _on(self.tilt, [0, 0, 1])))
        # from the rear hub to the steering axis, from there to the front hub
        self.to_axis = [p["w"] + p["c"], 0, p["rR"]]
        self.axis_to_hub = [-p["c"], 0, -p["rF"]]

    def to_rest(self, a: Sequence[Any]) -> list[Any]:
        """B -> N."""
        return _on(self.yaw, _on(self.lean, _on(self.pitch, a)))

    def to_frame(self, a: Sequence[Any]) -> list[Any]:
        """N -> B."""
        return _back(self.pitch, _back(self.lean, _back(self.yaw, a)))

    def to_front(self, a: Sequence[Any]) -> list[Any]:
        """B -> H; the two agree while steer = 0."""
        return _on(self.tilt, _back(self.steer, _back(self.tilt, a)))

    def from_front(self, a: Sequence[Any]) -> list[Any]:
        """H -> B."""
        return _on(self.tilt, _on(self.steer, _back(self.tilt, a)))

    def wheels(self) -> tuple[list[Any], list[Any], list[Any]]:
        """From the rear hub to the front one, and from each hub to its contact, in N."""
        rear = _to_contact(self.xp, self.to_rest([0, 1, 0]), self.p["rR"])
        front = _to_contact(self.xp, self.to_rest(self.from_front([0, 1, 0])), self.p["rF"])
        return self.to_rest(_plus(self.to_axis, self.from_front(self.axis_to_hub))), rear, front


def _to_contact(xp: Any, axle: Sequence[Any], radius: Any) -> list[Any]:
    """From the hub to the lowest point of the wheel:  r (e_z - a_z a)/|e_z - a_z a| ,  |e_z - a_z a|^2 = 1 - a_z^2."""
    root = xp.sqrt(1 - axle[2] * axle[2])
    return [*(-(radius * (axle[2] * a) / root) for a in axle[:2]), radius * root]


def tensors(p: Values) -> dict[str, list[list[Any]]]:
    """The tensors of inertia of B, H, R, F along the axes of the upright bicycle."""
    frames = {k: [[p[f"I{k}xx"], 0, p[f"I{k}xz"]], [0, p[f"I{k}yy"], 0], [p[f"I{k}xz"], 0, p[f"I{k}zz"]]] for k in "BH"}
    return frames | {k: [[p[f"I{k}xx"], 0, 0], [0, p[f"I{k}yy"], 0], [0, 0, p[f"I{k}xx"]]] for k in "RF"}


def lagrangian(xp: Any, q: Sequence[Any], v: Sequence[Any], p: Values) -> Any:
    """T - V of the four bodies; arguments as those of `Bicycle`."""
    at, tensor = Bicycle(xp, q, v, p), tensors(p)
    to_B = [p["xB"], 0, p["zB"] + p["rR"]]
    axis_to_H = [p["xH"] - p["w"] - p["c"], 0, p["zH"]]
    hub = at.to_frame(v[:3])
    axis = at.to_front(_plus(hub, _cross(at.w, at.to_axis)))
    moving = {
        "R": (v[:3], _plus(at.w, [0, v[7], 0])),
        "B": (_plus(hub, _cross(at.w, to_B)), at.w),
        "H": (_plus(axis, _cross(at.w_front, axis_to_H)), at.w_front),
        "F": (_plus(axis, _cross(at.w_front, at.axis_to_hub)), _plus(at.w_front, [0, v[8], 0])),
    }
    # 2 T = sum m <v, v> + <w, I w>
    twice = _sum(*(p[f"m{k}"] * _dot(u, u) + _dot(w, _on(tensor[k], w)) for k, (u, w) in moving.items()))
    steered = _plus(_scaled(p["mH"], axis_to_H), _scaled(p["mF"], at.axis_to_hub))
    moment = _plus(_scaled(p["mB"], to_B), _scaled(p["mH"] + p["mF"], at.to_axis), at.from_front(steered))
    mass = p["mR"] + p["mB"] + p["mH"] + p["mF"]
    return twice / 2 + p["g"] * (mass * q[2] + at.to_rest(moment)[2])


def contacts(xp: Any, q: Sequence[Any], p: Values) -> list[Any]:
    """z of the lowest points of the rear and the front wheel."""
    between, rear, front = Bicycle(xp, q, [0] * 9, p).wheels()
    return [q[2] + rear[2], q[2] + between[2] + front[2]]


def slips(xp: Any, q: Sequence[Any], v: Sequence[Any], p: Values) -> list[Any]:
    """Velocities of the wheels' material points at the contacts: rear along x and y, then front."""
    at = Bicycle(xp, q, v, p)
    _, rear, front = at.wheels()
    frame, forward = at.to_rest(at.w), at.to_rest(at.from_front(at.w_front))
    rear_spin = _plus(frame, _scaled(v[7], at.to_rest([0, 1, 0])))
    front_spin = _plus(forward, _scaled(v[8], at.to_rest(at.from_front([0, 1, 0]))))
    to_hub = at.to_rest(at.from_front(at.axis_to_hub))
    hub = _plus(v[:3], _cross(frame, at.to_rest(at.to_axis)), _cross(forward, to_hub))
    at_rear, at_front = _plus(v[:3], _cross(rear_spin, rear)), _plus(hub, _cross(front_spin, front))
    return [*at_rear[:2], *at_front[:2]]


def pitch(lean: float, steer: float, p: Mapping[str, float] = BENCHMARK) -> float:
    """The pitch at which both wheels touch the ground, by the secant method from the upright bicycle."""

    def apart(angle: float) -> float:
        rear, front = contacts(math, [0.0, 0.0, 0.0, 0.0, lean, angle, steer, 0.0, 0.0], p)
        return float(front - rear)

    a, b = 0.0, 1e-3
    at_a, at_b = apart(a), apart(b)
    for _ in range(50):
        if at_a == at_b:
            break
        a, b, at_a = b, b - at_b * (b - a) / (at_b - at_a), at_b
        at_b = apart(b)
    return b


# --- the system ------------------------------------------------------------------------------------------------------

_PLACE = {"x": 0.0, "y": 0.0, "yaw": 0.0, "rear": 0.0, "front": 0.0}
_AHEAD = -5.0 / BENCHMARK["rR"]  # 5 m/s
STARTS: dict[str, dict[str, object]] = {
    "leaning": {
        **_PLACE,
        "lean": 0.05,
        "pitch": pitch(0.05, 0.02),
        "steer": 0.02,
        "vlean": 0.1,
        "vsteer": 0.0,
        "vrear": _AHEAD,
    },
    "upright": {**_PLACE, "lean": 0.0, "pitch": 0.0, "steer": 0.0, "vlean": 0.0, "vsteer": 0.0, "vrear": _AHEAD},
}
START = STARTS["leaning"]

FACTS = Facts(
    kinds={name: "holonomic" if name.endswith("contact") else "linear" for name in CONSTRAINTS},
    growth=(3, 5, 7),
    generating=False,
    integrals=dict(zip(CONSTRAINTS, contacts(sp, list(SPACE.coordinates), SYMBOLS), strict=False)),
    agree={"leaning": False, "upright": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "rear hub",
        "shape": "point",
        "radius": "rR/10",
        "at": ["x", "y", "z"],
        "turn": ["z yaw", "x lean", "y pitch"],
    },
    {
        "name": "rear wheel",
        "shape": "wheel",
        "on": "rear hub",
        "radius": "rR",
        "thickness": "rR/12",
        "at": [0, 0, 0],
        "turn": ["x -pi/2", "z rear"],
        "trace": ["x + rR*sin(yaw)*sin(lean)", "y - rR*cos(yaw)*sin(lean)", "z + rR*cos(lean)"],  # where it touches
    },
    {"name": "rider", "shape": "ellipsoid", "on": "rear hub", "size": [0.4, 0.4, 0.9], "at": ["xB", 0, "zB + rR"]},
    {"name": "tube", "shape": "rod", "on": "rear hub", "radius": 0.02, "from": [0, 0, 0], "to": ["xH", 0, "zH + rR"]},
    {
        "name": "steering axis",
        "shape": "point",
        "on": "rear hub",
        "radius": 0.01,
        "at": ["w + c", 0, "rR"],
        "turn": ["y tilt", "z steer", "y -tilt"],
    },
    {
        "name": "fork",
        "shape": "rod",
        "on": "steering axis",
        "radius": 0.02,
        "from": ["-c", 0, "-rF"],
        "to": ["xH - w - c", 0, "zH"],
    },
    {
        "name": "front wheel",
        "shape": "wheel",
        "on": "steering axis",
        "radius": "rF",
        "thickness": "rF/12",
        "at": ["-c", 0, "-rF"],
        "turn": ["x -pi/2", "z front"],
    },
]
RANGES = {"mB": (40, 120), "lean": (-0.5, 0.5), "steer": (-0.5, 0.5)}


def system(**values: float) -> System:
    """The bicycle; parameters as in `BENCHMARK`, whose values are taken for those left out.

    Raises:
        UnknownName: E202, no such parameter.
    """
    for name in values:
        if name not in BENCHMARK:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, BENCHMARK))
    q, v = list(SPACE.coordinates), list(SPACE.velocities)
    rows = [*contacts(sp, q, SYMBOLS), *slips(sp, q, v, SYMBOLS)]
    return System(
        space=SPACE,
        lagrangian=lagrangian(sp, q, v, SYMBOLS),
        constraints=dict(zip(CONSTRAINTS, rows, strict=True)),
        parameters={**BENCHMARK, **values},
        inertias={k: sp.Matrix(I) for k, I in tensors(SYMBOLS).items()},
        symmetry=[euclidean("x y", headings="yaw"), "rear front"],
        definitions={"v": "-rR*vrear"},
        bodies=BODIES,
        scene={"up": "-z"},
        explore={"ranges": RANGES},
        title="Whipple bicycle",
        cite=SOURCE,
    )


# --- small departures from riding straight ahead ---------------------------------------------------------------------


def linearised(p: Mapping[str, float] = BENCHMARK) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C1, K0, K2 (2 x 2 each) of  M qdd + v C1 qd + (g K0 + v^2 K2) q = f ,  q = (lean, steer).

    The closed form of [meijaard2007, appendix A], letter by letter.
    """
    sin, cos, w = math.sin(p["tilt"]), math.cos(p["tilt"]), p["w"]
    places = {"R": (0.0, -p["rR"]), "B": (p["xB"], p["zB"]), "H": (p["xH"], p["zH"]), "F": (w, -p["rF"])}
    mT, xT, zT, ITxx, ITxz, ITzz = _together("RBHF", places, p, (0.0, 0.0))
    mA, xA, zA, *_ = _together("HF", places, p, (0.0, 0.0))
    *_, IAxx, IAxz, IAzz = _together("HF", places, p, (xA, zA))
    # uA: from the steering axis to the centre of mass of the front assembly, perpendicular to the axis
    uA = (xA - w - p["c"]) * cos - zA * sin
    IAll = mA * uA**2 + IAxx * sin**2 + 2 * IAxz * sin * cos + IAzz * cos**2
    IAlx = -mA * uA * zA + IAxx * sin + IAxz * cos
    IAlz = mA * uA * xA + IAxz * sin + IAzz * cos
    mu = p["c"] / w * cos
    SR, SF = p["IRyy"] / p["rR"], p["IFyy"] / p["rF"]
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    M = [[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]]
    K0 = [[mT * zT, -SA], [-SA, -SA * sin]]
    K2 = [[0, (ST - mT * zT) / w * cos], [0, (SA + SF * sin) / w * cos]]
    C1 = [
        [0, mu * ST + SF * cos + ITxz / w * cos - mu * mT * zT],
        [-(mu * ST + SF * cos), IAlz / w * cos + mu * (SA + ITzz / w * cos)],
    ]
    return np.array(M), np.array(C1), np.array(K0), np.array(K2)


def _together(
    bodies: str, places: Mapping[str, tuple[float, float]], p: Mapping[str, float], about: tuple[float, float]
) -> tuple[float, ...]:
    """Mass, centre of mass x, z of some bodies, and their Ixx, Ixz, Izz about a point."""
    mass = sum(p[f"m{k}"] for k in bodies)
    x, z = (sum(p[f"m{k}"] * places[k][i] for k in bodies) / mass for i in (0, 1))
    own = tensors(p)
    Ixx = Ixz = Izz = 0.0
    for k in bodies:
        dx, dz = places[k][0] - about[0], places[k][1] - about[1]
        Ixx += own[k][0][0] + p[f"m{k}"] * dz**2
        Ixz += own[k][0][2] - p[f"m{k}"] * dx * dz
        Izz += own[k][2][2] + p[f"m{k}"] * dx**2
    return mass, x, z, Ixx, Ixz, Izz


def eigenvalues(speed: float, p: Mapping[str, float] = BENCHMARK) -> np.ndarray:
    """The four eigenvalues of small departures from riding straight ahead at this speed, by real part, rising."""
    M, C1, K0, K2 = linearised(p)
    lower = -np.linalg.solve(M, np.hstack([p["g"] * K0 + speed**2 * K2, speed * C1]))
    found = np.linalg.eigvals(np.vstack([np.eye(4)[2:], lower]))
    return np.asarray(found[np.lexsort((found.imag, found.real))])
