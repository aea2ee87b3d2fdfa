"""`fit` for users, who may write a system and a principle's name for equations, expressions as text, and units."""

from __future__ import annotations

from typing import Any

from ..equations import Equations
from ..errors import WrongType
from ..experiment.fit import fit as of_numbers
from ..findings.fit import Fit
from ..model.system import System
from ..principles.named import named
from .modelling import resolved


def fit(equations: Any, record: Any, *, principle: Any = None, **options: Any) -> Fit:
    """Choose the unknowns of a model so that its motion describes a record best.

    See `experiment.fit.fit` for all arguments; here `equations` may be a `System`, with the name of a `principle`
    (``"nonholonomic"``), and columns may be text, ``{"px": "k*x + x0"}``, and values may have units.

    Raises:
        WrongType: E307, neither equations nor a system with a principle.
    """
    if isinstance(equations, System):
        if principle is None:
            raise WrongType(
                "E307", "a system has no equations before a principle is chosen", 'principle="nonholonomic"'
            )
        equations = named(principle)(equations)
    elif principle is not None:
        raise WrongType("E307", "equations know their principle already", "leave principle out, or give the system")
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"a fit needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
    given = resolved(equations.system, equations.states, record, options)
    return of_numbers(equations, record, **given)
