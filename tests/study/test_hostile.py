"""Files that want more than to be read: nothing is executed, no file is touched, nothing hangs."""

import json
import subprocess
import sys

import pytest

from counted import calls
from dalembert.errors import DalembertError
from dalembert.study import read_source

EVIL = """schema = 1
title = "__import__('os').system('touch /tmp/evil')"
cite = ["/etc/passwd", "file:///etc/passwd", "https://example.org/"]
[space]
coordinates = { x = "line", __class__ = "line" }
[parameters]
m = "1 kg"
k = { value = 2, source = "../../etc/passwd" }
[lagrangian]
L = "%s"
[[run]]
name = "'; import os; os.system('id')"
principle = "free"
start = { x = 0, vx = 0, __class__ = 0, v__class__ = 0 }
until = 1
"""
TEXTS = [
    "m*dot(x)^2/2 + dot(__class__)^2",
    "__import__('os').system('id')",
    "().__class__.__base__.__subclasses__()",
    "open('/etc/passwd').read()",
    "x.__class__",
    "lambda x: x",
    "[i for i in x]",
    "eval(x)",
    "x; import os",
    "9**9**9**9",
    "{0.__class__}",
    "%(x)s",
]

WATCHED = """
import json, sys
from dalembert.study import read_source, write_source
warm, *texts = json.load(sys.stdin)
write_source(read_source(warm))  # whatever is loaded once is loaded now
seen = []
def hook(event, arguments):
    if event.split(".")[0] in (
        "exec", "compile", "import", "open", "os", "subprocess", "socket", "shutil", "ctypes", "urllib"
    ):
        seen.append((event, str(arguments)[:200]))
sys.addaudithook(hook)
found = []
for text in texts:
    seen.clear()
    try:
        study = read_source(text)
        write_source(study)
    except Exception:
        pass
    found.append([e for e in seen if e[0] not in ("import",) or "dalembert" not in e[1]])
print(json.dumps(found))
"""


def _seen(watched):
    """What each of the texts did, read one after another by one process."""
    quoted = [text.replace("\\", "\\\\").replace('"', '\\"') for text in TEXTS]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", watched],
        input=json.dumps([EVIL % text for text in (TEXTS[0], *quoted)]),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(TEXTS, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.fixture(scope="module")
def seen():
    return _seen(WATCHED)


@pytest.mark.parametrize("text", TEXTS)
def test_reading_executes_nothing_and_opens_nothing(text, seen):
    assert seen[text] == []


def test_the_hook_sees_what_is_forbidden():
    loud = WATCHED.replace("study = read_source(text)", "open('/dev/null'); exec('1'); study = read_source(text)")
    for events in _seen(loud).values():
        assert {"open", "exec"} <= {event for event, _ in events}


HEAD = 'schema = 1\n[space]\ncoordinates = "x"\n[lagrangian]\nL = "dot(x)^2"\n'
BOMBS = {
    "brackets": "a = " + "[" * 100_000,
    "braces": "a = " + "{a = " * 20_000,
    "dots": "a" + ".a" * 300_000 + " = 1",
    "quoted dots": '"a"' + '."a"' * 200_000 + " = 1",
    "many dots": "\n".join(f"k{n}" + ".a" * 30 + " = 1" for n in range(8000)),
    "one long word": "a" * 1_000_000,
    "many quotes": '"' * 1_000_000,
    "long string": 'title = "' + "x" * 1_000_000 + '"',
    "long comment": "#" * 1_000_000,
    "many keys": HEAD + "[parameters]\n" + "\n".join(f"p{n} = {n}" for n in range(40_000)),
    "many tables": HEAD + "[[run]]\nuntil = 1\n" * 40_000,
    "many constraints": HEAD + '[[constraint]]\nname = "c"\nphi = "x"\n' * 15_000,
    "a long chain": HEAD + "[parameters]\np0 = 1\n" + "\n".join(f'p{n} = "p{n - 1} + 1"' for n in range(1, 499)),
    "doubling": HEAD.replace('"dot(x)^2"', '"d59*dot(x)^2"') + '[definitions]\nd0 = "x + 1"\n'
    + "\n".join(f'd{n} = "sin(d{n - 1})*cos(d{n - 1}) + d{n - 1}^2"' for n in range(1, 60)),
    "powers": HEAD.replace('"dot(x)^2"', '"p8*dot(x)^2"') + "[definitions]\np0 = \"(x + 1)^60\"\n"
    + "\n".join(f'p{n} = "(p{n - 1} + 1)^60"' for n in range(1, 9)),
    "huge numbers": HEAD + "[parameters]\na = 1e300\nb = \"a*a\"\n",
    "a sweep": HEAD + "[[sweep]]\nprinciple = \"free\"\nuntil = 1\nstart = { " + "x = \"0:1:1000000\"" + " }\n",
    "many values": HEAD + "[[sweep]]\nprinciple = \"free\"\nuntil = 1\nstart = { x = [" + "1," * 300_000 + "1] }\n",
    "many names": HEAD.replace('"x"', '"' + " ".join(f"q{n}" for n in range(20_000)) + '"'),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_takes_long(name):
    assert calls("read_source(given)", BOMBS[name][: 2**20], "from dalembert.study import read_source") < 5e6


def test_a_file_cannot_name_other_files():
    for key in ("include", "import", "file", "data", "python", "code", "extends"):
        with pytest.raises(DalembertError) as caught:
            read_source(f"{HEAD.replace('schema = 1', f'schema = 1{chr(10)}{key} = {chr(34)}../secret{chr(34)}')}")
        assert caught.value.code == "E508"


@pytest.mark.parametrize("name", ["os", "__builtins__", "None", "True", "self", "def", "eval", "R_w"])
def test_python_words_are_plain_names_or_refused(name):
    text = HEAD.replace('"dot(x)^2"', f'"{name}*dot(x)^2"') + f"[parameters]\n{name} = 1\n"
    try:
        assert read_source(text).system.parameters == {name: 1.0}
    except DalembertError as error:
        assert error.code in ("E103", "E719", "E702", "E715")
