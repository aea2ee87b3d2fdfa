"""Constraints realised by strong forces.

`viscous` replaces constraints by strong friction, `inertial` by a large inertia: a system with a parameter of strength,
to be run like any other. As the strength grows, the first tends to the nonholonomic motion and the second to the
vakonomic one [kozlov1992]; `da.limit` measures how fast.

    da.limit(system, da.penalties.viscous, "nonholonomic", start=..., until=...)
"""

from .principles.penalties import inertial as inertial
from .principles.penalties import viscous as viscous
