"""What is asked of ``dalembert fit``: the ``[[fit]]`` tables of a file with the options of the command laid over them.

Options become keys of the table, and the table is read as one that stands in the file: what is wrong with either is
said alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import DalembertError, InvalidValue, as_given
from ..errors.surfaces import COMMAND
from ..study.again import fit_of, tables_of
from ..study.study import FitSpec, Study
from . import runs
from .assignments import assignments, value

_WORD = re.compile(r"[^\W\d]\w*")
_OF_RUNS = ("method", "rtol", "atol", "step", "order", "max_step", "max_steps", "seconds", "stabilisation", "options")


@dataclass(frozen=True)
class Asked:
    """Options of the command, as they were typed; empty where they were not given."""

    changes: Sequence[str] = ()
    names: Sequence[str] = ()
    free: str = ""
    principles: str = ""
    columns: Sequence[str] = ()
    uncertainty: Sequence[str] = ()
    bounds: Sequence[str] = ()
    priors: Sequence[str] = ()
    laws: Sequence[str] = ()
    read: Sequence[str] = ()
    loss: str = ""
    ray: str = ""
    starts: int | None = None
    start_from: str = ""

    @property
    def nothing(self) -> bool:
        """Is all as the file says?"""
        return replace(self, names=()) == Asked()


def fits(study: Study, asked: Asked, file: str) -> tuple[list[FitSpec], list[str]]:
    """The fits that are asked for, and what has to be said of where they come from.

    Raises:
        DalembertError: E307 nothing to be fitted, or an option that is none; and all that is wrong with a ``[[fit]]``.
    """
    if study.fits and asked.nothing:
        specs = runs.chosen(study.fits, asked.names, "fit", file)
        return specs, [line for spec in specs for line in runs.lent(spec)]
    try:
        return _changed(study, asked, file)
    except DalembertError as error:
        raise error.on(COMMAND) from None


def _changed(study: Study, asked: Asked, file: str) -> tuple[list[FitSpec], list[str]]:
    tables = tables_of(study)
    if study.fits:
        specs = runs.chosen(study.fits, asked.names, "fit", file)
        numbers = [study.fits.index(spec) for spec in specs]
        bases = [_lent({"name": study.fits[n].name, **tables["fit"][n]}, study.fits[n], tables, asked) for n in numbers]
        bases = [{**base, **_start_of(study, tables, asked, file)} for base in bases] if asked.start_from else bases
        told = [] if asked.start_from else [line for spec in specs for line in runs.lent(spec)]
    else:
        if asked.names:
            runs.chosen((), asked.names, "fit", file)  # refused: there are none
        base = _of_run(study, tables, asked, file)
        told = [f"{file} has no [[fit]]: the guess is the start of {base['name'].removeprefix('fit from ')}"]
        bases = [base]
    return [fit_of(study, _laid_over(study, base, asked)) for base in bases], told


# --- from a run ------------------------------------------------------------------------------------------------------


def _run(study: Study, tables: Mapping[str, Any], asked: Asked, file: str) -> tuple[str, Mapping[str, Any]]:
    """The run whose start is the guess: the one that is named, or the first."""
    if not study.runs:
        fact = f"{file} has neither a [[fit]] nor a [[run]] whose start could be the guess"
        raise InvalidValue("E307", fact, "add one of them; dalembert new shows a [[run]]")
    spec = runs.chosen(study.runs, [asked.start_from] if asked.start_from else [], "run", file)[0]
    return spec.name, tables["run"][study.runs.index(spec)]


def _start_of(study: Study, tables: Mapping[str, Any], asked: Asked, file: str) -> dict[str, Any]:
    run = _run(study, tables, asked, file)[1]
    return {key: run[key] for key in ("start", "parameters", "inputs") if key in run}


def _lent(base: dict[str, object], spec: FitSpec, tables: Mapping[str, Any], asked: Asked) -> dict[str, object]:
    """The table with the start of the first run, where it has none of its own."""
    if not spec.start_of:
        return base
    start = _suited(tables["run"][0]["start"], _listed(asked.principles) or spec.principles)
    own = base.get("start")
    return {**base, "start": {**start, **(own if isinstance(own, Mapping) else {})}}


def _suited(start: Mapping[str, object], principles: Sequence[str]) -> dict[str, object]:
    """The values of a start, without multipliers where no principle has them."""
    return {k: v for k, v in start.items() if "vakonomic" in principles or not k.startswith("lam")}


def _of_run(study: Study, tables: Mapping[str, Any], asked: Asked, file: str) -> dict[str, Any]:
    """A fit that begins where a run does."""
    name, run = _run(study, tables, asked, file)
    if not asked.free:
        fact = f"{file} has no [[fit]] that says what is to be found"
        raise InvalidValue("E307", fact, 'dalembert fit FILE TRACK.csv --free "vx vy"')
    kept = {key: run[key] for key in ("start", "parameters", "inputs", *_OF_RUNS) if key in run}
    principles = _listed(asked.principles) or [run["principle"]]
    kept["start"] = _suited(kept.get("start", {}), principles)
    return {"name": f"fit from {name}", "principles": principles, "free": [], **kept}


# --- options as keys -------------------------------------------------------------------------------------------------


def _laid_over(study: Study, base: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """The table with what the options say in the place of its own."""
    table = dict(base)
    words = {"free": asked.free, "principles": asked.principles}
    table |= {key: _listed(text) for key, text in words.items() if text}
    if asked.free:  # what the file knows of names that are not free any more
        own = {_known(study, name) for name in table["free"]}
        kept = {key: table[key] for key in ("bounds", "priors") if key in table}
        table |= {key: {n: v for n, v in given.items() if _known(study, n) in own} for key, given in kept.items()}
    table |= {
        key: v for key, v in (("loss", asked.loss), ("ray", asked.ray), ("starts", asked.starts)) if v not in ("", None)
    }
    if asked.columns:
        table["columns"] = _columns(asked.columns)
    if asked.laws:
        table["laws"] = {name: _listed(text) for name, text in _pairs(asked.laws, "--law drag=air", blank=True)}
    for key, given, example in (
        ("bounds", asked.bounds, "--bound Omega=4,6"),
        ("priors", asked.priors, "--prior r=1.27cm,0.01cm"),
    ):
        if given:
            table[key] = {**table.get(key, {}), **{name: _ends(name, v, example) for name, v in _pairs(given, example)}}
    if asked.uncertainty:
        noise = {name: value(text) for name, text in _pairs(asked.uncertainty, "--uncertainty x=0.2mm")}
        table["uncertainty"] = {**table.get("uncertainty", {}), **noise}
    if asked.read:
        table["read"] = _read(table.get("read", {}), asked.read)
    return _assigned(study, table, asked.changes)


def _assigned(study: Study, table: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Parameters, names of the columns, inputs and start values replaced."""
    columns = table.get("columns")
    texts = columns.values() if isinstance(columns, Mapping) else ()
    others = {word for text in texts for word in _WORD.findall(str(text))} | set(table.get("parameters", {}))
    others -= {str(q) for q in study.system.space} | {*study.system.inputs}
    given = assignments(changes, study, others=others)
    driven = {name: given.pop(name) for name in study.system.inputs if name in given}
    own = {*study.constants, *study.system.parameters, *others}
    start = {_known(study, key): (key, v) for key, v in table.get("start", {}).items()}
    start |= {_known(study, name): (name, v) for name, v in given.items() if name not in own}
    new = {**table.get("parameters", {}), **{name: v for name, v in given.items() if name in own}}
    inputs = {**table.get("inputs", {}), **driven}
    return {**table, "start": dict(start.values()), "parameters": new, **({"inputs": inputs} if inputs else {})}


