"""What equations are written as, each name once: `__init__.py` loads it from here, type checkers read it here."""

from . import c as c
from . import fmu as fmu
from . import javascript as javascript
from . import python as python
from .fmu.variables import of_lean as of_lean
from .for_casadi import casadi_function as casadi_function
from .for_jax import PureFunction as PureFunction
from .listing import Listing as Listing
from .ode_function import RightHandSide as RightHandSide
from .program_header import doubt_unwatched as doubt_unwatched
from .program_header import doubted as doubted
from .program_header import unwatched as unwatched
from .sympy_matrices import Matrices as Matrices
