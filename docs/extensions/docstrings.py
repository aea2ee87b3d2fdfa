"""Docstrings of the library, which are plain text with indented formulas, as reStructuredText.

Formulas become literal blocks, characters that reStructuredText takes for markup are escaped, sources become links.
"""

import re

from .bibliography import linked

_SECTIONS = ("Args:", "Attributes:", "Raises:", "Returns:", "Yields:")
_LITERAL = re.compile(r"(``.+?``|`[^`\n]+`)")
_BARE = re.compile(r"([*|\\]|_(?=\W|$))")


def converted(lines: list[str]) -> list[str]:
    """The lines of one docstring."""
    found: list[str] = []
    base, literal, quoted = 0, False, False  # indentation of a section's items; in a literal block; within ``...``
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            found.append("")
            continue
        if indent == 0:
            base = 4 if line.strip() in _SECTIONS else 0
        if base and indent == 0:
            literal = False
            found.append(line)
            continue
        if indent > (base + 4 if base else 0):
            found += [] if literal else _opened(found, indent)
            found.append(line)
            literal = True
            continue
        found += [""] if literal and found[-1] else []
        literal = False
        name, colon, text = line.partition(":") if base and indent == base else ("", "", line)  # the name is napoleon's
        if base and indent == base and not colon:
            name, text = "", line
        text, quoted = _text(text, quoted)
        found.append(f"{name}{colon}{text}")
    return found


def _opened(found: list[str], indent: int) -> list[str]:
    """``::`` at the indentation of the text before."""
    before = next((line for line in reversed(found) if line), "")
    here = min(len(before) - len(before.lstrip()), indent - 1) if before else 0
    return [*([""] if found and found[-1] else []), " " * here + "::", ""]


def _text(line: str, quoted: bool) -> tuple[str, bool]:
    """A line of text, escaped outside of literals; does it begin, and end, within one?"""
    before, mark, rest = line.partition("``") if quoted else ("", "", line)
    if quoted and not mark:
        return line, True
    pieces = _LITERAL.split(rest)
    ends = pieces[-1].count("``") % 2 == 1
    if ends:
        last, tick, after = pieces[-1].rpartition("``")
    else:
        last, tick, after = pieces[-1], "", ""
    pieces[-1] = last
    done = [piece if i % 2 else linked(_BARE.sub(r"\\\1", piece)) for i, piece in enumerate(pieces)]
    return f"{before}{mark}{''.join(done)}{tick}{after}", ends


def process(app, what, name, obj, options, lines: list[str]) -> None:
    """Before napoleon."""
    lines[:] = converted(lines)


def setup(app) -> dict:
    """Connect before napoleon, whose priority is 500."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
