"""What the functions return and pass on, for annotations and ``isinstance``.

`da.System`, `da.Space` and `da.Event` are made by hand and stand at the front door. These come out of functions.

    def last(path: da.nouns.Trajectory) -> float: ...
"""

from .comparison import Comparison as Comparison
from .comparison import Limit as Limit
from .equations import Equations as Equations
from .equations import Start as Start
from .experiment.deviations import Deviations as Deviations
from .experiment.measures import Circle as Circle
from .experiment.measures import Crossings as Crossings
from .experiment.measures import Oscillation as Oscillation
from .findings.fit import Fit as Fit
from .findings.fit import Profile as Profile
from .findings.plan import Plan as Plan
from .findings.ranking import Ranking as Ranking
from .geometry.examination import Examination as Examination
from .geometry.infinitesimal import Symmetries as Symmetries
from .geometry.reduction import Reduction as Reduction
from .model.force import Force as Force
from .model.rolling.rolling import Rolling as Rolling
from .numerics.families.equilibria import Branch as Branch
from .numerics.families.locus import SpecialCurve as SpecialCurve
from .numerics.families.lyapunov import Lyapunov as Lyapunov
from .numerics.families.orbits import Orbits as Orbits
from .numerics.families.periodic import Periodic as Periodic
from .numerics.linearise.linear import Linear as Linear
from .numerics.linearise.linearise import LinearAlong as LinearAlong
from .numerics.manoeuvre.manoeuvre import Manoeuvre as Manoeuvre
from .numerics.plant.plant import Plant as Plant
from .numerics.plant.plants import Plants as Plants
from .numerics.steady import Steady as Steady
from .numerics.two_point import Extremal as Extremal
from .numerics.two_point import Extremals as Extremals
from .principles.coincide import Coincidence as Coincidence
from .principles.first_integrals import FirstIntegrals as FirstIntegrals
from .principles.satisfied import Satisfied as Satisfied
from .principles.satisfied import Varied as Varied
from .record import Record as Record
from .study import Study as Study
from .trajectory import Trajectory as Trajectory
