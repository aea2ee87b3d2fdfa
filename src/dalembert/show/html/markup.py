"""HTML built from elements: what is not markup already becomes text, so nothing a user wrote is ever markup.

    tag("p", "a < b", tag("b", "!"), class_="note")     <p class="note">a &lt; b<b>!</b></p>

Styles, formulas (`maths`) and figures in words stand below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import numpy as np

VOID = {"br", "hr", "meta"}  # elements without an end
# control characters (but for the ends of lines), marks that turn the direction of text, halves of surrogate pairs
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class Html(str):
    """Text that is markup. Only this file and what builds on it makes it."""

    __slots__ = ()


def plain(value: object) -> str:
    """Any value as text without control characters and colour codes of a terminal."""
    return _CONTROL.sub("", _ANSI.sub("", str(value)))


def text(value: object) -> Html:
    """A value as it stands in a page: markup as it is, all else as text."""
    return value if isinstance(value, Html) else Html(escape(plain(value)))


def join(parts: Iterable[Any], between: str = "") -> Html:
    """Parts one after another."""
    return Html(between.join(text(part) for part in parts))


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. ``class_`` stands for ``class``, ``_`` in other names for ``-``; None leaves an attribute out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}/>" if name in VOID else f"<{name}{given}>{join(children)}</{name}>")


def number(value: float, digits: int = 6) -> Html:
    """A number to some digits for the eye, to the last bit in the page: ``<data value="0.1">0.1</data>``."""
    return tag("data", f"{float(value):.{digits}g}".replace("-", "\u2212"), value=repr(float(value)))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: object = None, **attributes: Any) -> Html:
    """A table with heads of columns; the first cell of each row is its head."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    title = [tag("caption", caption)] if caption else []
    return tag("div", tag("table", *title, tag("thead", top), tag("tbody", *body), **attributes), class_="wide")


def pairs(rows: Iterable[tuple[Any, Any]]) -> Html:
    """Names and what belongs to them, as a table of two columns without heads of columns."""
    body = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in rows]
    return tag("div", tag("table", tag("tbody", *body), class_="pairs"), class_="wide")


