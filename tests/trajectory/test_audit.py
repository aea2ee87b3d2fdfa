"""The audit's verdicts: what is flagged, and how strongly."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

Q = da.coordinates("x y theta", velocities="vx vy vtheta")
x, y, theta, vx, vy, vtheta = Q
BLADE = -vx * sp.sin(theta) + vy * sp.cos(theta)


def sleigh(**more):
    return da.nonholonomic(da.System(Q, (vx**2 + vy**2 + vtheta**2) / 2, {"blade": BLADE}, **more))


AT = {"x": 0, "y": 0, "theta": 0.4, "vx": 1.0, "vtheta": 1.0}


def test_a_momentum_that_is_declared_but_not_conserved_makes_a_run_suspect():
    path = da.simulate(sleigh(momenta={"px": vx, "spin": vtheta}), AT, until=2 * np.pi)
    assert path.audit.verdict == "suspect"
    assert not path.ok
    assert [r for r in path.audit.reasons if "px" in r and "spin" not in r]
    assert path.audit.momenta["spin"] < 1e-13
    # px comes back to its value after a turn: the audit looks at the whole path, not at its end
    assert path["vx"][-1] == pytest.approx(path["vx"][0], abs=1e-9)
    assert path.audit.momenta["px"] == pytest.approx(np.ptp(path["vx"]), rel=0.5)


@pytest.mark.parametrize(("error", "verdict"), [(0.0, "ok"), (1e-6, "suspect"), (1e-2, "failed")])
def test_energy_that_no_work_accounts_for(monkeypatch, error, verdict):
    from dalembert.numerics.vector_field.field import Field

    original = Field.energy
    monkeypatch.setattr(Field, "energy", lambda self, t, y: original(self, t, y) * (1 + error * (t > 0)))
    path = da.simulate(sleigh(), AT, until=1.0)
    assert path.audit.verdict == verdict
    assert path.audit.energy_drift == pytest.approx(error / 2, abs=1e-8)  # the size of its terms is 2 T


def test_a_part_of_a_path_says_that_it_is_one():
    part = da.simulate(sleigh(), AT, until=1.0)[0:3]
    assert "a part of the path" in str(part)


def test_a_loose_tolerance_on_a_long_run_is_flagged():
    q = da.coordinates("a b")
    system = da.System(q, (q["va"] ** 2 + q["vb"] ** 2) / 2 + sp.cos(q["a"]) + sp.cos(q["a"] - q["b"]))
    equations = da.free(system)
    with pytest.warns(da.DalembertWarning, match="W306"):
        path = da.simulate(equations, {"a": 1.5, "b": 0.2, "va": 0.0, "vb": 0.5}, until=200.0, rtol=1e-3)
    assert not path.ok


def test_summaries_stay_narrow_with_many_constraints_and_events():
    q = da.coordinates([f"q{i}" for i in range(12)])
    u = q.velocities
    rows = {f"constraint_{i}": u[i] - sp.cos(q.coordinates[11]) * u[11] for i in range(9)}
    equations = da.nonholonomic(da.System(q, sum(v**2 for v in u) / 2, rows))
    start = {**{s.name: 0.0 for s in q.coordinates}, "vq9": 1.0, "vq10": 1.0, "vq11": 1.0}
    events = [da.Event(f"event{i}", q.coordinates[9] - 0.1 * (i + 1)) for i in range(7)]
    path = da.simulate(equations, start, until=1.0, events=events)
    lines = str(path).splitlines()
    assert max(map(len, lines)) <= 96
    assert len(lines) <= 25
    assert any("and 3 more events" in line for line in lines)
    assert any("more columns" in line for line in lines)


def test_a_relation_between_positions_is_audited_beside_its_rate():
    # without stabilisation both drift, the position more than the rate
    from dalembert.systems import pendulum_cartesian

    equations = da.nonholonomic(pendulum_cartesian.system())
    start = equations.start(**pendulum_cartesian.START)
    path = da.simulate(equations, start, until=60.0, rtol=1e-6, stabilisation=da.methods.Drift())
    off = np.abs(path["x"] ** 2 + path["y"] ** 2 - 1).max()
    rate = 2 * np.abs(path["x"] * path["vx"] + path["y"] * path["vy"]).max()
    assert off > 2 * rate
    assert path.audit.constraint_residual == pytest.approx(off, rel=1e-9)


def test_a_note_is_printed_whole():
    path = da.simulate(sleigh(), AT, until=1.0)
    printed = str(path)
    assert all(note in " ".join(printed.split()) for note in path.audit.notes) and path.audit.notes
    assert max(map(len, printed.splitlines())) <= 80
