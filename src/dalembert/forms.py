"""The nonholonomic equations on other routes.

`da.nonholonomic` derives the equations of motion with multipliers. The functions here reach the same accelerations
otherwise: by least constraint (Gauss), by projection on a basis of the allowed velocities (Maggi, Kane), in
quasi-velocities (Hamel), with the dependent velocities removed (Voronec, and Chaplygin where nothing depends on their
coordinates), from the energy of accelerations (Gibbs and Appell), from an almost-Poisson bracket, and from the
symplectic form restricted to the constraints. Each takes a `System` and gives `Equations` that can be printed and run;
one that does not apply says why.

    da.forms.gauss(system)
"""

from .principles.almost_poisson import almost_poisson as almost_poisson
from .principles.chaplygin import chaplygin as chaplygin
from .principles.gauss import gauss as gauss
from .principles.gibbs_appell import gibbs_appell as gibbs_appell
from .principles.hamel import hamel as hamel
from .principles.maggi import kane as kane
from .principles.maggi import maggi as maggi
from .principles.symplectic import symplectic as symplectic
from .principles.voronec import voronec as voronec
