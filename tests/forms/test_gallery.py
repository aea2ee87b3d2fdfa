"""The law of `test_equal` on the gallery: systems that no form was written for."""

import pkgutil
from importlib import import_module

import numpy as np
import pytest

import dalembert as da
from dalembert import systems

from .conftest import FORMS, WEAK

MODULES = {name: import_module(f"dalembert.systems.{name}") for _, name, _ in pkgutil.iter_modules(systems.__path__)}
# contacts are of nonholonomic motions alone
CASES = {name: (m, {}) for name, m in MODULES.items() if hasattr(m, "system") and not m.FACTS.modes}
VARIANTS = [
    ("appell_hamel", "nonlinear"),
    ("appell_hamel", "with wheel"),
    ("car_with_trailers", "n = 3"),
    ("disguised_holonomic", "rod"),
    ("disguised_holonomic", "heading"),
]
CASES |= {f"{name}/{variant}": (MODULES[name], MODULES[name].VARIANTS[variant].options) for name, variant in VARIANTS}
PRINTED = ["appell_hamel", "double_pendulum_cartesian", "suslov"]


@pytest.fixture(scope="module", params=CASES)
def system(request):
    module, options = CASES[request.param]
    return module.system(**options)


@pytest.fixture(scope="module")
def reference(system):
    return da.nonholonomic(system)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_that_takes_a_gallery_system_gives_its_accelerations(system, reference, states, form):
    try:
        equations = FORMS[form](system)
    except da.DalembertError as refusal:
        assert refusal.code == "E160"
        assert form == "chaplygin" or any(c.kind == "nonlinear" for c in system.constraints)
        return
    values = states(reference, 1200, seed=1)
    ok = equations.share(values) > WEAK if equations.dependent else np.ones(len(values["t"]), bool)
    assert ok.sum() >= 950
    values = {k: v[ok] for k, v in values.items()}
    (u0, lam0), (u, lam) = reference.accelerations(values), equations.accelerations(values)
    size = 1 + np.abs(u0).max(axis=1, keepdims=True)
    assert (np.abs(u - u0) / size).max() < 1e-10
    assert (np.abs(lam - lam0) / (size + np.abs(lam0).max(axis=1, keepdims=True, initial=0.0))).max(initial=0.0) < 1e-10


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed_of_a_gallery_system_fits_a_page(name, form):
    try:
        equations = FORMS[form](MODULES[name].system())
    except da.DalembertError as refusal:
        assert refusal.code == "E160"
        return
    lines, latex = str(equations).splitlines(), equations.latex()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    depth = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in latex.replace(r"\{", "").replace(r"\}", "")])
    assert depth.min() >= 0
    assert depth[-1] == 0
    assert latex.count(r"\left") == latex.count(r"\right")
