"""Laws: a name that passes for another is refused, with what to type; two that look alike never meet."""

import re
import unicodedata
import warnings

import pytest
import sympy as sp

import dalembert as da
from dalembert.study import read_source

STRANGE = {
    "\u0445": "x", "m\u0430ss": "mass", "\u00b5": "\u03bc", "\u03bf": "o", "\u039c": "M", "\uff58": "x",
    "\U0001d465": "x", "x\u0302": "x", "x\u200d": "x", "x\u202e": "x", "\u2113": "l", "\ufb01": "fi", "\u00aa": "a",
}  # fmt: skip
FINE = ["\u0434", "\u0441\u043a\u043e\u0440\u043e\u0441\u0442\u044c", "\u03c6", "\u03d5", "k\u2081", "\u00e9", "\u03a9"]
ALIKE = [("k1", "k\u2081"), ("\u03c6", "\u03d5"), ("\u03b8", "\u03d1")]
q = da.coordinates("x y")
x, vx = q["x"], q["vx"]
T = "(dot(x)^2 + dot(y)^2)/2"


def makers(name):
    """Each way in which a name comes in."""
    return {
        "coordinate": lambda: da.coordinates([name]),
        "parameter": lambda: da.System(q, T, parameters={name: 1}),
        "symbol": lambda: da.System(q, vx**2 / 2 - sp.Symbol(name) * x),
        "constraint": lambda: da.System(q, T, {name: "dot(x) - y"}),
        "momentum": lambda: da.System(q, T, momenta={name: "vx"}),
        "inertia": lambda: da.System(q, T, inertias={name: (1, 1, 1)}),
        "wall": lambda: da.System(q, T, walls={name: "x + 1"}),
        "event": lambda: da.Event(name, x),
    }


@pytest.mark.parametrize("name", STRANGE, ids=ascii)
@pytest.mark.parametrize("way", makers(""))
def test_a_character_that_passes_for_another_is_named(name, way):
    c = next(c for c in name if not c.isascii())
    with pytest.raises(da.DalembertError, match=r"E719|E131|E316") as refused:
        makers(name)[way]()
    assert f"U+{ord(c):04X} {unicodedata.name(c)}" in refused.value.fact
    assert str(refused.value.remedy) == f"type {STRANGE[name]}"


@pytest.mark.filterwarnings("ignore:W1")
@pytest.mark.parametrize("name", FINE, ids=ascii)
@pytest.mark.parametrize("way", makers(""))
def test_letters_of_any_alphabet_are_letters(name, way):
    assert makers(name)[way]()


@pytest.mark.parametrize("one, other", ALIKE, ids=ascii)
def test_two_names_that_look_alike_are_told_apart_by_number(one, other):
    for make in (
        lambda: da.coordinates([one, other]),
        lambda: da.coordinates([one]) * da.coordinates([other]),
        lambda: da.System(q, vx**2 / 2 - sp.Symbol(one) * x - sp.Symbol(other)),
        lambda: da.System(da.coordinates([one]), vx**2 / 2, parameters={other: 1}),
        lambda: da.System(q, T, {one: "dot(x) - y", other: "dot(y) - x"}),
        lambda: da.System(q, T, walls={one: "x + 1", other: "y + 1"}),
        lambda: da.System(q, T, momenta={one: "vx", other: "vy"}),
    ):
        with pytest.raises(da.DalembertError, match=r"E102 .* look alike: .*U\+.* and .*U\+"):
            make()
    with pytest.raises(da.DalembertError, match=rf"E702(.|\n)*did you mean {one}\? It only looks the same: .*U\+"):
        da.System(q, f"{T} - {other}*x", parameters={one: 1})


