"""The pages of what a study asked for."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..comparison import Comparison
from ..findings.ranking import Ranking
from ..study.study import CompareSpec, FitSpec, RunSpec, Study
from ..trajectory import Trajectory
from . import perform
from .report import report
from .terminal import ARGUMENTS


def of_run(study: Study, spec: RunSpec, path: Trajectory, file: Path) -> Path:
    """The page of a run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return report(
        path,
        file,
        system=study,
        equations=perform.equations(study, spec.principle),
        start=perform.start(study, spec, spec.principle),
        title=_title(study, spec.name),
        command=_typed(),
    )


def of_comparison(study: Study, spec: CompareSpec, comparison: Comparison, file: Path) -> Path:
    """The page of a comparison."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return report(
        comparison,
        file,
        system=study,
        equations={name: perform.equations(study, name) for name in spec.principles},
        start={name: perform.start(study, spec, name) for name in spec.principles},
        title=_title(study, spec.name),
        command=_typed(),
    )


def of_fit(study: Study, spec: FitSpec, found: Any, file: Path, verdict: Sequence[str]) -> Path:
    """The page of a fit or a ranking."""
    file.parent.mkdir(parents=True, exist_ok=True)
    known = {each.label: each.equations for each in found} if isinstance(found, Ranking) else found.equations
    return report(
        found,
        file,
        system=study,
        equations=known,
        title=_title(study, spec.name),
        command=_typed(),
        verdict=verdict,
    )


def _title(study: Study, name: str) -> str:
    return f"{study.title or 'System'}: {name}"


def _typed() -> str:
    """The command as it was typed."""
    return "dalembert " + shlex.join(click.get_current_context().meta[ARGUMENTS])
