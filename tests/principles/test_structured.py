"""Accelerations by the structure of what is given: the same as written, in proportion to the number of links."""

import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.principles.lean import _by_structure

LIMITS = {"coordinates": 10_000, "operations": 10_000_000}


def named(terms):
    """A sum by definitions, each by the last, so that no text is long."""
    return {"T0": terms[0], **{f"T{i}": f"T{i - 1} + {term}" for i, term in enumerate(terms[1:], 1)}}


def in_angles(n, parents=None):
    """Rods that hang from each other, in absolute angles; `parents` make them a tree."""
    parents = range(-1, n - 1) if parents is None else parents
    D, terms = {}, []
    for i, p in enumerate(parents):
        x, y, h = (f"{c}{p}" if p >= 0 else "0" for c in "XYH")
        D |= {f"X{i}": f"{x} + cos(a{i})*dot(a{i})", f"Y{i}": f"{y} + sin(a{i})*dot(a{i})"}
        D |= {f"H{i}": f"{h} - cos(a{i})"}
        v = f"({x} + cos(a{i})*dot(a{i})/2)^2 + ({y} + sin(a{i})*dot(a{i})/2)^2"
        terms.append(f"({v})/2 + dot(a{i})^2/24 - 9.81*({h} - cos(a{i})/2)")
    space = da.coordinates(" ".join(f"a{i}" for i in range(n)))
    return da.System(space, f"T{n - 1}", definitions={**D, **named(terms)}, limits=LIMITS)


def absolute(n):
    """The same chain by places and angles of its rods, held together by rows."""
    terms = [f"(dot(x{i})^2 + dot(y{i})^2)/2 + dot(a{i})^2/24 - 9.81*y{i}" for i in range(n)]
    rows, x, y = {}, "0", "0"
    for i in range(n):
        rows |= {f"px{i}": f"x{i} - sin(a{i})/2 - ({x})", f"py{i}": f"y{i} + cos(a{i})/2 - ({y})"}
        x, y = f"x{i} + sin(a{i})/2", f"y{i} - cos(a{i})/2"
    space = da.coordinates(" ".join(f"x{i} y{i} a{i}" for i in range(n)))
    return da.System(space, f"T{n - 1}", rows, definitions=named(terms), limits=LIMITS)


def hinges(n):
    """Links in space, each on a hinge about an axis of its own, by definitions in the frames of the links."""
    D, terms, h = {}, [], "0"
    w, v, g = ["0", "0", "0"], ["0", "0", "0"], ["0", "-9.81", "0"]
    for i in range(n):
        c, s, axis = f"cos(a{i})", f"sin(a{i})", 2 if i % 2 == 0 else 0
        j, k = [m for m in range(3) if m != axis]

        def turned(e, axis=axis, j=j, k=k, c=c, s=s):
            found = [""] * 3
            found[axis], found[j], found[k] = e[axis], f"({e[j]})*{c} + ({e[k]})*{s}", f"({e[k]})*{c} - ({e[j]})*{s}"
            return found

        w, v, g = turned(w), turned(v), turned(g)
        w[axis] = f"{w[axis]} + dot(a{i})"
        for name, parts in (("w", w), ("v", v), ("g", g)):
            D |= {f"{name}{m}_{i}": e for m, e in enumerate(parts)}
        w, v, g = ([f"{name}{m}_{i}" for m in range(3)] for name in "wvg")
        # the middle of a link is at (0, -1/2, 0), its end at (0, -1, 0)
        D[f"h{i}"] = f"{h} + {g[1]}"
        T = f"(({v[0]} + {w[2]}/2)^2 + {v[1]}^2 + ({v[2]} - {w[0]}/2)^2)/2 + ({w[0]}^2 + {w[2]}^2)/24 + {w[1]}^2/100"
        terms.append(f"{T} - ({h} + {g[1]}/2)")
        h, v = f"h{i}", [f"({v[0]} + {w[2]})", v[1], f"({v[2]} - {w[0]})"]
    space = da.coordinates(" ".join(f"a{i}" for i in range(n)))
    return da.System(space, f"T{n - 1}", definitions={**D, **named(terms)}, limits=LIMITS)


CHAINS = {
    "angles": in_angles,
    "tree": lambda n: in_angles(n, [(i - 1) // 2 for i in range(n)]),
    "absolute": absolute,
    "hinges": hinges,
}


@pytest.mark.parametrize("name", CHAINS)
def test_what_structure_gives_is_what_is_written(name):
    """udot of  W udot = f + N^T lam , N udot = g  in numbers, at random states on the constraints."""
    system = CHAINS[name](5)
    equations, form = da.nonholonomic(system), _by_structure(system, range(len(system.constraints)))
    rng = np.random.default_rng(3)
    for _ in range(3):
        angles = {f"a{i}": rng.normal() for i in range(5)}
        speeds = {f"va{i}": rng.normal() for i in range(5)}
        state = equations.start({**angles, **speeds}).state
        right = equations.evaluate(state)["accelerations"]
        n = len(form.coordinates)
        rates = [float(np.asarray(e)) for e in evaluate(list(form.rates), {**state, "t": 0.0})]
        for speed, rate in zip(form.speeds, rates[n:], strict=True):
            assert rate == pytest.approx(right[speed], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", CHAINS)
def test_each_link_takes_as_many_operations_as_another(name):
    def operations(n):
        system = CHAINS[name](n)
        return _by_structure(system, range(len(system.constraints))).operations()["total"]

    first, second = operations(20) - operations(10), operations(40) - operations(20)
    assert second < 2.1 * first


@pytest.mark.parametrize("name", ["angles", "absolute"])
def test_a_long_chain_keeps_its_energy(name):
    n = 26
    equations = da.nonholonomic(CHAINS[name](n))
    start = {f"a{i}": 0.3 * np.cos(i) for i in range(n)} | {f"va{i}": 0.1 * np.sin(i) for i in range(n)}
    path = da.simulate(equations, start, until=0.2)
    assert path.audit.ok
    assert np.ptp(path["energy"]) < 1e-8 * np.abs(path["energy"]).max()


def test_two_ways_to_say_a_chain_move_alike():
    n = 6
    start = {f"a{i}": 0.3 * np.cos(i) for i in range(n)} | {f"va{i}": 0.1 * np.sin(i) for i in range(n)}
    ends = [da.simulate(da.nonholonomic(CHAINS[name](n)), start, until=1).at(1) for name in ("angles", "absolute")]
    assert [ends[0][f"a{i}"] for i in range(n)] == pytest.approx([ends[1][f"a{i}"] for i in range(n)], abs=1e-8)


def test_a_row_says_no_velocity_that_it_hardly_holds():
    """To divide the row by 1e-9 would cost nine digits."""
    L = "(dot(x)^2 + dot(y)^2 + dot(z)^2 + dot(a)^2)/2 - x*y"
    space = da.coordinates("x y z a")
    for small, found in ((1.0, True), (1e-9, False)):
        row = {"skate": f"{small}*dot(x) + cos(a)*dot(y) + sin(a)*dot(z)"}
        assert (_by_structure(da.System(space, L, row), (0,)) is not None) == found
