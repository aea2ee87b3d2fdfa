"""A connection that is chosen: forms on the reduced velocities whose kernel in D is H [cendra2001 Section 2].

Any complement H of S = D n V in D makes a connection for the Lagrange-d'Alembert-Poincare equations; the orthogonal one
is the nonholonomic connection. As many independent forms A as S has dimensions say which it is: H = {v in D: A v = 0}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.graph import evaluate
from ..calculus.rank import rank_of
from ..calculus.read import read
from ..errors import InvalidValue, UnknownName, WrongType
from ..model.expression import Reader
from ..model.system import System
from .states import ConstraintSampler

_PLACES = 5


def forms_of(system: System, given: Any, count: int) -> sp.Matrix:
    """The forms as rows on the velocities (count x k).

    Raises:
        WrongType: E101, no list of expressions; E718, a form that is no expression.
        UnknownName: E104, a form holds a name that the reduced system does not know.
        InvalidValue: E124, a form that is not linear in the velocities, or as many as S has dimensions are not given.
    """
    forms = [given] if isinstance(given, str | sp.Expr) else given
    forms = list(forms.values()) if isinstance(forms, Mapping) else forms
    if not isinstance(forms, Iterable):
        fact = f"a connection is a list of forms, not {type(given).__name__}"
        raise WrongType("E101", fact, 'splitting(system, connection=["w1*z1 + w2*z2 + w3*z3"])')
    rows = [_row(system, form) for form in forms]
    if len(rows) != count:
        fact = f"the connection has {len(rows)} form{'' if len(rows) == 1 else 's'}, S has {count} dimensions"
        raise InvalidValue("E124", fact, "give one form for each direction of S = D n V, without the constraints")
    return sp.Matrix(count, len(system.space.velocities), [e for row in rows for e in row])


def _row(system: System, form: Any) -> list[sp.Expr]:
    u = list(system.space.velocities)
    e = Reader.of(system).read(form, "a form of the connection")
    unknown = sorted({s.name for s in e.free_symbols} - {s.name for s in system.space} - set(system.symbols))
    if unknown:
        own = ", ".join(s.name for s in system.space)
        raise UnknownName(
            "E104", f"a form of the connection holds {', '.join(unknown)}", f"the reduced space has {own}"
        )
    row = [e.diff(v) for v in u]
    rest = sp.expand(e - sum((c * v for c, v in zip(row, u, strict=True)), sp.S.Zero))
    if rest != 0 or any(c.free_symbols & {*u} for c in row):
        names = ", ".join(v.name for v in u)
        raise InvalidValue("E124", f"the form {e} is not linear in the velocities", f"a sum of multiples of {names}")
    return row


def check_across(system: System, N: sp.Matrix, rho: sp.Matrix, A: sp.Matrix) -> None:
    """E124: the forms leave a direction of S, so that H is no complement of it in D."""
    sampler = ConstraintSampler(system)
    k = N.cols
    nodes = [read(e, sampler.graph) for e in sp.Matrix.vstack(N, rho, A)]
    for values, held in islice(sampler.states(29), _PLACES):
        # N v = 0 , rho v = 0 , A v = 0  for v = 0 only
        if held and rank_of(np.array(evaluate(nodes, values), float).reshape(-1, k)) < k:
            fact = "a direction of S = D n V lies in the kernel of the connection's forms"
            raise InvalidValue("E124", fact, "choose forms that tell the group's allowed directions apart")
