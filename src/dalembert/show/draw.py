"""One name for the figures of all nouns: `draw(noun)` finds the drawing by the noun's type."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ..comparison import Comparison, Limit
from ..errors import WrongType
from ..findings.fit import Fit
from ..findings.plan import Plan
from ..findings.ranking import Ranking
from ..trajectory import Trajectory
from . import comparison, fit, limit, motion, ranking


@singledispatch
def draw(thing: Any) -> Any:
    """A Matplotlib figure of a path, a comparison, a limit or a fit; ``figure.savefig("name.pdf")`` stores it.

    Raises:
        WrongType: E307, there is no figure of this.
        InvalidValue: E801, Matplotlib is not installed.
    """
    raise WrongType(
        "E307",
        f"there is no figure of {type(thing).__name__}",
        "give what da.simulate, da.compare, da.limit or da.fit returned",
    )


draw.register(Trajectory)(motion.draw)
draw.register(Comparison)(comparison.draw)
draw.register(Limit)(limit.draw)
draw.register(Fit)(fit.draw)
draw.register(Ranking)(ranking.draw)
draw.register(Plan)(ranking.draw_plan)
