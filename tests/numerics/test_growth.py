"""W408: from when on the digits of a path are not determined by its start."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import Equations
from dalembert.trajectory import Trajectory

WILD, TAME = {"a": 2, "b": 2.5, "va": 0, "vb": 0}, {"a": 0.3, "b": 0.2, "va": 0, "vb": 0}


@cache
def double() -> Equations:
    L = "va^2 + vb^2/2 + va*vb*cos(a - b) + 20*cos(a) + 10*cos(b)"
    return da.free(da.System(da.coordinates("a b"), L))


def since(path: Trajectory) -> float | None:
    found = [re.search(r"from t = (\S+) on", note) for note in path.audit.notes if note.startswith("W408")]
    return float(found[0].group(1)) if found and found[0] else None


@pytest.mark.parametrize("options", [{}, {"dense": False}, {"dense": False, "samples": [0, 30]}, {"method": "taylor"}])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_the_time_is_that_at_which_two_runs_part(rtol: float, options: dict[str, object]) -> None:
    """Judged by a run with finer tolerance: apart by 0.01 about then, and by much soon after."""
    told = since(da.simulate(double(), WILD, until=30, rtol=rtol, **options))
    t = np.linspace(0, 16, 801)
    runs = [da.simulate(double(), WILD, until=16, rtol=r, dense=True).at(t)["a"] for r in (rtol, 1e-14)]
    parted = t[np.argmax(np.abs(runs[0] - runs[1]) > 0.02)]
    assert told is not None
    assert 0.5 * parted < told < parted + 2


def test_no_number_of_the_path_is_changed() -> None:
    """A run that is followed and one that ends before anything is to be said agree to the bit."""
    one, two = (da.simulate(double(), WILD, until=end, samples=[0.5, 1.0]) for end in (30, 1))
    assert since(one) is not None and since(two) is None
    np.testing.assert_array_equal(one.y[:, 0], two.y[:, 0])


@pytest.mark.parametrize("rtol", [1e-9, 1e-12])
def test_regular_motions_are_not_doubted(rtol: float) -> None:
    assert since(da.simulate(double(), TAME, until=300, rtol=rtol)) is None


def test_what_is_found_when_somebody_asks_is_the_same_when_they_ask_again() -> None:
    audit = da.simulate(double(), TAME, until=30, rtol=1e-6).audit
    assert callable(audit.remarks) and {audit.remarks() for _ in range(12)} == {audit.notes}


def test_an_unstable_state_is_doubted() -> None:
    """A pendulum upright to rounding falls after some time, which is that of the rounding."""
    upright = da.free(da.System(da.angle("a"), "va^2/2 - cos(a)"))
    told = since(da.simulate(upright, {"a": 1e-15, "va": 0}, until=60))
    assert told is not None and told < 40


@pytest.mark.parametrize("rtol", [1e-9, 1e-12])
def test_derivatives_are_doubted_from_when_on_two_runs_part(rtol: float) -> None:
    """Two tolerances give other derivatives then; before, they agree and nothing is said."""
    with pytest.warns(da.DalembertWarning, match="W408"):
        late = da.sensitivities(double(), WILD, until=30, by=["a"], rtol=rtol)
    assert np.abs(late.values[-1]).max() > 1e15
    assert [note.code for note in late.notes] == ["W408"] and "W408" in str(late)
    early = [da.sensitivities(double(), WILD, until=5, by=["a"], rtol=r) for r in (rtol, 1e-13)]
    assert not early[0].notes
    np.testing.assert_allclose(early[0].values[-1], early[1].values[-1], rtol=1e-2)


def test_a_fit_to_a_motion_that_is_not_determined_is_doubted() -> None:
    t = np.linspace(0, 30, 60)
    seen = da.simulate(double(), WILD, until=30).at(t)["a"]
    with pytest.warns(da.DalembertWarning) as met:
        found = da.fit(double(), da.recorded({"t": t, "a": seen}), free="a", start={**WILD, "a": 2.001}, columns="a")
    assert any("W408" in str(each.message) for each in met)
    assert "W408" in {note.code for note in found.notes}


@pytest.mark.parametrize("options", [{}, {"method": "radau"}, {"dense": False, "samples": [0, 1000]}])
@pytest.mark.parametrize("stiffness", [50, 500])
def test_damped_decay_is_not_doubted(stiffness: float, options: dict[str, object]) -> None:
    """A chain that comes to rest: all that differs decays, and steps become long beside its fastest swing."""
    n = 6
    L = " + ".join(f"vq{i}^2/2" for i in range(n)) + " - q0^2/2"
    L += "".join(f" - {stiffness}*(q{i} - q{i + 1})^2/2" for i in range(n - 1))
    chain = da.System(da.coordinates([f"q{i}" for i in range(n)]), L, forces={f"vq{i}": f"-vq{i}/2" for i in range(n)})
    start = {f"q{i}": 0.1 * i for i in range(n)} | {f"vq{i}": 0 for i in range(n)}
    path = da.simulate(da.free(chain), start, until=1000, **options)
    assert path.ok and since(path) is None


def test_a_damped_motion_that_is_driven_into_chaos_is_doubted() -> None:
    """Duffing's oscillator, damped: the wells are told apart by what was lost."""
    made = [f"-0.3*vx + {F}*cos(1.2*t)" for F in (0.5, 0.2)]
    duffing = [da.free(da.System(da.coordinates("x"), "vx^2/2 + x^2/2 - x^4/4", forces={"vx": f})) for f in made]
    chaotic, regular = (since(da.simulate(e, {"x": 1, "vx": 0}, until=500)) for e in duffing)
    assert chaotic is not None and chaotic < 300 and regular is None
