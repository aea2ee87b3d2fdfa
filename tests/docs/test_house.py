"""The picture of the house shows the floor plan as it is."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture(scope="module")
def house():
    spec = importlib.util.spec_from_file_location("house", FIGURES / "house.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_drawn_from_the_plan(house):
    plan = house.plan((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert (FIGURES / "house.svg").read_text(encoding="utf-8") == house.picture(plan)


def test_a_room_stands_above_what_it_imports(house):
    may = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}, "top": None}
    assert house.floors(may) == [["a"], ["b", "c"], ["d"], ["top"]]
