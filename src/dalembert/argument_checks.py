"""What a function is given, checked at its door.

Each check hands back what the function goes on with, or refuses in its words: what was expected, what was given, and
what to write instead.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from numbers import Real
from types import FunctionType
from typing import NamedTuple, NoReturn, ParamSpec, SupportsFloat, SupportsIndex, TypeVar, cast

from . import errors
from .errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from .errors.remedies import Option, Words
from .spelling import function_in_script

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class _Kind(NamedTuple):
    code: str
    called: str
    made: str


_KINDS = {
    "System": _Kind("E101", "a System", "da.System(space=..., ...)"),
    "Equations": _Kind("E307", "equations", "da.nonholonomic(system)"),
    "Trajectory": _Kind("E318", "a path", "da.simulate(equations, start, until=...)"),
    "Plant": _Kind("E307", "a plant", "da.plant(equations, start)"),
    "Record": _Kind("E318", "a record", 'da.recorded("track.csv"), or da.recorded({"t": t, "x": x})'),
    "Reduction": _Kind("E307", "a reduction", "da.reduce(system)"),
    "Generator": _Kind("E314", "a generator of random numbers", "np.random.default_rng(0)"),
    "Start": _Kind("E241", "a start", "equations.start(x=..., ...)"),
    "Space": _Kind("E101", "a Space", 'da.coordinates("x y")'),
}


def public(function: Callable[P, T]) -> Callable[P, T]:
    """A public function whose caller is answered in our words (WrongType E307) where an argument is missing, is one too
    many, or has a name that the function does not know.
    """
    return _answering(function, function.__name__, 0)


def noun(cls: type[T]) -> type[T]:
    """A public class: who makes one, calls a method, or asks for what is not there, is answered in the same way."""
    if not hasattr(cls, "__getattr__"):
        cls.__getattr__ = _absent  # type: ignore[attr-defined]
    cls._noun = cls.__name__  # type: ignore[attr-defined]  # what its subclasses are called too
    for name, found in list(vars(cls).items()):
        inner = found.__func__ if isinstance(found, classmethod | staticmethod) else found
        if not isinstance(inner, FunctionType) or (name.startswith("_") and name != "__init__"):
            continue
        called = cls.__name__ if name == "__init__" else f"{cls.__name__}.{name}"
        answering = _answering(inner, called, 0 if isinstance(found, staticmethod) else 1)
        setattr(cls, name, answering if inner is found else type(found)(answering))
    return cls


_CALLED = {"Trajectory": "path"}  # in scripts
_ALSO = {"plot": "draw", "show": "draw", "animate": "film", "run": "simulate", "solve": "simulate"}


_PAGES = "notebooks show it; `dalembert derive FILE --html` and `run FILE --report PAGE` write pages"
_ELSEWHERE = {"mathml": _PAGES, "html": _PAGES}


def _absent(noun: object, name: str) -> NoReturn:
    if name.startswith("_") or hasattr(type(noun), name):
        object.__getattribute__(noun, name)  # what a property of its own raises
    raise Absent(name=name, obj=noun)


_TAKES_CONTACTS = (
    'a system takes contacts, as in da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=0.3)})'
)
_NO_ARGUMENTS = {
    ("contact", "system"): _TAKES_CONTACTS,
    ("contact", "equations"): _TAKES_CONTACTS,
    ("contact", "normal"): "it is the gradient of the gap, da.contact(gap=y, slip=[vx], mu=0.3)",
}


class Absent(AttributeError):
    """A noun has no such attribute; what is said of it is looked for when it is read, since ``hasattr`` asks often."""

    def __str__(self) -> str:
        return _absence(self.obj, str(self.name))


def _absence(noun: object, name: str) -> str:
    """What is said of an attribute that a noun has not: its entry, the public function, or the name that is meant."""
    kind: str = type(noun)._noun  # type: ignore[attr-defined]
    fact, it = f"{kind} has no attribute {as_given(name)}", _CALLED.get(kind, kind.lower())
    with suppress(Exception):
        noun[name]  # type: ignore[index]
        return f"{fact}: it is {it}[{as_given(name)}]"
    if (plain := name.removeprefix("to_")) in _ELSEWHERE:
        return f"{fact}: {_ELSEWHERE[plain]}"
    if place := function_in_script(_ALSO.get(name, name)):
        return f"{fact}: it is a function, {place}({it}, ...)"
    known = [n for n in dir(noun) if n[0] != "_"]
    kin = [n for n in known if "_" in name and n.partition("_")[0] == name.partition("_")[0]]  # to_pandas: to_dataframe
    return f"{fact}: {did_you_mean(name, kin or known)}"


def _answering(function: Callable[P, T], name: str, own: int) -> Callable[P, T]:
    """Of the arguments the first few are the function's `own`, as ``self`` is."""

    @functools.wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> T:
        try:
            return function(*args, **named)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside
        parameters = list(inspect.signature(function).parameters.values())[own:]
        raise _misfit(name, parameters, args[own:], named, inspect.getdoc(function) or "")

    errors.BETWEEN.add(cast(FunctionType, called).__code__)
    return called


