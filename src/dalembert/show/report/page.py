"""One self-contained page: no script, no request, nothing from elsewhere; and how it comes into a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import written
from ...trajectory.archive import as_path
from ..html.markup import Html, join, listed, tag
from ..html.style import FRAGMENT, PAGE

# nothing is loaded from anywhere: the page's own style and pictures inside it are all
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Section(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    content: Html


def page(title: str, lead: Html, sections: Sequence[Section], foot: str = "") -> str:
    """A whole page; sections without content are left out."""
    shown = [s for s in sections if s.content]
    links = [tag("a", s.heading, href=f"#s{i}") for i, s in enumerate(shown, 1)]
    body = [
        tag("header", tag("h1", title), lead),
        tag("nav", listed(links), aria_label="Sections"),
        tag("main", *(tag("section", tag("h2", s.heading), s.content, id=f"s{i}") for i, s in enumerate(shown, 1))),
        tag("footer", foot),
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Html(PAGE + FRAGMENT)),
    )
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", join(body, "\n"), class_="dalembert"), lang="en") + "\n"


def write(file: str | Path, content: str) -> Path:
    """Write the page; the file appears whole or not at all.

    Raises:
        Unwritable: E530, the folder is not there or cannot be written.
        WrongType, InvalidValue: E501, not the name of a file.
    """
    target = as_path(file, "page.html")
    with written(target, "name a file in a folder that is there and can be written"):
        _replace(target, content)
    return target


def _replace(target: Path, content: str) -> None:
    """Under another name in the same folder, then renamed."""
    handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
        os.chmod(draft, 0o644)
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
