"""What the schema refuses, as errors of the library at their places; and reading on to find the others."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from ..calculus.line_width import cut
from ..errors import DalembertError, InvalidValue, UnknownName, WrongType, as_given, closest, did_you_mean
from ..errors.lookalike_letters import shape
from ..input_file import plain
from .toml_positions import Path, Places
from .toml_text import kind

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
_WRONG_TYPE = {
    "int_type": "a whole number",
    "bool_type": "true or false",
    "dict_type": "a table",
    "list_type": "a list",
}
_WRONG_TYPE |= {
    "model_type": "a table",
    "model_attributes_type": "a table",
    "string_type": "text",
    "int_from_float": "a whole number",
}
_EXAMPLES = {"int_type": "a number such as 2", "list_type": "[1, 2]", "string_type": "put it in quotes"}
_EXAMPLES["int_from_float"] = _EXAMPLES["int_type"]
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_SWITCHES = dict.fromkeys(("true", "yes", "on", "1"), "true") | dict.fromkeys(("false", "no", "off", "0"), "false")
_EXAMPLES |= dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "{ key = value }, or a table [name]")
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


def refusals(
    error: ValidationError, model: type[BaseModel], given: object, places: Places, at: Path = ()
) -> list[DalembertError]:
    """One error for each problem; `at` is the path of the table that was checked."""
    every = error.errors(include_url=False)
    found = every[:MOST]
    meant = {
        (*p["loc"][:-1], close_to(str(p["loc"][-1]), keys(model, inside(p["loc"], given)[:-1])))
        for p in found
        if p["type"] == "extra_forbidden"
    }
    # what is missing because its key is misspelt is said once
    own = [p for p in found if not (p["type"] == "missing" and p["loc"] in meant)]
    told = [_refusal(problem, model, given, places, at) for problem in own]
    if len(every) > MOST:
        where = places.value((*at, *inside(every[MOST]["loc"], given)))
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


def _refusal(problem: Any, model: type[BaseModel], given: Any, places: Places, at: Path) -> DalembertError:
    loc, of = inside(problem["loc"], given), problem["type"]
    path = (*at, *loc)
    name = _name(path)
    if of == "extra_forbidden":
        known = list(keys(model, loc[:-1]))
        table = f" in {_name(path[:-1])}" if len(path) > 1 else ""
        hint = _elsewhere(str(loc[-1]), model, loc[:-1]) or _tabled(loc, model, value_at(given, loc))
        hint = hint or _proposed(str(loc[-1]), known)
        return UnknownName("E508", f"unknown key {as_given(plain(str(loc[-1])))}{table}", hint).at(places.key(path))
    if of == "missing":
        key = str(loc[-1])
        return InvalidValue("E508", f"{_name(path[:-1]) or 'the file'} has no {key}", _NEEDED.get(key, _SHOWN)).at(
            places.key(path[:-1]) or places.at(0, len(places.text.partition("\n")[0]))
        )
    return _told(problem, of, name, value_at(given, loc)).at(places.value(path))


def _elsewhere(key: str, model: type[BaseModel], loc: Path) -> str:
    """The table that a key belongs to, where it stands in the wrong one: an event stands in its run."""
    tables = {name: f for name, f in model.model_fields.items() if list(_models(f.annotation))}
    if loc[:1] == ("parameters",) and key in ("unit", "units"):
        return 'the unit stands with the value: value = "0.2 kg"'
    if loc:
        stray = key in {f.alias or name for name, f in model.model_fields.items()}
        return (
            f"{key} stands at the top of the file, above the first [table]"
            if stray and key not in tables
            else (_belonging(key, tables) if key in ("until", "start", "principle", "phi", "L") else "")
        )
    if key not in _ONLY_BELOW:
        return ""
    return _belonging(key, tables)


def _tabled(path: Path, model: type[BaseModel], value: object) -> str:
    """The table that was meant with its brackets and what it must have; coordinates by their kind."""
    *loc, key = map(str, path)
    if loc == ["space"] and (one := key.rstrip("s")) in ("line", "angle"):
        names = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
        kinds = ", ".join(f'{plain(str(name))[:40]} = "{one}"' for name in names or ["q"])
        return f"coordinates = {{ {kinds} }}"
    known = [] if loc else list(keys(model, ()))
    meant = close_to(key, known) if known else None
    field = model.model_fields.get(meant or "")
    if field is None or typing.get_origin(field.annotation) is not list or shape(str(meant)) == shape(key):
        return ""
    needs = [n for m in list(_models(field.annotation))[:1] for n, f in m.model_fields.items() if f.is_required()]
    return f"[[{meant}]], with two brackets, one for each" + (f", with {' and '.join(needs)}" if needs else "")


def _belonging(key: str, tables: dict[str, Any]) -> str:
    holders = [name for name, f in tables.items() if any(key in m.model_fields for m in _models(f.annotation))]
    said = f"[[{holders[0]}.{key}]] below its [[{holders[0]}]]" if key == "event" else ""
    return said or (f"{key} stands in " + " or ".join(_BRACKETS.get(name, "[[{}]]").format(name) for name in holders))


_ONLY_BELOW = (
    "event", "phi", "guard", "until", "start", "principle", "principles", "samples", "rtol", "method", "restitution",
    "coordinates", "rotation", "L", "cyclic", "viscous", "rolling", "rotational",
)  # fmt: skip
_BRACKETS = dict.fromkeys(("space", "lagrangian", "symmetry", "friction"), "[{}]")


def _told(problem: Any, of: str, name: str, value: Any) -> DalembertError:
    """A value that is refused."""
    context = problem.get("ctx", {})
    if "fact" in context:
        fact = str(context["fact"])
        whole = fact.replace("the value", name).replace("the time", name) if context.get("whole") else f"{name} {fact}"
        error = WrongType if of in _NUMBERS else InvalidValue
        return error(of, cut(whole, 200), str(context.get("remedy", "")), str(context.get("detail", "")))
    if of in _WRONG_TYPE:
        listed = of == "list_type" and isinstance(value, dict)
        if of in ("dict_type", "model_type", "model_attributes_type") and isinstance(value, list) and " " not in name:
            return WrongType("E508", f"{name} must be a table, not a list", f"[{name}], with one bracket")
        remedy = f"[[{_NUMBER.sub('', name)}]], with two brackets" if listed else _meant(of, value)
        return WrongType("E508", f"{name} must be {_WRONG_TYPE[of]}, not {kind(value)}", remedy)
    if of == "literal_error":
        known = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return InvalidValue("E508", f"{name} = {as_given(value)} is not known", did_you_mean(str(value)[:80], known))
    if of == "too_long":
        most = context["max_length"]
        return InvalidValue("E135", f"{name} has more than {most} entries, the limit for a file", "write several files")
    return InvalidValue("E508", f"{name} cannot be {as_given(value)}: {plain(problem['msg'])}", _SHOWN)


def _meant(of: str, value: object) -> str:
    """The value itself in the form that is wanted, where it can be told; else an example."""
    if of.startswith("int_") and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return f"{value:.0f}"
    if of.startswith("int_") and isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return f"{int(value)}, without quotes"
    if of == "bool_type":
        plainly = _SWITCHES.get(str(value).strip().lower())
        return "true or false, without quotes" if plainly is None else f"{plainly}, without quotes"
    return _EXAMPLES.get(of, _SHOWN)


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
        path.append("schema" if part == "schema_" else part)
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


def keys(model: type[BaseModel], loc: Path) -> Iterator[str]:
    """The keys that the table at this location may have."""
    models = [model]
    for part in loc:
        if isinstance(part, int):
            continue
        fields = [m.model_fields.get(part) or _aliased(m, part) for m in models]
        models = [m for f in fields if f is not None for m in _models(f.annotation)] or models
    for m in models:
        yield from (f.alias or name for name, f in m.model_fields.items())


def _aliased(model: type[BaseModel], alias: str) -> Any:
    return next((f for f in model.model_fields.values() if f.alias == alias), None)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)


# --- reading on ------------------------------------------------------------------------------------------------------
# Reading on after a refusal: the tables without what the schema refused, so that all problems of a file are found.

_FAR = 1e300
# what stands in for a value that is missing or refused, so that the rest of its table is read; nothing is made of it
_STAND_INS = {"schema": 1, "until": _FAR, "principle": "nonholonomic", "principles": ["nonholonomic", "vakonomic"]}


def repaired(
    tables: dict[str, Any], error: ValidationError, model: type[BaseModel], places: Places
) -> tuple[dict[str, Any], Places]:
    """The tables without what was refused, and where what is left of them stands; misspelt keys are taken as meant."""
    for problem in error.errors(include_url=False):
        loc = inside(problem["loc"], tables)
        if problem["type"] == "extra_forbidden":
            places = _rename(tables, loc, model, places)
        elif loc[-1] in _STAND_INS:
            _put(tables, loc, _STAND_INS[str(loc[-1])])
        elif loc[-1] == "name" and problem["type"] == "missing":
            _put(tables, loc, f"unnamed_{'_'.join(map(str, loc[:-1]))}")
        elif loc[:1] == ("parameters",) and len(loc) > 1:
            tables["parameters"][loc[1]] = {}
        else:
            _drop(tables, loc[:-1] if problem["type"] == "missing" else loc)
    return _without_gaps(tables, places, ())


def _rename(tables: dict[str, object], loc: Path, model: type[BaseModel], places: Places) -> Places:
    """A misspelt key as the one that was meant, if that is not there; else it is left out."""
    holder, key = value_at(tables, loc[:-1]), loc[-1]
    meant = close_to(str(key), keys(model, loc[:-1]))
    if not isinstance(holder, dict) or key not in holder:
        return places
    value = holder.pop(key)
    if meant is None or meant in holder:
        return places
    holder[meant] = value
    return places.moved(loc[:-1], {key: meant})


def _put(tables: object, loc: Path, value: object) -> None:
    holder = value_at(tables, loc[:-1])
    if isinstance(holder, dict):
        holder[loc[-1]] = value


def _drop(tables: object, loc: Path) -> None:
    """Leave out what stands there; an entry of a list becomes a gap."""
    holder = value_at(tables, loc[:-1]) if loc else None
    if isinstance(holder, dict):
        holder.pop(loc[-1], None)
    elif isinstance(holder, list) and isinstance(loc[-1], int) and loc[-1] < len(holder):
        holder[loc[-1]] = None


def _without_gaps(given: object, places: Places, path: Path) -> tuple[Any, Places]:
    """Lists without their gaps, and the places of what moved."""
    if isinstance(given, dict):
        for key in given:
            given[key], places = _without_gaps(given[key], places, (*path, key))
        return given, places
    if not isinstance(given, list):
        return given, places
    if None in given:
        kept = [n for n, value in enumerate(given) if value is not None]
        names: dict[str | int, str | int | None] = dict.fromkeys(range(len(given)))
        names |= {n: i for i, n in enumerate(kept)}
        places = places.moved(path, names)
        given = [given[n] for n in kept]
    for n, value in enumerate(given):
        given[n], places = _without_gaps(value, places, (*path, n))
    return given, places
