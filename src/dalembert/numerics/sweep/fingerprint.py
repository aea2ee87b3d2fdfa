"""Fingerprints: of everything that decides the result of a sweep, and of the result itself."""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import json
import platform
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ...equations import Equations
from ...errors import InvalidValue, as_given, kind_of
from ...event import Event
from ..policy import OF_METHOD, Policy
from .parameter_grid import Grid
from .task import Task

# ---------------------------------------------------------------------------------------------------------------------
# What decides the value of a function, as text: its code, and all that the code reaches from where it stands.
# Defaults, values it closes over, globals it names, and functions and objects among these are followed; packages that
# are installed count by their version. What cannot be followed is refused, for a store would go on with the old
# numbers.

MOST = 20_000  # things that are followed
_OUTSIDE = ("open", "input", "eval", "exec", "compile", "globals", "locals", "vars", "__import__")
_UNSTEADY = {"random", "secrets", "time", "datetime", "uuid", "os", "pathlib", "io", "subprocess", "socket", "urllib"}
_UNSTEADY |= {"importlib", "inspect", "gc", "ctypes", "mmap", "tempfile", "glob", "linecache", "fileinput", "sqlite3"}
_READS = re.compile(r"(open|load|read|fromfile|genfromtxt|memmap|imread|recorded|modules$|_getframe)(?!er)")
_PLACES = ("site-packages", "dist-packages")
_IDLE = ("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__")


def fingerprint(name: str, function: object) -> str:
    """SHA-256 of what decides its values.

    Raises:
        InvalidValue: E318, something in it cannot be followed.
    """
    walk = _FunctionWalk(name)
    try:
        return hashlib.sha256("\n".join(walk.of(function)).encode()).hexdigest()
    except RecursionError:
        raise walk.refusal("holds things within things without end") from None


