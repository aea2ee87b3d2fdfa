"""One refusal on three surfaces: Python, a system file, the command line."""

import pickle
import re
import warnings

import pytest

import dalembert as da
from dalembert.apps.explain import PRELUDE, entries
from dalembert.calculus.quantity import quantity
from dalembert.errors import InvalidValue, Problems
from dalembert.errors.interfaces import COMMAND, FILE, PYTHON, said
from dalembert.errors.remedies import Call, Code, Give, Option, Principle

SAID = [
    (Option("rtol", 1e-9), "rtol=1e-9", "rtol = 1e-9", "rtol = 1e-9"),
    (Option("starts", 20), "starts=20", "starts = 20", "--starts 20"),
    (Option("starts"), "starts=", "starts", "--starts"),
    (Option("parameters", {"m": ...}), 'parameters={"m": ...}', "m = ... in [parameters]", "m=..."),
    (Option("parameters", {"J": None}), 'parameters={"J": None}', 'J = "?" in [parameters]', "J=None"),
    (Option("units", Code("{...}")), "units={...}", "[units]", "[units]"),
    (Option("equivalent", Code("{...}")), "equivalent={...}", "[[equivalent]] tables", "[[equivalent]] tables"),
    (Option("massless", ["x"]), 'massless=["x"]', 'massless = ["x"] in [lagrangian]', None),
    (Option("limits", {"seconds": 9}, "System"), 'da.System(..., limits={"seconds": 9})', None, None),
    (Option("read.gaps", "keep"), 'gaps="keep"', 'gaps = "keep" in read', "--read gaps=keep"),
    (Option("read.sort", True), "sort=True", "sort = true in read", "--read sort=true"),
    (
        Option("read.rotation", {("x", "y"): "30 deg"}),
        'rotation={("x", "y"): "30 deg"}',
        'rotation = { "x y" = "30 deg" } in read',
        '--read rotation.x y="30 deg"',
    ),
    (Option("bounds", {"k": ("4 N", None)}), 'bounds={"k": ("4 N", None)}', 'bounds = { k = ["4 N", "-"] }', None),
    (Option("priors", Code("{...}")), "priors={...}", "priors", "--prior NAME=MEAN,DEVIATION"),
    (Option("fit.start", {"x": 0}), 'start={"x": 0}', "start = { x = 0 }", "x=0"),
    (Option("free", ["x", "k"]), 'free=["x", "k"]', 'free = ["x", "k"]', '--free "x k"'),
    (Give(("x", "vx"), {"vx": "x"}), "give x=..., vx=...", 'add to start: x = 0, "dot(x)" = 0', None),
    (Principle("hamel"), "da.forms.hamel(system)", 'principle = "hamel"', 'principle = "hamel"'),
    (Call("examine", "system"), "da.examine(system)", "dalembert check FILE", "dalembert check FILE"),
    (Call("reduce"), "da.reduce", "in Python: da.reduce", "in Python: da.reduce"),
]


@pytest.mark.parametrize(("value", "python", "file", "command"), SAID)
def test_a_remedy_is_said_on_each_surface(value, python, file, command):
    assert said(value, PYTHON) == python
    assert file is None or said(value, FILE) == file
    assert command is None or said(value, COMMAND) == command
    assert said(("a ", (value, " b")), PYTHON) == f"a {python} b"


def test_what_is_no_number_is_told_by_its_kind():
    with pytest.raises(da.DalembertError) as caught:
        quantity(True, "m")
    assert caught.value.fact == "m = True is not a number but bool"
    assert caught.value.on(FILE).fact == "m is true or false, not a number"


def test_subject_values_and_surface_survive_a_process_border():
    error = InvalidValue("E201", "a", ("b ", Option("rtol", 1e-9)), "c", subject=("start", "vx")).on(FILE)
    again = pickle.loads(pickle.dumps(error))
    assert (again.subject, again.told, again.surface, str(again)) == (error.subject, error.told, FILE, str(error))
    both = pickle.loads(pickle.dumps(Problems([error], "s.toml")))
    assert both.problems[0].subject == error.subject


PYTHONIC = re.compile(r"\bda\.|(?<!-)\b\w+=(?!=)|=\{")


def elsewhere(error, surface):
    """The remedy without what says that it is Python."""
    return re.sub(r"in Python: .*", "", error.on(surface).remedy)


def met_in_a_file():
    """Examples of what a file may meet: its text, system, start and fit; candidates of a ranking (E559) it names."""
    return [each for each in entries() if each.example and re.match("E[127]|E55[0-7]", each.code)]


@pytest.mark.parametrize("entry", met_in_a_file(), ids=lambda entry: entry.code)
def test_no_remedy_speaks_python_in_a_file(entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in entry.files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    space = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(PRELUDE, space)
        try:
            exec(entry.example, space)
        except da.DalembertError as error:  # some examples end in a doubt or in an outcome
            assert not PYTHONIC.search(elsewhere(error, FILE)), error.remedy
            assert "da." not in elsewhere(error, COMMAND), error.remedy


def test_a_remedy_that_speaks_python_is_found():
    assert PYTHONIC.search(elsewhere(InvalidValue("E1", "a", "use da.forms.hamel"), FILE))
    assert PYTHONIC.search(elsewhere(InvalidValue("E1", "a", "rtol=1e-9"), FILE))