def _misfit(
    name: str,
    parameters: Sequence[inspect.Parameter],
    args: tuple[object, ...],
    named: Mapping[str, object],
    doc: str,
) -> WrongType:
    """What of these arguments a function of these parameters cannot take; `doc` says in its first line what it does."""
    takes = {p.name: p for p in parameters}
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    strange = [n for n in named if n not in takes]
    missing = [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if p.name not in named and p.name not in places[: len(args)]
    ]
    elsewhere = getattr(type(args[0]), "_noun", "").lower() if args else ""
    if told := _NO_ARGUMENTS.get((name, elsewhere)):
        return WrongType("E307", f"{name} takes no {elsewhere}", told)
    if strange and not any(p.kind == p.VAR_KEYWORD for p in parameters):
        remedy = _NO_ARGUMENTS.get((name, strange[0])) or did_you_mean(strange[0], takes)
        return WrongType("E307", f"{name} has no argument {as_given(strange[0])}", remedy)
    if len(args) > len(places):
        fact = f"{name} takes {len(places)} argument{'s' * (len(places) != 1)} by position, not {len(args)}"
        rest = [n for n in takes if n not in places]
        remedy = f"give by name: {', '.join(rest)}" if rest else f"leave out what is behind {places}"
        return WrongType("E307", fact, remedy, f"{name}: {doc.splitlines()[0]}" if doc else "")
    if missing:
        return WrongType("E307", f"{name} needs {', '.join(missing)}", f"{missing[0]}=...")
    twice = next(n for n in places[: len(args)] if n in named)
    return WrongType("E307", f"{name} is given {twice} twice", "leave one of the two out")


def kind(expected: type[T], given: object, asked: str, remedy: Words = "") -> T:
    """What was given, if it is of this kind; `asked` is the function that needs it.

    Raises:
        WrongType: the code of the kind, it is another thing.
    """
    if isinstance(given, expected):
        return given
    code, called, made = _KINDS[expected.__name__]
    inside = getattr(type(given), "__annotations__", {})
    held = "it is in .system" if expected.__name__ == "System" and "system" in inside else made
    raise WrongType(code, f"{asked} needs {called}, not {as_given(given)}", remedy or held)


