"""Texts without end are refused at once and in few words: the work to read grows with the length and no faster."""

import pytest

from counted import refusals
from dalembert.errors.interfaces import LONGEST as LINE

N = 120_000
FASTER = 9  # growth over 4 times the length: 4 is as the length, 16 as its square
LONG = {
    "digits": "'7' * n",
    "decimals": "'0.' + '7' * n",
    "digits and a unit": "'7' * n + ' kg'",
    "a fraction": "'7' * n + '/' + '7' * n",
    "exponents": "'1e' * n",
    "a unit": "'1 ' + 'kg*' * n + 'kg'",
    "a name": "'1 ' + 'k' * n",
    "blanks": "'1' + ' ' * n + 'kg'",
    "a letter behind": "'7' * n + 'x'",
    "words": "'a ' * n",
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
READ = """
from dalembert.calculus.quantity import quantity
from dalembert.errors import InvalidValue
from dalembert.study import read_source

def squared(n):
    for _ in range(n * n // 200):
        pass
    raise InvalidValue("E204", "no")
"""
GIVEN = {
    **{f"a value: {name}": (f"quantity({text}, 'm')", N) for name, text in LONG.items()},
    **{
        f"an entry: {name} of {what}": (f"read_source({FILE + entry!r}.replace('%s', {long!r} * n + 'x'))", N)
        for name, entry in ENTRIES.items()
        for what, long in {"digits": "7", "blanks": " "}.items()
    },
    "a file of problems": (f"read_source({FILE!r} + ''.join(f'[a{{i}}]\\n' for i in range(n)))", 400),
}


@pytest.fixture(scope="module")
def refused():
    """The lines run until it is refused, and the length of what is said, of a fourth of the length and of all."""
    return refusals({**GIVEN, "squared": ("squared(n)", 4000)}, READ)


@pytest.mark.parametrize("name", GIVEN)
def test_what_has_no_end_is_refused_at_once(name, refused):
    (few, _), (many, told) = refused[name]
    assert many < FASTER * few
    assert told < 4 * LINE


def test_work_as_the_square_of_the_length_is_found(refused):
    (few, _), (many, _) = refused["squared"]
    assert many > FASTER * few
