"""Every command that README, CONTRIBUTING and the pages show is given as it stands there, or it is told why not."""

import re
import shlex
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from extensions.listings import Page  # noqa: E402

BLOCK = re.compile(r"^```\{(run|file|shell)\}(?: (\S+))?\n((?::.*\n)*)((?:(?!```).*\n)*)```", re.M)
ELSEWHERE = {"explanation/met.md"}  # test_met.py gives its commands, and reads what they answer
PAGES = {
    str(page.relative_to(ROOT / "docs")): page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts and "```{shell}" in page.read_text(encoding="utf-8")
}
# programs, and subcommands of ours, that are not run here, by the word that tells them
NOT_HERE = {
    "venv": "it makes an environment",
    "pip": "it needs the network",
    "pytest": "it runs this test",
    "sphinx": "the build of the documentation has a test of its own, test_build.py",
    "reproduce": "each paper has tests of its own, tests/papers",
}


def commands(text):
    """Single commands of a listing for a shell, comments left out."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        command = []
        for word in [*words, "&&"]:
            if word != "&&":
                command.append(word)
            elif command:
                yield command
                command = []


def program(command):
    """Which program it is: ours, or the module that a Python runs."""
    name = Path(command[0]).name
    if name.startswith("python"):
        return command[command.index("-m") + 1] if "-m" in command else name
    return command[1] if name == "dalembert" and command[1] in NOT_HERE else name


def needed(blocks):
    """Listings in Python that write what a command reads: they name the file, and no listing shows it."""
    files = {name for kind, name, _, _ in blocks if kind == "file"}
    read = {
        word
        for kind, _, _, body in blocks
        if kind == "shell"
        for command in commands(body)
        for word in command
        if Path(word).suffix
    }
    return [any(name in body for name in read - files) for kind, _, _, body in blocks if kind == "run"]


def give(page, line, expected=0):
    """One command, as its user has warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, answer = page.command(line)
    assert code == expected, f"{line}\n{answer}"
    assert max(map(len, answer.splitlines()), default=0) <= 80, f"{line}\n{answer}"
    return answer


@pytest.mark.parametrize("name", sorted(set(PAGES) - ELSEWHERE))
def test_commands_of_a_page_do_what_it_says(name):
    blocks, page = BLOCK.findall(PAGES[name]), Page(name)
    assert PAGES[name].count("```{shell}") == sum(kind == "shell" for kind, *_ in blocks)
    written = iter(needed(blocks))
    with page.folder:
        for kind, file, options, body in blocks:
            if kind == "file":
                (Path(page.folder.name) / file).write_text(body, encoding="utf-8")
            elif kind == "run" and next(written):
                page.run(body)
            elif kind == "shell":
                status = re.search(r"^:exit: (\d+)", options, re.M)
                for command in commands(body):
                    give(page, shlex.join(command), int(status[1]) if status else 0)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_commands_of_the_front_pages_do_what_they_say(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    every = [command for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for command in commands(block)]
    assert {program(command) for command in every} <= {"dalembert", *NOT_HERE}
    page = Page(name)
    with page.folder:
        for file, shown in re.findall(r"`(\w+\.toml)`:\n\n```toml\n(.*?)^```", text, re.M | re.S):
            (Path(page.folder.name) / file).write_text(shown, encoding="utf-8")
        for command in every:
            if program(command) == "dalembert":
                give(page, shlex.join(["dalembert", *command[1:]]))
