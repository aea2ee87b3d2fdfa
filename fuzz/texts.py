"""Texts for the expression reader: token soups, mutated gallery expressions, valid expressions, random characters.

Every text must give an expression or a `DalembertError`, within a second, and nothing else; every expression that is
given must be written and read back as itself, or refused. Some are valid by construction (`grammar`): they must be read
as the number that Python's own arithmetic gives. The corpus is always read first.
"""

from __future__ import annotations

import json
import pkgutil
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path

import mpmath
import numpy as np
import sympy as sp

import dalembert.systems
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.language import functions
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.to_text import write_text
from dalembert.errors import DalembertError

from . import grammar
from .watch import Hang, numbers, parser, within

SECONDS, HANG, SHOWN = 1.0, 10.0, 20
NAMES = {
    n: sp.Symbol(n, real=True) for n in ("x", "y", "theta", "vx", "vy", "t", "k", "I", "E", "S", "N", "beta", "\u03b8")
}
NAMES |= {"m": sp.Symbol("m", positive=True), "R": sp.Symbol("R", positive=True)}
RATES = {"x": NAMES["vx"], "y": NAMES["vy"]}
FUNCTIONS = list(set(functions.FUNCTIONS) - {"atan2", "min", "max", "where", "heaviside"})
OPERATORS = ("+", "-", "*", "/", "^", "**", "(", ")", ",")
COMPARING = ("<", "<=", ">", ">=", "==", "!=", "=", "and", "or", "not")
NUMBERS = ("0", "1", "2", "3", "7", "10", "64", "65", "0.5", "1.5e3", "1e-9", "1e300", "1e301", ".5", "5.", "9", "60")
NO_NUMBERS = ("123456789", "0x1", "1_0", "1..2", "2e", "1j", "nan", "oo", "zoo", "1,5")
CODE = (
    "lambda",
    "import",
    "__class__",
    "__import__('os')",
    "eval",
    "open('a')",
    "sp.S",
    ";",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
)
STRANGE = ("`", "\\", "\n", "\t", " ", "\u2212", "\u00d7", "\u00bd", "\u00b2", "x\u0307", "\u202e", "\0")
CALLS = (
    "max(x,y)",
    "min(1,x,y)",
    "where(x<0,1,2)",
    "heaviside(x)",
    "atan2(y,x)",
    "sin(x)^2",
    "(x+y)^2",
    "dot(x)",
    "dot(m)",
)
SINGULAR = ("1/0", "sqrt(-1)", "log(0)", "dot", "pi")
WORDS = (
    *NAMES,
    *FUNCTIONS,
    *OPERATORS,
    *OPERATORS,
    *NUMBERS,
    *COMPARING,
    *NO_NUMBERS,
    *CODE,
    *STRANGE,
    *CALLS,
    *SINGULAR,
)
VARIABLES = ["x", "y", "theta", "k", "m", "R"]
CORPUS = Path(__file__).parent / "corpus" / "texts.jsonl"
REPEATED = (
    ("(", ")"), ("-", ""), ("sin(", ")"), ("abs(", ")"), ("x+", ""), ("2^", ""), ("9^9*", ""), ("(x+1)*", ""),
    ("exp(", ")"), ("floor(", ")"), ("max(x,", ")"), ("1/(1+", ")"), ("sqrt(2+", ")"), ("x^", ""), ("log(", ")"),
    ("2.5*", ""), ("(", ")^2"), ("x/", ""), ("sqrt(x)*", ""), ("2^(1/3)*", ""), ("dot(", ")"), ("where(x<0,1,", ")"),
)  # fmt: skip


def gallery() -> list[str]:
    """Expressions of the gallery as text, as far as one text can hold them."""
    found: set[str] = set()
    for module in pkgutil.iter_modules(dalembert.systems.__path__):
        made = getattr(import_module(f"dalembert.systems.{module.name}"), "system", None)
        for e in made().expressions if made else ():
            try:
                found.add(write_text(e))
            except DalembertError:  # too long for one text
                continue
    return sorted(found)