def listed(items: Iterable[object], **attributes: object) -> Html:
    """A list of points; nothing at all where there are none."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points, **attributes) if points else Html()


def folded(summary: object, *children: object, open_: bool = False) -> Html:
    """Content that a reader opens."""
    return tag("details", tag("summary", summary), *children, **({"open_": ""} if open_ else {}))


# --- style -----------------------------------------------------------------------------------------------------------
# How fragments and pages look. No colour tells what a word does not.

# A fragment takes its colours from the page around it, a notebook's light or dark theme.
FRAGMENT = """
.dalembert{line-height:1.45;max-width:66rem;overflow-wrap:break-word}
.dalembert h3{font-size:1.05em;margin:.7em 0 .3em}
.dalembert p{margin:.4em 0}
.dalembert .figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15.5rem),1fr));
gap:.6rem 1rem;margin:.5rem 0}
.dalembert figure{margin:0;break-inside:avoid}
.dalembert figure>svg{width:100%;height:auto;max-width:30rem;display:block}
.dalembert svg text{font-family:inherit}
.dalembert figcaption{font-size:.85em;margin-top:.1em}
.dalembert .legend{display:block}
.dalembert .key{margin-right:1em;white-space:nowrap;display:inline-block}
.dalembert .swatch{vertical-align:middle;margin-right:.35em}
.dalembert .wide{overflow-x:auto}
.dalembert table{border-collapse:collapse;margin:.4em 0;font-size:.9em;text-align:left;
font-variant-numeric:tabular-nums}
.dalembert caption{text-align:left;font-weight:bold;padding:.2em 0}
.dalembert th,.dalembert td{padding:.18em .9em .18em 0;vertical-align:baseline;text-align:left;background:none;
color:inherit}
.dalembert tr{background:none}
.dalembert thead th{border-bottom:1px solid currentColor}
.dalembert tbody th{font-weight:normal}
.dalembert tbody tr+tr>*{border-top:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.dalembert ul{margin:.2em 0;padding-left:1.3em}
.dalembert .small,.dalembert .notes{font-size:.88em}
.dalembert .light{border:2px solid;border-radius:1em;padding:0 .65em;font-weight:bold;white-space:nowrap}
.dalembert .light.ok{border-color:#009e73}
.dalembert .light.suspect{border-color:#d08a00;border-style:dashed}
.dalembert .light.failed{border-color:#d55e00;border-style:double;border-width:4px}
.dalembert .eq{margin:.1em 0;padding:.12em 0 .12em 1.6em;text-indent:-1.6em;overflow-x:auto;overflow-y:hidden}
.dalembert .term{display:inline-block;padding:.22em 0;text-indent:0;vertical-align:baseline}
.dalembert .term .term,.dalembert th .term{padding:0}
.dalembert .eq .name{font-size:.85em;opacity:.8;margin-left:1.2em}
.dalembert .reaction,.dalembert .rate,.dalembert .extra{padding:.12em .2em;text-indent:0}
.dalembert .reaction,.dalembert .rate{border-bottom:2px solid #2a78d6}
.dalembert .extra{border-bottom:4px double #d55e00;background:color-mix(in srgb,#d55e00 13%,transparent)}
.dalembert .tex{font-size:.85em;overflow-wrap:anywhere;white-space:pre-wrap}
.dalembert details{margin:.4em 0}
.dalembert summary{cursor:pointer}
.dalembert pre{overflow-x:auto;font-size:.85em;padding:.5em .7em;
border:1px solid color-mix(in srgb,currentColor 25%,transparent)}
"""

# A page of its own chooses them.
PAGE = """
:root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1b1b;--faint:#5a5a5a}
@media(prefers-color-scheme:dark){:root{--ground:#141518;--ink:#e6e6e6;--faint:#a8a8a8}}
html{background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
body{margin:0 auto;padding:1.2rem clamp(.9rem,4vw,2.5rem) 3rem;max-width:70rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2em 0 .3em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:1.8em 0 .4em;padding-bottom:.15em;
border-bottom:1px solid color-mix(in srgb,currentColor 30%,transparent)}
a{color:inherit}
body nav ul{list-style:none;padding:0!important;display:flex;flex-wrap:wrap;gap:.2em 1em;font-size:.9em}
.verdict{font-size:1.05rem;border-left:4px solid #2a78d6;padding:.3em .8em;margin:.8em 0}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2.5rem}
.sides>*{min-width:0}
footer{margin-top:2.5em;font-size:.85em;color:var(--faint)}
@media print{html{background:#fff;color:#000;
font-size:10.5pt}nav{display:none}details::details-content{content-visibility:visible;display:block;height:auto}
h2,h3,caption{break-after:avoid}tr{break-inside:avoid}.wide,.eq{overflow:visible}
.dalembert .figures{grid-template-columns:repeat(2,1fr)}}
"""


# --- formulas --------------------------------------------------------------------------------------------------------
# LaTeX as MathML, which every current browser shows without a script; as its own source where that fails.

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


# --- figures in words ------------------------------------------------------------------------------------------------

Units = Mapping[str, str]
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
NO_UNITS: Units = MappingProxyType({})


def pretty(unit: str) -> str:
    """``kg*m**2/s**2`` as it is written by hand."""
    raised = re.sub(r"\*\*(-?\d+)", lambda m: m.group(1).translate(_RAISED), unit)
    return raised.replace("*", "\u00a0")


def with_unit(name: str, units: Units) -> str:
    """``x (m)``, or the name alone where the unit is not known."""
    unit = units.get(name, "")
    return f"{name} ({pretty(unit)})" if unit else name


def course(name: str, t: np.ndarray, v: np.ndarray) -> str:
    """How a column goes, in one sentence with numbers."""
    good = np.isfinite(v)
    if not good.any():
        return f"{name} has no finite value"
    t, v = t[good], v[good]
    low, high = int(v.argmin()), int(v.argmax())
    return (
        f"{name} goes from {v[0]:.4g} at t = {t[0]:.4g} to {v[-1]:.4g} at t = {t[-1]:.4g}; "
        f"smallest {v[low]:.4g} at t = {t[low]:.4g}, largest {v[high]:.4g} at t = {t[high]:.4g}"
    )


def way(x: np.ndarray, y: np.ndarray) -> str:
    """Where a path in the plane leads, in one sentence with numbers."""
    good = np.isfinite(x) & np.isfinite(y)
    if not good.any():
        return "The path has no finite point"
    x, y = x[good], y[good]
    with np.errstate(over="ignore"):
        length = float(np.hypot(np.diff(x), np.diff(y)).sum())
    return (
        f"The path leads from ({x[0]:.4g}, {y[0]:.4g}) to ({x[-1]:.4g}, {y[-1]:.4g}), {length:.4g} long, "
        f"within x from {x.min():.4g} to {x.max():.4g} and y from {y.min():.4g} to {y.max():.4g}"
    )
