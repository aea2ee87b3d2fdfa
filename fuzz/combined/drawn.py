"""Random systems with chosen features, as plain data from which the library's system and the plain route are made.

Every system has a shape coordinate ``s`` and a cyclic one ``z``. Names of parameters, formulas, definitions and inputs
stand in its trees; `Drawn.plain` puts their meanings in their places.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

import dalembert as da

from ..agreement.charts import Factor, matrix_of
from ..agreement.recipe import Recipe
from ..agreement.trees import Tree, add, mul, name, to_text

SPACES = ("attitude in the body", "attitude in space", "SE(2)", "SE(3)", "direction", "moving frame")
PLACES = ("input in L", "input in a force", "input in a row")
DRIVES = ("driven by a number", "driven by a formula", "driven by a table")
WALLS, CONTACTS = ("still wall", "moving wall"), ("one contact", "two contacts")
FEATURES = (
    *("gyroscopic, constant", "gyroscopic, of the place", "gyroscopic across a row"),
    *("time in L", "time in a force", "time in a row", "affine row", "nonlinear row", "row of positions"),
    *PLACES, *DRIVES, "force of velocities", "quadratic drag", *WALLS, *CONTACTS, *SPACES,
    *("massless", "definitions", "formula parameter", "units"),
)  # fmt: skip
ROWS = ("gyroscopic across a row", "time in a row", "affine row", "nonlinear row", "input in a row")  # need a row
ONE_OF = (SPACES, WALLS, CONTACTS)
PAIRS = [p for p in combinations(FEATURES, 2) if not any(set(p) <= set(group) for group in ONE_OF)]
random.Random(0).shuffle(PAIRS)
LIMITS = {"seconds": 8}  # for what is derived in symbols, which is refused (E136) where it takes longer
SPAN, KNOTS = 0.6, (0.0, 0.2, 0.4, 0.8)


def features_of(seed: int) -> frozenset[str]:
    """A pair, each in its turn, and often a third one."""
    rng, pair = random.Random(f"features {seed}"), PAIRS[seed % len(PAIRS)]
    fits = [f for f in FEATURES if all(not {f, g} <= set(group) for g in pair for group in ONE_OF)]
    return frozenset({*pair, *([rng.choice(fits)] if rng.random() < 0.6 else [])})


@dataclass(frozen=True)
class Drive:
    """What drives an input: a number, a tree of t, or values at times, which are held or joined by lines."""

    number: float | None = None
    formula: Tree = None
    times: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    kind: str = ""

    def of_time(self, t: float) -> Tree:
        """As a tree, on the piece that begins at t or holds it."""
        if self.number is not None:
            return Fraction(str(self.number))
        if not self.times:
            return self.formula
        i = max(k for k, knot in enumerate(self.times) if knot <= t + 1e-9)
        i = min(i, len(self.times) - 2)
        if self.kind == "hold":
            return Fraction(str(self.values[i]))
        slope = (self.values[i + 1] - self.values[i]) / (self.times[i + 1] - self.times[i])
        since = add(name("t"), mul(-1, Fraction(str(self.times[i]))))
        return add(Fraction(str(self.values[i])), mul(Fraction(slope).limit_denominator(10**6), since))

    def given(self) -> Any:
        """As `simulate` takes it."""
        if self.times:
            return da.inputs.tabulated(self.times, self.values, self.kind)
        return self.number if self.number is not None else to_text(self.formula, {})

    def __str__(self) -> str:
        table = f"da.inputs.tabulated({self.times}, {self.values}, {self.kind!r})"
        return table if self.times else repr(self.given())


@dataclass(frozen=True)
class Wall:
    """sign (at + swing sin 2t - s) > 0."""

    sign: int
    at: float
    swing: float
    restitution: float
    per: Tree = 1  # 1/s, where there are units

    @property
    def guard(self) -> Tree:
        """The function that is positive where the motion is free."""
        moving = mul(Fraction(str(self.swing)), ("sin", mul(2, self.per, name("t"))))
        parts = [Fraction(str(self.at)), *([moving] if self.swing else []), mul(-1, name("s"))]
        return mul(self.sign, add(*parts))


@dataclass(frozen=True)
class Touch:
    """A surface q = 0 that presses on a coordinate q, and slips with a velocity."""

    gap: str
    slip: Tree
    mu: float


@dataclass(frozen=True)
class Drawn:
    """One system as plain data.

    Attributes:
        features: what it was drawn with.
        recipe: with names of parameters, formulas, definitions and inputs in its trees.
        t0: when it starts; it goes on for `SPAN`.
        values: of parameters; `units` has how some are written, `formulas` what others are in these.
        definitions: abbreviations.
        drives: of the inputs.
        walls, touches: at most one wall; contacts.
        leads: velocities that rows determine, and ``{coordinate: tree}`` of what rows of positions determine.
        start: all states but those, by name.
    """

    features: frozenset[str]
    recipe: Recipe
    t0: float
    values: Mapping[str, float]
    units: Mapping[str, str]
    formulas: Mapping[str, Tree]
    definitions: Mapping[str, Tree]
    drives: Mapping[str, Drive]
    walls: tuple[Wall, ...]
    touches: tuple[Touch, ...]
    massless: tuple[str, ...]
    symmetry: tuple[Any, ...]
    leads: tuple[str, ...]
    start: Mapping[str, float]
    start_units: Mapping[str, str] = field(default_factory=dict)

    def plain(self, t: float, values: Mapping[str, float], driven: Mapping[str, Tree] | None = None) -> Recipe:
        """The recipe on the piece that begins at t, without names; `driven` are inputs in other hands."""
        numbers: dict[str, Tree] = {n: Fraction(v) for n, v in {**self.values, **values}.items()}
        driving = {n: d.of_time(t) for n, d in self.drives.items()} | dict(driven or {})
        meaning = numbers | {n: put(tree, numbers) for n, tree in driving.items()}
        for n, tree in (*self.formulas.items(), *self.definitions.items()):
            meaning[n] = put(tree, meaning)
        r = self.recipe
        return replace(
            r,
            factors=tuple(replace(f, anchor=tuple(puts(row, meaning) for row in f.anchor)) for f in r.factors),
            lagrangian=puts(r.lagrangian, meaning),
            constraints=tuple((n, puts(terms, meaning)) for n, terms in r.constraints),
            forces=tuple(replace(law, size=puts(law.size, meaning)) for law in r.forces),
            parameters=(),
        )

    def text(self, *trees: Tree) -> str:
        """Their sum as the library reads it."""
        return to_text(_entries(add(*trees), self.recipe.factors), {})

    def arguments(self) -> dict[str, Any]:
        """Of `da.System`, but the space."""
        r = self.recipe
        forces = [{str(law.along[0][1]): self.text(*law.size)} for law in r.forces]
        walls = {f"w{i}": {"guard": self.text(w.guard), "restitution": w.restitution} for i, w in enumerate(self.walls)}
        parameters = {**self.values, **self.units, **{n: self.text(e) for n, e in self.formulas.items()}}
        return {
            "lagrangian": self.text(*r.lagrangian),
            "constraints": {n: self.text(*terms) for n, terms in r.constraints},
            "forces": forces,
            "parameters": parameters,
            "definitions": {n: self.text(e) for n, e in self.definitions.items()},
            "massless": list(self.massless),
            "walls": walls,
            "inputs": list(self.drives),
        }

    def system(self) -> da.System:
        """The library's."""
        touches = {t.gap: da.contact(gap=t.gap, slip=[self.text(t.slip)], mu=t.mu) for t in self.touches}
        symmetry = [s if isinstance(s, str) else getattr(da.symmetry, s[0])(*s[1:]) for s in self.symmetry]
        return da.System(
            self.recipe.space(), **self.arguments(), contacts=touches or None, symmetry=symmetry, limits=LIMITS
        )

    def inputs(self) -> dict[str, Any]:
        """As `simulate` takes them."""
        return {n: d.given() for n, d in self.drives.items()}

    def __str__(self) -> str:
        """A script that makes system, start and inputs."""
        spaces = ", ".join(_spelt(f) for f in self.recipe.factors)
        lines = [f"# {', '.join(sorted(self.features))}", "import sympy as sp", "import dalembert as da"]
        lines += [f"space = da.Space.product({spaces})" if len(self.recipe.factors) > 1 else f"space = {spaces}"]
        lines += ["system = da.System(", "    space,"]
        lines += [f"    {key}={value!r}," for key, value in self.arguments().items() if value]
        if self.touches:
            each = (f"{t.gap!r}: da.contact({t.gap!r}, [{self.text(t.slip)!r}], mu={t.mu})" for t in self.touches)
            lines += [f"    contacts={{{', '.join(each)}}},"]
        groups = (repr(s) if isinstance(s, str) else f"da.symmetry.{s[0]}{s[1:]!r}" for s in self.symmetry)
        lines += [f"    symmetry=[{', '.join(groups)}],", ")"]
        lines += [f"start, t0, until = { ({**self.start, **self.start_units})!r}, {self.t0}, {self.t0 + SPAN}"]
        return "\n".join([*lines, f"inputs = {{{', '.join(f'{n!r}: {d}' for n, d in self.drives.items())}}}"])


