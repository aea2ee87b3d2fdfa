"""The listings of a page as a script and as a notebook: ```{downloads}``` links to both."""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FOLDER = "_files"
_LISTING = re.compile(r"^```\{(?:run)\}\n((?::\w+:[^\n]*\n)*)\n?(.*?)^```\n", re.M | re.S)
_ROLE = re.compile(r"\{\w+\}`([^<`]*?)(?: *<[^>]*>)?`")
_HEAD = re.compile(r"^\([^\n]*?\)=\n|^```\{downloads\}\n```\n", re.M)


def script(title: str, listings: list[str]) -> str:
    """The listings one after another."""
    return "\n\n".join([f'"""{title}"""', *listings]) + "\n"


def notebook(cells: list[tuple[str, str]]) -> str:
    """Cells ``(kind, text)`` as a Jupyter notebook without outputs."""

    def cell(i: int, kind: str, text: str) -> dict:
        found = {"cell_type": kind, "id": f"c{i}", "metadata": {}, "source": text.strip("\n").splitlines(keepends=True)}
        return {**found, "execution_count": None, "outputs": []} if kind == "code" else found

    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": [cell(i, kind, text) for i, (kind, text) in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def cells(source: str) -> list[tuple[str, str]]:
    """A page as cells: its text as Markdown, its listings as code; those that show an error are left out."""
    found, at = [], 0
    source = _HEAD.sub("", source)
    for match in _LISTING.finditer(source):
        found.append(("markdown", _ROLE.sub(r"\1", source[at : match.start()])))
        if ":raises:" not in match[1]:
            found.append(("code", match[2]))
        at = match.end()
    found.append(("markdown", _ROLE.sub(r"\1", source[at:])))
    return [(kind, text) for kind, text in found if text.strip()]


def write(app, name: str, text: str) -> None:
    """A file beside the pages."""
    file = Path(app.outdir) / FOLDER / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def links(docname: str, names: list[str]) -> nodes.Node:
    """One line of links to files of `write`."""
    up = "../" * docname.count("/")
    shown = ", ".join(f'<a href="{up}{FOLDER}/{name}" download>{Path(name).name}</a>' for name in names)
    return nodes.raw("", f'<p class="downloads">Download: {shown}</p>', format="html")


class Downloads(SphinxDirective):
    """Links to the listings of this page."""

    def run(self) -> list[nodes.Node]:
        """The script and the notebook, made from the page's source."""
        name = self.env.docname
        found = cells(Path(self.env.doc2path(name)).read_text(encoding="utf-8"))
        title = next((text for kind, text in found if kind == "markdown"), name).lstrip("# ").splitlines()[0]
        write(self.env.app, f"{name}.py", script(title, [text.strip("\n") for kind, text in found if kind == "code"]))
        write(self.env.app, f"{name}.ipynb", notebook(found))
        return [links(name, [f"{name}.py", f"{name}.ipynb"])]


def setup(app) -> dict:
    """Register the directive ``downloads``."""
    app.add_directive("downloads", Downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
