"""The completion of many starts at once is that of `Equations.start`, member by member: values and refusals."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.equations.residual_scale import scales
from dalembert.errors import DalembertError
from dalembert.numerics.sweep import member_starts, parameter_grid, start_checks, sweep, table

CLOSE = 1e-12  # of the largest state: two ways to solve the same small linear system
MEMBERS, TIME = 8, 0.3


def one_by_one(equations, columns, parameters, t=TIME):
    """States (NaN where refused) and codes, by `Equations.start`."""
    states, codes = [], []
    count = len(next(iter(columns.values())))
    for i in range(count):
        values = {name: float(column[i]) for name, column in columns.items()}
        try:
            start = equations.start(t=t, parameters={n: float(c[i]) for n, c in parameters.items()}, **values)
            states.append(start.vector)
            codes.append(0)
        except DalembertError as error:
            states.append(np.full(len(equations.states), np.nan))
            codes.append(int(error.code[1:]))
    return np.array(states), np.array(codes)


def at_once(equations, columns, parameters, t=TIME):
    read = parameter_grid.read(
        equations, parameter_grid.table({**columns}), parameter_grid.table(parameters) if parameters else None, 0
    )
    return member_starts.complete(equations, read._replace(t0=t), 0, len(next(iter(columns.values()))))


def assert_equal(equations, columns, parameters, t=TIME):
    """The law; returns the codes."""
    states, codes = one_by_one(equations, columns, parameters, t)
    found = at_once(equations, columns, parameters, t)
    assert found.code.tolist() == codes.tolist()
    np.testing.assert_array_equal(np.isnan(found.states), np.isnan(states))
    size = np.abs(states).max(axis=1, keepdims=True)
    assert np.nanmax(np.abs(found.states - states) / size, initial=0.0) < CLOSE
    return codes


def columns_of(equations, rng):
    """Random states, every second one consistent."""
    rows = [equations.space.sample(rng) for _ in range(MEMBERS)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    columns |= {s.name: rng.normal(size=MEMBERS) for s in equations.states_of_multipliers}
    for i in range(0, MEMBERS, 2):
        try:
            values = {name: float(column[i]) for name, column in columns.items()}
            start = equations.start(t=TIME, project="kinetic", **values)
        except DalembertError:
            continue
        for name, column in columns.items():
            column[i] = start[name]
    return columns


LAWS = ("sleigh", "penny", "disc", "ball", "loaded_ball", "suslov", "heisenberg", "pendulum", "bead", "appell_hamel")
LAWS += ("vehicle", "driven", "gyroscope", "top")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic], ids=["nonholonomic", "vakonomic"])
@pytest.mark.parametrize("name", LAWS)
def test_many_starts_are_completed_like_one(zoo, name, principle):
    equations = zoo.equations(name, principle)
    velocities = [u.name for u in equations.space.velocities]
    for seed, left_out in ((0, 0), (1, len(equations.constraints)), (2, len(equations.constraints)), (3, 1)):
        rng = np.random.default_rng(seed)
        columns = columns_of(equations, rng)
        for dropped in rng.choice(velocities, min(left_out, len(velocities)), replace=False):
            del columns[str(dropped)]
        swept = list(equations.system.parameters)[:2]
        assert_equal(equations, columns, {name: rng.uniform(-0.2, 2, MEMBERS) for name in swept})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sleigh", "disc", "pendulum", "top", "driven"])
def test_the_screen_of_long_sweeps_lets_through_what_is_allowed_alone(zoo, monkeypatch, name):
    equations, t = zoo.equations(name), np.full(MEMBERS, TIME)
    monkeypatch.setattr(start_checks, "MANY", 0)
    let_through = 0
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        columns = columns_of(equations, rng)
        swept = {n: rng.uniform(-0.2, 2, MEMBERS) for n in list(equations.system.parameters)[:2]}
        for parameters in ({}, swept):
            codes = assert_equal(equations, columns, parameters)
            given = {n: np.full(MEMBERS, x) for n, x in equations.system.parameters.items()}
            passed = start_checks.passed(equations, {**given, **parameters, **columns, "t": t}, MEMBERS)
            assert not (passed & ~np.isin(codes, (0, 205))).any()  # signs of parameters are looked at before
            let_through += int(passed.sum())
    assert let_through  # it is no idle screen


def test_the_screen_sees_numbers_that_vanish_on_the_way():
    q = da.coordinates("x y")
    x, _, vx, vy = q
    c = sp.Symbol("c", real=True)
    # 1/(1 + 1/c) is 0 at c = 0, by way of a number that is not finite
    equations = da.free(da.System(q, (vx**2 + vy**2) / 2 - x * sp.sqrt(1 / (1 + 1 / c)), parameters={"c": 1.0}))
    values = {"x": 1.0, "y": 0.5, "vx": 0.0, "vy": 0.0, "t": 0.0, "c": np.array([1.0, 0.0, np.nan, 1e-300])}
    values = {name: np.broadcast_to(np.asarray(v, float), 4) for name, v in values.items()}
    assert start_checks.passed(equations, values, 4).tolist() == [True, False, False, True]


def test_names_may_be_left_free_in_some_members_only(zoo):
    # vx - r w2 + Omega y and vy + r w1 - Omega x: without r the rows do not hold w1 and w2
    equations = zoo.equations("heisenberg")
    columns = {"x": np.zeros(4), "y": np.array([1.0, 0, 2, 0]), "z": np.zeros(4), "vy": np.ones(4), "vz": np.ones(4)}
    codes = assert_equal(equations, columns, {}, 0.0)
    assert codes.tolist() == [0, 230, 0, 230]


def test_a_residual_counts_against_the_same_size(zoo):
    for name in ("sleigh", "disc", "pendulum", "bead", "appell_hamel", "driven", "gyroscope"):
        equations, rng = zoo.equations(name), np.random.default_rng(3)
        machine, space = equations.machine, equations.space
        rows = [equations.space.sample(rng) for _ in range(5)]
        rows = [{n: v * (1e8 if i == 0 else 1e-9 if i == 1 else 1.0) for n, v in rows[i].items()} for i in range(5)]
        rows[2] |= {u.name: 0.0 for u in space.velocities}
        values = {n: np.array([row[n] for row in rows]) for n in rows[0]} | {"t": np.full(5, TIME)}
        values |= {n: np.full(5, v) for n, v in equations.system.parameters.items()}
        pairs = [(phi, space.velocities) for phi in machine.phi] + [
            (f, space.coordinates) for f in machine.position.values()
        ]
        for row, variables in pairs:
            found = np.broadcast_to(start_checks.row_size(machine, row, variables, values), 5)
            each = [{n: float(v[i]) for n, v in values.items()} for i in range(5)]
            assert found.tolist() == [scales(machine.terms, [row], variables, one)[0] for one in each]


def redundant():
    """Three rows of rank 2: the first is nothing where x = 0, the second where x = 1."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    constraints = {"one": x * (vx - y * vz), "two": (x - 1) * (vx - y * vz), "three": vy - x * vz}
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2 - z, constraints))


