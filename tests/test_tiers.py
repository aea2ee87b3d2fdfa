"""The fast tier and the households name what is there."""

from pathlib import Path

import pytest

from tiers import FAST, TOGETHER, household, is_fast, wanted

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
