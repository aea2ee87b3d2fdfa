"""Paths in files: what is loaded answers as what was saved, between the samples too."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import rolling_disc
from dalembert.trajectory import Ending, Interpolant
from dalembert.trajectory.interpolant import tabulated


@pytest.fixture(scope="module")
def disc():
    system = rolling_disc.system()
    return system, da.nonholonomic(system)


def again(path, folder):
    path.save(folder / "path.npz")
    return da.load(folder / "path.npz")


def same(one, other, upto):
    t = np.linspace(one.t[0], one.t[-1], 211)
    a, b = one.at(t), other.at(t)
    assert set(a) == set(b) == set(one.names)
    for n in one.names:
        assert np.abs(a[n] - b[n]).max() <= upto * np.abs(a[n]).max(), n


def test_multipliers_and_energy_are_known_between_the_samples(disc, tmp_path):
    _, equations = disc
    path = da.simulate(equations, rolling_disc.START, until=3.0, samples=np.linspace(0, 3, 5))
    found = again(path, tmp_path)
    assert {"energy", "lam_along"} <= set(found.at(0.7))
    same(path, found, 1e-10)  # polynomials of degree 7 on the path's own steps: multipliers are smooth as states are


def test_a_reconstructed_path_is_stored(disc, tmp_path):
    system, equations = disc
    reduction = da.reduce(system)
    start = equations.start(**rolling_disc.START)
    small = da.free(reduction.system)
    path = da.simulate(small, da.reduced_start(reduction, start), until=2.0, samples=[0.0, 1.0, 2.0])
    full = da.reconstruct(reduction, path, start)
    found = again(full, tmp_path)
    same(full, found, 1e-10)
    assert found.provenance["order"] == full.provenance["order"]
    assert found.names == full.names


def test_a_stored_path_is_stored_again_as_it_is(disc, tmp_path):
    _, equations = disc
    one = again(da.simulate(equations, rolling_disc.START, until=1.0), tmp_path)
    two = again(one, tmp_path)
    t = np.linspace(0, 1, 17)
    for n in one.names:
        np.testing.assert_array_equal(one.at(t)[n], two.at(t)[n])


def test_an_event_that_never_happens_does_not_spoil_the_file(disc, tmp_path):
    system, equations = disc
    path = da.simulate(equations, rolling_disc.START, until=0.5, events=[da.Event("far", system.space["x"] - 1e3)])
    found = again(path, tmp_path)
    assert len(found.marks["far"]) == 0
    assert found.marks["far"].values.shape == (0, len(path.names))


def test_jumps_are_kept(tmp_path):
    q = da.coordinates("y")
    equations = da.free(da.System(q, q["vy"] ** 2 / 2 - 10 * q["y"]))
    bounce = da.Event("floor", q["y"], {"vy": -q["vy"] / 2}, -1)
    path = da.simulate(equations, {"y": 1.0, "vy": 0.0}, until=0.8, events=[bounce])
    found = again(path, tmp_path)
    hit = path.marks["floor"].t[0]
    t = np.array([0.0, hit - 1e-6, hit, hit + 1e-6, 0.8])
    for n in path.names:
        assert found.at(t)[n] == pytest.approx(path.at(t)[n], abs=1e-11)
    for part in (path[::2], path[1:], path[::3]):  # the state before a jump alone was taken for damage
        np.testing.assert_array_equal(again(part, tmp_path).values, part.values)


def test_a_file_of_the_first_format_is_read(disc, tmp_path):
    # states and the work beside them on the steps, no further columns; tolerances for each leave the states as written
    _, equations = disc
    path = da.simulate(equations, rolling_disc.START, until=1.0, atol=dict.fromkeys(equations.states, 1e-14))
    path.save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as data:
        stored = {name: data[name] for name in data.files}
    steps = path.dense.interpolant
    meta = json.loads(stored["meta"].tobytes().decode()) | {"format": 1}
    stored |= {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)}
    stored |= {"step_t": steps.t, "step_y": steps.y, "step_h": steps.h, "step_F": steps.F}
    np.savez(tmp_path / "old.npz", **stored)
    found = da.load(tmp_path / "old.npz")
    assert found.at(0.3)["theta"] == pytest.approx(path.at(0.3)["theta"], abs=1e-12)
    assert "energy" not in found.at(0.3)
    np.testing.assert_array_equal(found["energy"], path["energy"])


# --- polynomials on steps ---------------------------------------------------------------------------------------------


def test_polynomials_of_degree_seven_are_exact():
    f = lambda t: np.column_stack([t**7 - 2 * t, 3 + 0 * t])  # noqa: E731
    table = tabulated(f, np.array([0.0, 1.0, 3.0]))
    assert len(table.t) == 3
    t = np.linspace(0, 3, 50)
    assert np.abs(table(t) - f(t)).max() < 1e-12 * 3**7


def test_steps_that_are_too_long_are_halved():
    table = tabulated(lambda t: np.sin(t)[:, None], np.array([0.0, 20.0]))
    t = np.linspace(0, 20, 500)
    assert len(table.t) > 8
    assert np.abs(table(t)[:, 0] - np.sin(t)).max() < 1e-9


def test_steps_late_in_time_are_not_halved_for_the_rounding_of_times():
    """At t = 1e5 a time is known to 1.5e-11: what that makes of a fast column is no fault of the polynomials."""
    f = lambda t: 2.0 * np.column_stack([np.sin(2 * (t - 1e5)), np.cos(2 * (t - 1e5))])  # noqa: E731
    t = 1e5 + np.linspace(0, 10, 400)
    table = tabulated(f, t)
    assert len(table.t) == len(t)
    between = np.random.default_rng(1).uniform(t[0], t[-1], 999)
    assert np.abs(table(between) - f(between)).max() < 1e-9


def test_halved_steps_stand_in_the_order_of_time_beside_whole_ones():
    table = tabulated(lambda t: np.exp(-30 * (t - 2) ** 2)[:, None], np.linspace(0.0, 10.0, 21))
    h = np.diff(table.t)
    assert (h > 0).all() and np.array_equal(h, table.h)
    assert h.min() < 0.2 and h.max() == 0.5
    t = np.linspace(0, 10, 999)
    assert np.abs(table(t)[:, 0] - np.exp(-30 * (t - 2) ** 2)).max() < 1e-9


def test_a_column_that_is_small_where_another_is_halved_counts_by_its_largest_value():
    def f(t):
        bump, rounding = np.exp(-30 * (t - 2) ** 2), 1e-13 * np.sin(1e7 * t)
        return np.column_stack([bump, np.where(t >= 5, 1.0, 0.0) + rounding])

    t = np.linspace(0.0, 10.0, 21)
    assert np.array_equal(tabulated(f, t).t, tabulated(lambda t: f(t)[:, :1], t).t)


def test_a_single_time_is_a_path_too():
    table = tabulated(lambda t: np.ones((len(t), 2)), np.array([1.5]))
    assert isinstance(table, Interpolant)
    assert table(np.array([1.5])).tolist() == [[1.0, 1.0]]


CHANGED = [
    (("names",), None), (("names",), [1]), (("states",), 1.5), (("states",), float("inf")), (("states",), -1),
    (("states",), 99), (("outcome",), {}), (("reached",), "yes"), (("marks",), []), (("marks",), {"wall": [1]}),
    (("marks",), {"wall": [[0.0], [[1.0, 2.0]], ["x"]]}), (("audit",), []), (("audit", "verdict"), None),
    (("audit", "reasons"), 3), (("audit", "notes"), [[]]), (("audit", "constraints"), {"c": "x"}),
    (("audit", "steps"), "many"), (("audit", "energy_start"), None), (("audit", "more"), 1), (("provenance",), [1]),
    (("provenance", "title"), {}), (("provenance", "title"), "ball\x1b[2J"), (("provenance", "parameters"), [1]),
    (("provenance", "start"), {"x": []}), (("provenance", "versions"), 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def stored_disc(disc, tmp_path_factory):
    file = tmp_path_factory.mktemp("paths") / "path.npz"
    da.simulate(disc[1], rolling_disc.START, until=0.2).save(file)
    return dict(np.load(file))


@pytest.mark.parametrize(("place", "value"), CHANGED)
def test_a_file_that_says_what_no_path_says_is_damaged(stored_disc, tmp_path, place, value):
    meta = json.loads(stored_disc["meta"].tobytes())
    *above, last = place
    inner = meta
    for key in above:
        inner = inner[key]
    inner[last] = value
    np.savez(tmp_path / "p.npz", **{**stored_disc, "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)})
    with pytest.raises(da.DalembertError, match="E523"):
        da.load(tmp_path / "p.npz")


@pytest.mark.parametrize(("name", "value"), [
    ("step_y", np.array([])), ("step_F", np.zeros(3)), ("t", None), ("step_t", None), ("step_h", None),
])  # fmt: skip
def test_arrays_that_are_no_path_are_damaged(stored_disc, tmp_path, name, value):
    changed = stored_disc[name] * np.nan if value is None else value
    np.savez(tmp_path / "p.npz", **{**stored_disc, name: changed})
    with pytest.raises(da.DalembertError, match="E523"):
        da.load(tmp_path / "p.npz")


@pytest.mark.parametrize(
    ("outcome", "reached", "ending"),
    [
        ("reached t = 5", True, Ending()),
        ("stopped by rim at t = 2 at t = 0.5", True, Ending(event="rim at t = 2")),
        ("E320 at t = 3: it can go on from its last state", False, Ending(code="E320")),
    ],
)
def test_a_path_stored_without_its_ending_is_told_by_its_words(outcome, reached, ending):
    assert Ending.told(outcome, reached) == ending