def soup(rng: random.Random) -> str:
    """Tokens in any order."""
    glue = rng.choice(["", "", " "])
    return glue.join(rng.choice(WORDS) for _ in range(rng.randint(1, rng.choice([4, 12, 60]))))


def characters(rng: random.Random) -> str:
    """Characters of any kind."""
    ranges = [(32, 126), (32, 126), (0, 255), (0x370, 0x3FF), (0x2000, 0x2BFF), (0xFE00, 0xFFFF), (0x1D400, 0x1D7FF)]
    low, high = rng.choice([*ranges, (0, 0x10FFFF)])
    return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 40)))


def mutated(rng: random.Random, seeds: list[str]) -> str:
    """A gallery expression with some of it cut, doubled, moved or replaced."""
    text = rng.choice(seeds)
    begin = rng.randrange(len(text))
    text = text[begin : begin + 200] if len(text) > 400 else text
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        word = rng.choice(WORDS)
        text = rng.choice(
            [text[:i] + text[j:], text[:i] + word + text[i:], text[:i] + word + text[j:], text[:j] + text[i:],
             text[i:j] + text[:i] + text[j:], text[:i] + rng.choice(rng.choice(seeds)) + text[i + 1 :]]
        )  # fmt: skip
        text = text[:3000] or word
    return text


def valid(rng: random.Random, depth: int) -> str:
    """A text that follows the grammar, and is a gallery of odd numbers, functions and conditions."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(
            [*NAMES, "dot(x)", "pi", "0", "1", "2", "3", "1/2", "0.5", "1e10", "12345678901234567890", "-1"]
        )
    kind = rng.random()
    inner = [valid(rng, depth - 1) for _ in range(3)]
    if kind < 0.5:
        return f"{inner[0]}{rng.choice(['+', '-', '*', '/', '*', '+'])}{inner[1]}"
    if kind < 0.65:
        return f"({inner[0]})^{rng.choice(['2', '-1', '(1/2)', '(1/3)', '64', '(' + inner[1] + ')', '-2', '0', '0.5'])}"
    if kind < 0.9:
        return f"{rng.choice(FUNCTIONS)}({inner[0]})"
    if kind < 0.96:
        return f"{rng.choice(['max', 'min', 'atan2', 'heaviside'])}({inner[0]}, {inner[1]})"
    return f"where({inner[0]} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} 0, {inner[1]}, {inner[2]})"


def worth(rng: random.Random) -> str:
    """A valid text is read as the number that Python's own arithmetic gives of its tree, at two points."""
    tree = grammar.draw(rng, VARIABLES, rng.randint(1, 4))
    text = grammar.spelt(tree, rng)
    try:
        e = read_text(text, NAMES, RATES, parameters=("m", "k"))
    except DalembertError as error:
        return error.code
    node = read(e, Graph())
    for _ in range(2):
        at = {n: rng.uniform(-2, 2) for n in VARIABLES} | {"m": rng.uniform(0.5, 2), "R": rng.uniform(0.5, 2)}
        try:
            expected = grammar.worth(tree, at)
        except grammar.Undefined:
            continue
        with np.errstate(all="ignore"):
            found = float(evaluate([node], at)[0])
        if not abs(found - expected) <= 1e-10 * (1 + abs(expected)) and not _rounding(tree, e, at, found):
            raise AssertionError(f"{text!r} is read as {e}, {found} instead of {expected} at {at}")
    return "read, worth what it should be"


def _rounding(tree: grammar.Tree, e: sp.Expr, at: dict[str, float], found: float) -> bool:
    """Is it rounding alone? Both are computed again with 40 digits."""
    with mpmath.workdps(40):
        try:
            exact = grammar.worth(tree, {n: mpmath.mpf(v) for n, v in at.items()}, mpmath)
        except grammar.Undefined:
            return True
        again = e.evalf(40, subs={NAMES[n]: sp.Float(v, 40) for n, v in at.items()})
        return bool(abs(sp.Float(str(exact), 40) - again) <= 1e-13 * (1 + abs(again)))


