"""A study as a Python script that uses the library: for those who outgrow the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..spelling import typed
from ..study.study import Study


def script(study: Study, principle: str) -> str:
    """Read the file, derive, run each of its runs under this principle, print."""
    lines = [
        f'"""{_quoted(study.title or study.name)}"""',
        "",
        "import dalembert as da",
        "",
        f"study = da.read({json.dumps(study.name)})",
        f"equations = {typed(principle)}(study.system)",
        "print(equations)",
    ]
    for spec in study.runs:
        if spec.principle == principle:
            lines += ["", *_run(spec)]
    return "\n".join(lines)


def _quoted(title: str) -> str:
    return title.replace("\\", " ").replace('"', "'")


def _run(spec: Any) -> list[str]:
    start = {**dict(spec.start), **({"t": spec.t} if spec.t else {})}
    options = "".join(f", {k}={_value(k, v)}" for k, v in spec.options.items())
    parameters = f", parameters={dict(spec.parameters)!r}" if spec.parameters else ""
    return [
        f"# {spec.name}",
        f"start = equations.start(**{start!r}{parameters})",
        f"path = da.simulate(equations, start, until={spec.until!r}{options})",
        "print(path)",
    ]


def _value(name: str, given: Any) -> str:
    """An option as Python; a stabilisation is named in a file."""
    if name != "stabilisation":
        return repr(given)
    if isinstance(given, Mapping):
        return f"da.methods.Baumgarte({given['baumgarte']!r})"
    return {"projection": "da.methods.Projection()", "drift": "da.methods.Drift()"}[given]
