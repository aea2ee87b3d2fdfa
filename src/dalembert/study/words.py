"""Remedies in the words of a file: what the library says to somebody who writes Python, said for TOML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..errors import DalembertError, Problems

Rule = str | Callable[[re.Match[str]], str]
_PRINCIPLES = "nonholonomic|vakonomic|free|gauss|maggi|kane|hamel|voronec|chaplygin|gibbs_appell|almost_poisson"
_OPTIONS = "method|rtol|atol|step|order|max_steps?|seconds|stabilisation|samples|until|project|t"


def _entry(found: re.Match[str]) -> str:
    """``parameters={'m': 2}`` as a line of its table; a value that comes later is "?"."""
    value = '"?"' if found[4] == "None" else found[4].replace("'", '"')
    return f"{found[3]} = {value} in [{found[1]}]"


def _given(found: re.Match[str]) -> str:
    """``give x=..., y=...`` as keys of a start; the numbers are examples."""
    return "add to start: " + ", ".join(f"{name} = 0" for name in re.findall(r"(\w+)=\.\.\.", found[0]))


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"(?:raise it: )?da\.System\(\.\.\., (limits=\{[^}]*\})\)", r"in Python: da.read(FILE, \1)"),
        (r"parameters=\{\.\.\.\} or units=\{\.\.\.\}", "[parameters] or [units]"),
        (r"\b(parameters|units)=\{(['\"])(\w+)\2: ([^}]*)\}", _entry),
        (r"massless=\[\.\.\.\]", "massless in [lagrangian]"),
        (r"massless=\['(\w+)'\]", r'massless = ["\1"] in [lagrangian]'),
        (r"equivalent=\{\.\.\.\}", "[[equivalent]] tables"),
        (r"\bgive (\w+) in a unit that is a number", r'give \1 as a number, or as an angle: "30 deg"'),
        (r"forces=\{velocity: Q\}", "[forces]"),
        (r"give \w+=\.\.\.(?:, \w+=\.\.\.)*", _given),
        (r"np\.unique\(times\)", "sort them, each only once"),
        (r"(\w+)=dict\(w=1, x=0, y=0, z=0\)", r"\1 = { w = 1, x = 0, y = 0, z = 0 }"),
        (r"samples=\.\.\. and dense=False", "samples = 1001"),
        (r"\bseconds=\.\.\.", "seconds = 600"),
        (r'da\.symmetry\.turns\("x y", "theta"\)', 'turns = { plane = "x y", headings = "theta" }'),
        (r'da\.symmetry\.rotations\("R", vectors=\["x y z"\]\)', 'rotations = { names = "R", vectors = ["x y z"] }'),
        (r'da\.forces\.applied\(\["vx"\], \["-c\*vx"\]\)', '"dot(x)" = "-c*dot(x)" in [forces]'),
        (r"da\.forces\.rolling_friction", "rolling in [friction]"),
        (r"da\.(?:symmetry\.)?(coordinates|rotations?|spin|plane|SE2|SE3|direction)\((\"[^\"]*\")\)", r"\1 = \2"),
        (r"da\.(rotation|SE2|SE3)\b", r'\1 = "..." in [space]'),
        (r"da\.examine\(system\)", "dalembert check FILE"),
        (rf"da\.(?:forms\.)?({_PRINCIPLES})\b(?:\(system\))?", r'principle = "\1"'),
        (rf"\b({_OPTIONS})=(?=[\"'\d.])", r"\1 = "),
    )
)


_KINDS = {"str": "text", "bool": "true or false", "list": "a list", "dict": "a table"}
_KINDS |= dict.fromkeys(("date", "time", "datetime"), "a date or time")
_NOT_A_NUMBER = re.compile(r" = (.*) is not a number but (\w+)\Z", re.DOTALL)


def _kind(found: re.Match[str]) -> str:
    """What a TOML value is, in place of its Python type; dates and truth values are not shown as Python writes them."""
    word = _KINDS.get(found[2], found[2])
    return f" = {found[1]} is text, not a number" if word == "text" else f" is {word}, not a number"


def in_words_of_a_file(error: DalembertError, rates: Mapping[str, str] | None = None) -> DalembertError:
    """The error in words of a file, its remedy as something to write in the file.

    Args:
        error: any; of `Problems` each.
        rates: ``{"vx": "x"}``, to write ``"dot(x)"`` where something is to be given.
    """
    for problem in error.problems if isinstance(error, Problems) else ():
        in_words_of_a_file(problem, rates)
    error.fact = _NOT_A_NUMBER.sub(_kind, error.fact)
    for pattern, rule in _RULES:
        error.remedy = pattern.sub(rule, error.remedy)
    if error.remedy.startswith("add to start: "):
        for velocity, q in (rates or {}).items():
            error.remedy = re.sub(rf"\b{re.escape(velocity)} = 0", f'"dot({q})" = 0', error.remedy)
    return error
