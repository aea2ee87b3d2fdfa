"""What was given is shown by one function, which runs no code of the user's; no message is written without it."""

import ast
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import as_given, shown_values

PACKAGE = Path(da.__file__).parent
# files that write programs, digests and pages, and nouns that show their own parts
WRITERS = {
    "apps/explain/__main__.py",
    "apps/explore/page.py",
    "apps/python_script.py",
    "equations/code/c.py",
    "equations/code/fmu/sources.py",
    "equations/code/javascript.py",
    "equations/code/python.py",
    "geometry/splitting.py",
    "model/presentation.py",
    "numerics/sweep/fingerprint.py",
    "show/report/page_parts.py",
    "study/value_types.py",
}


def shows_by_itself(source):
    """Lines in which text is made by a thing's own repr: ``{x!r}``, or ``{repr(x)}``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue):
            inner = node.value
            called = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "repr"
            if node.conversion == ord("r") or called:
                yield node.lineno


def test_no_message_is_written_by_a_repr_of_the_users_own():
    found = {
        f"{name}:{line}"
        for folder in (PACKAGE, PACKAGE.with_name("dalembert_papers"))
        for path in folder.rglob("*.py")
        if (name := path.relative_to(folder).as_posix()) not in WRITERS
        and ("!r" in (source := path.read_text(encoding="utf-8")) or "repr(" in source)
        for line in shows_by_itself(source)
    }
    assert not found, "show it by errors.as_given"


@pytest.mark.parametrize("source", ['f"{x!r}"', 'f"{x!r:.40}"', 'f"{repr(x)}"'])
def test_a_repr_in_a_message_is_found(source):
    assert list(shows_by_itself(source)) == [1]


class Raising:
    def __repr__(self):
        raise RuntimeError("no repr")

    __str__ = __repr__


class Endless:
    def __repr__(self):
        while True:
            pass


class Closed:
    """No attribute can be looked for."""

    def __getattr__(self, name):
        raise LookupError(name)


class Text(str):
    __repr__ = __str__ = Raising.__repr__


class Number(int):
    __repr__ = __str__ = Raising.__repr__


class Named(sp.Symbol):
    def _sympystr(self, printer):
        raise RuntimeError("no text")


class Meta(type):
    def __getattribute__(cls, name):
        raise LookupError(name)


class Made(metaclass=Meta):
    pass


def itself():
    found = [1.0]
    found.append(found)
    return found


SHOWN = {
    "raising": (Raising(), "Raising"),
    "endless": (Endless(), "Endless"),
    "closed": (Closed(), "Closed"),
    "in a list": ([1, Raising()], "[1, Raising]"),
    "in a mapping": ({"a": Closed()}, "{'a': Closed}"),
    "in an array": (np.array([Raising(), 1], dtype=object), "[Raising, 1]"),
    "in a formula": (sp.Symbol("x") + Named("y"), "Add"),
    "an heir of text": (Text("a"), "'a'"),
    "an heir of numbers": (Number(3), "3"),
    "a class": (Made, "Made"),
    "of a class": (Made(), "Made"),
    "in itself": (itself(), "[1.0, [1.0, [1.0, list]]]"),
    "a number of 5000 digits": (10**5000, "int"),
    "an array": (np.array([1.0, 2.0]), "[1.0, 2.0]"),
    "a large array": (np.zeros(10**6), "ndarray"),
    "a formula": (sp.Symbol("x") ** 2 + 1, "x**2 + 1"),
    "a function of time": (sp.Function("f")(sp.Symbol("t")), "f(t)"),
    "a number of NumPy": (np.float64(1.5), "1.5"),
    "a pair": ((1,), "(1,)"),
    "two lines": ("a\nb", "'a\\nb'"),
    "escapes": ("\x1b[31m\u202e", "'\\x1b[31m\\u202e'"),
}


@pytest.mark.parametrize("thing, text", SHOWN.values(), ids=SHOWN)
def test_what_was_given_is_shown_without_running_code_of_the_users(thing, text):
    assert as_given(thing) == text


@pytest.mark.parametrize("thing", ["x" * 10**6, b"x" * 10**6, list(range(10**6)), {f"n{i}": i for i in range(9999)}])
def test_what_is_long_is_cut(thing):
    assert len(as_given(thing)) <= shown_values.WIDTH


HOSTILE = {
    "a jump": lambda it: da.Event("edge", sp.Symbol("x"), it),
    "a jump to it": lambda it: da.Event("edge", sp.Symbol("x"), {"x": it}),
    "the name of an event": lambda it: da.Event(it, sp.Symbol("x")),
    "a direction": lambda it: da.Event("edge", sp.Symbol("x"), direction=it),
    "a step": da.methods.SymmetricProjection,
    "an order": lambda it: da.methods.SymmetricProjection(0.1, it),
    "a rate": da.methods.Baumgarte,
    "a spin": lambda it: da.symmetry.spin("R", it),
    "a rotation": lambda it: da.symmetry.spin(it, (0, 0, 1)),
    "coordinates": da.coordinates,
    "an inertia": da.inertia,
    "samples": lambda it: da.ensembles.samples(it, x=(0, 1)),
    "a record": lambda it: da.recorded({"t": [0, 1], "x": [0, it]}),
    "gaps": lambda it: da.recorded({"t": [0, 1], "x": [0, 1]}, gaps=it),
    "a force": lambda it: da.forces.applied([it], ["1"]),
    "a Lagrangian": lambda it: da.System(da.coordinates("x"), it),
    "parameters": lambda it: da.System(da.coordinates("x"), "vx^2/2", parameters={"m": it}),
    "a path": da.load,
}


@pytest.mark.parametrize("it", [Raising(), Closed(), Text("\x1b[31m"), [Raising()]], ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("call", HOSTILE.values(), ids=HOSTILE)
def test_a_thing_that_cannot_be_shown_is_refused_in_our_words(call, it):
    try:
        call(it)
    except da.DalembertError as error:
        assert all(c.isprintable() or c == "\n" for c in str(error))
