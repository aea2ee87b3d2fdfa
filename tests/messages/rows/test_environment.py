"""Rows 111 and 112: terminals, homes and caches as they come, and packages that are not there."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
RUN = """
import dalembert as da
from dalembert.systems import chaplygin_sleigh as sleigh
system = sleigh.system()
equations = da.nonholonomic(system)
path = da.simulate(equations, sleigh.START, until=1.0)
print(path)
assert path.ok
"""
SHORT = """
import dalembert as da
path = da.simulate(da.free(da.System(da.coordinates("x"), "dot(x)^2/2 - x^2")), {"x": 1, "vx": 0}, until=1.0)
assert path.ok
"""
TALK = """
print(system)
print(equations)
print(equations.text())
print(equations.latex())
print(da.examine(system))
print(da.coincide(system))
print(da.reduce(system))
print(equations.start(**sleigh.START))
print(da.compare(system, ["nonholonomic", "vakonomic"], start={**sleigh.START, "lam_blade": 0.0}, until=1.0))
try:
    equations.start(**{**sleigh.START, "vy": 5})
except da.DalembertError as error:
    print(error)
from dalembert.apps.explain import entries
for entry in entries():
    if entry.code != "E717":  # whose example is a character that is not plain
        print(entry)
"""


def run(code, drop=(), *options, **environment):
    """Run code in a process of its own with another environment."""
    kept = {k: v for k, v in os.environ.items() if k not in drop}
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        encoding="ascii",
        errors="backslashreplace",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


PLAIN = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_what_is_printed_is_plain():
    """What the library says of itself is ASCII; only names that users give are printed as they are."""
    said = run(RUN + TALK, **PLAIN)
    assert "E231" in said


def test_without_colour_and_in_40_columns():
    said = run(RUN, NO_COLOR="1", COLUMNS="40", TERM="dumb")
    assert "\x1b" not in said


def test_without_a_home():
    """The user's folders are not known, or cannot be made: code is then compiled each time."""
    drop = ("HOME", "USERPROFILE", "DALEMBERT_CACHE", "XDG_CACHE_HOME", "LOGNAME", "USER")
    run(SHORT, drop)
    run(SHORT, drop, HOME="/dev/null")


@pytest.mark.parametrize("where", ["a file", "a long name", "nowhere", "of others"])
def test_a_cache_that_cannot_be_written(where, tmp_path):
    (tmp_path / "file").write_text("no folder")
    others = tmp_path / "others"
    others.mkdir()
    others.chmod(0o777)
    place = {
        "a file": tmp_path / "file",
        "a long name": tmp_path / ("x" * 300),
        "nowhere": Path("/proc/nothing/here"),
        "of others": others,
    }[where]
    run(SHORT, DALEMBERT_CACHE=str(place))
    if os.name == "posix":
        assert not list(others.iterdir())


def test_a_cache_whose_files_are_damaged(tmp_path):
    run(SHORT, DALEMBERT_CACHE=str(tmp_path))
    kept = list(tmp_path.iterdir())
    assert kept
    for file in kept:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 0xFF
        file.write_bytes(data)
    run(SHORT, DALEMBERT_CACHE=str(tmp_path))


MISSING = {
    "matplotlib": ("plot", "da.draw(da.compare(system, ['nonholonomic', 'maggi'], start=sleigh.START, until=1))"),
    "pandas": ("pandas", "path.to_dataframe()"),
    "xarray": ("xarray", "path.to_xarray()"),
    "flint": ("prove", "da.prove(equations, sleigh.START, until=1)"),
    "zarr": ("sweep", "da.sweep(equations, starts=sleigh.START, until=1, store='store')"),
}
ASK = """
sys.modules[{package!r}] = None
try:
    {call}
except da.DalembertError as error:
    assert error.code == "E801", error
    assert "pip install" in error.remedy and {word!r} in error.remedy, error
    assert isinstance(error, ImportError | ValueError)
    print({package!r}, "is named")
else:
    raise SystemExit("{package} was not missed")
del sys.modules[{package!r}]
"""


def test_a_missing_package_is_named_with_the_command_that_brings_it():
    asked = [ASK.format(package=package, call=call, word=word) for package, (word, call) in MISSING.items()]
    said = run("\n".join([RUN, "import sys", *asked]))
    assert [line for line in said.splitlines() if line.endswith("is named")] == [f"{p} is named" for p in MISSING]


def test_the_supported_versions_are_declared():
    """An old Python or NumPy is refused by the installer, which names what is needed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"].startswith(">=3.11")
    assert any(re.match(r"numpy *>= *[12]", each) for each in project["dependencies"])


def test_every_text_of_a_message_is_plain():
    """Facts and remedies are ASCII, so that every terminal, log and CI can show them."""
    strange = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise | ast.Call) and _is_said(node):
                strange += [
                    f"{file.name}:{part.lineno} {part.value!r:.60}"
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and not part.value.isascii()
                ]
    assert strange == []


def _is_said(node):
    """An error that is raised, a doubt, or a note."""
    if isinstance(node, ast.Raise):
        return True
    return isinstance(node.func, ast.Name) and node.func.id in (
        "warn",
        "Note",
        "InvalidValue",
        "WrongType",
        "UnknownName",
    )
