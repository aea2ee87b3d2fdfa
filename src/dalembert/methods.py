"""How a motion is integrated and held on its constraints, for the options of `da.simulate` and `da.sweep`.

Methods that choose their steps: `Dop853`, the usual one; `Radau` for stiff forces; `Taylor` to machine precision. Of
fixed steps, which preserve structure: `DiscreteLagrangeDAlembert`, `DiscreteGradient`, `SymmetricProjection`. Each has
a word too: ``"dop853"``, ``"radau"``, ``"taylor"``, ``"dla"``, ``"discrete_gradient"``, ``"symmetric_projection"``.

After every step the state is moved back to the constraints along the kinetic metric (`Projection`); `Baumgarte` adds a
damped return to the equations instead, and `Drift` leaves the state alone.

    da.simulate(equations, start, until=10, method=da.methods.Radau(order=9), stabilisation=da.methods.Drift())
"""

from .numerics.methods import DiscreteGradient as DiscreteGradient
from .numerics.methods import DiscreteLagrangeDAlembert as DiscreteLagrangeDAlembert
from .numerics.methods import Dop853 as Dop853
from .numerics.methods import Radau as Radau
from .numerics.methods import SymmetricProjection as SymmetricProjection
from .numerics.methods import Taylor as Taylor
from .numerics.vector_field.constraint_projection import Baumgarte as Baumgarte
from .numerics.vector_field.constraint_projection import Drift as Drift
from .numerics.vector_field.constraint_projection import Projection as Projection