@dataclass
class _FunctionWalk:
    """One function looked through; what was met before is named by its number."""

    name: str
    met: dict[int, int] = field(default_factory=dict)
    alive: list[object] = field(default_factory=list)

    def of(self, thing: object) -> Iterable[str]:
        plain = _plain(thing)
        if plain is not None:
            return [plain]
        if id(thing) in self.met:
            return [f"again {self.met[id(thing)]}"]
        self.met[id(thing)] = len(self.met)
        self.alive.append(thing)  # so that no other thing gets its number
        if len(self.met) > MOST:
            raise self.refusal(f"reaches more than {MOST} things")
        return [type(thing).__name__, *self._followed(thing)]

    def _followed(self, thing: object) -> Iterable[str]:
        for kinds, follow in _KINDS:
            if isinstance(thing, kinds):
                return follow(self, thing)
        return self._object(thing)

    # --- kinds of things -----------------------------------------------------------------------------------------

    def array(self, thing: np.ndarray) -> Iterable[str]:
        if thing.dtype.hasobject:
            return [str(thing.shape), *self.each(thing.ravel().tolist())]
        return [thing.dtype.str, str(thing.shape), hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()]

    def each(self, things: Iterable[object]) -> Iterable[str]:
        return [part for thing in things for part in self.of(thing)]

    def unordered(self, things: Iterable[object]) -> Iterable[str]:
        return sorted("\n".join(_FunctionWalk(self.name).of(thing)) for thing in things)

    def mapping(self, thing: Mapping[object, object]) -> Iterable[str]:
        return self.each(part for item in thing.items() for part in item)

    def partial(self, thing: functools.partial[object]) -> Iterable[str]:
        return self.each((thing.func, thing.args, thing.keywords, _held(thing)))

    def method(self, thing: types.MethodType) -> Iterable[str]:
        return self.each((thing.__func__, thing.__self__))

    def builtin(self, thing: types.BuiltinFunctionType) -> Iterable[str]:
        owner = getattr(thing, "__self__", None)
        if owner is None or isinstance(owner, types.ModuleType):
            home = thing.__module__ or "builtins"
            return [f"{thing.__module__}.{thing.__qualname__}", *self.module(home, (thing.__name__,))]
        return [thing.__name__, *self.of(owner)]

    def descriptor(self, thing: property) -> Iterable[str]:
        return self.each((thing.fget, thing.fset))

    def wrapped(self, thing: staticmethod[..., object]) -> Iterable[str]:
        return self.of(thing.__func__)

    def function(self, thing: types.FunctionType) -> Iterable[str]:
        home = thing.__module__ or "__main__"  # None where the code was executed without a name
        named = f"{home}.{thing.__qualname__}"
        if _installed(home):
            return [named, *self.module(home, (thing.__name__,)), *self.each(map(_content, thing.__closure__ or ()))]
        parts: list[str] = [named, *_code(thing.__code__)]
        parts += self.each(map(_content, thing.__closure__ or ()))
        parts += self.each((thing.__defaults__, thing.__kwdefaults__, _held(thing)))
        return [*parts, *self._globals(thing)]

    def kind(self, thing: type) -> Iterable[str]:
        """A class: its bases and what stands in it."""
        named = f"{thing.__module__}.{thing.__qualname__}"
        if _installed(thing.__module__):
            return [named, *self.module(thing.__module__, (thing.__name__,))]
        own = [(k, v) for k, v in sorted(vars(thing).items()) if k not in _IDLE and not _slot(v)]
        return [named, *self.each(thing.__bases__), *self.each(part for item in own for part in item)]

    def module(self, name: str, used: Iterable[str], found: types.ModuleType | None = None) -> Iterable[str]:
        """A module: an installed one by its version, if it looks at nothing outside; another by what is used of it."""
        top, *below = name.split(".")
        module = found or sys.modules.get(name)
        if _installed(name):
            own = [n for n in used if hasattr(module, n) and (n in _UNSTEADY or _READS.match(n))]
            for unsteady in [*{top, *below} & _UNSTEADY, *(f"{name}.{n}" for n in own)]:
                raise self.refusal(f"uses {unsteady}, of which no checksum can be made")
            return [f"{name} {_version(top)}"]
        if module is None:
            raise self.refusal(f"imports {name} inside, which is not loaded yet")
        known = [(n, getattr(module, n)) for n in dict.fromkeys(used) if hasattr(module, n)]
        return [name, *self.each(part for item in known for part in item)]

    def _globals(self, thing: types.FunctionType) -> Iterable[str]:
        """What the code names outside of itself, in order."""
        parts: list[str] = []
        names = [n for code in _codes(thing.__code__) for n in code.co_names]
        for word, imported in _reached(thing.__code__):
            value = thing.__globals__.get(word)
            if imported:
                parts += [word, *self.module(word, names)]
            elif isinstance(value, types.ModuleType):
                parts += [word, *self.module(value.__name__, names, value)]
            elif word in thing.__globals__:
                parts += [word, *self.of(thing.__globals__[word])]
            elif word in _OUTSIDE:
                raise self.refusal(f"calls {word}, of which no checksum can be made")
            else:
                parts += [word, "built in" if hasattr(builtins, word) else "nothing"]
        return parts

    def _object(self, thing: object) -> Iterable[str]:
        """Any other object: its class, and all that it holds, as it tells it to those who copy it."""
        if isinstance(thing, types.ModuleType):
            return self.module(thing.__name__, (), thing)
        pure = getattr(thing, "py_func", getattr(thing, "__wrapped__", None))  # compiled by Numba, or cached
        if isinstance(pure, types.FunctionType):
            return self.of(pure)
        kind = type(thing)
        try:
            state = thing.__reduce_ex__(2)
        except Exception:  # it has no copy
            state = ""
        if isinstance(state, str) or kind.__module__.startswith("numpy.random"):
            raise self.refusal(f"uses {kind.__module__}.{kind.__qualname__}, which cannot be looked into")
        return [*self.kind(kind), *self.each(list(p) if isinstance(p, Iterator) else p for p in state)]

    def refusal(self, fact: str) -> InvalidValue:
        return InvalidValue(
            "E318",
            f"the measure {as_given(self.name)} {fact}: whether a store may go on with it cannot be told",
            "give it numbers, text, arrays and functions of these alone, or leave store= out",
        )


