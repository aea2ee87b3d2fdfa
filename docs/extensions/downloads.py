"""The listings of a page as a script and as a notebook that was executed: ```{downloads}``` links to both."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .listings import page

FOLDER, _WANTED = "_files", "dalembert-notebook"
_LISTING = re.compile(r"^```\{(?:run)\}\n((?::\w+:[^\n]*\n)*)\n?(.*?)^```\n", re.M | re.S)
_ROLE = re.compile(r"\{\w+\}`([^<`]*?)(?: *<[^>]*>)?`")
_HEAD = re.compile(r"^\([^\n]*?\)=\n|^```\{downloads\}\n```\n", re.M)


def script(title: str, listings: list[str]) -> str:
    """The listings one after another."""
    return "\n\n".join([f'"""{title}"""', *listings]) + "\n"


def notebook(cells: list[tuple[str, str]], answers: Mapping[str, list[dict]] = MappingProxyType({})) -> str:
    """Cells ``(kind, text)`` as a Jupyter notebook, with what each listing answered where that is known."""
    order = {text.strip("\n"): n for n, text in enumerate((t for kind, t in cells if kind == "code"), start=1)}

    def cell(i: int, kind: str, text: str) -> dict:
        text = text.strip("\n")
        found = {"cell_type": kind, "id": f"c{i}", "metadata": {}, "source": text.splitlines(keepends=True)}
        if kind != "code":
            return found
        count = order[text] if text in answers else None
        outputs = [
            {**out, "execution_count": count} if "execution_count" in out else out for out in answers.get(text, [])
        ]
        return {**found, "execution_count": count, "outputs": outputs}

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
        self.env.temp_data[_WANTED] = found
        return [links(name, [f"{name}.py", f"{name}.ipynb"])]


def executed(app, doctree) -> None:
    """The notebook of a page whose listings have been run by now."""
    found = app.env.temp_data.pop(_WANTED, None)
    if found is not None:
        write(app, f"{app.env.docname}.ipynb", notebook(found, page(app.env).answers))


def setup(app) -> dict:
    """Register the directive ``downloads``."""
    app.add_directive("downloads", Downloads)
    app.connect("doctree-read", executed, priority=400)  # before the page is closed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
