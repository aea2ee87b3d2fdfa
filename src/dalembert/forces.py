"""Forces for ``da.System(forces=[...])``.

A force acts where a point moves: with the point's velocity v(q, u), its components are Q_a = F . dv/du^a. An applied
force is any such F, follower forces included. Friction may be viscous at a point, against turning, of a fixed size
against rolling or pivoting; `dry` friction in a joint sticks, and goes on after reversals. `rayleigh` takes a
dissipation function. Forces add up.

    da.System(..., forces=[da.forces.viscous_friction([vx, vy], "nu")])
"""

from .model.contact import dry as dry
from .model.force import applied as applied
from .model.force import pivoting_friction as pivoting_friction
from .model.force import rayleigh as rayleigh
from .model.force import rolling_friction as rolling_friction
from .model.force import rotational_friction as rotational_friction
from .model.force import viscous_friction as viscous_friction
