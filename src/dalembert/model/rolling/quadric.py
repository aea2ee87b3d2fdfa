"""The support function of a quadric, in closed form.

With F = p . A p + 2 b . p + f, the middle c = - A^-1 b and d = c . A c - f, F = (p - c) . A (p - c) - d:

    h(n) = c . n + sqrt(d n . A^-1 n)

It is the same for -F. Of a ball A = a 1, and sqrt(d/a) is its radius.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from ...errors import InvalidValue
from ..body import Body
from .level import OWN
from .normals import NORMAL
from .support import Support

_X, _N = sp.Matrix(OWN.coordinates), sp.Matrix(NORMAL.coordinates)


def quadric(F: sp.Expr) -> Support | None:
    """The body that F = 0 bounds; None where F is not of degree 2 in x, y, z.

    Raises:
        InvalidValue: E155, a quadric that bounds no body: a cone, a hyperboloid, a cylinder, an empty one.
    """
    bend = sp.hessian(F, list(_X))
    if bend.free_symbols & set(_X) or any(not sp.simplify(e).is_finite for e in bend if e.is_number):
        return None
    A, at = bend / 2, dict.fromkeys(_X, sp.S.Zero)
    b, f = sp.Matrix([F.diff(s) for s in _X]).subs(at) / 2, F.subs(at)
    if A.det() == 0:
        raise _no_body(F)
    inverse = A.inv()
    c = (-inverse * b).applyfunc(sp.factor_terms)
    d = sp.factor_terms(c.dot(A * c) - f)
    shape = (d * inverse).applyfunc(sp.cancel)
    _check(F, shape)
    spread, away = shape[0, 0], c.dot(_N)
    if shape == spread * sp.eye(3):
        radius = sp.sqrt(spread)
        return Support(away, radius, c, Body("ball", radius=radius, at=tuple(c)))
    h = sp.sqrt(sp.expand(_N.dot(shape * _N)))
    drawn = Body("ellipsoid", size=tuple(2 * sp.sqrt(shape[i, i]) for i in range(3)), at=tuple(c))
    return Support(h + away, middle=c, drawn=drawn if shape.is_diagonal() else None)


def _check(F: sp.Expr, shape: sp.Matrix) -> None:
    """E155 unless d A^-1 is positive; where parameters decide, the values say so (`fitting`)."""
    if not shape.free_symbols and np.linalg.eigvalsh(np.array(shape.tolist(), float))[0] <= 0:
        raise _no_body(F)


def _no_body(F: sp.Expr) -> InvalidValue:
    remedy = '"x^2/a^2 + y^2/b^2 + z^2/c^2 - 1" is an ellipsoid'
    return InvalidValue("E155", f"the surface {F} = 0 is not closed, or has no points", remedy)
