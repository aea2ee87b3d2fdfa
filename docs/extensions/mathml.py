"""Formulas as MathML, which browsers show without a script and without a request."""

import re
from html import escape

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

_LOG = logging.getLogger(__name__)
_DOTS = re.compile("<mo>(&#x002D9;|&#x000A8;)</mo></mover>")  # too small for the eye as they come


def mathml(latex: str, display: str = "inline") -> str:
    """The formula as one ``<math>`` element, its source kept as alternative text.

    Raises:
        ValueError: the converter did not understand all of it.
    """
    text = latex.strip()
    if "\\\\" in text and "\\begin" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    found = str(convert(text, display=display))
    if "\\" in found:
        raise ValueError(f"no MathML for {text}")
    found = _DOTS.sub(r'<mo mathsize="150%" stretchy="false">\1</mo></mover>', found)
    return found.replace("<math ", f'<math alttext="{escape(" ".join(text.split()))}" ', 1)


def _write(self, node: nodes.Element, display: str) -> str:
    try:
        return mathml(node.astext(), display)
    except Exception as error:  # whatever the converter stumbles on is a warning, so an error of the build
        _LOG.warning("this formula cannot be typeset: %s", error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def visit_inline(self, node: nodes.Element) -> None:
    """A formula in a line of text."""
    self.body.append(_write(self, node, "inline"))
    raise nodes.SkipNode


def visit_display(self, node: nodes.Element) -> None:
    """A formula on a line of its own."""
    self.body.append(f'<div class="formula">{_write(self, node, "block")}</div>')
    raise nodes.SkipNode


def setup(app) -> dict:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
