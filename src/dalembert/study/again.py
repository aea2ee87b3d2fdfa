"""A file read once more with a change: another ``[[fit]]``, or parameters that follow from others written out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import DalembertWarning
from .build import build, build_fit
from .parse import parsed
from .places import Places
from .study import FitSpec, Study, SweepSpec

_ENTRIES = ("run", "compare", "sweep", "family", "fit")


def tables_of(study: Study) -> dict[str, Any]:
    """The tables of a study's file."""
    return parsed(study.source, study.name)[0]


def fit_of(study: Study, table: Mapping[str, Any]) -> FitSpec:
    """The fit that this table would be in the file of the study.

    Raises:
        DalembertError: what is wrong with it, without a place; several as `Problems`.
    """
    tables = {key: value for key, value in tables_of(study).items() if key not in _ENTRIES}
    return build_fit({**tables, "fit": [dict(table)]}, study.name)


def written_out(study: Study, names: Iterable[str], kept: Iterable[str] = ()) -> Study:
    """The study in which parameters that follow from these are expressions of them, so that they follow in a fit too.

    Args:
        study: from a file.
        names: of parameters that will vary.
        kept: parameters that are to stay as they are.
    """
    follow = following(study, names) - set(kept)
    if not follow:
        return study
    tables = {key: value for key, value in tables_of(study).items() if key not in _ENTRIES}
    formulas = {name: _formula(entry) for name, entry in tables["parameters"].items() if name in follow}
    tables["parameters"] = {name: entry for name, entry in tables["parameters"].items() if name not in follow}
    tables["definitions"] = {**tables.get("definitions", {}), **formulas}
    tables["units"] = {name: unit for name, unit in tables.get("units", {}).items() if name not in follow}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # said when the file was read
        return build(tables, Places("", study.name), study.source, study.system.limits)


def laid_out(study: Study, spec: SweepSpec) -> tuple[Study, SweepSpec]:
    """A sweep whose axes stay axes: parameters that follow from them are expressions of them in the system."""
    axes = {name: v for name, v in spec.axes.items() if isinstance(v, tuple)}
    varied = following(study, axes) - spec.axes.keys()
    written = written_out(study, axes, spec.axes) if varied else study
    own = {*written.system.parameters, *written.system.symbols}
    # a constant that only feeds others is no parameter of the system
    single = {name: v for name, v in spec.parameters.items() if not isinstance(v, tuple) and name in own}
    if not varied:
        columns = {name: v for name, v in spec.parameters.items() if isinstance(v, tuple)}
        return study, replace(spec, parameters={**single, **columns})
    return written, replace(spec, parameters={**single, **axes}, parameter_rows=spec.rows)


def following(study: Study, names: Iterable[str]) -> set[str]:
    """Parameters that follow from these."""
    found, changed = set[str](), set(names)
    for name, formula in study.derived.items():
        if name not in changed and {s.name for s in formula.free_symbols} & (changed | found):
            found.add(name)
    return found


def _formula(entry: Any) -> Any:
    return entry["value"] if isinstance(entry, Mapping) else entry
