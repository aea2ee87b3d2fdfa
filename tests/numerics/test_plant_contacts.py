"""Plants whose contacts change their modes: step by step is one run, nothing creeps, copies go on alone."""

from functools import cache

import numpy as np
import pytest

import dalembert as da

m, g = 2.0, 9.81
REST = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
FORCES = {"forces": {"x": "F", "y": "G"}, "inputs": "F G"}


@cache
def block(restitution=0.0):
    """A block of 2 kg on a rough floor, pushed along it by F and off it by G."""
    q = da.coordinates("x y")
    floor = da.contact(gap=q["y"], slip=[q["vx"]], mu=0.3, mu_static=0.4, restitution=restitution)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    return da.nonholonomic(da.System(q, L, **FORCES, contacts={"floor": floor}))


@cache
def cart():
    """A robot in the plane of its wheels: two of them on the floor, driven by one torque; it tips where it is hard."""
    q = da.coordinates("x y th a b")
    y, vx, vy, vth = (q[name] for name in ("y", "vx", "vy", "vth"))
    L = 5 * (vx**2 + vy**2) / 2 + 0.4 * vth**2 / 2 + 0.02 * (q["va"] ** 2 + q["vb"] ** 2) / 2 - 5 * g * y
    # wheels of radius 0.1 at -0.3 and 0.3 beside the middle, which is 0.2 above their axles
    places = {"rear": -0.3, "front": 0.3}
    contacts = {}
    for (name, at), wheel in zip(places.items(), ("va", "vb"), strict=True):
        height = f"y + ({at})*sin(th) - 0.2*cos(th) - 0.1"
        slip = f"vx - ({at})*sin(th)*vth + 0.2*cos(th)*vth - 0.1*{wheel}"
        contacts[name] = da.contact(gap=height, slip=[slip], mu=0.6)
    forces = {"va": "tau", "vb": "tau", "vth": "2*tau"}
    return da.nonholonomic(da.System(q, L, forces=forces, inputs="tau", contacts=contacts))


STANDS = {"x": 0, "y": 0.3, "th": 0, "a": 0, "b": 0, "vx": 0, "vy": 0, "vth": 0, "va": 0, "vb": 0}


def steps(plant, given):
    """States after each step (steps, states)."""
    return np.array(
        [
            [*plant.step(dict(zip(given, map(float, row), strict=True))).values()]
            for row in zip(*given.values(), strict=True)
        ]
    )


def with_tables(equations, start, given, step):
    """States of a plant after its steps, the plant, and the run with the same inputs held."""
    plant, count = da.plant(equations, start, step=step), len(next(iter(given.values())))
    rows = steps(plant, given)
    tables = {name: (np.arange(count) * step, values) for name, values in given.items()}
    return rows, plant, da.simulate(equations, start, until=count * step, inputs=tables)


def same(rows, plant, path, step, abs=1e-12):
    at = path.at(step * np.arange(1, len(rows)))
    for i, name in enumerate(plant.states):
        assert rows[:-1, i] == pytest.approx(at[name], abs=abs), name
        assert rows[-1, i] == pytest.approx(path[name][-1], abs=abs), name
    assert [said[1:] for said in plant.modes] == [said[1:] for said in path.modes]
    assert [said[0] for said in plant.modes] == pytest.approx([said[0] for said in path.modes], abs=abs)
    assert plant.audit.ok
    assert plant.audit.energy_change == pytest.approx(path.audit.energy_change, abs=1e-11)
    assert plant.work == pytest.approx(path.audit.energy_change, abs=1e-11)


k = np.arange(100)
DRIVEN = {
    "stick and slip": (block, REST, {"F": 10 * np.sin(k / 8), "G": 0 * k}),
    "hops": (lambda: block(0.5), {**REST, "y": 0.2, "vx": 1.0}, {"F": 3 * np.sin(k / 8), "G": 12 * np.cos(k / 20)}),
    "lifted": (block, {**REST, "vx": 1.0}, {"F": 0 * k, "G": np.where((k > 20) & (k < 40), 30.0, 0.0)}),
    "wheels": (cart, STANDS, {"tau": 1.5 + 2 * np.sin(k / 6)}),
}


@pytest.mark.parametrize(("make", "start", "given"), DRIVEN.values(), ids=DRIVEN)
def test_step_by_step_is_one_run(make, start, given):
    rows, plant, path = with_tables(make(), start, given, 0.02)
    assert path.ok, path.audit
    assert len(path.modes) > 1
    same(rows, plant, path, 0.02)
