"""What a sweep gives: the numbers of single runs, in named dimensions, the same bits however the work is cut."""

import json
import sys

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.numerics.sweep import samples, start_checks, sweep, table, task
from dalembert.numerics.sweep.thread_pool import pace

X, Y = sp.symbols("x y", real=True)
CLOSE = 1e-10  # two runs at 1e-12 whose steps may differ


def close(one, two):
    np.testing.assert_allclose(one, two, rtol=CLOSE, atol=CLOSE)


def test_a_grid_is_the_outer_product_in_the_order_given(sleigh):
    starts = {"x": 0, "y": 0, "vx": [1.0, 2.0, 3.0], "theta": [0.1, 0.2], "omega": 0.4}
    ends = sweep(sleigh, starts=starts, parameters={"m": [1.0, 2.0], "a": 0.2}, until=1.5)
    assert dict(ends.sizes) == {"vx_start": 3, "theta_start": 2, "m": 2}
    assert ends.vx_start.values.tolist() == [1.0, 2.0, 3.0]
    for vx, theta, m in ((1.0, 0.2, 2.0), (3.0, 0.1, 1.0)):
        start = sleigh.start(x=0, y=0, vx=vx, theta=theta, omega=0.4, parameters={"m": m, "a": 0.2})
        path = da.simulate(sleigh, start, until=1.5)
        there = ends.sel(vx_start=vx, theta_start=theta, m=m)
        close([float(there[n]) for n in sleigh.states], [path[n][-1] for n in sleigh.states])


def test_tables_of_starts_and_parameters_go_together_and_grids_are_multiplied(pair):
    ends = sweep(pair, starts=table(x=[1.0, 2.0], vx=[0.0, 3.0], y=0, vy=0), parameters=table(k=[1.0, 4.0]), until=0.5)
    assert dict(ends.sizes) == {"member": 2}
    # x = x0 cos(w t) + v0 / w sin(w t)
    close(ends.x, [np.cos(0.5), 2 * np.cos(1.0) + 1.5 * np.sin(1.0)])
    assert ends.k.dims == ("member",)
    ends = sweep(pair, starts=[{"x": 1.0, "vx": 0, "y": 0, "vy": 0}] * 3, parameters={"k": [1.0, 4.0]}, until=0.5)
    assert dict(ends.sizes) == {"member": 3, "k": 2}
    close(ends.x.sel(k=4.0), 3 * [np.cos(1.0)])


def test_tables_come_from_pandas_and_structured_arrays(pair):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "vx": [0.0, 3.0], "y": [0, 0], "vy": [0, 0]})
    one = sweep(pair, starts=frame, until=0.5)
    two = sweep(pair, starts=frame.to_records(index=False).view(np.ndarray), until=0.5)
    three = sweep(pair, starts=frame.to_dict("records"), until=0.5)
    assert one.attrs["checksum"] == two.attrs["checksum"] == three.attrs["checksum"]


def test_multipliers_that_are_states_are_swept_like_any(zoo):
    equations = zoo.equations("heisenberg", da.vakonomic)
    starts = {"x": 0.1, "y": 0.2, "z": 0.3, "vx": 1.0, "vy": 0.5, "lam_contact": [-1.0, 0.0, 2.0]}
    ends = sweep(equations, starts=starts, until=1.0, keep=["z", "lam_contact", "energy"])
    for lam in (-1.0, 2.0):
        path = da.simulate(equations, {**starts, "lam_contact": lam}, until=1.0)
        there = ends.sel(lam_contact_start=lam)
        close(
            [float(there[n]) for n in ("z", "lam_contact", "energy")],
            [path[n][-1] for n in ("z", "lam_contact", "energy")],
        )


