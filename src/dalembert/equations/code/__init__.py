"""Equations as programs that stand alone, as a function for other integrators, and as SymPy's matrices.

All of it is listed in ``__init__.pyi`` and loaded when it is first used: runs need none of it.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
