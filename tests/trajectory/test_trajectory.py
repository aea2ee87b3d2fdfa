"""The path: summaries, conversions, slices."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.trajectory import Interpolant, _contact_modes, extremes
from dalembert.trajectory.join import joined


@pytest.fixture(scope="module")
def path():
    q = da.coordinates("x y")
    _, y, vx, vy = q
    g = sp.Symbol("g", positive=True)
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, parameters={"g": 9.81}, title="Thrown stone")
    equations = da.free(system)
    events = [da.Event("ground", y, "stop", -1), da.Event("top", vy)]
    return da.simulate(equations, {"x": 0, "y": 1.0, "vx": 2.0, "vy": 3.0}, until=10.0, events=events)


def test_summary_is_short_and_says_what_matters(path):
    lines = str(path).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert "Thrown stone: free" in lines[0]
    assert "stopped by ground" in str(path)
    assert "verdict      ok" in str(path)


def test_a_summary_has_the_extreme_values_between_the_samples_too():
    swing = da.simulate(da.free(da.System(da.line("x"), "vx^2/2 - x^2/2")), {"x": 0.6, "vx": 0.8}, until=20)
    assert swing["x"].min() > -1 + 1e-3
    assert str(swing).count("in [-1, 1]") == 2
    few = swing.t[::4]
    low, high = extremes(few, swing.dense(few)[:, :2], swing.dense)
    np.testing.assert_allclose([low, high], [[-1, -1], [1, 1]], rtol=1e-7)


def test_scipy_reads_it_as_its_own(path):
    assert path.success
    assert path.status == 1
    assert path.y.shape == (4, len(path.t))
    assert path.sol(0.5) == pytest.approx([1.0, 1 + 1.5 - 9.81 / 8, 2.0, 3 - 9.81 / 2], rel=1e-12)
    assert path.sol([0.1, 0.2]).shape == (4, 2)
    assert path.t_events[1][0] == pytest.approx(3 / 9.81, rel=1e-12)
    assert path.y_events[0].shape == (1, 4)
    assert path.nfev == path.audit.evaluations > 0
    assert path.message == path.outcome


def test_columns_slices_and_arrays(path):
    assert path.to_numpy().shape == (len(path), 1 + len(path.names))
    part = path[2:5]
    assert len(part) == 3
    assert part["x"] == pytest.approx(path["x"][2:5])
    assert list(path) == list(path.names)
    at = path.at(np.array([0.1, 0.3]))
    assert at["vy"] == pytest.approx([3 - 0.981, 3 - 2.943], rel=1e-12)
    assert path.at(0.1)["energy"] == pytest.approx(path["energy"][0], rel=1e-13)


def test_columns_at_a_time_know_their_names(path):
    there = path.at(0.2)
    assert there[sp.Symbol("x")] == there["x"] == pytest.approx(0.4) and there.get("z") is None
    with pytest.raises(KeyError, match=r"E317 the path has no column 'vxx'[\s\S]*did you mean vx\?"):
        there["vxx"]


def test_what_is_done_to_a_column_is_not_done_to_the_path(path):
    x = path["x"]
    x += 7.0
    assert path["x"][0] == 0.0 == path.at(0.0)["x"]


def test_tables_for_pandas_and_xarray(path):
    pd = pytest.importorskip("pandas")
    frame = path.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert frame["x"].to_numpy() == pytest.approx(path["x"])


def test_a_stored_path_is_read_without_sympy(path, tmp_path):
    import subprocess
    import sys

    path.save(tmp_path / "stone.npz")
    code = (
        "import sys; from dalembert.trajectory.loading import load;"
        f"p = load({str(tmp_path / 'stone.npz')!r});"
        "assert 'sympy' not in sys.modules; print(p.ok, p.at(0.25)['vx'], len(p.marks['ground']))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert printed[0] == "True"
    assert float(printed[1]) == pytest.approx(2.0)
    assert printed[2] == "1"


def test_no_time_to_pass_gives_the_start():
    q = da.coordinates("x")
    equations = da.free(da.System(q, q["vx"] ** 2 / 2))
    path = da.simulate(equations, {"x": 1.0, "vx": 2.0}, until=0.0)
    assert path.ok
    assert list(path.t) == [0.0]
    assert path["x"][0] == 1.0


def test_progress_is_quiet_where_there_is_no_terminal(capsys):
    q = da.coordinates("x")
    equations = da.free(da.System(q, q["vx"] ** 2 / 2))
    path = da.simulate(equations, {"x": 1.0, "vx": 2.0}, until=1.0, progress=True)
    assert path["x"][-1] == pytest.approx(3.0)
    assert "\x1b" not in capsys.readouterr().out


def test_of_many_changes_of_contacts_the_first_the_last_and_their_number_are_told():
    many = [(float(i), "floor", ("slides", "sticks")[i % 2]) for i in range(20)]
    others = [(0.0, name, "apart") for name in ("left", "right", "back", "front")]
    told = _contact_modes([*many, *others])
    assert told == [
        "contact      floor: slides from 0 s, sticks from 1 s, and 18 more, the last:",
        "             sticks from 19 s",
        "contact      left: apart from 0 s",
        "contact      right: apart from 0 s",
        "  and 2 more: back, front",
    ]
    assert _contact_modes([]) == []


@pytest.mark.parametrize("cut", [0.1, 1.0, 1.45])
def test_a_path_that_goes_on_keeps_what_its_contacts_did(cut):
    floor = da.contact(gap="y", slip=["vx"], mu=0.3, restitution=0.5)
    q = da.coordinates("x y", velocities="vx vy")
    block = da.System(q, "m/2*(vx^2 + vy^2) - m*9.81*y", contacts={"floor": floor}, parameters={"m": 2.0})
    equations, start = da.nonholonomic(block), {"x": 0, "y": 0.3, "vx": 3, "vy": 0}
    whole, part = (da.simulate(equations, start, until=end) for end in (2.0, cut))
    found = joined(part, da.simulate(equations, part.at(cut), until=2.0))
    assert [mode[1:] for mode in found.modes] == [mode[1:] for mode in whole.modes]
    np.testing.assert_allclose([t for t, *_ in found.modes], [t for t, *_ in whole.modes], atol=1e-12)
    np.testing.assert_allclose(found.impulses["floor"]["normal"], whole.impulses["floor"]["normal"], rtol=1e-8)


@pytest.mark.parametrize("end", [0.3, 1.0, 1.7, 2.0, 2.9, 4.0])
def test_a_path_cut_short_is_the_same_path_as_far_as_it_goes(end):
    """At a node and inside a step, rising; the step that is cut keeps the size that its coefficients belong to."""
    rng = np.random.default_rng(1)
    F = rng.normal(size=(4, 5, 2))
    t, y = np.arange(5.0), np.zeros((5, 2))
    y[1:] = np.cumsum(F[:, 0], axis=0)  # y(t_old + h) = y_old + F_0
    whole = Interpolant(t, y, np.ones(4), F)
    cut, times = whole.until(end), np.linspace(0, end, 40)
    assert cut.t[-1] == end and len(cut.h) == len(cut.F) == len(cut.t) - 1
    np.testing.assert_allclose(cut(times), whole(times), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(whole.until(end, np.array([7.0, 8.0])).y[-1], [7, 8])
    steps = whole.steps(2)
    np.testing.assert_array_equal(steps(np.linspace(0, 2, 9)), whole(np.linspace(0, 2, 9)))
    assert steps.t[-1] == 2
