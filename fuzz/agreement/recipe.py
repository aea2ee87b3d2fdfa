"""A system as plain data, and the same as the library's `System` and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

import dalembert as da

from .charts import Factor
from .trees import Tree, add, holds, mul, name, smaller, to_sympy, to_text


@dataclass(frozen=True)
class Force:
    """A force: ``"given"`` Q for one velocity, ``"applied"``, ``"viscous"``, ``"rayleigh"`` or ``"dry"`` on a point.

    Attributes:
        kind: which law.
        along: components of the velocity of the point; of ``"given"`` the one velocity, of ``"rayleigh"`` D alone.
        size: components of F; the coefficient of friction alone.
        regularised: of dry friction.
    """

    kind: str
    along: tuple[Tree, ...]
    size: tuple[Tree, ...] = ()
    regularised: bool = False


SLOW = 0.125  # speed below which regularised friction is viscous
Terms = tuple[Tree, ...]


@dataclass(frozen=True)
class Recipe:
    """A system as plain data.

    Attributes:
        seed: it was drawn with.
        factors: of the space.
        lagrangian: the summands of L.
        constraints: summands of each, by name.
        forces: laws that add up.
        parameters: values by name.
        principle: ``"nonholonomic"`` or ``"vakonomic"``.
        text: are the expressions given as text?
    """

    seed: int
    factors: tuple[Factor, ...]
    lagrangian: Terms
    constraints: tuple[tuple[str, Terms], ...] = ()
    forces: tuple[Force, ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()
    principle: str = "nonholonomic"
    text: bool = False

    @property
    def coordinates(self) -> list[str]:
        """Names of all coordinates."""
        return [n for f in self.factors for n in f.q]

    @property
    def velocities(self) -> list[str]:
        """Names of all velocities."""
        return [n for f in self.factors for n in f.u]

    def space(self) -> da.Space:
        """The library's space."""
        parts = [f.space() for f in self.factors]
        return parts[0] if len(parts) == 1 else da.Space.product(*parts)

    def holonomic(self, terms: Terms) -> bool:
        """Does no velocity occur in it?"""
        return not any(_named(t, set(self.velocities)) for t in terms)

    def system(self) -> da.System:
        """As the library takes it: SymPy's expressions, or text where no rotation is read."""
        space = self.space()
        names = {**space.by_name, "t": sp.Symbol("t", real=True)}
        names |= {n: sp.Symbol(n, positive=True) for n, _ in self.parameters}
        spelt = {u: f"dot({q})" for f in self.factors if f.kind == "plain" for q, u in zip(f.q, f.u, strict=True)}

        def read(tree: Tree) -> Any:
            if self.text and not holds(tree, "R"):
                return to_text(tree, spelt)
            return to_sympy(tree, names, space.rotation)

        def force(law: Force) -> Any:
            along, size = [read(e) for e in law.along], [read(e) for e in law.size]
            points = [to_sympy(e, names, space.rotation) for e in law.along]
            if law.kind == "given":
                return {along[0] if not self.text else law.along[0][1]: size[0]}
            if law.kind == "applied":
                return da.forces.applied(along, size)
            if law.kind == "viscous":
                return da.forces.viscous_friction(points, to_sympy(law.size[0], names, space.rotation))
            if law.kind == "rayleigh":
                return da.forces.rayleigh(along[0])
            coefficient = to_sympy(law.size[0], names, space.rotation)
            return da.forces.rolling_friction(points, coefficient, 1, regularised=SLOW if law.regularised else None)

        constraints = {n: read(add(*terms)) for n, terms in self.constraints}
        laws = [force(law) for law in self.forces]
        return da.System(space, read(add(*self.lagrangian)), constraints, laws, dict(self.parameters))

    def smaller(self) -> Iterator[Recipe]:
        """Recipes with something left out."""
        if self.text:
            yield replace(self, text=False)
        for i in range(len(self.forces)):
            yield replace(self, forces=self.forces[:i] + self.forces[i + 1 :])
        for i in range(len(self.constraints)):
            yield replace(self, constraints=self.constraints[:i] + self.constraints[i + 1 :])
        for i in range(len(self.lagrangian)):
            yield replace(self, lagrangian=self.lagrangian[:i] + self.lagrangian[i + 1 :])
        yield from self._fewer_factors()
        for i, (n, terms) in enumerate(self.constraints):
            for j in range(len(terms) if len(terms) > 1 else 0):
                yield self._constraint(i, n, terms[:j] + terms[j + 1 :])
        yield from self._simpler()

    def _fewer_factors(self) -> Iterator[Recipe]:
        for i, f in enumerate(self.factors if len(self.factors) > 1 else ()):
            gone = {*f.q, *f.u, f.name}
            kept = self.factors[:i] + self.factors[i + 1 :]
            rows = tuple((n, tuple(t for t in terms if not _named(t, gone))) for n, terms in self.constraints)
            yield replace(
                self,
                factors=kept,
                lagrangian=tuple(t for t in self.lagrangian if not _named(t, gone)) or (0,),
                constraints=tuple((n, terms) for n, terms in rows if terms),
                forces=tuple(law for law in self.forces if not any(_named(t, gone) for t in (*law.along, *law.size))),
            )

    def _simpler(self) -> Iterator[Recipe]:
        for i, term in enumerate(self.lagrangian):
            for other in smaller(term):
                yield replace(self, lagrangian=(*self.lagrangian[:i], other, *self.lagrangian[i + 1 :]))
        for i, (n, terms) in enumerate(self.constraints):
            for j, term in enumerate(terms):
                for other in smaller(term):
                    yield self._constraint(i, n, (*terms[:j], other, *terms[j + 1 :]))
        for i, law in enumerate(self.forces):
            for j, term in enumerate(law.size):
                for other in smaller(term):
                    changed = replace(law, size=(*law.size[:j], other, *law.size[j + 1 :]))
                    yield replace(self, forces=(*self.forces[:i], changed, *self.forces[i + 1 :]))

    def _constraint(self, i: int, n: str, terms: Terms) -> Recipe:
        return replace(self, constraints=(*self.constraints[:i], (n, terms), *self.constraints[i + 1 :]))

    def __str__(self) -> str:
        lines = [f"  {f.kind} {f.frame}: {' '.join(f.q)}; {' '.join(f.u)}" for f in self.factors]
        lines += [f"    anchor {[[to_text(e, {}) for e in row] for row in f.anchor]}" for f in self.factors if f.anchor]
        lines += [f"  L = {to_text(add(*self.lagrangian), {})}"]
        lines += [f"  {n}: {to_text(add(*terms), {})} = 0" for n, terms in self.constraints]
        for law in self.forces:
            parts = (", ".join(to_text(e, {}) for e in es) for es in (law.along, law.size))
            lines += [f"  {law.kind} force along ({next(parts)}): ({next(parts)}){' smooth' * law.regularised}"]
        lines += [f"  {self.principle}; {', '.join(f'{n} = {v}' for n, v in self.parameters)}; text: {self.text}"]
        return "\n".join(lines)


def _named(tree: Tree, names: set[str]) -> bool:
    """Does one of these names occur?"""
    return isinstance(tree, tuple) and (
        tree[1] in names if tree[0] in ("name", "R") else any(_named(a, names) for a in tree[1:])
    )


def half(tree: Tree) -> Tree:
    """Half of it."""
    return mul(("/", 1, 2), tree)


def square(text: str) -> Tree:
    """The square of a name."""
    return ("^", name(text), 2)
