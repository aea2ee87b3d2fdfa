"""``dalembert check FILE``."""

from __future__ import annotations

from typing import Any

import click

from ..completing import SystemFile
from ..terminal import Command, Reply, folded


@click.command(cls=Command, foreign=True, epilog="Example: dalembert check ball.toml")
@click.argument("file", type=SystemFile())
def command(file: str) -> Reply:
    """Check a system file without running it.

    Names, units, rank and integrability of the constraints, and every start under its principle. All problems are told
    at once.
    """
    from ...geometry.examine import examine
    from ...study import read

    study = read(file)
    examined = examine(study.system)
    starts = _starts(study)
    notes = list(dict.fromkeys(map(str, (*study.notes, *study.system.notes, *examined.notes))))
    text = [
        str(study.system),
        "",
        str(examined),
        *_lines(starts),
        "",
        f"{file} is in order. next: {_next(study, file)}",
    ]
    return Reply(
        "\n".join(text),
        {
            "file": file,
            "title": study.title,
            "constraints": {c.name: c.kind for c in study.system.constraints},
            "starts": starts,
            "notes": notes,
            "next": _next(study, file),
        },
    )


def _starts(study: Any) -> dict[str, dict[str, dict[str, float]]]:
    """The completed start of every run, comparison and fit, under each of its principles.

    Raises:
        Problems: all that cannot be completed.
    """
    from ...errors import DalembertError, Problems
    from .. import fitting, perform

    found: dict[str, dict[str, dict[str, float]]] = {}
    problems: list[DalembertError] = []
    for spec in (*study.runs, *study.compares):
        for principle in perform.principles(spec):
            try:
                start = perform.start(study, spec, principle)
                found.setdefault(spec.name, {})[principle] = dict(start.state)
            except DalembertError as error:
                problems.append(error.at(spec.where))
    for spec in study.fits:
        try:
            found[f"of fit {spec.name}"] = {principle: dict(s.state) for principle, s in fitting.check(study, spec)}
        except DalembertError as error:
            problems.append(error.at(spec.where))
    problems = list({(error.code, error.fact, error.where): error for error in problems}.values())
    if problems:
        raise problems[0] if len(problems) == 1 else Problems(problems, study.name)
    return found


def _lines(starts: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    lines = []
    for name, by_principle in starts.items():
        for principle, state in by_principle.items():
            values = ", ".join(f"{k} = {v:.6g}" for k, v in state.items())
            lines += folded(f"start {name} ({principle}): {values}").splitlines()
    return ["", *lines] if lines else []


def _next(study: Any, file: str) -> str:
    known = {"run": study.runs, "compare": study.compares, "sweep": study.sweeps, "fit": study.fits}
    word = next((kind for kind, entries in known.items() if entries), "derive")
    return f"dalembert {word} {file}{' TRACK.csv' if word == 'fit' else ''}"
