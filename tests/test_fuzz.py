"""The fuzzers themselves: what they hold to be true, on a handful of cases."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzz import systems
from fuzz.agreement.broken import BROKEN

SYSTEMS = range(4, 7)


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    yield
    recwarn.clear()


def test_every_route_agrees_on_the_first_random_systems():
    tally = systems.run(SYSTEMS)
    assert not tally.found, tally
    agreed = {name for name, outcome in tally.outcomes if outcome == "agreed"}
    assert {"multipliers", "elimination", "gauss", "maggi", "hamel", "python"} <= agreed


@pytest.mark.parametrize("name", [n for n in BROKEN if "bracket" in n or "Python" in n])
def test_an_error_of_one_sign_is_found(name, capsys):
    with BROKEN[name]():
        assert systems.run(range(12), reduce=False, stop=True).found
    assert "DISAGREES" in capsys.readouterr().out
