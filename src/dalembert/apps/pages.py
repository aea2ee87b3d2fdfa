"""The pages of what a study asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..comparison import Comparison
from ..findings.fit import Fit
from ..findings.ranking import Ranking
from ..study.study import CompareSpec, FitSpec, RunSpec, Study
from ..trajectory import Trajectory
from . import fits, options, runs
from .fit_verdict import decided, undecided
from .report import Known, written
from .terminal import typed


def of_run(study: Study, spec: RunSpec, path: Trajectory, file: Path) -> Path:
    """The page of a run."""
    start = runs.start(study, spec, spec.principle)
    return _page(path, file, study, spec, equations=runs.asked(study, spec, spec.principle), start=start)


def of_comparison(study: Study, spec: CompareSpec, comparison: Comparison, file: Path) -> Path:
    """The page of a comparison."""
    equations = {name: runs.asked(study, spec, name) for name in spec.principles}
    start = {name: runs.start(study, spec, name) for name in spec.principles}
    return _page(comparison, file, study, spec, equations=equations, start=start)


def of_fit(study: Study, spec: FitSpec, found: Fit | Ranking, file: Path) -> Path:
    """The page of a fit or a ranking."""
    if isinstance(found, Ranking):
        equations = {each.label: each.equations for each in found}
        return _page(found, file, study, spec, equations=equations, verdict=[])
    own = fits.of_prior(spec, found)
    verdict = [*decided(found, own), *undecided(found, own)]
    return _page(found, file, study, spec, equations=found.equations, verdict=verdict)


def _page(
    thing: Trajectory | Comparison | Fit | Ranking,
    file: Path,
    study: Study,
    spec: RunSpec | CompareSpec | FitSpec,
    **known: Any,
) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    about = Known(system=study, title=_title(study, spec.name), command=typed(), **known)
    return written(thing, file, options.maker("--report"), about)


def _title(study: Study, name: str) -> str:
    return f"{study.title or 'System'}: {name}"