def nested(rng: random.Random) -> str:
    """One thing many times: deep, long, steep."""
    n = rng.choice([3, 20, 59, 60, 61, 300, 1999, 2001, 4000])
    head, tail = rng.choice(REPEATED)
    return head * n + rng.choice(["x", "1", "", "10^30", "y"]) + tail * n


def check(text: str) -> str:
    """Read a text: the code of the refusal, or "read"; anything else is raised."""
    try:
        e = read_text(text, NAMES, RATES, parameters=("m", "k"))
    except DalembertError as error:
        return error.code
    if not isinstance(e, sp.Expr):
        raise TypeError(f"{type(e).__name__} came out")
    try:
        write_text(e)
    except DalembertError as error:
        return f"read, not written ({error.code})"
    return "read"


def corpus() -> list[str]:
    """Texts that once misbehaved, or that reach what chance seldom does."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines() if line]


@dataclass
class Tally:
    """What came of it."""

    codes: Counter[str] = field(default_factory=Counter)
    found: int = 0
    slowest: tuple[float, str] = (0.0, "")
    seconds: float = SECONDS

    def note(self, what: Callable[[], str], shown: str) -> None:
        """Try one text; anything but a code or a word is a find."""
        start = time.process_time()
        try:
            with within(HANG):
                self.codes[what()] += 1
        except (Exception, Hang):
            self._found(f"FOUND {shown!r}\n{traceback.format_exc(limit=-4)}")
        spent = time.process_time() - start
        if spent > self.seconds:
            self._found(f"SLOW {spent:.2f} s {shown!r}")
        self.slowest = max(self.slowest, (spent, shown))

    def _found(self, told: str) -> None:
        self.found += 1
        if self.found <= SHOWN:
            print(told, flush=True)


def run(count: range, seed: int, seconds: float = SECONDS) -> Tally:
    """The corpus, then so many random texts; one that takes longer than `seconds` is a find."""
    tally, gathered = Tally(seconds=seconds), gallery()
    for text in ("x", "1 min"):  # what is loaded once is loaded now
        check(text)
    for text in corpus():
        tally.note(partial(check, text), text)
    for n in count:
        rng = random.Random(seed * 10**9 + n)
        kind = rng.choices(("soup", "characters", "mutated", "valid", "worth", "nested"), SHARES)[0]
        if kind == "worth":
            tally.note(partial(worth, rng), f"worth, seed {seed}, text {n}")
            continue
        text = MAKERS[kind](rng, gathered)
        tally.note(partial(check, text), text)
    return tally


SHARES = (30, 10, 40, 3, 10, 0.2)  # what takes long is asked less often
MAKERS: dict[str, Callable[[random.Random, list[str]], str]] = {
    "soup": lambda rng, _: soup(rng),
    "characters": lambda rng, _: characters(rng),
    "mutated": mutated,
    "valid": lambda rng, _: valid(rng, rng.randint(1, 4)),
    "nested": lambda rng, _: nested(rng),
}


def main(arguments: list[str]) -> int:
    """Fuzz the reader; 1 if something was found."""
    given = parser("texts", __doc__, 1_000_000).parse_args(arguments)
    warnings.simplefilter("error")
    began, count = time.process_time(), numbers(given)
    tally = run(count, given.seed)
    spent = time.process_time() - began
    print(f"{len(count)} texts in {spent:.0f} s of this process, seed {given.seed}: {tally.found} found")
    print(f"slowest {tally.slowest[0]:.3f} s: {tally.slowest[1][:200]!r}")
    print(", ".join(f"{code} {count}" for code, count in sorted(tally.codes.items())))
    return int(tally.found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
