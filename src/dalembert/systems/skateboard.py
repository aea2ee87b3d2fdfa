"""A skateboard whose rider leans with the board: leaning steers both axles [hubbard1979; kremnev2010].

    L = m/2 |v_c|^2 + J/2 vgamma^2 + (J sin(gamma)^2 + K cos(gamma)^2)/2 omega^2 - m g h cos(gamma) - k/2 gamma^2
    front:  across + l omega - along tan(front) sin(gamma) = 0
    rear:   across - l omega + along tan(rear) sin(gamma) = 0

(x, y) is the middle of the board, theta its heading, along and across the parts of its velocity along and across the
board, gamma how far board and rider lean to the left. c lies h above the board, v_c is its velocity; the axles, at -l
and l, turn into the curve with the slopes tan(rear) sin(gamma) and tan(front) sin(gamma), a spring k holds the board
level. Two linear constraints on four coordinates, nonholonomic, growth vector (2, 3, 4). Near riding straight ahead at
the speed v,

    (J + m h^2) gammaddot + m h v (tan(front) - tan(rear))/2 gammadot
        + (k - m g h + m h v^2 (tan(front) + tan(rear))/(2 l)) gamma = 0 :

a board too weak for its rider stands from a speed on, in the direction in which the steeper axle leads.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "hubbard1979"
UNSOLVED = "none is known"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("gamma"))
X, Y, THETA, GAMMA, VX, VY, OMEGA, VGAMMA = SPACE
MASS, HEIGHT, HALF, SPRING, GRAVITY, FRONT, REAR = sp.symbols("m h l k g front rear", positive=True)
ACROSS, ALONG = sp.symbols("J K", positive=True)

_PLACE = {"x": 0.0, "y": 0.0, "theta": 0.3}
STARTS: Starts = {
    "leaning": {**_PLACE, "gamma": 0.2, "vx": 3.0, "vgamma": 0.3},
    "straight": {**_PLACE, "gamma": 0.0, "vx": 3.0, "vgamma": 0.0},
}
START = STARTS["leaning"]

FACTS = Facts(
    kinds={"front": "linear", "rear": "linear"},
    growth=(2, 3, 4),
    generating=True,
    agree={"leaning": False, "straight": True},
)


# what is drawn, and what a page lets a person change
def _bodies() -> list[dict[str, object]]:
    """The board with its rider, who leans with it, and two axles that turn under it."""
    board = {"at": ["x", "y", "0.3*l"], "turn": ["z theta", "x -gamma"], "trace": ["x", "y", 0]}
    found: list[dict[str, object]] = [
        {"shape": "floor"},
        {"name": "board", "shape": "box", "size": ["2.6*l", "0.7*l", "l/12"], **board},
        {"name": "rider", "shape": "rod", "on": "board", "radius": "l/12", "from": [0, 0, 0], "to": [0, 0, "h"]},
        {"name": "centre of mass", "shape": "point", "on": "board", "radius": "l/6", "at": [0, 0, "h"]},
    ]
    for side, place, steered in (
        ("front", "l", "atan(tan(front)*sin(gamma))"),
        ("rear", "-l", "-atan(tan(rear)*sin(gamma))"),
    ):
        axle = f"{side} axle"
        at = [f"x + ({place})*cos(theta)", f"y + ({place})*sin(theta)", "0.15*l"]
        turn = ["z theta", f"z {steered}"]
        found.append({"name": axle, "shape": "box", "size": ["l/10", "0.8*l", "l/12"], "at": at, "turn": turn})
        for hand, across in (("left", "0.4*l"), ("right", "-0.4*l")):
            wheel = {"name": f"{side} {hand} wheel", "shape": "wheel", "on": axle, "radius": "0.15*l"}
            found.append({**wheel, "thickness": "l/10", "at": [0, across, 0], "turn": "x -pi/2"})
    return found


BODIES = _bodies()
RANGES = {
    "k": (50, 1500),
    "front": (0.1, 1.2),
    "rear": (0.1, 1.2),
    "vx": (-6, 6),
    "gamma": (-0.4, 0.4),
    "vgamma": (-1, 1),
}


def system(
    *,
    m: float = 75.0,
    h: float = 0.9,
    l: float = 0.4,
    k: float = 500.0,
    front: float = 0.7,
    rear: float = 0.5,
    J: float = 6.0,
    K: float = 1.5,
    g: float = 9.81,
) -> System:
    """The skateboard, its rider rigid.

    Args:
        m, h: mass of board and rider, and how high its centre is.
        l: distance of the axles from the middle.
        k: of the spring that levels the board.
        front, rear: angles by which the axles' pivots are inclined; the larger they are, the more an axle turns.
        J, K: moments of inertia about the centre of mass, across the rider and about the rider's own axis.
        g: gravity.
    """
    along, across = VX * sp.cos(THETA) + VY * sp.sin(THETA), VY * sp.cos(THETA) - VX * sp.sin(THETA)
    # d/dt (h sin(gamma)) to the left, h sin(gamma) omega backwards, d/dt (h cos(gamma)) up
    velocity = (
        along - HEIGHT * sp.sin(GAMMA) * OMEGA,
        across + HEIGHT * sp.cos(GAMMA) * VGAMMA,
        -HEIGHT * sp.sin(GAMMA) * VGAMMA,
    )
    turning = ACROSS * VGAMMA**2 + (ACROSS * sp.sin(GAMMA) ** 2 + ALONG * sp.cos(GAMMA) ** 2) * OMEGA**2
    T = (MASS * sum(v**2 for v in velocity) + turning) / 2
    return System(
        space=SPACE,
        lagrangian=T - MASS * GRAVITY * HEIGHT * sp.cos(GAMMA) - SPRING / 2 * GAMMA**2,
        constraints={
            "front": across + HALF * OMEGA - along * sp.tan(FRONT) * sp.sin(GAMMA),
            "rear": across - HALF * OMEGA + along * sp.tan(REAR) * sp.sin(GAMMA),
        },
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "h": h, "l": l, "k": k, "front": front, "rear": rear, "J": J, "K": K, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Skateboard",
        cite=SOURCE,
    )
