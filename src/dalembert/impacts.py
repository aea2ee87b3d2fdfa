"""Velocities that jump: walls, and constraints imposed at an instant.

`wall` is an event at which the velocities jump, projected with the kinetic metric inside the constraints; `walls` makes
such events of the walls that a system declares, corners included. `loss` says what an impact costs in energy. `impose`
starts a system whose constraints are imposed at an instant, and says what is lost.

    da.simulate(equations, start, until=2, events=da.impacts.walls(system))
"""

from .principles.imposed import impose as impose
from .principles.impulsive import loss as loss
from .principles.impulsive import wall as wall
from .principles.impulsive import walls as walls
