"""A study as a Python script that uses the library: for those who outgrow the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sympy as sp

from ..calculus.language.to_text import write_text
from ..spelling import typed
from ..study.inputs import ColumnSpec, Driven, TableSpec
from ..study.study import Study


def script(study: Study, principle: str) -> str:
    """Read the file, derive, run each of its runs under this principle, print; from the folder of the command."""
    quoted = (study.title or study.name).replace("\\", " ").replace('"', "'")
    lines = [
        f'"""{quoted}"""',
        "",
        "import dalembert as da",
        "",
        f"study = da.read({json.dumps(_path(study.name, study.folder))})",
        f"equations = {typed(principle)}(study.system)",
        "print(equations)",
    ]
    for spec in study.runs:
        if spec.principle == principle:
            lines += ["", *_run(spec, spec.inputs)]
    return "\n".join(lines)


def _path(name: str, folder: str) -> str:
    """Where a file is that a study names."""
    return str(Path(folder, name))


def _run(spec: Any, drives: Mapping[str, Driven]) -> list[str]:
    start = {**dict(spec.start), **({"t": spec.t} if spec.t else {})}
    options = "".join(f", {k}={_value(k, v)}" for k, v in spec.options.items())
    parameters = f", parameters={dict(spec.parameters)!r}" if spec.parameters else ""
    inputs = "".join(f"{json.dumps(name)}: {_drive(given)}, " for name, given in drives.items())
    inputs = f", inputs={{{inputs[:-2]}}}" if inputs else ""
    told = {"project": spec.project, "hold": list(spec.hold), "guess": dict(spec.guess)}
    how = "".join(f", {name}={value!r}" for name, value in told.items() if value)
    begin = f"{start!r}" if inputs and not how else f"equations.start(**{start!r}{parameters}{how})"
    given = f"{parameters}{inputs}" if inputs else ""
    return [
        f"# {spec.name}",
        f"start = {begin}",
        f"path = da.simulate(equations, start, until={spec.until!r}{given}{options})",
        "print(path)",
    ]


def _drive(given: Driven) -> str:
    """What drives an input as Python."""
    if isinstance(given, TableSpec):
        return f"da.inputs.tabulated({list(given.times)}, {list(given.values)}, {json.dumps(given.kind)})"
    if isinstance(given, ColumnSpec):
        record = f"da.recorded({json.dumps(_path(given.file, given.folder))}, time={json.dumps(given.time)})"
        return f"da.inputs.tabulated({record}.t, {record}[{json.dumps(given.column)}], {json.dumps(given.kind)})"
    return json.dumps(write_text(given)) if isinstance(given, sp.Expr) else repr(given)


def _value(name: str, given: Any) -> str:
    """An option as Python; a stabilisation is named in a file."""
    if name != "stabilisation":
        return repr(given)
    if isinstance(given, Mapping):
        return f"da.methods.Baumgarte({given['baumgarte']!r})"
    return {"projection": "da.methods.Projection()", "drift": "da.methods.Drift()"}[given]
