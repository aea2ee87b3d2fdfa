"""Texts without end are refused at once and in few words: the time to read grows with the length and no faster."""

import time

import pytest

from dalembert.calculus.quantity import quantity
from dalembert.errors import DalembertError
from dalembert.errors.surfaces import LONGEST as LINE
from dalembert.study import read_source

N = 120_000
LONG = {
    "digits": "7" * N,
    "decimals": "0." + "7" * N,
    "digits and a unit": "7" * N + " kg",
    "a fraction": "7" * N + "/" + "7" * N,
    "exponents": "1e" * N,
    "a unit": "1 " + "kg*" * N + "kg",
    "a name": "1 " + "k" * N,
    "blanks": "1" + " " * N + "kg",
    "a letter behind": "7" * N + "x",
    "words": "a " * N,
}
FILE = """schema = 1
title = "Long"
[space]
coordinates = {x = "line"}
[lagrangian]
L = "vx^2/2"
"""
ENTRIES = {
    "text": '[parameters]\nm = "%s"\n',
    "no text": "[parameters]\nm = %s\n",
    "a blank too many": "[parameters]\nm = x " + " " * 20_000 + "y ]\n",
    "title": 'cite = ["%s"]\n[parameters]\n',
    "name": "[parameters]\n%s = 1\n",
    "start": '[[run]]\nname = "a"\nprinciple = "free"\nuntil = 1\nstart = {x = "%s"}\n',
}


def refused(call):
    began = time.process_time()
    with pytest.raises(DalembertError) as caught:
        call()
    # where a pattern is tried at each place anew it takes minutes
    assert time.process_time() - began < 20
    assert len(str(caught.value)) < 4 * LINE


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_value_without_end_is_refused_at_once(text):
    refused(lambda: quantity(text, "m"))


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("many", [20_000, N])
def test_an_entry_without_end_is_refused_at_once(entry, many):
    refused(lambda: read_source(FILE + entry.replace("%s", "7" * many + "x")))


def test_a_file_of_problems_without_end_is_refused_at_once():
    refused(lambda: read_source(FILE + "".join(f"[a{i}]\n" for i in range(12_000))))