_Follow = Callable[..., Iterable[str]]
_KINDS: tuple[tuple[type | tuple[type, ...], _Follow], ...] = (
    (np.ndarray, _FunctionWalk.array),
    ((tuple, list), _FunctionWalk.each),
    ((set, frozenset), _FunctionWalk.unordered),
    ((dict, types.MappingProxyType), _FunctionWalk.mapping),
    (functools.partial, _FunctionWalk.partial),
    (types.MethodType, _FunctionWalk.method),
    ((types.BuiltinFunctionType, types.MethodWrapperType), _FunctionWalk.builtin),
    (types.FunctionType, _FunctionWalk.function),
    (property, _FunctionWalk.descriptor),
    ((staticmethod, classmethod), _FunctionWalk.wrapped),
    (type, _FunctionWalk.kind),
)


def _plain(thing: object) -> str | None:
    """A value that is told by its text."""
    if thing is None or thing is ... or isinstance(thing, bool | int | str | bytes | range | slice):
        return f"{kind_of(thing)} {thing!r}" if not isinstance(thing, Enum) else f"{type(thing)} {thing!r}"
    if isinstance(thing, float | complex | np.generic) and not isinstance(thing, np.void):
        return f"{kind_of(thing)} {np.asarray(thing).tobytes().hex()}"
    if isinstance(thing, sp.Basic):
        return sp.srepr(thing)
    if isinstance(thing, np.ufunc | types.CodeType | np.dtype):
        return repr(thing) if not isinstance(thing, types.CodeType) else " ".join(_code(thing))
    return None


def _held(thing: object) -> dict[str, object]:
    """What hangs on a function."""
    return {name: value for name, value in vars(thing).items() if name != "__wrapped__"}


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet given a value
        return ...


def _slot(thing: object) -> bool:
    return isinstance(thing, types.MemberDescriptorType | types.GetSetDescriptorType)


