"""A camera above a table: what it shows of a point of the plane."""

from __future__ import annotations

import sympy as sp

from .. import given
from ..errors import InvalidValue
from ..given import public


@public
def camera(
    columns: object = "px py",
    plane: object = "x y",
    *,
    scale: str = "scale",
    angle: str = "angle",
    shift: object = "shift_x shift_y",
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
    px, py = _two(columns, "columns")
    x, y = map(_symbol, _two(plane, "coordinates of the plane"))
    x0, y0 = map(_symbol, _two(shift, "shifts"))
    k, a = _symbol(given.name(scale, "scale", "E554")), _symbol(given.name(angle, "angle", "E554"))
    names = [str(s) for s in (x, y, x0, y0, k, a)]
    if len({*names, px, py}) < 8 or not all(name.isidentifier() for name in names):
        fact = f"a camera has six values of different names, not {', '.join(names):.80}, and two columns besides"
        raise InvalidValue("E554", fact, 'scale="scale", angle="angle", shift="shift_x shift_y"')
    down = -1 if given.switch(flipped, "flipped", "E554") else 1
    return {
        px: x0 + k * (sp.cos(a) * x - sp.sin(a) * y),
        py: y0 + down * k * (sp.sin(a) * x + sp.cos(a) * y),
    }


def _two(asked: object, what: str) -> tuple[str, str]:
    """Two different names (E554)."""
    found = given.names(asked, what, "E554")
    if len(set(found)) != 2 or len(found) != 2:
        fact = f"a camera has two {what}, not {' and '.join(found) if len(found) == 2 else len(found)}"
        raise InvalidValue("E554", fact, 'da.measures.camera("px py", "x y")')
    return found[0], found[1]


def _symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)
