"""Every file of the gallery keeps one contract, and every fact it states is so."""

import inspect
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

import dalembert as da
from dalembert.principles.principle_table import named
from dalembert.systems.facts import Facts, Variant
from zoo import GALLERY


@pytest.fixture(scope="session")
def partner(partner):
    """The same, each start worked out once."""
    return cache(partner)


# --- the contract ----------------------------------------------------------------------------------------------------


def test_the_file_is_whole(module):
    keys = re.findall(r"^@\w+\{(\w+),", files(da).joinpath("references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert module.SOURCE in keys
    assert f"{module.SOURCE}" in module.__doc__
    assert isinstance(module.FACTS, Facts)
    assert isinstance(module.STARTS, Mapping)
    assert module.START.items() <= next(iter(module.STARTS.values())).items()
    assert all(isinstance(v, Variant) for v in getattr(module, "VARIANTS", {}).values())
    assert hasattr(module, "exact") == hasattr(module, "EXACT") != hasattr(module, "UNSOLVED")
    assert inspect.getdoc(module.system)


def test_every_parameter_has_a_default_and_a_value(module, built):
    signature = inspect.signature(module.system)
    empty = inspect.Parameter.empty
    assert all(p.default is not empty or p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    assert built.title
    assert all(np.isfinite(v) for v in built.values().values())


def test_what_follows_from_other_parameters_does(module, built):
    system, stated = built, getattr(module, "FOLLOWS", {})
    defined = system.changed(parameters={**system.parameters, **stated}).defined
    assert set(defined) == set(stated)
    assert not set(stated) & set(system.explore.ranges)  # a slider of its own would not follow
    known = system.values()
    for name, formula in defined.items():
        assert float(formula.xreplace({s: known[s.name] for s in formula.free_symbols})) == pytest.approx(
            known[name], rel=1e-12
        )


def test_the_system_builds_without_a_doubt(case):
    # warnings are errors in the tests
    assert not [n for n in case.system().notes if n.code.startswith("W")]
    assert {c.name: c.kind for c in case.system().constraints} == dict(case.facts.kinds)


def test_facts_speak_of_what_is_there(case):
    facts, system = case.facts, case.system()
    assert set(facts.agree) == (set(case.starts) if rivals(case) else set())
    assert set(facts.multipliers) <= {f"lam_{c.name}" for c in system.constraints}
    assert set(facts.modes) == (set(case.starts) if system.contacts else set())
    said = {"always": {True}, "never": {False}, "sometimes": {True, False}}[facts.coincide]
    assert set(facts.agree.values()) == (said if rivals(case) else set())
    known = {*system.space.by_name, *system.symbols, *(c.multiplier.name for c in system.constraints), "t"}
    expressions = [*facts.integrals.values(), *facts.conserved.values(), *facts.vakonomic.values()]
    expressions += [*facts.multipliers.values(), *(e for branch in facts.where for e in branch)]
    assert {s.name for e in expressions for s in e.free_symbols} <= known


# --- starts and runs -------------------------------------------------------------------------------------------------


def test_every_start_runs_and_is_audited_ok(case):
    for principle, name in product(case.principles, case.starts):
        path = case.path(name, principle)
        assert path.ok, (name, str(path))
        assert path.reached, (name, str(path))


def test_integrals_of_the_constraints_are_kept_under_both_principles(case, along):
    for principle, name in product(case.principles, case.starts):
        for label, f in case.facts.integrals.items():
            steady(along(f, case.path(name, principle), case.system()), label)


def test_integrals_are_combinations_of_the_constraints(case):
    # df/dt = sum_s c_s phi^s at any velocity: no other relation is used
    system, space = case.system(), case.system().space
    rng = np.random.default_rng(3)
    for label, f in case.facts.integrals.items():
        rate = sum(f.diff(q) * e for q, e in space.rates.items()) + time_rate(f)
        point = {**system.values(), **space.sample(rng), "t": 0.4}
        normals = np.array([[number(e, point) for e in c.normal] for c in system.constraints])
        drifts = np.array([number(c.phi.subs(dict.fromkeys(space.velocities, 0)), point) for c in system.constraints])
        slope = np.array([number(rate.diff(u), point) for u in space.velocities])
        rest = number(rate.subs(dict.fromkeys(space.velocities, 0)), point)
        c = np.linalg.lstsq(normals.T, slope, rcond=None)[0]
        assert np.allclose(np.r_[c @ normals, c @ drifts], np.r_[slope, rest], atol=1e-12), label


@pytest.mark.parametrize(("principle", "which"), [(da.nonholonomic, "conserved"), (da.vakonomic, "vakonomic")])
def test_conserved_quantities_are_conserved(case, along, principle, which):
    for name in case.starts:
        for label, expression in getattr(case.facts, which).items():
            steady(along(expression, case.path(name, principle), case.system()), f"{name}: {label}")


def test_conserved_quantities_are_not_trivial(case, along):
    # each takes different values at different starts, or varies at velocities that are not admissible
    space, system = case.system().space, case.system()
    rng = np.random.default_rng(4)
    lam = {c.multiplier.name: np.array([0.3, 0.7]) for c in system.constraints}
    samples = [space.sample(rng) for _ in range(2)]
    columns = {n: np.array([s[n] for s in samples]) for n in samples[0]} | lam | {"t": np.array([0.0, 0.0])}
    for expression in (*case.facts.conserved.values(), *case.facts.vakonomic.values(), *case.facts.integrals.values()):
        values = along(expression, columns, system)
        assert abs(values[1] - values[0]) > 1e-6


# --- contacts --------------------------------------------------------------------------------------------------------


def test_contacts_change_as_is_said(case):
    for name, said in case.facts.modes.items():
        assert [tuple(mode[1:]) for mode in case.path(name).modes] == list(map(tuple, said)), name


def test_what_touches_is_pressed_and_nothing_is_inside(case, along):
    system = case.system()
    gaps = [contact for contact in system.contacts if contact.load is None]
    for contact, name in product(gaps, case.starts):
        path = case.path(name)
        size = max(np.abs(path[q.name]).max() for q in system.space.coordinates)
        assert along(contact.gap, path, system).min() > -1e-9 * size, name
        assert path[f"{contact.name}_normal"].min() >= 0, name


# --- the geometry ----------------------------------------------------------------------------------------------------


def test_growth_vector(case, growth_vector):
    facts, system = case.facts, case.system()
    if not facts.growth:
        assert "nonlinear" in facts.kinds.values() or not facts.kinds
        return
    rng = np.random.default_rng(0)
    for _ in range(2):
        point = {**system.space.sample(rng), "t": 0.3}
        for name in ("theta", "phi"):  # keep clear of angles where a wheel stands across
            point |= {k: 0.4 * v for k, v in point.items() if k.startswith(name) and k in system.space.by_name}
        assert growth_vector(system, point) == facts.growth
    assert facts.generating == (facts.growth[-1] == len(system.space.velocities))


def test_what_is_declared_is_a_symmetry(module, built):
    name = module.__name__.split(".")[-1]
    found = GALLERY.noether(name).momenta if built.symmetry else ()
    assert all(each.symmetric for each in found)
    # those that have none are tied to a place
    tied = {"block_on_belt", "block_on_incline", "woodpecker_toy", "pendulum_cartesian", "double_pendulum_cartesian"}
    assert found or name in tied | {"spring_with_dry_friction"}


# --- the principles --------------------------------------------------------------------------------------------------


def test_principles_agree_where_they_are_said_to(case, partner):
    for name, agree in case.facts.agree.items():
        residual, _, _ = partner(case, name)
        # a motion that agrees does so to the accuracy of the path; one that does not, by far
        assert residual < 1e-8 if agree else residual > 1e-4, (name, residual)


def test_stated_multipliers_are_partners(case, partner, along):
    if not case.facts.multipliers:
        return
    system = case.system()
    lams = [c.multiplier.name for c in system.constraints]
    assert set(case.facts.multipliers) == set(lams)
    for name in (n for n, agree in case.facts.agree.items() if agree):
        start = {k: np.array(v) for k, v in case.start(name).items()}
        lam = [float(along(case.facts.multipliers[n], start, system)) for n in lams]
        _, _, residual = partner(case, name)
        assert residual(np.array(lam)) < 1e-8, name


def test_the_conditions_for_agreement_hold_where_they_agree(case, along):
    for name, agree in case.facts.agree.items():
        if not case.facts.where:
            continue
        start = {k: np.array(v) for k, v in case.start(name).items()}
        met = [all(abs(along(e, start, case.system())) < 1e-9 for e in branch) for branch in case.facts.where]
        assert any(met) == agree, name


# --- closed solutions ------------------------------------------------------------------------------------------------


def of(case):
    """The columns of `exact`, the principle it belongs to, and its starts."""
    principle = named(case.facts.principle)
    return case.module.EXACT, principle, [case.start(name, principle) for name in case.starts]


def test_exact_meets_the_run(case):
    if not case.exact:
        return
    columns, principle, starts = of(case)
    for name, start in zip(case.starts, starts, strict=True):
        path = case.path(name, principle)
        t = between_jumps(path)
        found = case.module.exact(t, [start[c] for c in columns], start.parameters)
        given = np.array([path.at(t)[c] for c in columns])
        assert found.shape == given.shape
        size = 1 + np.abs(given).max(axis=1, keepdims=True)
        assert np.abs(found - given).max() < 1e-9 * size.max(), name


def test_exact_starts_at_the_start_and_flows_on(case):
    # exact(0, s) = s and exact(t + h, s) = exact(h, exact(t, s)): independent of any integrator
    if not case.exact:
        return
    columns, _, starts = of(case)
    for start in starts:
        s, p = [start[c] for c in columns], start.parameters
        assert np.allclose(case.module.exact(0.0, s, p), s, rtol=1e-12, atol=1e-12)
        whole = case.module.exact(np.array([1.1, 2.0]), s, p)
        parts = case.module.exact(np.array([0.4, 1.3]), case.module.exact(0.7, s, p), p)
        assert np.allclose(whole, parts, rtol=1e-10, atol=1e-10)


def test_exact_solves_the_equations(case):
    # central differences of the closed form against the accelerations, order 4; those of contacts have no one formula
    if not case.exact or case.system().contacts:
        return
    columns, principle, starts = of(case)
    equations, h = case.equations(principle), 1e-3
    for start in starts:
        s, p = [start[c] for c in columns], start.parameters
        t = np.linspace(0.1, UNTIL, 7)
        at = lambda t, s=s, p=p: case.module.exact(t, s, p)  # noqa: E731
        slope = (8 * (at(t + h) - at(t - h)) - (at(t + 2 * h) - at(t - 2 * h))) / (12 * h)
        states = dict(zip(columns, at(t), strict=True))
        # a coordinate without a closed form is one on which nothing depends
        values = {**p, **{n: np.full_like(t, start[n]) for n in start}, **states, "t": t}
        udot, lamdot = equations.accelerations(values)
        moving = dict(zip((u.name for u in equations.space.velocities), udot.T, strict=True))
        moving |= {s.name: rate for s, rate in zip(equations.states_of_multipliers, lamdot.T, strict=False)}
        moving |= {q.name: values_of(e, values) for q, e in equations.space.rates.items()}
        for c, r in zip(columns, slope, strict=True):
            assert np.allclose(r, moving[c], rtol=1e-7, atol=1e-7), c


# --- small tools -----------------------------------------------------------------------------------------------------

UNTIL = 3.0


def rivals(case):
    """Are there principles to compare?"""
    return len(case.principles) > 1


def between_jumps(path):
    """The times of a path, less those at which velocities jump."""
    jumps = np.array([t for mark in path.marks.values() for t in np.atleast_1d(mark.t)])
    return path.t[np.abs(path.t[:, None] - jumps).min(axis=1, initial=np.inf) > 1e-6]


def steady(values, label):
    size = max(1.0, float(np.abs(values).max()))
    assert float(np.ptp(values)) < 1e-8 * size, label


def number(expression, point):
    return float(values_of(expression, point))


def time_rate(f):
    return sum((f.diff(s) for s in f.free_symbols if s.name == "t"), 0 * f)


def values_of(expression, values):
    from dalembert.calculus.from_sympy import read
    from dalembert.calculus.graph import Graph, evaluate

    return np.asarray(evaluate([read(expression, Graph())], values)[0], float) + 0 * values["t"]
