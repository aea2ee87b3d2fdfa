"""Long straight lines of instructions as several functions: the time to compile one grows faster than its length.

What one part leaves for another passes through memory. Addresses are computed anew where they are used, so that the
compiler sees of which argument they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

LONGEST = 600  # lines of a part; what is not twice as long stays whole
ARGUMENTS = ("%a0", "%a1", "%a2", "%a3")
_NAME = re.compile(r"%[\w.]+")
_TYPE = re.compile(r"<\d+ x \w+>|\{[^}]*\}|\bdouble\b|\bi\d+\b|\bptr\b")
_FIXED = {
    **{"getelementptr": "ptr", "alloca": "ptr", "fcmp": "i1", "icmp": "i1"},
    **dict.fromkeys(("extractvalue", "extractelement"), "double"),
}


@dataclass(frozen=True)
class _Line:
    """One line of a function's text: an instruction with the name of its result, or a label."""

    text: str
    result: str
    operation: str

    @classmethod
    def of(cls, text: str) -> _Line:
        head, equals, rest = text.partition(" = ")
        return cls(text, head.strip(), rest.split(maxsplit=1)[0]) if equals else cls(text, "", text.split(None, 1)[0])

    @cached_property
    def uses(self) -> list[str]:
        """The names that it uses, the arguments aside."""
        return [n for n in _NAME.findall(self.text) if n != self.result and n not in ARGUMENTS]

    @property
    def type(self) -> str:
        """The type of the result."""
        rest = self.text.partition(" = ")[2]
        if self.operation in ("uitofp", "sitofp", "fptosi", "zext"):
            rest = rest.rpartition(" to ")[2]
        if self.operation == "select":
            rest = rest.partition(",")[2]
        return _FIXED.get(self.operation) or str(_TYPE.findall(rest)[0])

    @property
    def stays(self) -> bool:
        """Must it stay in the function that is cut?"""
        return self.operation in ("alloca", "phi") or not self.text.startswith(" ")


@dataclass
class _Part:
    """A part, and the names that it gets as arguments."""

    name: str
    lines: list[_Line]
    given: dict[str, None] = field(default_factory=dict)


def cut(name: str, lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of a function ``name(%a0, ..., %a3)`` with its long blocks cut, and the texts of the parts."""
    blocks = _blocks(lines)
    parts: list[_Part] = []
    pieces = [piece for block in blocks for piece in _pieces(name, block, parts)]
    if not parts:
        return list(lines), []
    known = {line.result: line for block in blocks for line in block}
    home = {line.result: part for part in parts for line in part.lines if line.result}
    slots: dict[str, int] = {}
    bodies = [[*_fetching(part, known, home, slots)] for part in parts]
    wanted = _wanted(pieces, known, home)
    for n in wanted:
        if known[n].operation != "getelementptr":
            slots.setdefault(n, len(slots))
    texts = [_text(part, body, known, home, slots) for part, body in zip(parts, bodies, strict=True)]
    main = [text for piece in pieces for text in _main(piece, known, wanted, slots)]
    main.insert(1, f"  %spill = alloca double, i64 {2 * len(slots) + 2}, align 64")
    return main, texts


def _blocks(lines: Sequence[str]) -> list[list[_Line]]:
    """Lines from label to label."""
    blocks: list[list[_Line]] = []
    for text in lines:
        if not text.startswith(" ") or not blocks:
            blocks.append([])
        blocks[-1].append(_Line.of(text))
    return blocks


def _pieces(name: str, block: list[_Line], parts: list[_Part]) -> Iterator[_Line | _Part]:
    """A block as it is, or what must stay of it, its parts, and how it ends."""
    if len(block) < 2 * LONGEST or any(line.operation == "load" and line.type.startswith("<") for line in block):
        yield from block  # vectors have no room in memory: they are met in short loops only
        return
    yield from (line for line in block[:-1] if line.stays)
    middle = [line for line in block[:-1] if not line.stays]
    for first in range(0, len(middle), LONGEST):
        parts.append(_Part(f"{name}_{len(parts)}", middle[first : first + LONGEST]))
        yield parts[-1]
    yield block[-1]


def _fetching(
    part: _Part, known: Mapping[str, _Line], home: Mapping[str, _Part], slots: dict[str, int]
) -> Iterator[str]:
    """The lines of a part, before each those that fetch what it uses."""
    there: set[str] = set()

    def fetch(name: str) -> Iterator[str]:
        if name in there:
            return
        there.add(name)
        line = known[name]
        if name in home and line.operation == "getelementptr":
            for n in line.uses:
                yield from fetch(n)
            yield line.text
        elif name in home:
            slots.setdefault(name, len(slots))
            yield from _access(name, line.type, slots[name])
        else:
            part.given[name] = None

    for line in part.lines:
        for name in line.uses:
            yield from fetch(name)
        if line.result not in there:
            yield line.text
        there |= {line.result} - {""}


def _wanted(pieces: Sequence[_Line | _Part], known: Mapping[str, _Line], home: Mapping[str, _Part]) -> dict[str, None]:
    """Names of the parts that the function itself uses."""
    wanted: dict[str, None] = {}
    stack = [n for piece in pieces for n in (piece.uses if isinstance(piece, _Line) else piece.given)]
    while stack:
        name = stack.pop()
        if name in home and name not in wanted:
            wanted[name] = None
            stack += known[name].uses if known[name].operation == "getelementptr" else []
    return wanted


def _main(
    piece: _Line | _Part, known: Mapping[str, _Line], wanted: Mapping[str, None], slots: Mapping[str, int]
) -> Iterator[str]:
    """A line, or the call of a part and what the function fetches of it."""
    if isinstance(piece, _Line):
        yield piece.text
        return
    given = "".join(f", {known[n].type} {n}" for n in piece.given)
    yield f"  call void @{piece.name}({', '.join(f'ptr {a}' for a in ARGUMENTS)}, ptr %spill{given})"
    for line in piece.lines:
        if line.result in wanted:
            yield from _access(line.result, line.type, slots[line.result]) if line.result in slots else [line.text]


def _text(
    part: _Part, body: list[str], known: Mapping[str, _Line], home: Mapping[str, _Part], slots: Mapping[str, int]
) -> str:
    """The function of a part; at its end it leaves what others fetch."""
    left = [n for n in slots if home[n] is part]
    stores = [text for n in left for text in _access(n, known[n].type, slots[n], store=True)]
    given = "".join(f", {known[n].type} {n}" for n in part.given)
    arguments = ", ".join(f"ptr noalias {a}" for a in ARGUMENTS)
    head = f"define internal void @{part.name}({arguments}, ptr noalias %spill{given}) noinline {{"
    return "\n".join([head, "entry:", *body, *stores, "  ret void", "}", ""])


def _access(name: str, kind: str, slot: int, store: bool = False) -> Iterator[str]:
    """Load a value from its place in memory, or store it there; a place has room for two numbers."""
    place = f"{name}.at" if store else f"{name}.from"
    yield f"  {place} = getelementptr double, ptr %spill, i64 {2 * slot}"
    yield f"  store {kind} {name}, ptr {place}, align 8" if store else f"  {name} = load {kind}, ptr {place}, align 8"
