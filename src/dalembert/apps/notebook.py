"""Nouns in a notebook: which room's noun is drawn by which fragment. The front door hands `html` to `display`."""

from __future__ import annotations

from functools import cache

from ..show.html import fragment
from ..show.html import html as drawn


def html(noun: object) -> str:
    """A noun as HTML that needs neither a kernel nor the network once it is stored.

    Raises:
        WrongType: E307, there is no page of this.
    """
    if fragment.dispatch(type(noun)) is fragment.dispatch(object):
        with_formulas()
    return drawn(noun)


@cache
def with_formulas() -> None:
    """From now on nouns with formulas are drawn too; a stored path is shown without this, and so without SymPy."""
    from ..equations import Equations
    from ..geometry.examination import Examination
    from ..model.system import System
    from ..show.html import equations, system

    fragment.register(Equations)(equations.fragment)
    fragment.register(System)(system.fragment)
    fragment.register(Examination)(system.examination_fragment)
