"""How near a place in the files of a paper is to what makes a claim: along the names that its expression uses.

    0  the statement that makes the claim    1  what the names in it are assigned, the functions called there    2 ...

Names are followed through a function, its file and the paper's other files; two things of one name are not told apart.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Line = tuple[str, int]  # a file and a line of it
FAR = 9  # names that are followed, one after the other


@dataclass(frozen=True)
class Part:
    """A statement or a definition: its file, the function it stands in (``""`` outside all), the names it uses."""

    file: str
    function: str
    node: ast.AST
    uses: frozenset[str]

    @property
    def lines(self) -> Iterator[Line]:
        """All its lines."""
        first, last = getattr(self.node, "lineno", 1), getattr(self.node, "end_lineno", None)
        return ((self.file, line) for line in range(first, (last or first) + 1))


class Flow:
    """The files of a paper, by what they define: ``Flow({"sicm/bowl.py": text, ...})``."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._within: dict[tuple[str, str, str], list[Part]] = defaultdict(list)  # file, function and name
        self._outside: dict[str, list[Part]] = defaultdict(list)  # name
        self._methods: dict[str, list[Part]] = defaultdict(list)  # name
        self._imported: dict[tuple[str, str], str] = {}  # what a name of a file is called where it comes from
        self._claims: list[Part] = []
        for file, text in texts.items():
            self._read(file, ast.parse(text))

    def _read(self, file: str, tree: ast.Module) -> None:
        for node in tree.body:
            for each in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                self._imported[file, each.asname or each.name] = each.name
            for name in _defined(node):
                self._outside[name].append(Part(file, "", node, _names(node)))
            for method in (n for n in getattr(node, "body", ()) if isinstance(n, ast.FunctionDef)):
                self._methods[method.name].append(Part(file, "", method, _names(method)))
            for function in (n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)):
                for inner in (n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function):
                    self._keep(file, function.name, inner)

    def _keep(self, file: str, function: str, node: ast.stmt) -> None:
        head = node.iter if isinstance(node, ast.For) else node
        if isinstance(node, ast.Expr | ast.Return):
            self._claims.append(Part(file, function, node, _names(node)))
        for name in _defined(node):
            self._within[file, function, name].append(Part(file, function, head, _names(head)))

    def from_claim(self, statement: str, group: str) -> dict[Line, int]:
        """By line how far it is from the statement of a group (``file.function``) that makes a claim."""
        found: dict[Line, int] = {}
        makers, seen = self._makers(statement, group), set[int]()
        for depth in range(FAR):
            for line in (line for part in makers for line in part.lines):
                found.setdefault(line, depth)
            seen |= {id(part.node) for part in makers}
            uses = {id(p.node): p for part in makers for p in self._used(part)}
            makers = [p for key, p in uses.items() if key not in seen]
        return found

    def _makers(self, statement: str, group: str) -> list[Part]:
        """Those statements that have most of the words of a claim in them, or in a text that they are given.

        Where no statement has any, the whole function.
        """
        file, _, function = group.rpartition(".")
        told = {id(part): self._told(part, statement) for part in self._claims}
        most = max(told.values(), default=0)
        found = [part for part in self._claims if most and told[id(part)] == most]
        own = [p for p in found if p.function == function and file in (_stem(p.file), _folder(p.file))]
        return own or found or [p for p in self._outside[function] if _stem(p.file) == file]

    def _told(self, part: Part, statement: str) -> int:
        """How many letters of a claim stand in a statement, and in the nearest text before it that it names."""
        texts = [part.node]
        for name in part.uses:
            before = [p.node for p in self._within[part.file, part.function, name] if _line(p.node) < _line(part.node)]
            texts += [max(before, key=_line)] if before else []
        words = {w for text in texts for w in _words(text) if len(w) > 2 and w in statement}
        return sum(map(len, words))

    def _used(self, part: Part) -> Iterator[Part]:
        for name in part.uses:
            base, dot, last = name.rpartition(".")
            if not dot:
                here = self._within[part.file, part.function, name] if part.function else []
                outside = self._outside[self._imported.get((part.file, name), name)]
                yield from here or [p for p in outside if p.file == part.file] or outside
            elif (part.file, base) in self._imported:  # of a file, or of something else's
                yield from (p for p in self._outside[last] if _stem(p.file) == self._imported[part.file, base])
            else:
                yield from self._methods[last]


def _defined(node: ast.AST) -> set[str]:
    """The names that a statement gives a meaning."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For):
        targets = [node.target]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _names(node: ast.AST) -> frozenset[str]:
    """The names that are used in a piece of code, attributes with what they are asked of: ``"given.r"``, ``".at"``.

    Without those that a function gives a meaning itself.
    """
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(f"{each.value.id if isinstance(each.value, ast.Name) else ''}.{each.attr}")
    inner = ast.walk(node) if isinstance(node, ast.FunctionDef) else ()
    return frozenset(found.difference(*(_defined(each) for each in inner)))


def _words(node: ast.AST) -> Iterator[str]:
    return (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".py")


def _folder(file: str) -> str:
    return file.rpartition("/")[0].rpartition("/")[2]
