"""How a motion is integrated and held on its constraints, for the options of `da.simulate` and `da.sweep`.

After every step the state is moved back to the constraints along the kinetic metric (`Projection`); `Baumgarte` adds a
damped return to the equations instead, and `Drift` leaves the state alone.

    da.simulate(equations, start, until=10, stabilisation=da.methods.Drift())
"""

from .numerics.policy import Baumgarte as Baumgarte
from .numerics.policy import Drift as Drift
from .numerics.policy import Projection as Projection
