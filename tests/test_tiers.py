"""The tiers and the households name what is there."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiers import FAST, LONG, ON_MANY, SOME, TOGETHER, household, is_fast, is_long, wanted

HERE = Path(__file__).parent


@pytest.mark.parametrize("file", FAST)
def test_a_file_of_the_fast_tier_is_there(file):
    assert (HERE / file).is_file()


@pytest.mark.parametrize("folder", TOGETHER)
def test_a_household_is_a_folder_of_tests(folder):
    assert list((HERE / folder).glob("test_*.py"))


def test_every_room_of_tests_is_in_the_fast_tier():
    rooms = {path.parent.relative_to(HERE).parts[0] for path in HERE.glob("*/**/test_*.py")}
    assert {file.partition("/")[0] for file in FAST if "/" in file} == rooms


def test_households():
    assert household("tests/laws/test_free.py::test_one") == household("tests/laws/test_frames.py::test_two[a]")
    assert household("tests/model/test_inertia.py::test_one") == "tests/model/test_inertia.py"
    every, own = "tests/papers/test_every_paper.py", "tests/papers/lewis_murray"
    assert household(f"{every}::test_claims[lewis-murray:errata.edge]") == own
    assert household(f"{every}::test_a_reproduction[lewis-murray--]") == own
    assert household(f"{own}/test_table.py::test_one") == own


def test_words_choose_tests():
    assert is_fast("laws/test_free.py::test_a_law[sleigh]")
    assert not is_fast("laws/test_free.py::test_a_law[disc]")
    assert not wanted("apps/test_fit_command.py")


@pytest.mark.parametrize("tier", [FAST, LONG], ids=["fast", "long"])
def test_every_word_of_a_tier_chooses_a_test(tier, collected):
    files = {nodeid.partition("::")[0] for nodeid in collected}
    for file, words in tier.items():
        here = [nodeid.partition("::")[2] for nodeid in collected if nodeid.startswith(f"{file}::")]
        for word in words if file in files else ():  # where files were asked for, only those were looked into
            assert any(word in name for name in here), f"{file}: no test has {word} in its name"


def test_of_a_law_on_many_systems_some_stay_and_the_others_are_long(collected):
    files = {nodeid.partition("::")[0] for nodeid in collected}
    for file, laws in ON_MANY.items():
        for words, stay in laws.items() if file in files else ():
            cases = [nodeid for nodeid in collected if nodeid.startswith(f"{file}::") and words in nodeid.split("[")[0]]
            assert any(is_long(case) for case in cases), f"{file}: {words}"
            for name in () if stay is SOME else stay:
                assert any(name in case and not is_long(case) for case in cases), f"{file}: {words} of {name}"
            assert any(not is_long(case) for case in cases), f"{file}: {words}"


def test_no_test_is_both_fast_and_long(collected):
    assert not [nodeid for nodeid in collected if is_fast(nodeid) and is_long(nodeid)]


def test_of_the_gallery_some_systems_stay_in_every_run():
    file, name = "study/test_round_trip.py", "test_every_system_of_the_gallery"
    assert not any(is_long(f"{file}::{name}[{system}]") for system in SOME)
    assert is_long(f"{file}::{name}[whipple_bicycle]")
    assert not is_long(f"{file}::test_random_studies_come_back")


@pytest.mark.parametrize(
    ("asked", "run"),
    [
        ((), ["other"]),
        (("-m", "long"), ["a_fork_sees"]),
        (("-m", "long or not long"), ["a_fork_sees", "other"]),
        (("tests/test_mutations.py",), ["a_fork_sees", "other"]),
        (("-k", "fork"), ["a_fork_sees"]),
    ],
    ids=["nothing", "long", "all", "a file", "a name"],
)
def test_long_ones_are_run_where_they_are_asked_for(asked, run, tmp_path):
    (tmp_path / "tests").mkdir()
    for file in ("conftest.py", "tiers.py"):
        shutil.copy(HERE / file, tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\nmarkers =\n    fast\n    long\n")
    names = ("a_fork_sees", "other")
    tests = [f"def test_{name}():\n    open('{name}', 'x').close()\n" for name in names]
    (tmp_path / "tests" / "test_mutations.py").write_text("\n".join(tests))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [name for name in names if (tmp_path / name).exists()] == run
