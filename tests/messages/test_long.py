"""Texts without end are refused at once and in few words: the work to read grows with the length and no faster."""

import sys

import pytest

from dalembert.calculus.quantity import quantity
from dalembert.errors import DalembertError, InvalidValue
from dalembert.errors.surfaces import LONGEST as LINE
from dalembert.study import read_source

N = 120_000
FASTER = 9  # growth over 4 times the length: 4 is as the length, 16 as its square
LONG = {
    "digits": lambda n: "7" * n,
    "decimals": lambda n: "0." + "7" * n,
    "digits and a unit": lambda n: "7" * n + " kg",
    "a fraction": lambda n: "7" * n + "/" + "7" * n,
    "exponents": lambda n: "1e" * n,
    "a unit": lambda n: "1 " + "kg*" * n + "kg",
    "a name": lambda n: "1 " + "k" * n,
    "blanks": lambda n: "1" + " " * n + "kg",
    "a letter behind": lambda n: "7" * n + "x",
    "words": lambda n: "a " * n,
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
    "a blank too many": "[parameters]\nm = x %s y ]\n",
    "title": 'cite = ["%s"]\n[parameters]\n',
    "name": "[parameters]\n%s = 1\n",
    "start": '[[run]]\nname = "a"\nprinciple = "free"\nuntil = 1\nstart = {x = "%s"}\n',
}


def work(call):
    """How many lines and calls a refusal takes, which is short: the same on any machine."""
    count = [0]

    def counted(frame, event, argument):
        count[0] += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        with pytest.raises(DalembertError) as caught:
            call()
    finally:
        sys.settrace(before)
    assert len(str(caught.value)) < 4 * LINE
    return count[0]


def refused(read, n=N):
    """A text of this length is refused, by work that grows no faster than the length."""
    with pytest.raises(DalembertError):  # whatever is loaded once is loaded now
        read(n // 4)
    assert work(lambda: read(n)) < FASTER * work(lambda: read(n // 4))


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_value_without_end_is_refused_at_once(text):
    refused(lambda n: quantity(text(n), "m"))


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("long", ["7", " "], ids=["digits", "blanks"])
def test_an_entry_without_end_is_refused_at_once(entry, long):
    refused(lambda n: read_source(FILE + entry.replace("%s", long * n + "x")))


def test_a_file_of_problems_without_end_is_refused_at_once():
    refused(lambda n: read_source(FILE + "".join(f"[a{i}]\n" for i in range(n))), 400)


def test_work_as_the_square_of_the_length_is_found():
    def squared(n):
        for _ in range(n * n // 200):
            pass
        raise InvalidValue("E204", "no")

    with pytest.raises(AssertionError):
        refused(squared, 4000)
