"""Nouns -> HTML that needs no network, no script and no other package: text, tables, SVG and MathML.

`fragment(noun)` is found by the noun's type. Nouns of rooms that are not known here, and those with formulas, which
need SymPy, are registered by those who know both, with `fragment.register`.
"""

from __future__ import annotations

from functools import singledispatch

from ...comparison import Comparison, Limit
from ...errors import WrongType, kind_of
from ...findings.fit import Fit
from ...findings.plan import Plan
from ...findings.ranking import Ranking
from ...trajectory import Audit, Trajectory
from . import comparison, fit, path
from .markup import FRAGMENT, Html, tag

__all__ = ["fragment", "html", "wrapped"]


@singledispatch
def fragment(thing: object) -> Html:
    """A noun as a piece of HTML.

    Raises:
        WrongType: E307, there is none of this.
    """
    raise WrongType("E307", f"there is no page of {kind_of(thing)}", "give a path, a comparison or equations")


fragment.register(Trajectory)(path.fragment)
fragment.register(Comparison)(comparison.fragment)
fragment.register(Limit)(comparison.limit)
fragment.register(Audit)(path.audit_fragment)
fragment.register(Fit)(fit.fragment)
fragment.register(Ranking)(fit.ranking_fragment)
fragment.register(Plan)(fit.plan)


def html(thing: object) -> str:
    """A noun as a piece of HTML that brings its own style and can stand in any page, for a notebook."""
    return wrapped(fragment(thing))


def wrapped(content: Html) -> str:
    """A piece of HTML with the style that it needs."""
    return str(tag("div", tag("style", Html(FRAGMENT)), content, class_="dalembert", lang="en"))
