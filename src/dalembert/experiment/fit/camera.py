"""A camera above a table: what it shows of a point of the plane."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...errors import InvalidValue
from ..names import listed


def camera(
    columns: Any = "px py",
    plane: Any = "x y",
    *,
    scale: str = "scale",
    angle: str = "angle",
    shift: Any = "shift_x shift_y",
    flipped: bool = False,
) -> dict[str, sp.Expr]:
    """The two columns of pixels as expressions, for `columns=` of a fit.

        px = shift_x + scale (cos(angle) x - sin(angle) y)
        py = shift_y + scale (sin(angle) x + cos(angle) y)

    Scale (pixels per unit of length), angle (rad) and shift (pixels) are values of `parameters`, and unknowns of the
    fit if they are free. With ``flipped=True`` the second column grows downwards, as rows of images do.

    Args:
        columns: names of the two columns of the record.
        plane: names of the two coordinates.
        scale, angle, shift: names of the camera's values.
        flipped: does the second column grow downwards?

    Raises:
        InvalidValue: E554, not two columns, coordinates or shifts.
    """
    names = [listed(given) for given in (columns, plane, shift)]
    for given, what in zip(names, ("columns", "coordinates of the plane", "shifts"), strict=True):
        if len(given) != 2:
            raise InvalidValue(
                "E554", f"a camera has two {what}, not {len(given)}", 'da.measures.camera("px py", "x y")'
            )
    (px, py), (x, y), (x0, y0) = names[0], *([sp.Symbol(n, real=True) for n in pair] for pair in names[1:])
    k, a = sp.Symbol(scale, real=True), sp.Symbol(angle, real=True)
    down = -1 if flipped else 1
    return {
        px: x0 + k * (sp.cos(a) * x - sp.sin(a) * y),
        py: y0 + down * k * (sp.sin(a) * x + sp.cos(a) * y),
    }