def _known(study: Study, key: str) -> str:
    """The name that the library has for a value of the start."""
    rates = {f"dot({q})": str(rate) for q, rate in study.system.space.rates.items()}
    numbered = {f"lam{i}": c.multiplier.name for i, c in enumerate(study.system.constraints, 1)}
    plain = key.replace(" ", "")
    return rates.get(plain, numbered.get(plain, plain))


def _listed(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _pairs(words: Iterable[str], example: str, blank: bool = False) -> list[tuple[str, str]]:
    """``NAME=TEXT`` each (E307)."""
    found: list[tuple[str, str]] = []
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not sign or not name or not (text or blank):
            raise InvalidValue("E307", f"{as_given(word)} is no NAME=VALUE", example)
        if name in dict(found):
            raise InvalidValue("E307", f"{name} is given twice", "give it once")
        found.append((name, text))
    return found


def _columns(words: Sequence[str]) -> Any:
    """Names, or ``NAME=EXPRESSION`` each."""
    if not any("=" in word for word in words):
        return [name for word in words for name in _listed(word)]
    return dict(_pairs([word if "=" in word else f"{word}={word}" for word in words], '--column px="k*x + x0"'))


def _ends(name: str, text: str, example: str) -> list[Any]:
    """Two values parted by a comma; "-" is an open end (E307 if they are not two)."""
    if text.count(",") != 1:
        raise InvalidValue("E307", f"{name}={text:.40} is not two values parted by a comma", example)
    return [part.strip() if part.strip() == "-" else value(part) for part in text.split(",")]


def _read(given: Mapping[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` and ``KEY.NAME=VALUE`` of the table ``read``."""
    found = dict(given)
    for key, text in _pairs(words, "--read units.x=mm"):
        table, dot, name = key.partition(".")
        if dot:
            inner = found.get(table)
            found[table] = {**(inner if isinstance(inner, dict) else {}), name: _typed(table, text)}
        else:
            found[key] = _typed(key, text)
    return found


def _typed(key: str, text: str) -> Any:
    if key == "sort" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if key == "skip" and text.isdecimal():
        return int(text)
    return value(text) if key in ("scale", "rotation", "offset") else text
