"""One self-contained page: no script, no request, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