@pytest.mark.parametrize(
    "one, other", [("k1", "kl"), ("kI", "kl"), ("x0", "xO"), ("a", "b"), ("I1", "l1"), ("I", "l"), ("\u03bd", "v")]
)
def test_two_names_that_some_typefaces_show_alike_are_doubted(one, other):
    """A capital I that begins a name is the usual sign of an inertia."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = da.System(q, f"{T} - {one}*x - {other}*y", parameters={one: 1, other: 2})
    doubted = [str(each.message) for each in seen]
    assert [f"W102 {one} and {other} are easily" in text for text in doubted] == [True] * (
        one in ("k1", "kI", "x0", "\u03bd")
    )
    assert [note.code for note in made.notes] == ["W102"] * len(doubted)


FILE = f"""
schema = 1
[space]
coordinates = ["x", "y"]
[lagrangian]
L = "{T}"
"""
TWICE = {
    "forces": ("E102", '[forces]\n"dot(x)" = "-x"\nvx = "-2*x"'),
    "components": ("E102", '[[force]]\ncomponents = { "dot(x)" = "-x", vx = "-2*x" }'),
    "blanks": ("E102", '[forces]\n"dot(x)" = "-x"\n"dot( x )" = "-2*x"'),
    "start": ("E233", '[[run]]\nprinciple = "free"\nuntil = 1\nstart = { x = 1, vx = 0, "dot(x)" = 1 }'),
    "axes": ("E233", '[[sweep]]\nprinciple = "free"\nuntil = 1\nstart = { x = 1, vx = [0, 1], "dot(x)" = 1 }'),
    "jump": (
        "E316",
        '[[run]]\nprinciple = "free"\nuntil = 1\n'
        '[[run.event]]\nname = "e"\nguard = "x"\nthen = { vx = "0", "dot(x)" = "1" }',
    ),
    "bounds": (
        "E553",
        '[[fit]]\nprinciples = ["free"]\nfree = ["vx"]\nstart = { x = 1, y = 0, vx = 0.5, vy = 0 }\n'
        'bounds = { vx = [0, 1], "dot(x)" = [0, 3] }',
    ),
    "definitions": ("E102", '[definitions]\n"k\u2081" = "x"\nk1 = "y"'),
    "parameters": ("E102", '[parameters]\n"k\u2081" = 1\nk1 = 2'),
    "runs": ("E102", '[[run]]\nname = "a1"\nprinciple = "free"\n[[run]]\nname = "a\u2081"\nprinciple = "free"'),
}


@pytest.mark.parametrize("what", TWICE)
def test_two_spellings_of_one_thing_are_refused_in_a_file(what):
    code, text = TWICE[what]
    with pytest.raises(da.DalembertError, match=code):
        read_source(f"{FILE}{text}\n")


@pytest.mark.parametrize("key, code", [('["f\u043erces"]', "E508"), ("[f\u043erces]", "E507")])
def test_a_key_says_which_of_its_letters_is_another(key, code):
    with pytest.raises(da.DalembertError, match=rf"{code}(.|\n)*{re.escape('U+043E CYRILLIC SMALL LETTER O')}(.|\n)*"):
        read_source(f'{FILE}{key}\nvx = "-x"\n')


def test_two_spellings_of_one_thing_are_refused_in_python():
    for make in (
        lambda: da.System(q, T, forces={"vx": "-x", vx: "-y"}),
        lambda: da.System(q, T, walls={"w": x + 1, sp.Symbol("w"): x + 2}),
        lambda: da.System(q, T, inertias={"J": (1, 1, 1), sp.Symbol("J"): (1, 1, 1)}),
        lambda: da.System(q, T, symmetry={"turn": {"x": 1, x: 2}}),
        lambda: da.System(da.rotation("R"), "w1^2/2", symmetry={"turn": {"R": (0, 0, 1), "w3": 2}}),
        lambda: da.Event("e", x, {"vx": 1, vx: 2}),
    ):
        with pytest.raises(da.DalembertError, match=r"E102|E125|E316"):
            make()


def test_a_unit_in_letters_of_another_script_is_told_by_its_letter():
    with pytest.raises(da.DalembertError, match=r"E206(.|\n)*did you mean kg\? It only looks the same: .*U\+043A"):
        da.System(q, T, parameters={"m": "5 \u043ag"})


def test_a_definition_is_known_by_its_name_in_normal_form():
    text = f"{T} - \u212b"
    assert da.System(q, text, definitions={"\u212b": "x^2"}).lagrangian == da.System(q, f"{T} - x^2").lagrangian
    with pytest.raises(da.DalembertError, match="E103"):
        da.System(q, text, definitions={"\u212b": "x^2", "\u00c5": "x"})
