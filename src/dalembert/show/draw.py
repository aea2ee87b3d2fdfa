"""One name for the figures of all nouns: `draw(noun)` finds the drawing by the noun's type."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ..comparison import Comparison, Limit
from ..errors import WrongType
from ..trajectory import Trajectory
from . import comparison, limit, motion


@singledispatch
def draw(thing: Any) -> Any:
    """A Matplotlib figure of a `Trajectory`, a `Comparison` or a `Limit`; ``figure.savefig("name.pdf")`` stores it.

    Raises:
        WrongType: E307, there is no figure of this.
        InvalidValue: E801, Matplotlib is not installed.
    """
    raise WrongType(
        "E307",
        f"there is no figure of {type(thing).__name__}",
        "give what da.simulate, da.compare or da.limit returned",
    )


draw.register(Trajectory)(motion.draw)
draw.register(Comparison)(comparison.draw)
draw.register(Limit)(limit.draw)
