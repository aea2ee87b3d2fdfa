"""Graph -> statements of a programming language: each shared subexpression once, the rest written where it is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...calculus.graph import CONSTANT, SYMBOL, Node, live

WIDTH = 76  # characters up to which an expression is written where it is used
_SUM, _MINUS, _PRODUCT, _ATOM = 1, 2, 3, 9  # how tightly an expression binds
_BINDS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}


@dataclass(frozen=True)
class Language:
    """How operations are written.

    Attributes:
        calls: the function for each operation that is a function.
        guarded: the same inside a branch that may not be taken, where a language raises for what is not a number.
        patterns: ``select(c, a, b)`` and the three comparisons as patterns.
        assign: a statement that gives a value a name.
        helpers: for each function that is not of the language's library, its text.
    """

    calls: Mapping[str, str]
    guarded: Mapping[str, str]
    patterns: Mapping[str, str]
    assign: Callable[[str, str], str]
    helpers: Mapping[str, str]


@dataclass
class CodeBody:
    """Statements of one function.

    Attributes:
        language: how they are written.
        names: what each symbol of the graph is called.
        prefix: of the names of shared subexpressions.
        used: helpers that they call.
    """

    language: Language
    names: Mapping[str, str]
    prefix: str
    used: set[str]
    lines: list[str] = field(default_factory=list)
    texts: dict[int, tuple[str, int]] = field(default_factory=dict)
    uses: dict[int, int] = field(default_factory=dict)
    branches: set[int] = field(default_factory=set)
    count: int = 0

    def plan(self, outputs: Sequence[Node]) -> None:
        """Count how often each node is used by all outputs, and find those below a branch that may not be taken."""
        if not outputs:
            return
        nodes, order = outputs[0].graph.nodes, live(outputs)
        for y in outputs:
            self.uses[y.index] = self.uses.get(y.index, 0) + 1
        for i in order:
            for j in _below(nodes[i]):
                self.uses[j] = self.uses.get(j, 0) + 1
        for i in reversed(order):
            key = nodes[i]
            if key[0] == "select":
                self.branches |= {key[2], key[3]}
            elif i in self.branches:
                self.branches |= set(_below(key))

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """Texts of the outputs, after the statements that they need and that are not there yet."""
        for i in live(outputs):
            if i not in self.texts:
                self.texts[i] = self._written(i, outputs[0].graph.nodes[i])
        return [self.texts[y.index][0] for y in outputs]

    def _written(self, i: int, key: tuple[object, ...]) -> tuple[str, int]:
        if key[0] == CONSTANT:
            value = float(key[1])  # type: ignore[arg-type]
            return repr(value), _MINUS if value < 0 else _ATOM
        if key[0] == SYMBOL:
            return self.names[str(key[1])], _ATOM
        text, binds = self._operation(str(key[0]), [self.texts[j] for j in _below(key)], i in self.branches)
        if self.uses[i] < 2 and len(text) <= WIDTH:
            return text, binds
        self.count += 1
        name = f"{self.prefix}{self.count}"
        self.lines.append(self.language.assign(name, text))
        return name, _ATOM

    def _operation(self, name: str, args: list[tuple[str, int]], branch: bool) -> tuple[str, int]:
        language = self.language
        called = (language.guarded if branch else {}).get(name) or language.calls.get(name)
        if called:
            self.used.add(called)
            return f"{called}({', '.join(text for text, _ in args)})", _ATOM
        if name in language.patterns:
            return language.patterns[name].format(*(_bound(a, _SUM) for a in args)), _ATOM
        if name == "neg":
            return f"-{_bound(args[0], _PRODUCT)}", _MINUS
        # a - (b - c) and a/(b/c) keep their parentheses, and so does a + (b + c): sums of floats do not associate
        binds = _BINDS[name]
        return f"{_bound(args[0], binds)} {name} {_bound(args[1], binds + 1 + (binds == _SUM))}", binds


def _bound(arg: tuple[str, int], least: int) -> str:
    text, binds = arg
    return text if binds >= least else f"({text})"


def _below(key: tuple[object, ...]) -> tuple[int, ...]:
    return () if key[0] in (CONSTANT, SYMBOL) else key[1:]  # type: ignore[return-value]


def helpers(language: Language, used: Iterable[str]) -> list[str]:
    """Texts of the helpers in use, and of those that they call, in the order of the table."""
    wanted = set(used) & language.helpers.keys()
    while True:
        more = {
            h for h in language.helpers if any(re.search(rf"(?<![\w.]){h}\(", language.helpers[w]) for w in wanted)
        } - wanted
        if not more:
            return [text for name, text in language.helpers.items() if name in wanted]
        wanted |= more
