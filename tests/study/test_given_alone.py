"""Validated by the rules of its own entries, a file is what the rules of all entries make of it."""

import copy
import random
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from dalembert.study.schema import FileTable, given_alone

FILES = sorted((Path(__file__).resolve().parents[2] / "docs" / "files").glob("*.toml"))
WRONG = [None, -1, 2.5, "", "x y", [], {}, [1], {"a": 1}, [{"name": 3}], True]


def tables(file):
    return tomllib.loads(file.read_text(encoding="utf-8"))


def places(table):
    """(table, key) of everything in it, outer things first."""
    for key, value in table.items():
        yield table, key
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                yield from places(inner)


def whole(given):
    """What the rules of all entries make of it; None where they refuse it."""
    try:
        return FileTable.model_validate(copy.deepcopy(given))
    except ValidationError:
        return None


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_same_is_read_by_fewer_rules(file):
    given = tables(file)
    found = given_alone(given)
    assert found is not None
    assert found == FileTable.model_validate(given)
    assert found.model_fields_set == FileTable.model_validate(given).model_fields_set


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_all_rules_refuse_is_refused(file):
    draw, refused = random.Random(1), 0
    for _ in range(60):
        given = tables(file)
        table, key = draw.choice(list(places(given)))
        if draw.random() < 0.3:
            del table[key]
        elif draw.random() < 0.2:
            table[f"{key}_"] = table[key]
        else:
            table[key] = draw.choice(WRONG)
        expected = whole(given)
        assert given_alone(copy.deepcopy(given)) == expected
        refused += expected is None
    assert 15 < refused < 60


def test_limits_of_entries_hold():
    given = tables(FILES[0])
    row = given["constraint"][0]
    given["constraint"] = [row | {"name": f"c{n}"} for n in range(65)]
    assert whole(given) is None
    assert given_alone(given) is None