def test_rotations_are_given_by_name(zoo):
    equations = zoo.equations("top")
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_rotvec([[0.1, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    ends = sweep(equations, starts={"R": turned, "w1": 0.1, "w2": 0.2, "w3": [3.0, 4.0]}, until=0.4)
    assert dict(ends.sizes) == {"R_start": 3, "w3_start": 2}
    path = da.simulate(equations, {"R": turned[1], "w1": 0.1, "w2": 0.2, "w3": 4.0}, until=0.4)
    close(ends.w1[1, 1], path["w1"][-1])


def test_columns_at_sample_times_are_those_of_the_path(zoo):
    equations = zoo.equations("disc")
    start = {"x": 0, "y": 0, "theta": 1.2, "phi": 0, "psi": 0, "vtheta": 0.1, "vphi": 0.3}
    times = np.linspace(0, 2, 5)
    kept = ["theta", "lam_along", "energy"]
    ends = sweep(equations, starts={**start, "vpsi": [1.0, 2.0]}, until=2.0, times=times, keep=kept)
    assert ends.theta.dims == ("vpsi_start", "time")
    for vpsi in (1.0, 2.0):
        path = da.simulate(equations, {**start, "vpsi": vpsi}, until=2.0, samples=times)
        for name in kept:
            close(ends[name].sel(vpsi_start=vpsi), path[name])


def test_samples_that_do_not_fit_at_once_are_the_same(zoo, monkeypatch):
    equations = zoo.equations("vehicle")
    start = {**dict.fromkeys(("x", "y", "theta", "vdelta"), 0.0), "delta": 0.2, "v1": [0.5, 1.0, 1.5]}
    given = {"starts": start, "until": 1.0, "times": np.linspace(0, 1, 11), "keep": ["x", "lam_rear", "energy"]}
    whole = sweep(equations, **given)
    monkeypatch.setattr("dalembert.numerics.sweep.task._ROWS", 7)
    monkeypatch.setattr("dalembert.numerics.sweep.task._ROOM", 200)
    assert sweep(equations, **given).attrs["checksum"] == whole.attrs["checksum"]


def test_events_are_counted_timed_and_stop(pair):
    events = [da.Event("through", X, direction=-1), da.Event("far", Y - 0.5, "stop", direction=1)]
    starts = {"x": [1.0, 2.0], "vx": 0, "y": 0, "vy": [0.0, 1.5]}
    ends = sweep(pair, starts=starts, until=10.0, events=events, keep=["y", {"through": 2}, "far"])
    # x = x0 cos t is 0 and falls at pi/2 + 2 pi i;  y = 3/4 sin 2t reaches 1/2
    free, stopped = ends.sel(vy_start=0.0), ends.sel(vy_start=1.5)
    close(free.through_time, [[np.pi / 2, np.pi / 2 + 2 * np.pi]] * 2)
    assert free.through_count.values.tolist() == [2, 2]
    assert free.outcome.values.tolist() == [0, 0] and stopped.outcome.values.tolist() == [1, 1]
    close(stopped.t_end, [np.arcsin(2 / 3) / 2] * 2)
    close(stopped.y, [0.5, 0.5])
    assert np.isnan(stopped.through_time).all() and np.isnan(free.far_time).all()


def test_measures_are_numbers_of_the_whole_path(pair):
    measures = {
        "highest": lambda path: path.at(np.linspace(0, 1, 50))["x"].max(),
        "late": lambda path: path.at(9.0)["x"],
    }
    event = da.Event("far", Y - 0.5, "stop", direction=1)
    starts = {"x": [1.0, 2.0], "vx": 0, "y": 0, "vy": 0}
    with pytest.warns(da.DalembertWarning, match="W318 the measure 'late' .*E303"):
        ends = sweep(pair, starts=starts, until=2.0, events=[event], keep=measures)
    close(ends.highest, [1.0, 2.0])
    assert np.isnan(ends.late).all()  # the path ends before


def test_a_refused_member_has_its_code_and_the_others_go_on(sleigh):
    starts = {"x": 0, "y": 0, "theta": 0.0, "vx": 1.0, "vy": [0.0, 0.1], "omega": 0.3}
    ends = sweep(sleigh, starts=starts, parameters={"m": [1.0, -1.0]}, until=1.0)
    assert ends.outcome.values.tolist() == [[0, 205], [231, 205]]
    assert ends.verdict.values.tolist() == [[0, 2], [2, 2]]
    assert np.isfinite(ends.x[0, 0]) and np.isnan(ends.x.values.ravel()[1:]).all()
    named = dict(zip(ends.outcome.flag_values, ends.outcome.flag_meanings.split(), strict=True))
    assert named[231] == "velocity_constraint_violated"


def test_the_audit_finds_what_is_not_kept(pair, sleigh):
    good = sweep(sleigh, starts={"x": 0, "y": 0, "theta": 0, "vx": [1.0], "omega": 0.3}, until=5.0)
    assert float(good.constraint_residual.max()) < 1e-13 and float(good.energy_drift.max()) < 1e-9
    with pytest.warns(da.DalembertWarning, match="W306"):
        loose = sweep(pair, starts={"x": [1.0], "vx": 0, "y": 1.0, "vy": 0}, until=200.0, rtol=1e-3, atol=1e-3)
    path = da.simulate(pair, {"x": 1.0, "vx": 0, "y": 1.0, "vy": 0}, until=200.0)
    assert path.ok and int(loose.verdict[0]) > 0 and float(loose.energy_drift[0]) > 1e-7


def cut(sleigh, **how):
    starts = {"x": 0, "y": 0, "theta": np.linspace(0, 3, 9), "vx": np.linspace(-1, 1, 7), "omega": 0.4}
    event = da.Event("turned", sp.Symbol("theta") - 0.5)
    return sweep(sleigh, starts=starts, until=1.0, events=[event], keep=["x", "energy", "turned", "lam_blade"], **how)


def test_no_bit_depends_on_how_the_work_is_cut(sleigh, tmp_path):
    one = cut(sleigh, jobs=1, batch=63)
    for number, how in enumerate(({"jobs": 3, "batch": 1}, {"jobs": 2, "batch": 13}, {"batch": 8}, {})):
        store = tmp_path / str(number) if number % 2 else None
        other = cut(sleigh, store=store, **how)
        assert other.attrs["checksum"] == one.attrs["checksum"]
        assert other.drop_attrs().equals(one.drop_attrs())


@pytest.mark.parametrize(("soon", "sizes"), [(0.0, [2] * 15), (np.inf, [2, 4, 8, 16])])
def test_parts_of_a_batch_grow_where_those_before_were_soon_done(sleigh, monkeypatch, soon, sizes):
    several = {"starts": table(vx=np.linspace(1, 2, 30), x=0, y=0, theta=0.1, omega=0.4), "until": 1.0}
    whole, seen, part = sweep(sleigh, **several), [], task.Task._part

    def noted(self, first, last):
        seen.append(last - first)
        return part(self, first, last)

    for name, value in {"_PART": 2, "_SOON": soon}.items():
        monkeypatch.setattr(task, name, value)
    monkeypatch.setattr(task.Task, "_part", noted)
    assert sweep(sleigh, **several, jobs=1).attrs["checksum"] == whole.attrs["checksum"]
    assert seen == sizes


def test_a_task_that_has_begun_can_be_sent_on(sleigh, monkeypatch):
    # a cluster moves it to a worker that is new from one that has run batches
    pickle = pytest.importorskip("cloudpickle")  # as Dask does
    sent, batch = [], task.Task.batch

    def noted(self, first, last, *others):
        found = batch(self, first, last, *others)
        sent.append((pickle.loads(pickle.dumps(self)), first, last, found))
        return found

    monkeypatch.setattr(task.Task, "batch", noted)
    guard = [da.Event("turned", sp.Symbol("theta", real=True) - 0.3)]
    starts = table(vx=np.linspace(1, 2, 30), x=0, y=0, theta=0.1, omega=0.4)
    sweep(sleigh, starts=starts, until=1.0, events=guard, jobs=1)
    assert sent
    for there, first, last, found in sent:
        for name, values in batch(there, first, last).items():
            np.testing.assert_array_equal(values, found[name])


@pytest.mark.parametrize("name", ["sleigh", "disc", "pendulum"])
def test_the_audit_of_a_long_sweep_is_that_of_a_short_one(zoo, monkeypatch, name):
    equations = zoo.equations(name)
    start = equations.start(project="kinetic", **equations.space.sample(np.random.default_rng(3)))
    speed = equations.space.velocities[-1].name
    # the second member breaks a constraint of these that have one on velocities; a loose run drifts
    starts = table(**{**start.state, speed: [start[speed], start[speed] + 0.5]})
    given = {"starts": starts, "until": 2.0, "times": [0.0, 0.7, 2.0], "rtol": 1e-6, "atol": 1e-6}
    short = sweep(equations, **given)
    monkeypatch.setattr(start_checks, "MANY", 0)
    long = sweep(equations, **given)
    for exact in ("outcome", "verdict", "steps", equations.states[0]):
        np.testing.assert_array_equal(long[exact], short[exact])
    for rounded in ("constraint_residual", "energy_drift", "margin"):
        np.testing.assert_allclose(long[rounded], short[rounded], rtol=1e-6, atol=1e-13)


def test_the_checksum_tells_one_result_from_another(sleigh):
    assert cut(sleigh).attrs["checksum"] != cut(sleigh, rtol=1e-11).attrs["checksum"]


def test_samples_fill_their_box_and_are_drawn_again_alike():
    for method in ("sobol", "latin", "random"):
        drawn = samples(100, method=method, seed=7, x=(-1, 1), m=("10 g", "20 g"))
        columns = drawn.draw().columns
        assert len(columns["x"]) == 100 and columns["x"].min() >= -1 and columns["x"].max() <= 1
        assert columns["m"].min() >= 0.01 and columns["m"].max() <= 0.02
        assert (drawn.draw().columns["x"] == columns["x"]).all()
        assert (drawn.only("x").draw().columns["x"] == columns["x"]).all()
        assert not (samples(100, method=method, seed=8, x=(-1, 1), m=(0, 1)).draw().columns["x"] == columns["x"]).all()
    # a Latin hypercube has one sample in each of the n strips
    x = samples(50, method="latin", x=(0, 50), y=(0, 1)).draw(3).columns["x"]
    assert sorted(np.floor(x)) == list(range(50))


def test_the_seed_of_the_sweep_counts_for_samples_without_one(pair):
    box = samples(8, x=(-1, 1), k=(1, 2))
    given = {"starts": samples(8, x=(-1, 1), y=(0, 1), vx=(0, 1), vy=(0, 1)), "until": 0.1}
    ends = [sweep(pair, parameters=box.only("k"), seed=seed, **given) for seed in (1, 1, 2)]
    assert ends[0].equals(ends[1]) and not ends[0].equals(ends[2])
    assert dict(ends[0].sizes) == {"member": 8}


def test_the_result_says_where_it_comes_from(pair):
    ends = sweep(pair, starts={"x": [1.0], "vx": 0, "y": 0.1, "vy": 0}, until=0.5, rtol=1e-10)
    assert ends.attrs["principle"] == "nonholonomic" and json.loads(ends.attrs["options"])["rtol"] == 1e-10
    assert json.loads(ends.attrs["start"]) == {"vx": 0.0, "y": 0.1, "vy": 0.0}
    assert json.loads(ends.attrs["parameters"]) == {"k": 1.0}
    assert "numpy" in json.loads(ends.attrs["versions"])


def test_units_are_attributes_where_they_are_known():
    q = da.coordinates("x")
    x, vx = q
    m, g = sp.symbols("m g", positive=True)
    system = da.System(q, m * vx**2 / 2 - m * g * x, parameters={"m": "2 kg", "g": "9.81 m/s^2"}, units={"x": "m"})
    ends = sweep(da.free(system), starts={"x": ["1 m", "2 m"], "vx": 0.0}, until=1.0)
    assert ends.x.units == ends.x_start.units == "m"


def test_a_full_start_is_accepted(sleigh):
    start = sleigh.start(x=0, y=0, theta=0.1, vx=1.0, omega=0.3, t=1.0)
    ends = sweep(sleigh, starts=start, parameters={"m": [1.0, 3.0]}, until=2.0)
    for i, m in enumerate((1.0, 3.0)):
        path = da.simulate(sleigh, start, parameters={"m": m}, until=2.0)
        close(ends.x[i], path["x"][-1])


def test_a_single_member_has_no_dimension(pair):
    ends = sweep(pair, starts={"x": 1.0, "vx": 0.0, "y": 0.0, "vy": 0.0}, until=0.5)
    assert ends.x.shape == ()
    close(ends.x, np.cos(0.5))


REFUSED = {
    "all starts violate": ({"starts": {"x": 0, "y": 0, "theta": 0, "vx": 1, "vy": [1, 2], "omega": 0}}, "E231"),
    "a name is missing": ({"starts": {"x": 0, "y": 0, "theta": [0, 1], "omega": 0}}, "E230"),
    "a name is strange": ({"starts": {"x": 0, "yy": 0}}, "E229"),
    "a multiplier": ({"starts": {"lam_blade": [1, 2]}}, "E235"),
    "a parameter in the start": ({"starts": {"m": [1, 2]}}, "E229"),
    "a strange parameter": ({"parameters": {"mm": [1, 2]}}, "E202"),
    "a state among the parameters": ({"parameters": {"x": [1, 2]}}, "E202"),
    "a value that is none": ({"starts": {"x": [1, float("nan")], "y": 0, "theta": 0, "vx": 1, "omega": 0}}, "E203"),
    "truth values": ({"parameters": {"m": [True, False]}}, "E204"),
    "text": ({"parameters": {"m": ["1", "two"]}}, "E204"),
    "complex": ({"parameters": {"m": np.array([1j, 2])}}, "E204"),
    "two dimensions": ({"parameters": {"m": np.ones((2, 2))}}, "E241"),
    "an empty axis": ({"parameters": {"m": []}}, "E241"),
    "nothing to sweep": ({"starts": 3.0}, "E241"),
    "rows of different names": ({"starts": [{"x": 0}, {"y": 0}]}, "E241"),
    "times of the start": ({"starts": {"t": [0, 1], "x": 0}}, "E241"),
    "until": ({"until": float("inf")}, "E301"),
    "until before the start": ({"until": -1.0}, "E302"),
    "times": ({"times": [1.0, 0.5]}, "E303"),
    "too many numbers": ({"times": np.linspace(0, 1, 9_000_000), "parameters": {"m": np.arange(1, 1e5)}}, "E304"),
    "rtol": ({"rtol": 0.5}, "E305"),
    "an unknown option": ({"rtoll": 1e-9}, "E307"),
    "dense": ({"dense": True}, "E307"),
    "a method": ({"method": "RK54"}, "E307"),
    "a batch": ({"batch": 0}, "E307"),
    "progress": ({"progress": "yes"}, "E307"),
    "a seed": ({"seed": -1}, "E314"),
    "a seed of text": ({"seed": "1"}, "E314"),
    "no jobs": ({"jobs": 0}, "E315"),
    "too many jobs": ({"jobs": 10_000}, "E315"),
    "half a job": ({"jobs": 1.5}, "E315"),
    "an event": ({"events": ["edge"]}, "E316"),
    "an event of strange names": ({"events": [da.Event("edge", sp.Symbol("q7"))]}, "E316"),
    "a column": ({"keep": ["z"]}, "E317"),
    "a way out of the store": ({"keep": {"../../x": lambda path: 1.0}}, "E317"),
    "no name": ({"keep": {"": lambda path: 1.0}}, "E317"),
    "two of a name": ({"keep": ["x", {"x": lambda path: 1.0}]}, "E317"),
    "a measure that is a mistake": ({"keep": {"length": lambda path: path.length}}, "E318"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_at_once(sleigh, case):
    given, code = REFUSED[case]
    good = {"starts": {"x": 0, "y": 0, "theta": 0.0, "vx": 1.0, "omega": 0.0}, "until": 1.0}
    with pytest.raises(DalembertError, match=rf"^{code} "):
        sweep(sleigh, **{**good, **given})


SAMPLES = {
    "number": ({"n": 0, "x": (0, 1)}, "E241"),
    "method": ({"n": 5, "method": "sobel", "x": (0, 1)}, "E307"),
    "seed": ({"n": 5, "seed": 1.5, "x": (0, 1)}, "E314"),
    "range": ({"n": 5, "x": 3.0}, "E204"),
    "empty range": ({"n": 5, "x": (1, 1)}, "E241"),
    "nothing": ({"n": 5}, "E241"),
}


@pytest.mark.parametrize("case", SAMPLES)
def test_bad_samples_are_refused(case):
    given, code = SAMPLES[case]
    with pytest.raises(DalembertError, match=rf"^{code} "):
        samples(**given)


def test_degrees_on_an_axis_are_doubted(sleigh):
    with pytest.warns(da.DalembertWarning, match="W209 theta = 180"):
        sweep(sleigh, starts={"x": 0, "y": 0, "theta": [0.0, 90.0, 180.0], "vx": 0.0, "omega": 0.1}, until=0.1)


def test_names_that_would_hide_each_other_are_refused():
    q = da.coordinates("steps")
    steps, rate = q
    k = sp.Symbol("margin", positive=True)
    equations = da.free(da.System(q, rate**2 / 2 - k * steps**2, parameters={"margin": 1.0}))
    start = {"steps": 1.0, rate.name: 0.0}
    with pytest.raises(DalembertError, match=r"^E317 .*'steps'"):
        sweep(equations, starts=start, until=1.0)
    with pytest.raises(DalembertError, match=r"^E317 .*'margin'"):
        sweep(equations, starts=start, parameters={"margin": [1.0]}, until=1.0, keep=[rate.name])


@pytest.mark.parametrize("package", ["xarray", "zarr"])
def test_a_missing_package_is_named(sleigh, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DalembertError, match=rf"^E801 .*{package}(.|\n)*pip install 'dalembert\[sweep\]'"):
        sweep(sleigh, starts={"x": 0}, until=1.0, store=tmp_path / "sweep")


def test_a_list_of_starts_is_a_table_if_they_agree(sleigh):
    def start(vx, a):
        return sleigh.start(x=0, y=0, theta=0.1, vx=vx, omega=0.3, t=0.5, parameters={"a": a})

    ends = sweep(sleigh, starts=[start(1.0, 0.9), start(2.0, 0.9)], until=1.0)
    for i, vx in enumerate((1.0, 2.0)):
        close(ends.x[i], da.simulate(sleigh, start(vx, 0.9), until=1.0)["x"][-1])
    with pytest.raises(DalembertError, match=r"^E241 .*different parameters"):
        sweep(sleigh, starts=[start(1.0, 0.9), start(2.0, 0.8)], until=1.0)


def test_a_full_start_brings_its_parameters(sleigh):
    start = sleigh.start(x=0, y=0, theta=0.1, vx=1.0, omega=0.3, parameters={"a": 0.9})
    ends = sweep(sleigh, starts=start, until=1.0)
    close(ends.x, da.simulate(sleigh, start, until=1.0)["x"][-1])
    assert json.loads(ends.attrs["parameters"])["a"] == 0.9


def test_stiff_and_structure_preserving_methods_are_swept_too(pair):
    starts = {"x": 1.0, "vx": [0.0, 1.0], "y": 0.0, "vy": 0.0}
    stiff = sweep(pair, starts=starts, until=1.0, method="radau", rtol=1e-10)
    np.testing.assert_allclose(stiff.x, np.cos(1.0) + np.array([0, 1]) * np.sin(1.0), rtol=1e-8)


def test_the_rate_is_that_since_the_beginning():
    assert pace(0, 100, 0.5) == "the first are under way"
    assert pace(5000, 35000, 0.5) == "10,000/s, 0:00:04 left"
    assert pace(3, 7200, 3.0) == "1/s, 2:00:00 left"
    assert len("sweeping  1000000/1000000 0:00:01 " + pace(10**6, 10**7, 0.5)) + 14 <= 80
