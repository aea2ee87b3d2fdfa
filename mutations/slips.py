"""Slips at random places: a sign, a factor, an index, an order, a comparison, a term that is left out."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .law import SOURCE

_SWAPPED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
Place = Callable[..., int]  # of a node: where it begins, or with True where it ends
_TWINS = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}
_SIGNS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}


@dataclass(frozen=True)
class Slip:
    """A piece of a file and what would stand there: (file, its path from ``src/dalembert``, begin, end, text)."""

    file: str
    begin: int
    end: int
    text: str

    def applied(self) -> str:
        """The whole file with the slip."""
        text = (SOURCE / self.file).read_text(encoding="utf-8")
        return text[: self.begin] + self.text + text[self.end :]

    def __str__(self) -> str:
        text = (SOURCE / self.file).read_text(encoding="utf-8")
        line = text[: self.begin].count("\n") + 1
        return f"{self.file}:{line}: {text[self.begin : self.end][:60]} -> {self.text[:60]}"


def slips(room: str, count: int, seed: int) -> list[Slip]:
    """Some slips in the files of a room."""
    files = sorted((SOURCE / room).rglob("*.py"))
    every = [slip for file in files for slip in _of(file)]
    return random.Random(seed).sample(every, min(count, len(every)))


def _of(file: Path) -> Iterator[Slip]:
    name = file.relative_to(SOURCE).as_posix()
    return (slip for _, slip in of(name, file.read_text(encoding="utf-8")))


def of(
    name: str, text: str, wanted: Callable[[ast.Module], Iterable[ast.AST]] = ast.walk
) -> Iterator[tuple[int, Slip]]:
    """The slips of a file's text, of all its nodes or those wanted, each with its line."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(node: ast.expr, end: bool = False) -> int:
        row, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return starts[(row or 1) - 1] + (column or 0)

    tree = ast.parse(text)
    types = _types(tree)
    for node in wanted(tree) if text.isascii() else ():  # columns of Python count bytes
        for begin, end, new in _slips_of(node, place, text) if id(node) not in types else ():
            if new != text[begin:end]:
                yield getattr(node, "lineno", 1), Slip(name, begin, end, new)


def _types(tree: ast.AST) -> set[int]:
    """What stands in annotations: it is never run."""
    said: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            said.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            said.append(node.returns)
    return {id(inner) for each in said if each is not None for inner in ast.walk(each)}


def _slips_of(node: ast.AST, at: Place, text: str) -> Iterator[tuple[int, int, str]]:
    """Slips of one node."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
        gap = at(node.left, True), at(node.right)
        sign = text[gap[0] : gap[1]]
        if sign.strip() in ("+", "-", "*", "/"):
            yield gap[0], gap[1], f" {_SWAPPED[type(node.op)]} "
            yield at(node), at(node, True), text[at(node.left) : at(node.left, True)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield at(node), at(node, True), text[at(node.operand) : at(node.operand, True)]
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SIGNS:
        gap = at(node.left, True), at(node.comparators[0])
        if text[gap[0] : gap[1]].strip() in ("<", "<=", ">", ">=", "==", "!="):
            yield gap[0], gap[1], f" {_SIGNS[type(node.ops[0])]} "
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield at(node), at(node, True), repr(node.value + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cross" and node.args:
        one, two = (text[at(e) : at(e, True)] for e in (node.func.value, node.args[0]))
        yield at(node), at(node, True), f"({two}).cross({one})"
    if isinstance(node, ast.Call) and (name := _function(node)) in _TWINS:
        yield at(node.func, True) - len(name), at(node.func, True), _TWINS[name]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and text[at(node)] in "'\"":
        inside = at(node) + 1
        if text[inside : at(node, True) - 1] == node.value:
            yield from ((inside + begin, inside + end, new) for begin, end, new in _in_words(node.value))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        one, two = node.slice.elts
        yield at(one), at(two, True), f"{text[at(two) : at(two, True)]}, {text[at(one) : at(one, True)]}"


def _function(node: ast.Call) -> str:
    """The name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _in_words(words: str) -> Iterator[tuple[int, int, str]]:
    """Slips in a formula that is given as text, ``"x^2 - y"``: of what can be read as one and is more than a number."""
    try:
        tree = ast.parse(words, mode="eval")
    except (SyntaxError, ValueError):
        return
    nodes = list(ast.walk(tree))
    if not any(isinstance(n, ast.Name) for n in nodes) or not any(isinstance(n, ast.BinOp | ast.Call) for n in nodes):
        return

    def place(node: ast.expr, end: bool = False) -> int:
        return (node.end_col_offset if end else node.col_offset) or 0

    for node in nodes:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield from _slips_of(node, place, words)
