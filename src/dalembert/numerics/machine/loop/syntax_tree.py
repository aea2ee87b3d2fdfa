"""The text of a function: its syntax tree, and what its module's names mean."""

from __future__ import annotations

import ast
import linecache
import textwrap
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from .value_types import NotCompilable

Function = Callable[..., object]


@dataclass(frozen=True)
class FunctionSource:
    """A function's text.

    Attributes:
        function: the function.
        tree: its definition.
        parameters: names and declared types.
        result: the declared type of what it returns.
        locals: names that it gives values to.
    """

    function: Function
    tree: ast.FunctionDef
    parameters: Mapping[str, str]
    result: str
    locals: frozenset[str]

    @property
    def names(self) -> Mapping[str, object]:
        """What the names of its module mean."""
        return self.function.__globals__


@cache
def source_of(function: Function) -> FunctionSource:
    """The source of a function that is defined in a file.

    Raises:
        Refused: there is no text of it, or it is a closure, or has other than plain parameters with declared types.
    """
    code: types.CodeType = function.__code__
    found = _definition(function, code)
    if found is None:
        raise NotCompilable(f"{code.co_filename}: the text of {function.__name__} is needed to compile it")
    given = found.args
    others = given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or given.defaults
    if code.co_freevars or others or any(a.annotation is None for a in given.args) or found.returns is None:
        raise NotCompilable(f"{code.co_filename}:{found.lineno}: plain parameters with declared types are needed")
    parameters = {a.arg: ast.unparse(a.annotation) for a in given.args if a.annotation}
    return FunctionSource(function, found, parameters, ast.unparse(found.returns), frozenset(code.co_varnames))


def _definition(function: Function, code: types.CodeType) -> ast.FunctionDef | None:
    """The function's own lines of its file, read: up to its last instruction, and what is indented behind it."""
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first, stop = code.co_firstlineno - 1, max(line for _, _, line in code.co_lines() if line)
    if stop > len(lines):
        return None
    while stop < len(lines) and (not lines[stop].strip() or _indent(lines[stop]) > _indent(lines[first])):
        stop += 1
    with suppress(SyntaxError):
        (found,) = ast.parse(textwrap.dedent("".join(lines[first:stop]))).body
        if isinstance(found, ast.FunctionDef) and found.name == function.__name__:
            ast.increment_lineno(found, first)
            return found
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