@pytest.mark.filterwarnings("ignore")
def test_members_go_on_with_rows_that_are_independent_there():
    equations = redundant()
    x = np.array([1.0, 0.5, 0.0, 2.0, 1.0])
    columns = {"x": x, "y": np.ones(5), "z": np.ones(5), "vz": np.ones(5)}
    assert set(assert_equal(equations, columns, {}, 0.0)) == {0}
    rows = at_once(equations, columns, {}, 0.0).rows
    expected = {}
    for i in range(5):
        start = equations.start(**{name: float(column[i]) for name, column in columns.items()})
        kept = equations.rows_at({**start.state, **start.parameters, "t": 0.0}).kept
        if kept != equations.kept:
            expected.setdefault(kept, []).append(i)
    assert expected and {kept: list(members) for kept, members in rows.items()} == expected
    ends = sweep(equations, starts=table(columns), until=0.1)
    for i in range(5):
        path = da.simulate(equations, {name: column[i] for name, column in columns.items()}, until=0.1)
        np.testing.assert_allclose(float(ends.vx[i]), path["vx"][-1], rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_motions_that_are_not_determined_are_refused_alike(zoo):
    equations = zoo.equations("disc")
    columns = {s.name: np.full(4, 0.3) for s in equations.space if s.name not in ("vx", "vy")}
    codes = assert_equal(equations, {**columns, "theta": np.array([0.0, 1.0, np.pi, 1e-9])}, {}, 0.0)
    assert codes.tolist()[:3] == [237, 0, 237]
    # W = 1 but for the multiplier, which counts as a negative mass of vz: 1 - lam
    q = da.coordinates("x z")
    x, _z, vx, vz = q
    bent = da.vakonomic(da.System(q, (vx**2 + vz**2) / 2, {"bent": vz - vx**2 / 2 - x}))
    lam = np.array([0.0, -1.0, 1.0, 3.0])
    columns = {"x": np.zeros(4), "z": np.zeros(4), "vx": np.zeros(4), "vz": np.zeros(4), "lam_bent": lam}
    assert 126 in assert_equal(bent, columns, {}, 0.0)


@pytest.mark.filterwarnings("ignore")
def test_ranks_that_are_lost_are_refused_and_those_gained_count_alike():
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    T = (vx**2 + vy**2 + vz**2) / 2
    zeros = {name: np.zeros(4) for name in ("z", "vx", "vy", "vz")}
    # dependent where x = y
    crossing = da.nonholonomic(da.System(q, T, {"one": vx - y * vz, "two": vx - x * vz}))
    columns = {**zeros, "x": np.array([1.0, 1.0, 2.0, 1.0]), "y": np.array([0.0, 1.0, 2.0, 1.0 + 1e-11])}
    assert assert_equal(crossing, columns, {}, 0.0).tolist() == [0, 121, 121, 121]
    # independent only where e is not 0, as it is in the system
    e = sp.Symbol("e", real=True)
    twice = da.System(q, T, {"one": vx - y * vz, "two": vx - y * vz + e * vy}, parameters={"e": 0.0})
    columns = {**zeros, "x": np.ones(4), "y": np.ones(4)}
    equations = da.nonholonomic(twice)
    codes = assert_equal(equations, columns, {"e": np.array([0.0, 0.5, 0.0, -1.0])}, 0.0)
    assert codes.tolist() == [0, 0, 0, 0]
    start = {"x": 1, "y": 1, "z": 0, "vy": 0, "vz": 0.5}
    ends = da.sweep(equations, starts=start, parameters={"e": [0.0, 0.5]}, until=1.0)
    alone = [da.simulate(equations, start, parameters={"e": e}, until=1.0) for e in (0.0, 0.5)]
    assert ends.x.values == pytest.approx([path["x"][-1] for path in alone])


def test_the_least_eigenvalue_is_bounded_from_below():
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 6):
        A = rng.normal(size=(200, n, n)) * np.logspace(-7, 0, n)
        S = A @ np.swapaxes(A, 1, 2)
        least = np.linalg.eigvalsh(S)[:, 0]
        bound = start_checks.least_eigenvalue(S)
        size = np.abs(S).max(axis=(1, 2))
        assert (bound <= least + 1e-15 * n * size).all()
        assert (
            start_checks.least_eigenvalue(S - 2 * np.abs(least)[:, None, None] * np.eye(n) - 1e-9 * np.eye(n)) < 0
        ).all()
        assert (start_checks.least_eigenvalue(np.eye(n)[None] + S / 100) > 0.1).all()


