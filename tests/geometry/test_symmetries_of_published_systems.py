"""Infinitesimal symmetries of systems that are in many books, found from L and the constraints alone."""

import pytest
import sympy as sp

import dalembert as da


def plane(L):
    """A particle in the plane; L of x, y, vx, vy."""
    q = da.coordinates("x y")
    return da.System(q, L(*(q[n] for n in ("x", "y", "vx", "vy"))))


def line(potential):
    """Three particles of mass 1 on a line."""
    q = da.coordinates("x1 x2 x3")
    x, v = ([q[f"{kind}{i}"] for i in (1, 2, 3)] for kind in ("x", "vx"))
    return da.System(q, sum(u**2 for u in v) / 2 - potential(*x))


def spherical():
    """A pendulum on a sphere."""
    q = da.coordinates("theta phi")
    rise, turn = q["vtheta"], q["vphi"]
    return da.System(q, (rise**2 + sp.sin(q["theta"]) ** 2 * turn**2) / 2 - sp.cos(q["theta"]))


def space(constraint):
    """A free particle in space under one constraint, of x, y, vx, vy, vz."""
    q = da.coordinates("x y z")
    v = [q[f"v{n}"] for n in "xyz"]
    return da.System(q, sum(u**2 for u in v) / 2, constraints={"c": constraint(q["x"], q["y"], *v)})


def sleigh():
    """Chaplygin's, its centre of mass before the blade."""
    q = da.coordinates("x y theta")
    th, vx, vy, vt = (q[n] for n in ("theta", "vx", "vy", "vtheta"))
    across = vy * sp.cos(th) - vx * sp.sin(th)
    return da.System(q, (vx**2 + vy**2 + vt**2) / 2 + vt * across / 3, constraints={"blade": across})


KNOWN = {
    "Kepler": (plane(lambda x, y, u, v: (u**2 + v**2) / 2 + 1 / sp.sqrt(x**2 + y**2)), 1),
    "springs alike": (plane(lambda x, y, u, v: (u**2 + v**2 - x**2 - y**2) / 2), 1),
    # shifts change L by a derivative: they leave the equations, not L
    "magnetic field": (plane(lambda x, y, u, v: (u**2 + v**2 + x * v - y * u) / 2), 1),
    "Henon-Heiles": (plane(lambda x, y, u, v: (u**2 + v**2 - x**2 - y**2) / 2 - x**2 * y + y**3 / 3), 0),
    "Calogero": (line(lambda a, b, c: (a - b) ** -2 + (b - c) ** -2 + (c - a) ** -2), 1),
    "Toda": (line(lambda a, b, c: sp.exp(a - b) + sp.exp(b - c)), 1),
    "spherical pendulum": (spherical(), 1),
    "Rosenberg": (space(lambda x, y, u, v, w: w - y * u), 2),
    "Heisenberg": (space(lambda x, y, u, v, w: w - (y * u - x * v) / 2), 2),
    "Chaplygin's sleigh": (sleigh(), 3),
}


@pytest.mark.parametrize("name", KNOWN)
def test_as_many_as_are_known_and_each_is_taken(name):
    system, count = KNOWN[name]
    found = da.symmetries(system).generators
    assert len(found) == count
    for generator in found:
        assert system.changed(symmetry=[generator]).symmetry
    if found:
        assert system.changed(symmetry=list(found)).symmetry


def test_the_symmetries_that_are_found_reduce_the_sleigh():
    # positions of the sleigh are those of its group: rates are left
    whole = KNOWN["Chaplygin's sleigh"][0]
    small = da.reduce(whole.changed(symmetry=list(da.symmetries(whole).generators))).system
    assert not {q.name for q in small.space.coordinates} & {"x", "y"}