def put(tree: Tree, meaning: Mapping[str, Tree]) -> Tree:
    """The tree with names replaced."""
    if not isinstance(tree, tuple) or tree[0] == "R":
        return tree
    if tree[0] == "name":
        return meaning.get(tree[1], tree)
    return (tree[0], *(put(a, meaning) for a in tree[1:]))


def puts(trees: tuple[Tree, ...], meaning: Mapping[str, Tree]) -> tuple[Tree, ...]:
    """All of them."""
    return tuple(put(tree, meaning) for tree in trees)


def _entries(tree: Tree, factors: tuple[Factor, ...]) -> Tree:
    """Entries of rotations written in the coordinates, as a text takes them."""
    if not isinstance(tree, tuple) or tree[0] == "name":
        return tree
    if tree[0] == "R":
        factor = next(f for f in factors if f.name == tree[1])
        if factor.matrix:
            return name(f"{tree[1]}{tree[2] + 1}{tree[3] + 1}")
        entry = matrix_of(sp.symbols(factor.q[-4:]))[tree[2]][tree[3]]
        return name(f"({entry})".replace("**", "^"))
    return (tree[0], *(_entries(a, factors) for a in tree[1:]))


def _spelt(f: Factor) -> str:
    """A factor as a script makes it."""
    q, u = " ".join(f.q), " ".join(f.u)
    if f.kind == "frame":
        return f"da.Space({q!r}, {u!r}, sp.sympify({[[to_text(e, {}) for e in row] for row in f.anchor]!r}))"
    if f.kind == "SE2":
        return f"da.SE2({q!r}, {u!r}, {f.frame!r})"
    if f.kind == "SE3":
        return f"da.SE3({' '.join(f.q[:3])!r}, {f.name!r}, {u!r}, {f.frame!r})"
    if f.kind == "rotation":
        return f"da.rotation({f.name!r}, {u!r}, {f.frame!r}, {'matrix' if f.matrix else 'quaternion'!r})"
    return f"da.direction({f.name!r}, {u!r})" if f.kind == "direction" else f"da.coordinates({q!r}, {u!r})"
