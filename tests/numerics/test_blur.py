"""E406 is not said of rounding, and is said of energy that is lost beside rounding."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import Equations
from dalembert.numerics.vector_field.field import Field
from dalembert.trajectory import Trajectory


def spring(more: str = "") -> Equations:
    return da.free(da.System(da.coordinates("x"), f"vx^2/2 - k*x^2/2{more}", parameters={"k": 1.0}))


def weak(k: float = 1e-12, **options: object) -> Trajectory:
    """A millionth of its period."""
    until = 2e-6 * math.pi / math.sqrt(k)
    return da.simulate(spring(), {"x": 1, "vx": 0}, until=until, parameters={"k": k}, **options)


@pytest.mark.parametrize("options", [{}, {"max_step": 1e-3}, {"method": "dla", "step": 1e-4}, {"method": "taylor"}])
@pytest.mark.parametrize("k", [1e-12, 1e-9])
def test_a_spring_that_hardly_moves(k: float, options: dict[str, object]) -> None:
    """v = -k t: right, and ok."""
    path = weak(k, **options) if k == 1e-12 or "max_step" not in options else weak(k)
    assert path.ok, path.audit
    np.testing.assert_allclose(path["vx"], -k * path.t, rtol=1e-9, atol=1e-15 * k)


@pytest.mark.parametrize("constant", ["1e8", "1e10", "1e12"])
def test_a_constant_in_the_potential_changes_no_verdict(constant: str) -> None:
    path = da.simulate(spring(f" - {constant}"), {"x": 0.1, "vx": 0}, until=20)
    assert path.ok, path.audit
    np.testing.assert_allclose(path["x"], 0.1 * np.cos(path.t), atol=1e-9)


def test_far_from_the_origin() -> None:
    thrown = da.free(da.System(da.coordinates("x"), "vx^2/2 - 9.81*x"))
    path = da.simulate(thrown, {"x": 1e9, "vx": 0}, until=0.01)
    assert path.ok and path.audit.energy_drift == 0


def test_where_the_energy_says_nothing_it_is_told() -> None:
    path = da.simulate(spring(" - 1e14"), {"x": 0.1, "vx": 0}, until=5)
    assert path.ok and [note for note in path.audit.notes if note.startswith("N410")]
    assert not [note for note in weak().audit.notes if note.startswith("N410")]


@pytest.mark.parametrize(("lost", "verdict"), [(5e-4, "suspect"), (0.1, "failed")])
@pytest.mark.parametrize("which", ["weak", "constant"])
def test_what_is_lost_beside_rounding_is_seen(
    which: str, lost: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An integrator that loses a part of its speeds."""
    full = Field.full

    def shrunk(self: Field, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        found = np.array(full(self, t, y))
        found[:, 1] *= 1 - lost
        return found

    monkeypatch.setattr(Field, "full", shrunk)
    paths = {"weak": weak, "constant": lambda: da.simulate(spring(" - 1e7"), {"x": 0.1, "vx": 0}, until=1)}
    path = paths[which]()
    assert path.audit.verdict == verdict and any(r.startswith("E406") for r in path.audit.reasons), path.audit


def test_a_loose_run_beside_a_constant_is_not_ok() -> None:
    """A true loss of 1e-4 of the energy, by steps that are too long, beside 1e6 times as much that stands still."""
    with pytest.warns(da.DalembertWarning, match="W306"):
        path = da.simulate(spring(" - 1e3"), {"x": 0.1, "vx": 0}, until=200, rtol=1e-3)
    assert not path.ok and any(r.startswith("E406") for r in path.audit.reasons)


def test_it_is_stored(tmp_path: Path) -> None:
    path = weak()
    assert 0 < path.audit.work_balance <= path.audit.energy_rounding
    path.save(tmp_path / "weak.npz")
    again = da.load(tmp_path / "weak.npz")
    assert again.ok and again.audit == path.audit


def test_sweeps_say_the_same() -> None:
    varied = {"starts": {"x": 1, "vx": [0.0]}, "parameters": {"k": [1e-12, 1e-11]}}
    found = da.sweep(spring(), **varied, until=6.28, times=[0, 3, 6.28])
    assert (found.verdict.values == 0).all()
    assert (found.energy_drift.values == 0).all()
