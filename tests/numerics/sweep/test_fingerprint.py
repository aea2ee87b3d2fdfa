"""The fingerprint of a measure: another where any number of it may be another, the same where none is."""

import functools
import random
import subprocess
import sys
import threading
import types
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.numerics.sweep import fingerprint as digest
from dalembert.numerics.sweep import sweep
from dalembert.numerics.sweep.fingerprint import fingerprint

LIMIT, TABLE, SETTINGS = 1.0, np.array([1.0, 2.0]), {"upto": [1, 2]}


def helper(x):
    return x * LIMIT


def inner(x):
    return helper(x) + 1


def measure(path, scale=1.0, *, shift=0.0):
    return inner(path["x"].max()) * scale + shift + TABLE[0] + SETTINGS["upto"][0]


def other(path, scale=1.0, *, shift=0.0):
    return inner(path["x"].min()) * scale + shift + TABLE[0] + SETTINGS["upto"][0]


@dataclass(frozen=True)
class Highest:
    upto: float
    table: tuple = (1, 2)

    def __call__(self, path):
        return self.upto * path["x"].max()

    def method(self, path):
        return self.upto


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __call__(self, path):
        return self.value


def closed(value):
    return lambda path: value


def nested(value):
    def make():
        return [value for _ in range(2)]

    return lambda path: make()[0]


def scaled(path, factor, *more):
    return factor


def imported(path):
    from made_for_this import number

    return number


def made(**names):
    """A module that is in no file."""
    found = types.ModuleType("made_for_this")
    vars(found).update(names)
    return found


PAIRS = {
    "other code": lambda: (measure, other),
    "a closed value": lambda: (closed(1.0), closed(1.5)),
    "a closed array": lambda: (closed(np.arange(3)), closed(np.arange(1, 4))),
    "a closed array of another type": lambda: (closed(np.zeros(3)), closed(np.zeros(3, int))),
    "a closed array of another shape": lambda: (closed(np.zeros((2, 3))), closed(np.zeros((3, 2)))),
    "a closed list": lambda: (closed([1, [2]]), closed([1, [3]])),
    "a closed set": lambda: (closed({1, 2}), closed({1, 3})),
    "a closed dict": lambda: (closed({"a": 1}), closed({"a": 2})),
    "zero and minus zero": lambda: (closed(0.0), closed(-0.0)),
    "one and True": lambda: (closed(1), closed(True)),
    "an expression": lambda: (closed(sp.Symbol("x")), closed(sp.Symbol("x", positive=True))),
    "a value closed over twice": lambda: (nested(1), nested(2)),
    "a part": lambda: (functools.partial(scaled, factor=1), functools.partial(scaled, factor=2)),
    "a part by place": lambda: (functools.partial(scaled, None, 1), functools.partial(scaled, None, 2)),
    "an object": lambda: (Highest(1.0), Highest(2.0)),
    "a table in an object": lambda: (Highest(1.0, (1, 2)), Highest(1.0, (2, 1))),
    "a bound method": lambda: (Highest(1.0).method, Highest(2.0).method),
    "an object with slots": lambda: (Slotted(1.0), Slotted(2.0)),
    "a constant of a lambda": lambda: (lambda path: 1.0, lambda path: 2.0),
    "a default": lambda: (lambda path, a=1: a, lambda path, a=2: a),
    "a default by name": lambda: (lambda path, *, a=1: a, lambda path, *, a=2: a),
    "a function of a package": lambda: (np.max, np.min),
    "another name used": lambda: (lambda path: path.t[0], lambda path: path.y[0]),
}  # fmt: skip


@pytest.mark.parametrize("what", PAIRS)
def test_what_differs_has_another_fingerprint(what):
    one, two = PAIRS[what]()
    assert fingerprint("m", one) != fingerprint("m", two)
    again = PAIRS[what]()
    assert fingerprint("m", one) == fingerprint("m", again[0])


