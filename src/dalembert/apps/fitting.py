"""A fit or a ranking that a study asks for, done: from its entry and a record to what was found."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from ..calculus.quantity import quantity
from ..equations import Equations, Start
from ..errors import DalembertError
from ..errors.surfaces import COMMAND, FILE
from ..record import Record
from ..study.again import written_out
from ..study.locate import place_in
from ..study.study import FitSpec, Study
from ..study.values import recomputed
from . import perform

_LACKING = ("E230", "E234")  # of a start: values are missing


def varied(study: Study, spec: FitSpec) -> Study:
    """The study in which what the file computes from free parameters follows them."""
    return written_out(study, set(spec.free) & study.constants.keys(), {*spec.free, *_own_values(study, spec)})


def _own_values(study: Study, spec: FitSpec) -> set[str]:
    """Parameters that would follow from others, and are given another value."""
    plain = {name: v for name, v in spec.parameters.items() if name in study.constants and name not in study.derived}
    follow = {**study.constants, **recomputed(study.derived, study.constants, plain)}
    return {name for name in study.derived if spec.parameters.get(name, follow[name]) != follow[name]}


def check(study: Study, spec: FitSpec) -> Iterator[tuple[str, Start]]:
    """The completed guess under each principle; in a ranking of those for which it is complete.

    A ranking takes what is missing elsewhere from the first that is.

    Raises:
        DalembertError: what the principles and `Equations.start` raise, E207 for the units of bounds and priors; with
            its place in the file.
    """
    _check_units(study, spec)
    lacking: list[DalembertError] = []
    for principle in spec.principles:
        try:
            e = perform.equations(study, principle)
            known = {*e.system.symbols, *e.system.parameters}
            own = {name: value for name, value in spec.parameters.items() if name in known}
            yield principle, e.start(t=spec.t or 0.0, parameters=own, **_start(spec, e))
        except DalembertError as error:
            lacking.append(placed(study, spec, error))
            if error.code not in _LACKING or len(lacking) == len(spec.principles):
                raise lacking[0] from None


def _check_units(study: Study, spec: FitSpec) -> None:
    """Bounds and priors of what is in the system have its units (E207)."""
    known = {s.name for s in study.system.space} | study.system.symbols.keys()
    for table, given in (("bounds", spec.bounds), ("priors", spec.priors)):
        for name, values in given.items():
            found = [quantity(value, name).dimension for value in values if value is not None] if name in known else []
            try:
                for dimension in filter(None, found):
                    study.system.fits({name: dimension})
            except DalembertError as error:
                raise error.on(COMMAND if spec.where is None else FILE).at(
                    place_in(study.places, spec.where, table, name)
                ) from None


def models(study: Study, spec: FitSpec) -> dict[str, Equations]:
    """The equations to be fitted, by label: of each principle with each law.

    Raises:
        DalembertError: what the principles raise, E558 laws.
    """
    whole = varied(study, spec)
    try:
        if not spec.laws:
            return {principle: perform.equations(whole, principle) for principle in spec.principles}
        from .rank import candidates

        laws = {label: list(names) for label, names in spec.laws.items()}
        return candidates(whole.system, spec.principles, laws)
    except DalembertError as error:
        raise placed(study, spec, error) from None


def fit(study: Study, spec: FitSpec, equations: Mapping[str, Equations], record: Record, progress: bool = False) -> Any:
    """One fit, of `models`: a `Fit`, or a `Ranking` where there are several.

    Raises:
        DalembertError: what `fit` and `rank` raise, with its place in the file.
    """
    known = set().union(*({*e.system.symbols, *e.system.parameters} for e in equations.values()))
    parameters = _parameters(spec, known)
    try:
        if len(equations) > 1:
            from .rank import rank

            more = {key: v for key, v in (("later", spec.later), ("ray", spec.ray)) if v is not None}
            how = {**_search(spec), **more, "progress": progress}
            return rank(dict(equations), record, start=dict(spec.start), parameters=parameters, **how)
        from ..experiment.fit import fit

        e = next(iter(equations.values()))
        return fit(e, record, start=_start(spec, e), parameters=parameters, progress=progress, **_search(spec))
    except DalembertError as error:
        raise placed(study, spec, error.about("fit")) from None


def placed(study: Study, spec: FitSpec, error: DalembertError) -> DalembertError:
    """The error with its place in the file; what options of the command asked for stands in no file."""
    found = study.locate(error, spec.where)
    return found.on(COMMAND if spec.where is None and found.where is None else FILE)


def _start(spec: FitSpec, e: Equations) -> dict[str, Any]:
    """The values of the start that these equations have; a multiplier that is free may be left out, its guess is 0."""
    own = {s.name for s in e.states_of_multipliers}
    guessed = {name: 0.0 for name in spec.free if name in own}
    return guessed | {k: v for k, v in spec.start.items() if not k.startswith("lam_") or k in own}


def _parameters(spec: FitSpec, known: Container[str]) -> dict[str, Any]:
    """The values that replace the system's, and those of the names that only the columns have."""
    columns = spec.columns.values() if isinstance(spec.columns, Mapping) else ()
    own = {s.name for column in columns for s in column.free_symbols}
    return {name: value for name, value in spec.parameters.items() if name in known or name in own}


def _search(spec: FitSpec) -> dict[str, Any]:
    """Arguments that a fit and a ranking have in common."""
    columns = dict(spec.columns) if isinstance(spec.columns, Mapping) else spec.columns
    return {
        "free": list(spec.free),
        "columns": list(columns) if isinstance(columns, tuple) else columns,
        "bounds": {name: _base(name, ends) for name, ends in spec.bounds.items()},
        "priors": {name: _base(name, prior) for name, prior in spec.priors.items()},
        "loss": spec.loss,
        "starts": spec.starts,
        "spread": spec.spread,
        "seed": spec.seed,
        "t": spec.t,
        **perform.options(spec),
    }


def _base(name: str, values: tuple[Any, Any]) -> tuple[Any, ...]:
    return tuple(None if value is None else quantity(value, name).value for value in values)
