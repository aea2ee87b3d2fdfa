"""Texts for the expression reader: token soups, mutated gallery expressions, valid expressions, random characters.

Every text must give an expression or a `DalembertError`, within a second, and nothing else; every expression that is
given must be written and read back as itself, or refused.
"""

from __future__ import annotations

import argparse
import pkgutil
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

import sympy as sp

import dalembert.systems
from dalembert.calculus.language import functions, read_text, write_text
from dalembert.errors import DalembertError

SECONDS, HANG = 1.0, 10.0
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
REPEATED = (
    ("(", ")"), ("-", ""), ("sin(", ")"), ("abs(", ")"), ("x+", ""), ("2^", ""), ("9^9*", ""), ("(x+1)*", ""),
    ("exp(", ")"), ("floor(", ")"), ("max(x,", ")"), ("1/(1+", ")"), ("sqrt(2+", ")"), ("x^", ""), ("log(", ")"),
    ("2.5*", ""), ("(", ")^2"), ("x/", ""), ("sqrt(x)*", ""), ("2^(1/3)*", ""), ("dot(", ")"), ("where(x<0,1,", ")"),
)  # fmt: skip


class Hang(BaseException):
    """Raised by the alarm."""


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


def valid(rng: random.Random, depth: int = 4) -> str:
    """A text that follows the grammar."""
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


def _alarm(*_: Any) -> None:
    raise Hang


def main(arguments: list[str]) -> int:
    """Fuzz the reader; 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz texts", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many texts")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    given = parser.parse_args(arguments)
    rng, seeds = random.Random(given.seed), gallery()
    makers: list[Callable[[], str]] = [
        lambda: soup(rng), lambda: soup(rng), lambda: characters(rng), lambda: mutated(rng, seeds),
        lambda: mutated(rng, seeds), lambda: valid(rng, rng.randint(1, 5)), lambda: nested(rng),
    ]  # fmt: skip
    warnings.simplefilter("error")
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _alarm)
    codes, found, began, slowest = Counter[str](), 0, time.perf_counter(), (0.0, "")
    check("x")
    for n in range(1, given.count + 1):
        text = rng.choice(makers)()
        start = time.process_time()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, HANG)
        try:
            codes[check(text)] += 1
        except (Exception, Hang):
            found += 1
            print(f"FOUND {text!r}\n{traceback.format_exc(limit=-4)}", flush=True)
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
        spent = time.process_time() - start
        if spent > SECONDS:
            found += 1
            print(f"SLOW {spent:.2f} s {text!r}", flush=True)
        slowest = max(slowest, (spent, text))
        if n % 20_000 == 0:
            print(f"{n} texts, {n / (time.perf_counter() - began):.0f} per second, {found} found", flush=True)
    print(f"{given.count} texts in {time.perf_counter() - began:.0f} s, seed {given.seed}: {found} found")
    print(f"slowest {slowest[0]:.3f} s: {slowest[1][:200]!r}")
    print(", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
