"""Which public functions a group of claims calls, read from its code and that of the paper's functions it leads to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dis import get_instructions
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import dalembert

from .claim import Group

HALL = Path(dalembert.__file__).parent
PACKAGE = dalembert.__name__
ROOM = __name__.rpartition(".")[0]
_WITHIN = ("fget", "func", "__func__")  # where a property, a cached one and a method of the class keep the function


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
    return tuple(sorted({name for each in _reached(group) for used in _used(each) if (name := _public(used))}))


@cache
def texts(group: Group) -> frozenset[str]:
    """The texts in a group, in the functions of this room that it calls, and in what these take of their files."""
    return frozenset(text for each in _reached(group) for text in _texts_of(each))


def _reached(group: Group) -> Iterator[FunctionType]:
    """A group, and the functions of this room that it calls."""
    seen: set[object] = set()
    waiting: list[object] = [group]
    while waiting:
        each = waiting.pop()
        each = unwrap(each) if callable(each) else each
        if not isinstance(each, FunctionType) or each in seen:
            continue
        seen.add(each)
        yield each
        for used in _used(each):
            if not _public(used) and str(getattr(used, "__module__", None)).startswith(f"{ROOM}."):
                waiting += _functions(used)


def _texts_of(function: FunctionType) -> Iterator[str]:
    yield from _texts_in([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()])
    for code in _codes(function.__code__):
        yield from _texts_in(code.co_consts)
        yield from _texts_in(function.__globals__.get(name) for name in code.co_names)


def _texts_in(things: Iterable[object]) -> Iterator[str]:
    """Those of things that are texts, and those in what lists them."""
    for each in things:
        if isinstance(each, str):
            yield each
        elif isinstance(each, (tuple, list, dict, set, frozenset)):
            yield from _texts_in(each)


def _public(thing: object) -> str | None:
    """How a script writes a thing: by its place, or because the front door takes it from another."""
    module, name = str(getattr(thing, "__module__", "")), str(getattr(thing, "__qualname__", ""))
    doors = (door for door in _doors().get(name, ()) if module in _places(*door))
    return next((public_names()[door] for door in doors), None)


@cache
def _doors() -> dict[str, list[tuple[str, str]]]:
    """The public names by what they are called in their files."""
    found: dict[str, list[tuple[str, str]]] = {}
    for door in public_names():
        found.setdefault(door[1], []).append(door)
    return found


@cache
def _places(module: str, name: str) -> tuple[str, ...]:
    """The files that may hold what a script takes from one: that file, one of its folder's, or one whose help it has.

    What wraps another, ``@wraps(study.limit)``, or takes one of its own name as another,
    checks and hands the rest on.
    """
    path = HALL.joinpath(*module.split(".")[1:])
    if path.is_dir():
        return module, f"{module}.{name}"
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    helped = re.search(rf"@wraps\((\w+)\.{name}\)", text)
    behind = helped and re.search(rf"from \.\.([\w.]+) import (\w+) as {helped[1]}\b", text)
    if behind:
        return module, f"{PACKAGE}.{behind[1]}.{behind[2]}"
    named = re.search(rf"from \.\.([\w.]+) import {name} as \w+$", text, flags=re.MULTILINE)
    return (module, f"{PACKAGE}.{named[1]}") if named else (module,)


def _functions(thing: object) -> list[object]:
    """A function itself, or those of a class."""
    if not isinstance(thing, type):
        return [thing]
    inner = (next((f for n in _WITHIN if (f := getattr(each, n, None))), each) for each in vars(thing).values())
    return [each for each in inner if callable(each)]


@cache
def _used(function: FunctionType) -> tuple[Any, ...]:
    """What the names in a function stand for; many groups call it."""
    return tuple(_meant(function))


def _meant(function: FunctionType) -> Iterator[Any]:
    """Globals, what it closes over, and what is asked of modules."""
    codes = list(_codes(function.__code__))
    names = {name for code in codes for name in code.co_names}
    # an attribute may be called as something of the file is: only what is loaded from there counts
    loaded = {each.argval for code in codes for each in get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    things = [function.__globals__[name] for name in loaded if name in function.__globals__]
    for thing in (*things, *cells):
        if isinstance(thing, ModuleType):
            yield from (unwrap(vars(thing)[name]) for name in names if callable(vars(thing).get(name)))
        elif callable(thing):
            yield unwrap(thing)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of what is defined within."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
