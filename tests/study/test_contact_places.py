"""A refusal of [[contact]] points at the value that is wrong."""

import pytest

from dalembert.errors import DalembertError
from dalembert.study import read_source

TEXT = """schema = 1
[space]
coordinates = ["x", "y", "a"]
[lagrangian]
L = "(dot(x)^2 + dot(y)^2 + dot(a)^2)/2 - g*y"
[parameters]
g = 9.81
e = 0.5
[[contact]]
name = "floor"
gap = "y"
slip = ["dot(x)"]
mu = 0.3
mu_static = 0.4
restitution = 0.5
restitution_law = "newton"
rolling = ["dot(a)"]
rolling_friction = 0.01
"""

WRONG = [  # key, as given, code, what the caret stands under
    ("gap", '"dot(y)"', "E137"),
    ("slip", '["dot(x)^2"]', "E137"),
    ("slip", '["dot(y)"]', "E137"),
    ("slip", '["dot(x)", "dot(a)", "dot(x)"]', "E137"),
    ("mu", "-0.3", "E138"),
    ("mu", '"x"', "E137"),
    ("mu", '"e - 1"', "E138"),
    ("mu_static", "0.2", "E138"),
    ("restitution", "1.5", "E130"),
    ("restitution", '"3*e"', "E130"),
    ("restitution_law", '"newtonn"', "E137"),
    ("rolling", '["dot(a)^2"]', "E137"),
    ("rolling_friction", "-1", "E138"),
    ("rolling_friction", '"y"', "E137"),
]


def pointed_at(text):
    with pytest.raises(DalembertError) as refused:
        read_source(text)
    where = refused.value.where
    return refused.value.code, where.text[where.column :]


@pytest.mark.parametrize(("key", "given", "code"), WRONG)
def test_the_value_that_is_wrong_is_pointed_at(key, given, code):
    line = next(each for each in TEXT.splitlines() if each.startswith(f"{key} = "))
    found, there = pointed_at(TEXT.replace(line, f"{key} = {given}"))
    assert found == code and there.startswith(given)


def test_friction_without_a_velocity_is_pointed_at_where_it_is_given():
    assert pointed_at(TEXT.replace('slip = ["dot(x)"]\n', "")) == ("E137", "0.3")
    assert pointed_at(TEXT.replace('rolling = ["dot(a)"]\n', "")) == ("E137", "0.01")


def test_a_second_contact_of_a_name_is_pointed_at():
    twice = TEXT + TEXT[TEXT.index("[[contact]]") :].replace('gap = "y"', 'gap = "y + x"')
    assert pointed_at(twice) == ("E102", '"floor"')


@pytest.mark.parametrize("key", ["spin", "spin_friction", "mu", "mu_static", "restitution"])
def test_an_unreadable_text_is_the_only_thing_that_is_said(key):
    lines = [line for line in TEXT.splitlines() if not line.startswith(f"{key} = ")]
    beside = {"spin": ["spin_friction = 0.1"], "spin_friction": ['spin = "dot(a)"']}.get(key, [])
    found, there = pointed_at("\n".join([*lines, *beside, f'{key} = "e +* 2"']))
    assert (found, there) == ("E704", '* 2"')
