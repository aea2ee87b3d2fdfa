"""A refusal of [[contact]] points at the value that is wrong."""

import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.study import read_source, write_source

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


DRY = (
    TEXT.partition("[[contact]]")[0].replace("e = 0.5", "F = 0.9")
    + """
[[friction.dry]]
joint = "x"
size = "F"
at_rest = "1.5*F"
[[friction.dry]]
joint = ["dot(y)", "dot(a)"]
size = 2
name = "table"
[[contact]]
name = "wire"
gap = "y"
sides = 2
slip = ["dot(x)"]
mu = 0.1
[[contact]]
name = "pad"
load = "2*F"
slip = ["dot(x) - dot(y)"]
mu = 0.1
"""
)
NOT_DRY = [
    ('joint = "x"', 'joint = "dot(x)^2"', "E137", '"dot(x)^2"'),
    ('joint = "x"', 'joint = "w"', "E702", 'w"'),
    ('size = "F"', 'size = "2*F"', "E138", '"1.5*F"'),
    ('size = "F"', 'size = "dot(x)"', "E137", '"1.5*F"'),
    ("size = 2", "size = -2", "E138", "-2"),
    ('at_rest = "1.5*F"', "at_rest = 0", "E138", "0"),
    ('name = "table"', 'name = "dry_x"', "E102", '"dry_x"'),
    ("sides = 2", "sides = 3", "E137", "3"),
    ("sides = 2", "sides = 2\nrestitution = 0.5", "E137", "0.5"),
    ('load = "2*F"', 'load = "2*F"\nsides = 2', "E137", "2"),
    ('load = "2*F"', 'load = "2*dot(x)"', "E137", '"2*dot(x)"'),
    ('load = "2*F"', "", "E137", '"pad"'),
]


@pytest.mark.parametrize(("given", "wrong", "code", "there"), NOT_DRY)
def test_what_is_wrong_with_dry_friction_is_pointed_at(given, wrong, code, there):
    found = pointed_at(DRY.replace(given, wrong))
    assert found == (code, found[1]) and found[1].startswith(there)


@pytest.mark.parametrize(("name", "listed"), [("", False), ('name = "own"\n', True)])
def test_dry_friction_of_a_wrong_dimension_is_pointed_at(name, listed):
    """The force is in N m."""
    units = '[units]\nx = "m"\ny = "m"\na = "rad"\nF = "N*m"\ng = "m/s^2"\nI = "kg*m^2"\nM = "kg"\n'
    joint = 'joint = ["dot(x)"]' if listed else 'joint = "x"'
    law = f'[friction.dry]\n{joint}\nsize = "F"\n{name}'
    text = TEXT.partition("[[contact]]")[0].replace("e = 0.5", "F = 0.9\nM = 1.0\nI = 1.0")
    L = "M*(dot(x)^2 + dot(y)^2)/2 + I*dot(a)^2/2 - M*g*y"
    text = text.replace('L = "(dot(x)^2 + dot(y)^2 + dot(a)^2)/2 - g*y"', f'L = "{L}"')
    assert pointed_at(text + units + law)[1].startswith('"F"')
    read_source(text + units.replace('"N*m"', '"N"') + law)


def test_contacts_without_gap_and_with_two_sides_are_written_and_read_again():
    study = read_source(DRY)
    names = {c.name: (c.sides, c.load is None) for c in study.system.contacts}
    assert names == {"wire": (2, True), "pad": (1, False), "dry_x": (1, False), "table": (1, False)}
    text = write_source(study)
    again = read_source(text).system
    assert [str(c) for c in again.contacts] == [str(c) for c in study.system.contacts]
    assert write_source(again) == write_source(study.system)
    given = [da.forces.dry("x", "F", at_rest="1.5*F"), da.forces.dry(["dot(y)", "dot(a)"], 2, name="table")]
    values = {"g": 9.81, "F": 0.9}
    own = da.System(study.system.space, study.system.lagrangian, forces=given, parameters=values)
    assert [str(c) for c in own.contacts] == [str(c) for c in study.system.contacts[2:]]


@pytest.mark.parametrize("key", ["spin", "spin_friction", "mu", "mu_static", "restitution"])
def test_an_unreadable_text_is_the_only_thing_that_is_said(key):
    lines = [line for line in TEXT.splitlines() if not line.startswith(f"{key} = ")]
    beside = {"spin": ["spin_friction = 0.1"], "spin_friction": ['spin = "dot(a)"']}.get(key, [])
    found, there = pointed_at("\n".join([*lines, *beside, f'{key} = "e +* 2"']))
    assert (found, there) == ("E704", '* 2"')
