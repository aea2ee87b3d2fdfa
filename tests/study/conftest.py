"""Texts of system files for the tests, and a comparison of systems part by part."""

from types import SimpleNamespace

import pytest

from dalembert.errors import DalembertError, Problems
from dalembert.study import read_source

SLEIGH = """schema = 1
title = "Sleigh"

[space]
coordinates = { x = "line", y = "line", theta = "angle" }

[parameters]
m = 1.5
J = 0.5

[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(theta)^2"

[[constraint]]
name = "blade"
phi = "dot(y)*cos(theta) - dot(x)*sin(theta)"

[[run]]
name = "first"
principle = "nonholonomic"
start = { x = 0, y = 0, theta = 0.3, "dot(x)" = 1, "dot(theta)" = 0.2 }
until = 2
"""


def changed(old, new, text=SLEIGH):
    """The text with one piece replaced; the piece must be there."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def problems(text, name="sleigh.toml"):
    """All problems of a text."""
    try:
        read_source(text, name)
    except Problems as error:
        return list(error.problems)
    except DalembertError as error:
        return [error]
    raise AssertionError("the file was read")


def only(text):
    """The one problem of a text."""
    found = problems(text)
    assert len(found) == 1, [p.line for p in found]
    return found[0]


def meant(error):
    """The piece of the source line that the caret is below."""
    where = error.where
    return where.text[where.column : where.column + where.length]


def differences(a, b):
    """Names of the parts in which two systems differ."""
    found = [
        f"space.{name}"
        for name in ("coordinates", "velocities", "anchor", "brackets", "embedding", "retraction", "angles", "almost")
        if getattr(a.space, name) != getattr(b.space, name)
    ]
    if dict(a.space.attitudes) != dict(b.space.attitudes):
        found.append("space.attitudes")
    names = ("lagrangian", "forces", "laws", "parameters", "symbols", "massless", "momenta", "title", "rest")
    names += ("coefficients", "inertias", "up", "units", "symmetry", "cite", "sources")
    found += [name for name in names if getattr(a, name) != getattr(b, name)]
    for name in ("constraints", "equivalent"):
        one, other = ([(c.name, c.given) for c in getattr(s, name)] for s in (a, b))
        found += [name] if one != other else []
    one, other = ([(w.name, w.given) for w in s.walls] for s in (a, b))
    return found + (["walls"] if one != other else [])


@pytest.fixture(scope="session")
def files():
    """All of the above."""
    return SimpleNamespace(
        SLEIGH=SLEIGH, changed=changed, problems=problems, only=only, meant=meant, differences=differences
    )
