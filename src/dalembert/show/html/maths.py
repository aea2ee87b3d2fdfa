"""LaTeX as MathML, which every current browser shows without a script; as its own source where that fails."""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

from .markup import Html, tag

LONGEST = 40_000  # characters of one formula
_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
_MATHML = """
math mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle msub msup msubsup munder mover munderover mtable mtr mtd
mpadded mphantom menclose mmultiscripts mprescripts none semantics
"""
_GIVEN = """
xmlns display mathvariant stretchy fence form separator accent accentunder lspace rspace width height depth
columnalign columnspacing rowspacing linethickness displaystyle scriptlevel minsize maxsize movablelimits
"""
ELEMENTS, ATTRIBUTES = set(_MATHML.split()), set(_GIVEN.split())
_DOTS = re.compile("<mo>(&#x002D9;|&#x000A8;)</mo></mover>")  # too small for the eye as they come
_SIGN = re.compile(r"(<mrow>)<mo>(&#x0002B;|&#x02212;|&#x0003D;)</mo>")


def maths(latex: str, *, goes_on: bool = False) -> Html:
    """A formula: MathML if `latex2mathml` is installed and understands it, else the LaTeX source as text.

    One that goes on begins with a sign that stands between it and what came before.
    """
    found = _mathml(latex)
    if not found:
        return tag("code", latex, class_="tex")
    return tag(
        "span", Html(_SIGN.sub(r'\1<mo form="infix">\2</mo>', found, count=1) if goes_on else found), class_="term"
    )


@lru_cache(maxsize=2048)
def _mathml(latex: str) -> str:
    """The MathML, or "" where there is none."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return ""
    if len(latex) > LONGEST:
        return ""
    try:
        found = str(convert(_simple(latex))).replace('display="inline"', 'displaystyle="true"', 1)
        return (
            _DOTS.sub(r'<mo mathsize="150%" stretchy="false">\1</mo></mover>', found)
            if _harmless(found) and "\\" not in found
            else ""
        )
    except Exception:  # a converter of others': whatever it cannot read is shown as its source
        return ""


def _simple(latex: str) -> str:
    r"""The same with names of several letters as text, which would be spaced as products, and room before functions."""
    latex = re.sub(r"(?<=[\w}]) \\(sin|cos|tan|sinh|cosh|tanh|log|exp|cot|arcsin|arccos|arctan)\b", r" \, \\\1", latex)
    latex = latex.replace(r"\_", "_") if "_{" not in latex or r"\text{" in latex else latex
    return re.sub(r"\\(?:operatorname|mathrm)\{(\w\w+)\}", r"\\text{\1}", latex)


def _harmless(found: str) -> bool:
    """Is it well formed, and made of MathML's elements for formulas only?"""
    for element in ElementTree.fromstring(found).iter():
        if element.tag.removeprefix(_NAMESPACE) not in ELEMENTS or set(element.attrib) - ATTRIBUTES:
            return False
    return True
