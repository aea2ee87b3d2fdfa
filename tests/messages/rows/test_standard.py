"""The message standard: a code, a fact on one line, a remedy in every refusal, a proposal for every name."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import dalembert as da
from dalembert import errors

SOURCES = Path(__file__).resolve().parents[3] / "src"
KINDS = {
    name
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, da.DalembertError) and name not in ("DalembertError", "Problems")
}
BLAME = re.compile(r"\b(you|your|illegal|invalid|stupid|oops|sorry|wrongly|please)\b", re.IGNORECASE)


@cache
def refusals():
    """Every refusal of the source with a code that is written there: file and line, and its call."""
    return list(_refusals())


def _refusals():
    for file in sorted(SOURCES.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if any(kind in source for kind in KINDS) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                code = node.args[0] if node.args else None
                if isinstance(code, ast.Constant):
                    yield f"{file.relative_to(SOURCES)}:{node.lineno}", node


def texts(node):
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def without_remedy(calls):
    return [place for place, node in calls if len(node.args) < 3 or texts(node.args[2]) == [""]]


def test_every_refusal_has_a_remedy():
    assert without_remedy(refusals()) == []


def test_no_remedy_is_noticed():
    found = [
        ("here", ast.parse(text).body[0].value) for text in ('f("E1", "x")', 'f("E1", "x", "")', 'f("E1", "x", "y")')
    ]
    assert len(without_remedy(found)) == 2


def test_facts_are_of_one_line_and_blame_nobody():
    wrong = [
        (place, text)
        for place, node in refusals()
        if len(node.args) > 1
        for text in texts(node.args[1])
        if "\n" in text or BLAME.search(text)
    ]
    assert wrong == []


def test_every_code_is_of_its_kind():
    """E in errors; W and N in doubts and notes."""
    assert [place for place, node in refusals() if not re.fullmatch(r"E\d{3}", str(node.args[0].value))] == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_error_is_a_fitting_built_in(kind):
    found = getattr(errors, kind)
    assert issubclass(found, ValueError | TypeError | KeyError | ArithmeticError | OSError)


q = da.coordinates("theta phi")
T = (q["vtheta"] ** 2 + q["vphi"] ** 2) / 2
SLIPS = {
    "a coordinate": (lambda: q["thetta"], "theta"),
    "a start": (lambda: equations().start(thetta=0, phi=0, vtheta=0, vphi=0), "theta"),
    "a parameter": (lambda: equations().start(theta=0, phi=0, vtheta=0, vphi=0, parameters={"mas": 1}), "mass"),
    "a force": (lambda: da.System(q, T, forces={"vteta": 1}), "vtheta"),
    "a unit": (lambda: da.System(q, T, units={"tetha": "rad"}), "theta"),
    "a limit": (lambda: da.System(q, T, limits={"operation": 9}), "operations"),
    "a symmetry": (lambda: da.System(q, T, symmetry="phii"), "phi"),
    "a momentum": (lambda: da.reduce(da.System(q, T, symmetry={"s": {"phy": 1}})), "phi"),
    "a height": (lambda: da.System(q, T, up="thet"), "theta"),
    "a principle": (lambda: da.compare(da.System(q, T), ["vaconomic", "free"], start={}, until=1), "vakonomic"),
    "an option": (lambda: run(max_stepp=1), "max_step"),
    "a method": (lambda: run(method="tayler"), "taylor"),
    "a guard": (lambda: run(events=[da.Event("e", q["theta"] + errors_symbol("thetta"))]), "theta"),
    "a jump": (lambda: run(events=[da.Event("e", q["theta"] - 1, {"vteta": 0})]), "vtheta"),
    "a column": (lambda: run()["thet"], "theta"),
    "a column kept": (lambda: da.sweep(equations(), starts=START, until=1, keep=["tetha"]), "theta"),
    "an option of a sweep": (lambda: da.sweep(equations(), starts=START, until=1, rtoll=1), "rtol"),
    "a derivative": (lambda: da.sensitivities(equations(), START, until=1, by=["thet"]), "theta"),
    "a code": (lambda: explain("E1112"), "E112"),
    "a dependent velocity": (
        lambda: da.forms.voronec(system(b=q["vphi"] - q["theta"] * q["vtheta"]), dependent=("vphy",)),
        "vphi",
    ),
    "a penalty": (
        lambda: da.penalties.viscous(system(blade=q["vphi"] - q["theta"] * q["vtheta"]), 1.0, ["blad"]),
        "blade",
    ),
    "an expression": (lambda: da.System(q, "dot(thetta)^2/2"), "theta"),
    "a function": (lambda: da.System(q, "dot(theta)^2/2 + sinn(phi)"), "sin"),
}
START = {"theta": 0.1, "phi": 0, "vtheta": 1, "vphi": 0}


def errors_symbol(name):
    import sympy as sp

    return sp.Symbol(name)


def explain(code):
    from dalembert.apps.explain import explain as found

    return found(code)


def system(**constraints):
    return da.System(q, T, constraints)


def equations():
    return da.free(da.System(q, errors_symbol("mass") * T, parameters={"mass": 1.0}))


def run(**options):
    return da.simulate(equations(), START, until=1.0, **options)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_misspelt_name_is_answered_with_the_right_one(slip):
    call, meant = SLIPS[slip]
    with pytest.raises(da.DalembertError) as caught:
        call()
    assert re.search(rf"did you mean {meant}\b", str(caught.value)), str(caught.value)
