"""What the functions return and pass on, for annotations and ``isinstance``.

`da.System`, `da.Space` and `da.Event` are made by hand and stand at the front door. These come out of functions.

    def last(path: da.nouns.Trajectory) -> float: ...
"""

from .comparison import Comparison as Comparison
from .comparison import Limit as Limit
from .equations import Equations as Equations
from .equations import Start as Start
from .experiment.measures import Circle as Circle
from .experiment.measures import Crossings as Crossings
from .experiment.measures import Oscillation as Oscillation
from .experiment.residuals import Deviations as Deviations
from .findings.fit import Fit as Fit
from .findings.fit import Profile as Profile
from .findings.plan import Plan as Plan
from .findings.ranking import Ranking as Ranking
from .geometry.examination import Examination as Examination
from .geometry.infinitesimal_symmetries import Symmetries as Symmetries
from .geometry.reduction import Reduction as Reduction
from .machines.point import Point as Point
from .machines.point import Reaction as Reaction
from .model.force import Force as Force
from .model.rolling.rolling import Rolling as Rolling
from .numerics.families.bifurcation_locus import SpecialCurve as SpecialCurve
from .numerics.families.equilibrium_branches import Branch as Branch
from .numerics.families.lyapunov_exponents import Lyapunov as Lyapunov
from .numerics.families.orbit_family import Orbits as Orbits
from .numerics.families.periodic_orbits import Periodic as Periodic
from .numerics.linearise.linear_model import Linear as Linear
from .numerics.linearise.linearisation import LinearAlong as LinearAlong
from .numerics.manoeuvre.manoeuvre import Manoeuvre as Manoeuvre
from .numerics.plant.plant import Plant as Plant
from .numerics.plant.plants import Plants as Plants
from .numerics.relative_equilibria import Steady as Steady
from .numerics.two_point import Extremal as Extremal
from .numerics.two_point import Extremals as Extremals
from .principles.coincide import Coincidence as Coincidence
from .principles.first_integrals import FirstIntegrals as FirstIntegrals
from .principles.satisfies import Satisfied as Satisfied
from .principles.satisfies import Varied as Varied
from .proof.enclosure import Enclosure as Enclosure
from .proof.enclosure import Proof as Proof
from .proof.enclosure import ProvedRest as ProvedRest
from .record import Record as Record
from .study import Study as Study
from .trajectory import Trajectory as Trajectory
