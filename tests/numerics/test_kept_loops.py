"""Loops that were written once come from the disk: the same text, the same numbers, and never that of other sources."""

import numpy as np
import pytest

from dalembert.numerics.machine import object_cache
from dalembert.numerics.machine.loop import compiled_loop, program
from dalembert.numerics.machine.loop.argument_layout import ReturnedWords
from dalembert.numerics.machine.loop.value_types import COUNT, NOTHING, REAL, TRUTH, Array, several
from dalembert.numerics.methods import stepper

ROW = Array(REAL, 1)
GIVEN = [(ROW, False), (ROW, False)]


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path))


@pytest.mark.parametrize("kind", [REAL, COUNT, TRUTH, NOTHING, several(REAL), several(COUNT, TRUTH, REAL)])
def test_a_result_is_known_again(kind):
    again = compiled_loop._kind(compiled_loop._words(kind))
    words = np.arange(1.0, 4.0).tobytes()
    assert ReturnedWords(again).size == ReturnedWords(kind).size
    assert str(ReturnedWords(again).of(words, 0)) == str(ReturnedWords(kind).of(words, 0))


def test_what_is_kept_is_what_is_written(empty, monkeypatch):
    written = program.entered(stepper.copy, GIVEN, "loop")
    assert compiled_loop.kept(stepper.copy, GIVEN, "loop") == written
    monkeypatch.setattr(program, "entered", lambda *_: pytest.fail("it was read anew"))
    text, result = compiled_loop.kept(stepper.copy, GIVEN, "loop")
    assert text == written[0]
    assert ReturnedWords(result).size == ReturnedWords(written[1]).size


@pytest.mark.parametrize("other", ["sources", "kinds", "name"])
def test_other_circumstances_are_written_anew(empty, monkeypatch, other):
    compiled_loop.kept(stepper.copy, GIVEN, "loop")
    kinds = [(ROW, True), (ROW, False)] if other == "kinds" else GIVEN
    name = "other" if other == "name" else "loop"
    if other == "sources":
        monkeypatch.setattr(compiled_loop, "_sources", lambda: "changed")
    monkeypatch.setattr(program, "entered", lambda *_: ("anew", NOTHING))
    assert compiled_loop.kept(stepper.copy, kinds, name) == ("anew", NOTHING)
