"""Which parts of an expression stand in sines: `Basic.atoms` finds the same, with more work."""

import sympy as sp

from dalembert.calculus import plausibility
from dalembert.systems import snakeboard, whipple_bicycle

x, y, k = sp.symbols("x y k")


def test_what_is_found_is_what_sympy_finds():
    kinds = (sp.sin, sp.cos, sp.tan)
    for system in (whipple_bicycle.system(), snakeboard.system()):
        given = system.expressions
        assert set(plausibility._held(given, kinds)) == set().union(*(e.atoms(*kinds) for e in given))


def test_what_is_shared_is_entered_once():
    e = x
    for _ in range(200):  # 2^200 places, 201 parts besides the functions
        e = sp.Add(sp.sin(e, evaluate=False), sp.cos(e, evaluate=False), evaluate=False)
    assert len(list(plausibility._held([e], sp.Add))) == 200
    assert plausibility.angles_in([e]) == {"x"}
    assert plausibility.in_degrees([e]) == []


def test_angles_stand_alone_in_a_sine():
    assert plausibility.angles_in([sp.sin(x), sp.cos(2 * y + x), sp.sin(k * x)]) == {"x", "y"}
