"""What equations are written as, each name once: `__init__.py` loads it from here, type checkers read it here."""

from . import c as c
from . import fmu as fmu
from . import javascript as javascript
from . import python as python
from .exporting import to_c as to_c
from .exporting import to_casadi as to_casadi
from .exporting import to_fmu as to_fmu
from .exporting import to_javascript as to_javascript
from .exporting import to_jax as to_jax
from .exporting import to_python as to_python
from .fmu.variables import of_lean as of_lean
from .for_jax import PureFunction as PureFunction
from .function import RightHandSide as RightHandSide
from .header import doubt_unwatched as doubt_unwatched
from .header import doubted as doubted
from .header import unwatched as unwatched
from .listing import Listing as Listing
from .matrices import Matrices as Matrices
