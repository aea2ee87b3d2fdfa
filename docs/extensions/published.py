"""Published equations beside those that the library prints, from ``published.toml``."""

import re
import tomllib
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .mathml import mathml

FORMS = Path(__file__).parents[1] / "published.toml"
_LAYOUT = re.compile(r"\\left|\\right|\s+|&")


def forms() -> list[dict]:
    """The published forms."""
    return tomllib.loads(FORMS.read_text(encoding="utf-8"))["form"]


def made(form: dict):
    """The library's equations of a form's system, in its letters."""
    import dalembert as da
    from dalembert.apps import shelf

    system = shelf.module(form["system"]).system()
    given = {key: form[key] for key in ("symbols", "definitions") if key in form}
    return da.nonholonomic(system.changed(**given))


def ours(form: dict, equations) -> list[str]:
    """The rows of the library's LaTeX for the same accelerations, and the abbreviations in them."""
    rows = [line.removesuffix(" \\\\") for line in equations.lean.latex().splitlines() if " &= " in line]
    return [row for row in rows if any(left in row.partition("&=")[0] for left in form["rows"])]


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
