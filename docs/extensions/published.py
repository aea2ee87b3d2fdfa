"""Published equations beside those that the library prints, from ``published.toml``."""

import re
import tomllib
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .mathml import mathml

FORMS = Path(__file__).parents[1] / "published.toml"
WIDE = 200  # letters: every row on one line
_LAYOUT = re.compile(r"\\left|\\right|\s+|&")
_MADE = re.compile(r"([a-z]|A)_\{\d+\} &= ")  # c_{1}, A_{12}


def forms() -> list[dict]:
    """The published forms."""
    return tomllib.loads(FORMS.read_text(encoding="utf-8"))["form"]


def made(form: dict):
    """The library's equations of a form's system, in its letters."""
    import dalembert as da
    from dalembert.apps import gallery

    system = gallery.module(form["system"]).system()
    given = {key: form[key] for key in ("symbols", "definitions") if key in form}
    return da.nonholonomic(system.changed(**given))


def ours(form: dict, equations) -> list[str]:
    """The rows of the library's LaTeX for the same accelerations, after the abbreviations that it made in them."""
    whole = of_multipliers(form) and equations.to_latex(numbered=False, fold=False)
    lines = [line.removesuffix(" \\\\") for line in (whole or equations.lean.latex(WIDE)).splitlines() if "&= " in line]
    rows = [line for line in lines if any(left in line.partition("&=")[0] for left in form["rows"])]
    used, found = {}, list(rows)
    own = {line.partition(" &=")[0]: line for line in lines if _MADE.match(line)}
    while found:
        row = found.pop()
        fresh = [line for left, line in own.items() if left in row.partition("&=")[2] + row and left not in used]
        used |= {line.partition(" &=")[0]: line for line in fresh}
        found += fresh
    return [line for left, line in own.items() if left in used and line not in rows] + rows


def short(left: str) -> bool:
    """Is the left side a letter that the library made for a part?"""
    return bool(_MADE.match(f"{left} &= "))


def of_multipliers(form: dict) -> bool:
    """Are ours the equations with multipliers?"""
    return form.get("of") == "multipliers"


def length(rows: list[str]) -> int:
    """Characters of LaTeX, without what only lays it out."""
    return sum(len(re.sub(r"\{(\w)\}", r"\1", _LAYOUT.sub("", row))) for row in rows)


def ratio(form: dict, equations) -> float:
    """The length of ours over that of the published form."""
    return length(ours(form, equations)) / length(form["latex"])


class Published(SphinxDirective):
    """All forms, one below the other."""

    def run(self) -> list[nodes.Node]:
        """One table for each."""
        found = []
        for form in forms():
            equations = made(form)
            title, source = equations.system.title, escape(form["source"])
            cells = [
                (f"published [{source}]", form["latex"]),
                (f"ours, ratio {ratio(form, equations):.2f}", [row.replace("&", "") for row in ours(form, equations)]),
            ]
            rows = "".join(f"<tr><th>{head}</th><td>{_lines(lines)}</td></tr>" for head, lines in cells)
            found += [nodes.rubric("", title), nodes.raw("", f'<table class="docutils">{rows}</table>', format="html")]
        return found


def _lines(rows: list[str]) -> str:
    return "<br>".join(mathml(row) for row in rows)


def setup(app) -> dict:
    """Register the directive."""
    app.add_directive("published", Published)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
