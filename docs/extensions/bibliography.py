"""The sources of ``references.bib``: a page that lists them, and links to it where a text cites ``[key (3.4)]``."""

import re
from functools import cache

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from dalembert.apps.citations import references
from dalembert.apps.explain import entries

_KEY = re.compile(r"\b([a-z]+\d{4}[a-z]?)\b")

_CODE = re.compile(r"\b([EWN]\d{3})\b")
_CITED = re.compile(r"\[([a-z]+\d{4}[a-z]?)(?=[ ,;\]])")


def linked(text: str) -> str:
    """Text of a docstring as reStructuredText: keys of sources and codes of errors become links."""
    text = _KEY.sub(lambda m: f":ref:`{m[1]} <source-{m[1]}>`" if m[1] in references() else m[1], text)
    return _CODE.sub(lambda m: f":ref:`{m[1]} <{m[1].lower()}>`" if m[1] in codes() else m[1], text)


@cache
def codes() -> set[str]:
    """Codes that the index of errors explains."""
    return {entry.code for entry in entries()}


def _read(app, docname: str, source: list[str]) -> None:
    """``[lewis1995 (3.4)]`` in a page becomes a link."""
    if docname.startswith(("tutorial/", "howto/", "explanation/")):
        source[0] = _CITED.sub(
            lambda m: f"[{{ref}}`{m[1]} <source-{m[1]}>`" if m[1] in references() else m[0], source[0]
        )


class Sources(SphinxDirective):
    """All entries, each with an anchor."""

    def run(self) -> list[nodes.Node]:
        """A list of definitions."""
        found, domain = nodes.definition_list(), self.env.get_domain("std")
        for key, source in sorted(references().items()):
            target = f"source-{key}"
            domain.labels[target] = (self.env.docname, target, key)
            domain.anonlabels[target] = (self.env.docname, target)
            doi = f" doi:{source.fields['doi']}" if "doi" in source.fields else ""
            term = nodes.term(key, "", nodes.literal(key, key), ids=[target])
            text = nodes.definition("", nodes.paragraph("", source.line + doi))
            found += nodes.definition_list_item("", term, text)
        return [found]


def setup(app) -> dict:
    """Register the directive ``sources``."""
    app.add_directive("sources", Sources)
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
