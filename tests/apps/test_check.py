"""Laws: what `check` calls in order its command begins; what that refuses before the first step, `check` refuses."""

import pytest
from click.testing import CliRunner

from dalembert.apps.cli import main

SYSTEM = """
schema = 1
[space]
coordinates = ["x", "y"]
[parameters]
k = 1.0
[lagrangian]
L = "dot(x)^2/2 + dot(y)^2/2 - k*x^2/2"
"""
BLADE = '[[constraint]]\nname = "blade"\nphi = "dot(y) - x*dot(x)"\n'
WALL = '[[wall]]\nname = "w"\nguard = "2 - x"\n'
REST = "start = { x = 1, y = 0, vx = 0, vy = 0 }\n"


def entry(kind, more="", start=REST, principle="free"):
    """One table that asks for something."""
    which = f'principles = ["{principle}", "nonholonomic"]' if kind == "compare" else f'principle = "{principle}"'
    return f"[[{kind}]]\n{which}\nuntil = 1.0\n{more}{start}"


SWEPT = "start = { x = [1, 2], y = 0, vx = 0, vy = 0 }\n"
FIT = '[[fit]]\nprinciples = ["free"]\nfree = ["k"]\n' + REST
REFUSED = {
    "a method without its step": ("E307", entry("run", 'method = "dla"\n')),
    "the same of a sweep": ("E307", entry("sweep", 'method = "dla"\n', SWEPT)),
    "the same of a comparison": ("E307", BLADE + entry("compare", 'method = "dla"\n')),
    "the same of a fit": ("E307", FIT + 'method = "dla"\n'),
    "a method that does not fit": (
        "E307",
        BLADE
        + entry(
            "run", 'method = "dla"\nstep = 0.1\n', "start = { x = 1, y = 0, vx = 1, lam_blade = 0 }\n", "vakonomic"
        ),
    ),
    "a column that there is not": ("E317", entry("sweep", 'keep = ["zz"]\n', SWEPT)),
    "an incomplete start": ("E230", entry("sweep", "", "start = { x = [1, 2], y = 0, vx = 0 }\n")),
    "no multipliers": ("E234", BLADE + entry("sweep", "", "start = { x = [1, 2], y = 0, vx = 0 }\n", "vakonomic")),
    "a start beyond an event": (
        "E240",
        entry("run") + '[[run.event]]\nname = "e"\nguard = "x - 0.5"\nthen = "stop"\ndirection = "rising"\n',
    ),
    "a start on a wall": ("E310", WALL + entry("run", "", "start = { x = 2, y = 0, vx = 1, vy = 0 }\n")),
    "a wall under another principle": (
        "E131",
        WALL + BLADE + entry("run", "", "start = { x = 1, y = 0, vx = 1, lam_blade = 0 }\n", "vakonomic"),
    ),
    "a symmetry that is none": ("E122", '[symmetry]\ncyclic = ["x"]\n'),
    "generators that are no group": (
        "E123",
        SYSTEM.replace(" - k*x^2/2", "").replace("k = 1.0", "")
        + '[symmetry]\ngenerators = { push = { x = 1 }, turn = { x = "-y", y = "x" } }\n',
    ),
}


pytestmark = pytest.mark.filterwarnings("ignore:W122", "ignore:W240")


def check(folder, text, *options):
    """What `check` answers for a file."""
    file = folder / "f.toml"
    file.write_text(text if text.startswith("\nschema") else SYSTEM + text)
    return CliRunner().invoke(main, ["check", str(file), "--trust", *options])


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_begin_is_not_in_order(what, tmp_path):
    code, text = REFUSED[what]
    reply = check(tmp_path, text)
    assert reply.exit_code == 1
    assert code in reply.stderr and "f.toml:" in reply.stderr


@pytest.mark.parametrize("kind, start", [("run", REST), ("sweep", SWEPT)])
def test_what_begins_is_in_order(kind, start, tmp_path):
    reply = check(tmp_path, WALL + entry(kind, start=start.replace("2]", "1.5]")) + "[symmetry]\ncyclic = ['y']\n")
    assert reply.exit_code == 0, reply.output
    assert "is in order" in reply.stdout


def test_a_start_beyond_a_wall_is_doubted(tmp_path):
    reply = check(tmp_path, WALL + entry("run", start=REST.replace("x = 1", "x = 3")), "--json")
    assert reply.exit_code == 0 and "W240 the start is already beyond 'w'" in reply.stdout


def test_all_problems_are_told(tmp_path):
    text = entry("run", 'method = "dla"\n') + entry("sweep", 'keep = ["zz"]\n', SWEPT) + "[symmetry]\ncyclic = ['x']\n"
    told = check(tmp_path, text).stderr
    assert all(code in told for code in ("E307", "E317", "E122"))
