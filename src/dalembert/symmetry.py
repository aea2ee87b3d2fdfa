"""Groups that act on a system, what they conserve, and how they reduce it.

To declare: ``da.System(..., symmetry=...)`` takes `translations`, `turns`, `euclidean` (both), `rotations` and `spin`.

To ask: `noether` tells which generators are symmetries, which are horizontal and what is conserved; `conserved`
decides for any function, `first_integrals` finds those of degree 1 and 2 in the velocities; `gauge_momenta` are
constants that come from no symmetry; `holonomy` is what a loop of the shape leaves behind, `phases` are how far a
motion goes along the directions that the reduced motion does not tell; `measure` finds the volume that a motion
preserves, tests one, or says what stands in the way; `reversible` finds maps of the states that turn every motion
round, or tests one.

To reduce: `da.reduce` drops the group's coordinates, `da.reduced_start` takes a full start to the reduced
system, `da.reconstruct` leads back. Underneath lie the constraint manifold and its distributions (`distributions`), the
quotient by the group (`quotient`), the system on the velocities that its constraints allow (`restrict`), the
nonholonomic connection with its curvature (`splitting`), and the almost-Poisson bracket with its form (`phase_space`).

To constrain: `affine` makes constraints of the vector fields that span the allowed velocities, `allowed` finds these
fields, their brackets and what multipliers bring in. `leaf` leads to fewer coordinates where constraints are
integrable: there both principles have one motion.

    da.symmetry.noether(da.System(..., symmetry=da.symmetry.euclidean("x y", "theta")))
"""

from .geometry.affine_distribution import affine as affine
from .geometry.affine_distribution import allowed as allowed
from .geometry.distributions import distributions as distributions
from .geometry.integral_manifold import leaf as leaf
from .geometry.invariant_measure import measure as measure
from .geometry.noether import noether as noether
from .geometry.phase_space import phase_space as phase_space
from .geometry.quotient_space import quotient as quotient
from .geometry.restriction import restrict as restrict
from .geometry.splitting import splitting as splitting
from .model.symmetry import euclidean as euclidean
from .model.symmetry import rotations as rotations
from .model.symmetry import spin as spin
from .model.symmetry import translations as translations
from .model.symmetry import turns as turns
from .principles.first_integrals import conserved as conserved
from .principles.first_integrals import first_integrals as first_integrals
from .principles.reversibility import reversible as reversible
from .reconstruction.gauge_momenta import gauge_momenta as gauge_momenta
from .reconstruction.holonomy import holonomy as holonomy
from .reconstruction.phases import phases as phases