CHANGES = {
    "a global": ("LIMIT", 2.0),
    "a global array": ("TABLE", np.array([1.0, 3.0])),
    "a global dict": ("SETTINGS", {"upto": [1, 3]}),
    "a function that a function calls": ("helper", lambda x: x),
    "a class": ("helper", Highest(1.0)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_it_names_counts_however_far_away(what, monkeypatch):
    before = fingerprint("m", measure)
    name, value = CHANGES[what]
    monkeypatch.setitem(globals(), name, value)
    assert fingerprint("m", measure) != before
    monkeypatch.undo()
    assert fingerprint("m", measure) == before


def test_a_method_that_is_replaced_counts(monkeypatch):
    before = fingerprint("m", Highest(1.0))
    monkeypatch.setattr(Highest, "__call__", lambda self, path: 0.0)
    assert fingerprint("m", Highest(1.0)) != before


def test_an_array_changed_in_place_counts():
    table = np.zeros(3)
    before = fingerprint("m", closed(table))
    table[1] = 1
    assert fingerprint("m", closed(table)) != before


def test_what_is_imported_inside_counts(monkeypatch):
    monkeypatch.setitem(sys.modules, "made_for_this", made(number=1))
    before = fingerprint("m", imported)
    monkeypatch.setitem(sys.modules, "made_for_this", made(number=2))
    assert fingerprint("m", imported) != before


def test_what_a_module_has_counts_where_it_is_used(monkeypatch):
    monkeypatch.setitem(globals(), "helper", made(number=1, more=1))
    function = lambda path: helper.number  # noqa: E731
    before = fingerprint("m", function)
    monkeypatch.setitem(globals(), "helper", made(number=1, more=2))
    assert fingerprint("m", function) == before
    monkeypatch.setitem(globals(), "helper", made(number=2, more=2))
    assert fingerprint("m", function) != before


def test_another_version_of_a_package_counts(monkeypatch):
    before = fingerprint("m", lambda path: np.max(path.t))
    digest._version.cache_clear()
    monkeypatch.setattr(digest, "version", lambda top: "99")
    after = fingerprint("m", lambda path: np.max(path.t))
    digest._version.cache_clear()
    assert after != before


@pytest.mark.parametrize("make", [
    lambda: closed(threading.Lock()),
    lambda: closed(random.Random(1)),
    lambda: closed(np.random.default_rng(1)),
    lambda: closed(i for i in range(3)),
    lambda: closed(memoryview(b"a")),
    lambda: lambda path: len(list(open("limit.txt"))),  # noqa: SIM115
    lambda: lambda path: eval("1"),
    lambda: lambda path: random.random(),
    lambda: random.random,
    lambda: lambda path: np.loadtxt("limit.txt"),
    lambda: lambda path: np.random.rand(),
    lambda: lambda path: sys.modules["__main__"],
    lambda: np.fromfile,
    lambda: np.memmap,
    lambda: functools.partial(da.load, "path.npz"),
])  # fmt: skip
def test_what_cannot_be_told_is_refused(make):
    with pytest.raises(DalembertError, match=r"^E318 .*cannot be told") as refusal:
        fingerprint("m", make())
    assert "store=" in refusal.value.remedy


def test_things_that_hold_each_other_end():
    a, b = {}, {}
    a["b"], b["a"] = b, a
    assert fingerprint("m", closed(a)) == fingerprint("m", closed(a))


def test_it_is_the_same_in_another_process():
    text = (
        "from dalembert.numerics.sweep.fingerprint import fingerprint\n"
        "print(fingerprint('m', lambda path, a={'x', 'y', 'z'}: path.t in {'p', 'q', 'r'}))"
    )
    command = [sys.executable, "-c", text]
    found = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(found) == 1


def test_a_store_does_not_go_on_with_another_measure(pair, tmp_path, monkeypatch):
    given = {"starts": {"x": [0.1, 0.2], "y": 1.0, "vx": 0.0, "vy": 0.0}, "until": 0.5, "jobs": 1}
    keep = {"m": lambda path: helper(path["x"].max())}
    first = sweep(pair, store=tmp_path / "s", keep=keep, **given)
    assert sweep(pair, store=tmp_path / "s", keep=keep, **given).identical(first)
    monkeypatch.setitem(globals(), "LIMIT", 2.0)
    with pytest.raises(da.DalembertError, match=r"^E521 .*keep differ"):
        sweep(pair, store=tmp_path / "s", keep=keep, **given)
