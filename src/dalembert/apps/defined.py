"""Columns of a path that its file defines: what stands in ``[definitions]``, along the motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..model.parameters import values_of
from ..numerics.sensitivities.observables import Observed
from ..study.study import Study
from ..trajectory import Trajectory
from ..trajectory.interpolant import Interpolant
from ..trajectory.steps import knots, steps_of


def with_columns(study: Study, path: Trajectory, names: Iterable[str]) -> Trajectory:
    """The path with the definitions among these names as further columns, which are stored with it."""
    wanted = [name for name in dict.fromkeys(names) if name in study.definitions and name not in path.names]
    if not wanted:
        return path
    own = Observed.of([study.definitions[name] for name in wanted], path.names, ())
    dense = _Dense(path, own, _known(study, path))
    return replace(path, names=(*path.names, *wanted), values=dense.beside(path.t, path.values), dense=dense)


def without_columns(study: Study, path: Trajectory) -> Trajectory:
    """The path as it was made, to go on from."""
    kept = [i for i, name in enumerate(path.names) if name not in study.definitions]
    if len(kept) == len(path.names):
        return path
    steps = steps_of(path)
    dense = Interpolant(steps.t, steps.y[:, kept], steps.h, steps.F[..., kept])
    return replace(path, names=tuple(path.names[i] for i in kept), values=path.values[:, kept], dense=dense)


def _known(study: Study, path: Trajectory) -> dict[str, float]:
    """Values of all parameters of the file in a run."""
    own = {n: v for n, v in path.provenance.get("parameters", {}).items() if n in study.constants}
    following = {n: e for n, e in study.derived.items() if n not in own}
    known = {n: v for n, v in {**study.constants, **own}.items() if n not in following and v is not None}
    return known | values_of(following, known)


@dataclass(frozen=True, eq=False)
class _Dense:
    """The columns of a path at any times, and expressions in them.

    Attributes:
        path: without them.
        own: the expressions.
        known: values of all names that are no columns.
    """

    path: Trajectory
    own: Observed
    known: Mapping[str, float]

    @property
    def knots(self) -> np.ndarray:
        """The times between which the path is one smooth piece each."""
        return knots(self.path)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        return self.beside(t, self.path.dense(t))

    def beside(self, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Rows of the path with those of the expressions, (N, columns + c)."""
        return np.column_stack([rows, self.own.along(t, rows, self.known)])
