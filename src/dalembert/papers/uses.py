"""Which public functions a group of claims calls, read from its code and that of the paper's functions it leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .claim import Group

HALL = Path(__file__).resolve().parents[1]
PACKAGE = __name__.split(".")[0]
ROOM = __name__.rpartition(".")[0]


@cache
def public_names() -> dict[tuple[str, str], str]:
    """How a script writes what stands in a file: ``("dalembert.principles.gauss", "gauss")``: ``da.forms.gauss``."""
    front = ast.parse((HALL / "__init__.pyi").read_text(encoding="utf-8"))
    spaces = [each.name for node in _imports(front) if node.module is None for each in node.names]
    places = {"": front} | {f"{space}.": ast.parse((HALL / f"{space}.py").read_text("utf-8")) for space in spaces}
    return {
        (f"{PACKAGE}.{node.module}", each.name): f"da.{space}{each.asname or each.name}"
        for space, tree in places.items()
        for node in _imports(tree)
        if node.module
        for each in node.names
    }


def _imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    return (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1)


def public_functions(group: Group) -> tuple[str, ...]:
    """The public names that a group and the functions of this room that it calls use, sorted."""
    found: set[str] = set()
    seen: set[object] = set()
    waiting: list[Any] = [group]
    while waiting:
        each = unwrap(waiting.pop())
        if not isinstance(each, FunctionType) or each in seen:
            continue
        seen.add(each)
        for used in _used(each):
            place = getattr(used, "__module__", None), getattr(used, "__qualname__", None)
            if place in public_names():
                found.add(public_names()[place])
            elif str(place[0]).startswith(f"{ROOM}."):
                waiting += _functions(used)
    return tuple(sorted(found))


def _functions(thing: object) -> list[object]:
    """A function itself, or those of a class."""
    if not isinstance(thing, type):
        return [thing]
    inner = (getattr(each, "fget", None) or getattr(each, "__func__", each) for each in vars(thing).values())
    return [each for each in inner if callable(each)]


def _used(function: FunctionType) -> Iterator[Any]:
    """What the names in a function stand for: globals, what it closes over, and what is asked of modules."""
    names = set(_names(function.__code__))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    things = [function.__globals__[name] for name in names if name in function.__globals__]
    for thing in (*things, *cells):
        if isinstance(thing, ModuleType):
            yield from (unwrap(vars(thing)[name]) for name in names if callable(vars(thing).get(name)))
        elif callable(thing):
            yield unwrap(thing)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