def guarded():
    """Everything that a start can be refused for in one system: roots, friction at rest, inertia, coefficients."""
    s = da.Space.product(da.coordinates("x"), da.rotation("R", frame="body"))
    x, vx, w1, w2, w3 = (s[n] for n in ("x", "vx", "w1", "w2", "w3"))
    A, B, C, nu = sp.symbols("A B C nu", positive=True)
    mu = sp.Symbol("mu", real=True)
    T = vx**2 / 2 + (A * w1**2 + B * w2**2 + C * w3**2) / 2
    return da.nonholonomic(
        da.System(
            s,
            T + sp.sqrt(x) + 1 / (2 - x) - s.R[2, 2],
            forces=[da.forces.viscous_friction([vx], mu), {w3: -nu * w3}],
            inertias={"body": [A, B, C]},
            parameters={"A": 1.0, "B": 1.2, "C": 1.4, "nu": 0.1, "mu": 0.2},
        )
    )


@pytest.mark.filterwarnings("ignore")
def test_refusals_of_values_and_parameters_are_the_same():
    equations = guarded()
    unit = {"R_w": 1.0, "R_x": 0.0, "R_y": 0.0, "R_z": 0.0, "w1": 0.1, "w2": 0.2, "w3": 0.3, "x": 1.0, "vx": 1.0}
    cases = [{}, {"x": -1.0}, {"x": 2.0}, {"R_w": 1.1}, {"C": 5.0}, {"C": -1.0}, {"mu": -1.0}, {"nu": 0.0}]
    members = [{**unit, "C": 1.4, "mu": 0.2, "nu": 0.1, **case} for case in cases]
    columns = {name: np.array([m[name] for m in members]) for name in unit}
    codes = assert_equal(equations, columns, {n: np.array([m[n] for m in members]) for n in ("C", "mu", "nu")}, 0.0)
    assert codes.tolist() == [0, 402, 401, 238, 109, 205, 128, 205]


@pytest.mark.filterwarnings("ignore")
def test_a_member_is_the_same_bits_alone_and_in_company(zoo):
    for name in ("disc", "ball", "vehicle"):
        equations = zoo.equations(name)
        columns = columns_of(equations, np.random.default_rng(9))
        read = parameter_grid.read(equations, parameter_grid.table(columns), None, 0)
        whole = member_starts.complete(equations, read, 0, MEMBERS)
        for i in range(MEMBERS):
            alone = member_starts.complete(equations, read, i, i + 1)
            assert alone.states.tobytes() == whole.states[i : i + 1].tobytes()


@pytest.mark.filterwarnings("ignore")
def test_a_projected_start_is_projected_in_every_member(zoo):
    equations = zoo.equations("sleigh")
    start = equations.start(x=0, y=0, theta=0.4, vx=1.0, vy=0.0, omega=0.3, project="kinetic")
    read = parameter_grid.read(equations, start, {"m": [0.5, 2.0]}, 0)
    found = member_starts.complete(equations, read, 0, 2)
    for i, m in enumerate((0.5, 2.0)):
        one = equations.start(x=0, y=0, theta=0.4, vx=1.0, vy=0.0, omega=0.3, project="kinetic", parameters={"m": m})
        np.testing.assert_array_equal(found.states[i], one.vector)
