"""No listing of the documentation escapes being run, and a listing that is wrong stops the build."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from extensions import docstrings, downloads  # noqa: E402

OTHERS = {"errors.md", "benchmarks.md"}  # generated, and checked by tests of their own
PAGES = sorted(p for p in DOCS.rglob("*.md") if p.name not in OTHERS and "_build" not in p.parts)
RUN = {"run", "shell", "file", "picture"}
NO_CODE = {
    "downloads",
    "toctree",
    "image",
    "include",
    "gallery",
    "published",
    "live",
    "systems",
    "sources",
    "commands",
    "keys",
    "api",
}


def test_what_pages_and_figures_import_is_there():
    """Rooms are renamed more often than the documentation is built."""
    lost = []
    for path in (*PAGES, *DOCS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for room, names in re.findall(r"^ *from (dalembert[\w.]*) import ([\w, ]+)$", text, re.M):
            for name in re.split(r", *", names):
                lost += [f"{path.name}: {room}.{name}"] * (not _is_there(f"{room}.{name.split()[0]}"))
    for path in (DOCS / "reference" / "api").glob("*.md"):
        named = re.findall(r"^([a-z_]+(?:\.\w+)+)$", path.read_text(encoding="utf-8"), re.M)
        lost += [f"{path.name}: {name}" for name in named if not _is_there(f"dalembert.{name}")]
    assert not lost


def _is_there(name):
    room, _, last = name.rpartition(".")
    try:
        return hasattr(import_module(room), last) or import_module(name) is not None
    except ImportError:
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_every_listing_is_one_that_is_run(page):
    fences = re.findall(r"^ *(`{3,}|~{3,}|:{3,})(.*)$", page.read_text(encoding="utf-8"), re.M)
    opened = [word for _, word in fences[::2]]
    assert len(fences) % 2 == 0
    for word in opened:
        directive = re.match(r"\{(\w+)\}", word.strip())
        assert directive, f"{page.name}: ```{word} is not run"
        assert directive[1] in RUN | NO_CODE


CONF = """
import sys
sys.path.insert(0, {docs!r})
extensions = ["myst_parser", "extensions.mathml", "extensions.listings", "extensions.schema"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
"""


def _build(folder, text):
    """A documentation of one page; its exit code, what was said, and the page."""
    (folder / "conf.py").write_text(CONF.format(docs=str(DOCS)), encoding="utf-8")
    (folder / "index.md").write_text(text, encoding="utf-8")
    out = folder / "out"
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(folder), str(out)],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    page = out / "index.html"
    return done.returncode, done.stderr, page.read_text(encoding="utf-8") if page.exists() else ""


def test_good_listings_show_what_they_answer(tmp_path):
    text = """# Page

$\\dot x^2$

```{run}
a = 6
print("said")
a * 7
```

```{run}
:raises: DalembertError

import dalembert as da
da.coordinates("x x")
```

```{file} broken.toml
schema = 1
```

```{shell}
:exit: 1

dalembert check broken.toml
```
"""
    code, said, page = _build(tmp_path, text)
    assert (code, said) == (0, "")
    answers = re.sub("<[^>]+>", "", page)
    assert "said\n42" in answers
    assert "E102" in answers
    assert "broken.toml" in answers
    assert "<math " in page
    assert not (ROOT / "broken.toml").exists()


WRONG = {
    "an error": ("```{run}\n1 / 0\n```", "ZeroDivisionError"),
    "a warning": ("```{run}\nimport warnings\nwarnings.warn('doubt')\n```", "doubt"),
    "no error where one is shown": ("```{run}\n:raises: DalembertError\n\n1 + 1\n```", "should raise"),
    "an exit code": ("```{shell}\ndalembert explain E000\n```", "exit code 2"),
    "a picture that is missing": ("```{picture} no.svg\n:alt: nothing\n```", "no picture"),
    "a formula": ("$\\nosuchcommand{x}$", "cannot be typeset"),
    "a key that is not described": ("```{keys} WallTable\nname: of it\n```", "key guard is not described"),
    "a key that is not there": (
        "```{keys} ConstraintTable\nname: a\nphi: b\nsigma: c\n```",
        "sigma is not in the schema",
    ),
}


def test_wrong_listings_stop_the_build(tmp_path):
    text = "# Page\n\n" + "\n\n".join(block for block, _ in WRONG.values()) + "\n"
    code, said, _ = _build(tmp_path, text)
    assert code != 0
    for name, (_, message) in WRONG.items():
        assert message in said, name


def test_a_page_becomes_a_notebook():
    page = "# A {doc}`title </x>`\n\n```{downloads}\n```\n\n```{run}\n:alt: a\n\nx = 1\n```\n\nText.\n\n"
    page += "```{run}\n:raises: ValueError\n\nint('a')\n```\n"
    cells = downloads.cells(page)
    assert cells[0][1].strip() == "# A title"
    assert ("code", "x = 1\n") in cells
    assert not any("int(" in text for kind, text in cells if kind == "code")
    whole = json.loads(downloads.notebook(cells))
    assert whole["nbformat"] == 4
    assert [c["cell_type"] for c in whole["cells"]] == [kind for kind, _ in cells]


def test_formulas_of_docstrings_become_literal_blocks():
    text = [
        "A norm |v|:",
        "",
        "    E = |v|_2*m",
        "",
        "Text with lam_ and ``a_*b``.",
        "",
        "Args:",
        "    x: of size |x|.",
        "",
        "        deep = 1",
    ]
    found = docstrings.converted(text)
    assert "::" in [line.strip() for line in found]
    assert "    E = |v|_2*m" in found
    assert r"A norm \|v\|:" in found
    assert r"Text with lam\_ and ``a_*b``." in found
    assert r"    x: of size \|x\|." in found
