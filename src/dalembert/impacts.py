"""Velocities that jump: walls, and constraints imposed at an instant.

`wall` is an event at which the velocities jump, projected with the kinetic metric inside the constraints. The walls
that a system declares act in all its motions, corners included (``walls=False`` goes through them); `walls` shows them
as events, or makes some of other surfaces. `loss` says what an impact costs in energy. `impose` starts a system whose
constraints are imposed at an instant, and says what is lost.

    da.simulate(equations, start, until=2, events=da.impacts.walls(system, {"left": x, "right": 1 - x}))
"""

from .principles.impulsive import impose as impose
from .principles.impulsive import loss as loss
from .principles.impulsive import wall as wall
from .principles.impulsive import walls as walls