def _codes(code: types.CodeType) -> Iterable[types.CodeType]:
    """It, and those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _code(code: types.CodeType) -> list[str]:
    """What a code does, wherever it stands."""
    found = [code.co_code.hex(), *(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)),)]
    for constant in code.co_consts:
        found += _code(constant) if isinstance(constant, types.CodeType) else [repr(_sorted(constant))]
    return found


def _sorted(constant: object) -> object:
    """A set in code in an order that is the same in every process."""
    return sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _reached(code: types.CodeType) -> list[tuple[str, bool]]:
    """Names of globals, and of modules that the code imports (True), each once."""
    found: dict[tuple[str, bool], None] = {}
    for each in _codes(code):
        for step in dis.get_instructions(each):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"):
                found[str(step.argval), step.opname == "IMPORT_NAME"] = None
    return list(found)


def _installed(module: str | None) -> bool:
    """Does it come with Python or with a package, whose version tells it?"""
    top = (module or "builtins").partition(".")[0]
    if top == "dalembert" or (top in sys.stdlib_module_names and top != "__main__"):
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is not None and any(place in Path(file).parts for place in _PLACES)


@functools.cache
def _version(top: str) -> str:
    if top in sys.stdlib_module_names:
        return platform.python_version()
    try:
        return version(top)
    except PackageNotFoundError:
        return str(getattr(sys.modules.get(top), "__version__", "unknown"))


PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite")
_NO_NUMBERS = ("progress", "dense", "seconds", "halt", "walls")  # options that change no number: walls are events here


def of_task(task: Task) -> dict[str, str]:
    """SHA-256 of each part of a task by name; two sweeps with the same give the same result on one machine."""
    shared = task.ensemble
    times = b"" if shared.times is None else shared.times.astype("<f8").tobytes()
    measures = [f"{name}={fingerprint(name, measure)}" for name, measure in task.kept.measures.items()]
    project = str(task.given.project)
    parts: dict[str, Iterable[str | bytes]] = {
        "equations": _equations(task.equations),
        "starts and parameters": [*_grid(task.given.grid), float(task.given.t0).hex(), project],
        "until": [float(shared.until).hex()],
        "times": [times],
        "events": [_event(event) for event in shared.events],
        "keep": [repr(task.kept.columns), repr(dict(task.kept.events)), *measures],
        "options": [json.dumps(options(shared.policy))],
        "versions": [json.dumps(versions())],
    }
    return {name: _sha(part) for name, part in parts.items()}


def options(policy: Policy) -> dict[str, Any]:
    """The options that decide the numbers, as JSON can hold them."""
    plain: dict[str, Any] = {}
    for f in fields(policy):
        if f.name == "method":
            own = policy.method.options
            plain |= {"method": policy.method.word, **{name: own.get(name) for name in OF_METHOD}}
        elif f.name not in _NO_NUMBERS:
            plain[f.name] = getattr(policy, f.name)
    return {k: v if isinstance(v, str | int | float | bool | None) else repr(v) for k, v in plain.items()}


def versions() -> dict[str, str]:
    """Of the packages that make the numbers."""
    return {name: _version_of(name) for name in PACKAGES}


def machine() -> str:
    """On which the numbers were made."""
    return f"Python {platform.python_version()}, {platform.platform()}"


def of_result(variables: Iterable[tuple[str, Iterable[np.ndarray]]]) -> str:
    """SHA-256 of all variables in order, each by its name and the pieces of its array, wherever they are cut."""
    found = hashlib.sha256()
    for name, pieces in variables:
        found.update(name.encode() + b"\0")
        for piece in pieces:
            found.update(_bytes(piece))
    return found.hexdigest()


def _bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _sha(parts: Iterable[str | bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(str(len(data)).encode() + b":" + data)
    return found.hexdigest()


def _equations(equations: Equations) -> Iterable[str]:
    system, space = equations.system, equations.space
    yield from (equations.principle, equations.header, repr((equations.kept, equations.dependent, equations.states)))
    yield from (sp.srepr(e) for e in (equations.lagrangian, system.lagrangian, space.anchor, *system.forces))
    yield from (f"{c.name}: {sp.srepr(c.phi)} {sp.srepr(c.given)}" for c in equations.constraints)
    yield from (f"{pair}: {[sp.srepr(e) for e in row]}" for pair, row in sorted(space.brackets.items()))
    if space.frame.projection is not None:
        yield "the brackets are projected"  # computed with what they were projected with, in other roundings
    yield from (f"{q.name}: {sp.srepr(e)}" for q, e in space.retraction.items())
    yield from (f"{name}: {sp.srepr(e)}" for name, e in system.momenta.items())
    yield from (f"{name}: {[sp.srepr(e) for e in slip]}" for name, slip in system.rest.items())
    yield from (f"{name}: {sp.srepr(e)}" for name, e in (*system.inertias.items(), *system.coefficients.items()))
    yield from (f"{name} = {value!r}" for name, value in sorted(system.parameters.items()))
    yield from (f"{name} = {sp.srepr(e)}" for name, e in sorted(system.steered.items()))


def _grid(grid: Grid) -> Iterable[str | bytes]:
    for axis in grid.axes:
        yield axis.dim
        for name, column in axis.columns.items():
            yield name
            yield column.astype("<f8").tobytes()
    yield repr(sorted((name, float(value).hex()) for name, value in grid.constants.items()))


def _event(event: Event) -> str:
    then = event.then
    if isinstance(then, Mapping):
        then = repr([(name, sp.srepr(e) if isinstance(e, sp.Basic) else repr(e)) for name, e in then.items()])
    return f"{event.name}: {sp.srepr(event.guard)} {then} {event.direction}"


@cache
def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