def number(given: object, name: str, code: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite real number; arrays of no dimension count as their number.

    Raises:
        WrongType: with this code, it is no number.
        InvalidValue: with this code, it is not finite, less than `least`, or not above `above`.
    """
    value = given.item() if getattr(given, "ndim", None) == 0 and hasattr(given, "item") else given
    wanted = "positive" if above == 0 else f"at least {least:g}" if least > -math.inf else "finite"
    if isinstance(value, bool) or not (isinstance(value, Real) or getattr(value, "is_Number", False)):
        raise WrongType(code, f"{name} = {as_given(value)} is not a number", f"{name}={max(1.0, least):g}")
    try:
        found = float(cast(SupportsFloat, value))
    except (OverflowError, TypeError):
        found = math.inf
    if not (math.isfinite(found) and found >= least and found > above):
        raise InvalidValue(code, f"{name} = {as_given(value)} must be {wanted}", f"{name}={max(1.0, least):g}")
    return found


def whole(given: object, name: str, code: str = "E307", *, least: int = 0, most: float = math.inf) -> int:
    """A whole number within its ends (with this code if it is none)."""
    between = f"from {least} to {most:g}" if most < math.inf else f"at least {least}"
    try:
        found: int | None = operator.index(cast(SupportsIndex, given))
    except (TypeError, ValueError):
        found = None
    if isinstance(given, bool) or found is None:
        raise WrongType(code, f"{name} = {as_given(given)} is no whole number", f"{name}={max(least, 1)}")
    if not least <= found <= most:
        raise InvalidValue(
            code, f"{name} = {as_given(found)} must be a whole number {between}", f"{name}={max(least, 1)}"
        )
    return found


def text(given: object, name: str, code: str = "E307") -> str:
    """Text (WrongType with this code for anything else)."""
    if not isinstance(given, str):
        raise WrongType(code, f"{name} is text, not {as_given(given)}", Option(name, "..."))
    return given


def switch(given: object, name: str, code: str = "E307") -> bool:
    """True or False (with this code if it is neither)."""
    if not isinstance(given, bool):
        raise WrongType(code, f"{name} = {as_given(given)} must be True or False", Option(name, True))
    return given


_clock: list[Callable[[str, str, str], float]] = []


def times_read_by(reader: Callable[[str, str, str], float]) -> None:
    """From now on `reader` reads times that are text with a unit, for rooms that know nothing of units."""
    _clock[:] = [reader]


def seconds(given: T | str, name: str, code: str = "E301") -> T | float:
    """A time that is text, ``"10 s"``, as its number of seconds; anything else as it is.

    Raises:
        DalembertError: this code, no time; E206, E207, no unit of time.
    """
    return _clock[0](given, name, code) if isinstance(given, str) else given


def several(given: object) -> bool:
    """Is it a list of things: neither one thing, nor text, nor an array without an axis?"""
    return isinstance(given, Iterable) and not isinstance(given, str) and getattr(given, "ndim", 1) != 0


def pair(given: object) -> tuple[object, object] | None:
    """The two things of a list or an array of two; None if it is anything else."""
    listed = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if listed or getattr(given, "ndim", 0) == 1:
        found = tuple(cast(Iterable[object], given))
        return found if len(found) == 2 else None
    return None


def mapping(given: T, name: str, code: str, remedy: Words) -> T:
    """Values by name (WrongType with this code if they are given otherwise)."""
    if not isinstance(given, Mapping):
        raise WrongType(code, f"{name} is given by name, not as {as_given(given)}", remedy)
    return given


def overriding(parameters: Mapping[K, V] | None) -> Mapping[K, V]:
    """Parameters that replace others, by name; none where nothing was given.

    Raises:
        WrongType: E204, they are given otherwise.
    """
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping):
        raise WrongType("E204", f"parameters must be a mapping, not {kind_of(parameters)}", 'write {"m": 1.0}')
    return parameters


def name(given: object, what: str, code: str = "E317") -> str:
    """A name: text, or that of a symbol (WrongType with this code for anything else)."""
    own = given if isinstance(given, str) else getattr(given, "name", None)
    if not isinstance(own, str):
        raise WrongType(code, f"{what} is a name, not {as_given(given)}", 'write for example "x"')
    return own


def names(given: object, what: str, code: str = "E317", *, some: bool = True) -> tuple[str, ...]:
    """Names: ``"x y"``, a symbol, or a list of either.

    Raises:
        WrongType: with this code, they are given otherwise.
        InvalidValue: with this code, there are none and `some` are needed.
    """
    if isinstance(given, str):
        found = tuple(given.replace(",", " ").split())
    elif isinstance(own := getattr(given, "name", None), str):
        found = (own,)
    elif isinstance(given, Sequence | Set | Iterator) or getattr(given, "ndim", 0) == 1:
        found = tuple(name(part, f"one of {what}", code) for part in cast(Iterable[object], given))
    else:
        raise WrongType(code, f"{what} are given by name, not as {as_given(given)}", 'write for example "x y"')
    if some and not found:
        raise InvalidValue(code, f"{what}: there are none", 'write for example "x y"')
    return found


def one_of(known: Iterable[str], given: object, where: str, what: str, code: str = "E317") -> str:
    """A name that is known, as in "the path has no column 'z'".

    Raises:
        WrongType, UnknownName: with this code, no name, or none that is known.
    """
    found, known = name(given, f"{what} of {where}", code), tuple(known)
    if found not in known:
        raise UnknownName(code, f"{where} has no {what} {as_given(found)}", did_you_mean(found, known))
    return found


def function(given: T, what: str, takes: str, code: str = "E307") -> T:
    """A function of as many arguments as `takes` names, "path" or "system, strength".

    Raises:
        WrongType: with this code, it cannot be called, or not with these.
    """
    wanted = f"lambda {takes}: ..."
    if not callable(given) or isinstance(given, type):
        raise WrongType(code, f"{what} is a function, not {as_given(given)}", wanted)
    try:
        inspect.signature(given).bind(*takes.split(", "))
    except ValueError:  # a function of C that does not tell
        pass
    except TypeError:
        raise WrongType(code, f"{what} is called with ({takes}), and takes other arguments", wanted) from None
    return given
