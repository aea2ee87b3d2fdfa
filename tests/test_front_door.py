"""The front door: few names, each public name in one place, and every name that is written down exists."""

import copy
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dalembert as da

ROOT = Path(__file__).parents[1]
SPACES = {name for name in da.__all__ if isinstance(getattr(da, name), ModuleType)}
# files in which `da.x.y` is something to type: listings, examples, remedies, docstrings
WRITTEN = [
    path
    for folder in ("src", "docs", "tests", "benchmarks", "fuzz")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".toml"} and path.name != "test_front_door.py" and "_build" not in path.parts
] + [ROOT / "README.md"]


def public():
    """(place, name, thing) of every public name."""
    for name in da.__all__:
        if name not in SPACES:
            yield f"da.{name}", name, getattr(da, name)
    for space in SPACES:
        for name, thing in vars(getattr(da, space)).items():
            if not name.startswith("_"):
                yield f"da.{space}.{name}", name, thing


def missing(text):
    """What is written as ``da.x`` or ``da.x.y`` and does not exist."""
    for x, y in re.findall(r"(?<![\w.\\])da\.([A-Za-z]\w*)(?:\.([A-Za-z]\w*))?", text.replace("\\_", "_")):
        if x not in da.__all__:
            yield f"da.{x}"
        elif x in SPACES and y and not hasattr(getattr(da, x), y):
            yield f"da.{x}.{y}"


def test_the_door_has_few_names():
    assert len(da.__all__) <= 71


def test_each_public_name_is_in_one_place():
    names, things = [], []
    for _, name, thing in public():
        names.append(name)
        things.append(thing)
    assert len(names) == len(set(names))
    aliases = {("kane", "maggi")}  # two people's name for one method
    twice = {
        tuple(sorted((a, b)))
        for a, x in zip(names, things, strict=True)
        for b, y in zip(names, things, strict=True)
        if a < b and x is y
    }
    assert twice <= aliases


def test_each_namespace_holds_nothing_but_names_under_an_essay():
    for space in SPACES:
        source = Path(getattr(da, space).__file__).read_text(encoding="utf-8")
        _, essay, code = source.split('"""')
        assert len(essay.split()) > 30, space
        assert all(re.fullmatch(r"from \.[\w.]+ import (\w+) as \1", line) for line in code.split("\n") if line), space


def test_every_name_that_is_written_exists():
    assert len(WRITTEN) > 1000
    found = {path.relative_to(ROOT).as_posix(): list(missing(path.read_text(encoding="utf-8"))) for path in WRITTEN}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("gauss", "it is da.forms.gauss$"),
        ("Trajectory", "it is da.nouns.Trajectory$"),
        ("nonholonmic", "did you mean da.nonholonomic"),
        ("viscous_penalty", "did you mean .*da.penalties.viscous"),
        ("xyzzy", "there are .*nonholonomic"),
        ("_repr_html_", "no attribute '_repr_html_'$"),
    ],
)
def test_a_name_that_is_elsewhere_is_pointed_to(asked, said):
    with pytest.raises(AttributeError, match=said):
        getattr(da, asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("path.plot", r"it is a function, da.draw\(path, ...\)$"),
        ("equations.simulate", r"it is a function, da.simulate\(equations, ...\)$"),
        ("system.nonholonomic", r"it is a function, da.nonholonomic\(system, ...\)$"),
        ("space.x", r"it is space\['x'\]$"),
        ("equations.lagrangean", r"did you mean lagrangian\?$"),
        ("path.to_pandas", "known names: to_dataframe, to_numpy, to_xarray$"),
        ("equations.mathml", "notebooks show it; .*derive FILE --html"),
        ("path.audti", r"did you mean audit\?$"),
        ("path.measures", "attribute .measures.: (known names|did you mean)"),
        ("path.Event", "attribute .Event.: (known names|did you mean)"),
    ],
)
def test_an_attribute_that_is_elsewhere_is_pointed_to(asked, said):
    space = da.coordinates("x")
    system = da.System(space, "dot(x)^2/2")
    equations = da.free(system)
    path = da.simulate(equations, {"x": 0, "vx": 1}, until=1)
    noun, name = asked.split(".")
    with pytest.raises(AttributeError, match=said):
        getattr(locals()[noun], name)
    assert not hasattr(path, "__array__") and getattr(system, "plot", None) is None and copy.copy(path).t is path.t


def test_what_is_not_there_is_found():
    assert list(missing("da.gauss(s), da.forms.gaus, da.forms.gauss, da.simulate.x, path.da.q")) == [
        "da.gauss",
        "da.forms.gaus",
    ]


def test_a_namespace_can_be_imported_by_its_name():
    code = "import dalembert.forms; from dalembert.forces import rayleigh; from dalembert import symmetry, nonholonomic"
    subprocess.run([sys.executable, "-c", code], check=True)
