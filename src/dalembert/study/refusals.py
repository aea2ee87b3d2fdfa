"""What the schema refuses, as errors of the library at their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..calculus.text import cut
from ..errors import DalembertError, InvalidValue, UnknownName, WrongType, as_given, closest, did_you_mean
from ..errors.alike import shape
from ..plain_file import plain
from .leaves import kind
from .places import Path, Places
from .tables import (
    LIST,
    MISSING,
    NO_WORD,
    SWITCH,
    TABLE,
    TOO_MANY,
    UNKNOWN,
    WHOLE,
    Many,
    Problem,
    Table,
    Unfit,
    tables_of,
)

_SHOWN = "dalembert new writes a file in which each table is shown"
_NEEDED = {
    "schema": "the first line of a file: schema = 1",
    "load": 'the normal force: load = "m*g" on a level table',
    "slip": 'the velocity relative to the surface: slip = ["dot(x)", "dot(y)"]',
    "velocity": 'what it acts along: velocity = ["dot(x)", "dot(y)"]',
    "phi": 'the expression that is 0: phi = "dot(x) - r*w2"',
    "L": 'the Lagrangian T - V: L = "m/2*dot(x)^2 - m*g*x"',
    "until": 'the time at which to end: until = "20 s"',
    "principle": 'principle = "nonholonomic"',
    "principles": 'principles = ["nonholonomic", "vakonomic"]',
    "free": 'what is to be found: free = ["vx", "Omega"]',
    "space": '[space] with coordinates = { x = "line", theta = "angle" }',
    "lagrangian": '[lagrangian] with L = "..."',
    "guard": 'an expression: guard = "x - 1"',
    "plane": 'plane = "x y"',
    "coordinates": 'coordinates = "x y theta"',
    "names": 'names = "x y"',
    "name": 'a name: name = "roll"',
}
_EXAMPLES = {WHOLE: "a number such as 2", LIST: "[1, 2]", TABLE: "{ key = value }, or a table [name]"}
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_SWITCHES = dict.fromkeys(("true", "yes", "on", "1"), "true") | dict.fromkeys(("false", "no", "off", "0"), "false")
_NUMBER = re.compile(r" [0-9]+(?=\.|\Z)")
# what others call these keys
_SYNONYMS = dict.fromkeys(("end", "t_end", "tend", "t_max", "tmax", "duration", "stop", "to"), "until")
_SYNONYMS |= dict.fromkeys(("initial", "initial_conditions", "initials", "ic", "begin", "x0", "q0"), "start")
_SYNONYMS |= dict.fromkeys(("tol", "tolerance", "reltol"), "rtol") | {
    "abstol": "atol",
    "dt": "step",
    "solver": "method",
}
_SYNONYMS |= dict.fromkeys(("f", "expr", "expression", "equation", "formula", "g"), "phi")
_SYNONYMS |= {"along": "velocity", "direction": "velocity", "magnitude": "force", "torque": "force"}
_SYNONYMS |= {"position": "guard", "condition": "guard", "val": "value", "ref": "source", "id": "name", "label": "name"}
_NUMBERS = {"E204", "E508", "E718", "E301"}
MOST = 500  # problems of the form of a file that are told; one with more is no system file


def refusals(error: Unfit, model: type[Table], given: Any, places: Places, at: Path = ()) -> list[DalembertError]:
    """One error for each problem; `at` is the path of the table that was checked."""
    every = error.problems
    found = every[:MOST]
    meant = {
        (*p.place[:-1], close_to(str(p.place[-1]), keys(model, inside(p.place, given)[:-1])))
        for p in found
        if p.kind == UNKNOWN
    }
    # what is missing because its key is misspelt is said once
    own = [p for p in found if not (p.kind == MISSING and p.place in meant)]
    told = [_refusal(problem, model, given, places, at) for problem in own]
    if len(every) > MOST:
        where = places.value((*at, *inside(every[MOST].place, given)))
        fact = f"and {len(every) - MOST} more from here on, which are not told"
        told.append(InvalidValue("E508", fact, "is this a system file?").at(where))
    return told


def close_to(key: str, known: Iterable[str]) -> str | None:
    """The key that was probably meant."""
    known = list(known)
    if _SYNONYMS.get(key.lower()) in known:
        return _SYNONYMS[key.lower()]
    return closest(key, known)


def _proposed(key: str, known: list[str]) -> str:
    meant = close_to(key, known)
    return did_you_mean(key, known) if meant is None or shape(meant) == shape(key) else f"did you mean {meant}?"


def _refusal(problem: Problem, model: type[Table], given: Any, places: Places, at: Path) -> DalembertError:
    loc, of = inside(problem.place, given), problem.kind
    path = (*at, *loc)
    name = _name(path)
    if of == UNKNOWN:
        known = list(keys(model, loc[:-1]))
        table = f" in {_name(path[:-1])}" if len(path) > 1 else ""
        hint = _elsewhere(str(loc[-1]), model, loc[:-1]) or _tabled(loc, model, value_at(given, loc))
        hint = hint or _proposed(str(loc[-1]), known)
        return UnknownName("E508", f"unknown key {as_given(plain(str(loc[-1])))}{table}", hint).at(places.key(path))
    if of == MISSING:
        key = str(loc[-1])
        return InvalidValue("E508", f"{_name(path[:-1]) or 'the file'} has no {key}", _NEEDED.get(key, _SHOWN)).at(
            places.key(path[:-1]) or places.at(0, len(places.text.partition("\n")[0]))
        )
    return _told(problem, name, value_at(given, loc)).at(places.value(path))


def _elsewhere(key: str, model: type[Table], loc: Path) -> str:
    """The table that a key belongs to, where it stands in the wrong one: an event stands in its run."""
    tables = {word: each for word, each in model.keys.items() if list(tables_of(each))}
    if loc[:1] == ("parameters",) and key in ("unit", "units"):
        return 'the unit stands with the value: value = "0.2 kg"'
    if loc:
        stray = key in model.keys
        return (
            f"{key} stands at the top of the file, above the first [table]"
            if stray and key not in tables
            else (_belonging(key, tables) if key in ("until", "start", "principle", "phi", "L") else "")
        )
    if key not in _ONLY_BELOW:
        return ""
    return _belonging(key, tables)


def _tabled(path: Path, model: type[Table], value: object) -> str:
    """The table that was meant with its brackets and what it must have; coordinates by their kind."""
    *loc, key = map(str, path)
    if loc == ["space"] and (one := key.rstrip("s")) in ("line", "angle"):
        names = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
        kinds = ", ".join(f'{plain(str(name))[:40]} = "{one}"' for name in names or ["q"])
        return f"coordinates = {{ {kinds} }}"
    known = [] if loc else list(keys(model, ()))
    meant = close_to(key, known) if known else None
    held = model.keys.get(meant or "")
    if held is None or not isinstance(held.check, Many) or shape(str(meant)) == shape(key):
        return ""
    needs = [word for m in list(tables_of(held))[:1] for word, each in m.keys.items() if each.needed]
    return f"[[{meant}]], with two brackets, one for each" + (f", with {' and '.join(needs)}" if needs else "")


def _belonging(key: str, tables: dict[str, Any]) -> str:
    holders = [name for name, f in tables.items() if any(key in m.keys for m in tables_of(f))]
    said = f"[[{holders[0]}.{key}]] below its [[{holders[0]}]]" if key == "event" else ""
    return said or (f"{key} stands in " + " or ".join(_BRACKETS.get(name, "[[{}]]").format(name) for name in holders))


_ONLY_BELOW = (
    "event", "phi", "guard", "until", "start", "principle", "principles", "samples", "rtol", "method", "restitution",
    "coordinates", "rotation", "L", "cyclic", "viscous", "rolling", "rotational",
)  # fmt: skip
_BRACKETS = dict.fromkeys(("space", "lagrangian", "symmetry", "friction"), "[{}]")


def _told(problem: Problem, name: str, value: Any) -> DalembertError:
    """A value that is refused."""
    of, about = problem.kind, problem.about
    if of == NO_WORD:
        return InvalidValue(
            "E508", f"{name} = {as_given(value)} is not known", did_you_mean(str(value)[:80], about["words"])
        )
    if of == TOO_MANY:
        fact = f"{name} has more than {about['most']} entries, the limit for a file"
        return InvalidValue("E135", fact, "write several files")
    if "fact" not in about:
        return WrongType("E508", *_other(of, name, value))
    fact = str(about["fact"])
    whole = fact.replace("the value", name).replace("the time", name) if about.get("whole") else f"{name} {fact}"
    error = WrongType if of in _NUMBERS else InvalidValue
    return error(of, cut(whole, 200), str(about.get("remedy", "")), str(about.get("detail", "")))


def _other(wanted: str, name: str, value: Any) -> tuple[str, str]:
    """Something else than what is wanted: the fact, and what to type."""
    if wanted == TABLE and isinstance(value, list) and " " not in name:
        return f"{name} must be a table, not a list", f"[{name}], with one bracket"
    listed = wanted == LIST and isinstance(value, dict)
    remedy = f"[[{_NUMBER.sub('', name)}]], with two brackets" if listed else _meant(wanted, value)
    return f"{name} must be {wanted}, not {kind(value)}", remedy


def _meant(wanted: str, value: object) -> str:
    """The value itself in the form that is wanted, where it can be told; else an example."""
    if wanted == WHOLE and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return f"{value:.0f}"
    if wanted == WHOLE and isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return f"{int(value)}, without quotes"
    if wanted == SWITCH:
        plainly = _SWITCHES.get(str(value).strip().lower())
        return "true or false, without quotes" if plainly is None else f"{plainly}, without quotes"
    return _EXAMPLES[wanted]


def _name(path: Path) -> str:
    """What a path is called in messages: the last key, with the table it is in."""
    words: list[str] = []
    for part in path:
        if isinstance(part, int):
            words[-1:] = [f"{words[-1]} {part + 1}"] if words else [str(part + 1)]
        else:
            words.append(plain(part)[:40])
    return ".".join(words)


def inside(loc: tuple[Any, ...], given: Any) -> Path:
    """The part of a location that exists in what was given; entries of a table that stands for a list of one have no
    number there.
    """
    path: list[str | int] = []
    for part in loc:
        if isinstance(part, int) and not isinstance(given, list):
            continue
        path.append(part)
        try:
            given = given[part]
        except (KeyError, IndexError, TypeError):
            given = {}
    return tuple(path)


def value_at(given: Any, loc: Path) -> Any:
    """What stands at a location, or the last thing on the way to it."""
    for part in loc:
        try:
            given = given[part]
        except (KeyError, IndexError, TypeError):
            return given
    return given


def keys(model: type[Table], loc: Path) -> Iterator[str]:
    """The keys that the table at this location may have."""
    models = [model]
    for part in loc:
        if isinstance(part, int):
            continue
        held = [m.keys[part] for m in models if part in m.keys]
        models = [inner for each in held for inner in tables_of(each)] or models
    for m in models:
        yield from m.keys
