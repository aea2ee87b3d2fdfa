"""Affine distributions (D, gamma) [lewis1995 Definition 2.1]: constraints of vector fields, and fields of constraints.

    u - gamma in D = span{X_1, ..., X_r}     is     phi^s = w^s (u - gamma) = 0 ,   w^s X_j = 0

`affine` gives the constraints of fields: the forms w^s annihilate D, and are found by Cramer's rule, without
denominators. `allowed` gives the fields of constraints, and what their brackets say of the two principles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import sympy as sp

from ..argument_checks import names, noun, public, text
from ..calculus.algebra import Symbolic
from ..calculus.euler_lagrange import Motion
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue, WrongType, kind_of
from ..errors.remedies import Call
from ..model.expression_symbols import Reader
from ..model.space import Space
from ..model.symmetry import generators
from ..model.system import System
from .generators import needs_system
from .identities import vanish
from .random_states import ConstraintSampler
from .restriction import allowed as solved
from .restriction import bracket, derivation, normals
from .summary_lines import Summary
from .symbolic_null_space import kernel, pivots, tidy


@public
def affine(
    space: Space,
    fields: Mapping[str, Mapping[sp.Symbol | str, object]],
    drift: Mapping[sp.Symbol | str, object] | None = None,
    *,
    parameters: Iterable[str] = (),
    name: str = "form",
) -> dict[str, sp.Expr]:
    """The constraints of velocities that lie in gamma + D, with D spanned by fields.

        knife = {"forward": {"x": "cos(theta)", "y": "sin(theta)"}, "turn": {"theta": 1}}
        da.System(q, L, da.symmetry.affine(q, knife, drift={"x": "U"}, parameters=["U"]))

    Args:
        space: of the system.
        fields: ``{name: {coordinate or velocity: component}}`` that span D, functions of the place and of parameters,
            given as generators of a symmetry are; some may follow from others.
        drift: gamma, given the same way; 0 if left out. It counts modulo D.
        parameters: names of parameters that text may hold.
        name: of the constraints, which are called ``form1``, ``form2``.

    Returns:
        ``{name: phi}``, as `System` takes them: as many as D lacks in dimension.

    Raises:
        WrongType: E101, not a space; E125, fields that are none.
        InvalidValue: E125, no field, one that moves nothing, or fields that span everything.
        UnknownName: E104, a name that the space lacks.
    """
    if not isinstance(space, Space):
        raise WrongType("E101", f"affine needs a Space, not {kind_of(space)}", 'da.coordinates("x y theta")')
    name, reader = text(name, "name"), Reader(space, names(parameters, "parameters", "E102", some=False))
    spanning = generators(fields, reader)
    if not spanning:
        raise InvalidValue("E125", "no field is given", 'fields={"forward": {"x": "cos(theta)", "y": "sin(theta)"}}')
    still = drift is None or (isinstance(drift, Mapping) and not drift)
    (gamma,) = (None,) if still else generators({"drift": drift}, reader)
    X = sp.Matrix([list(each.components) for each in spanning])
    forms = kernel(_bare(space, reader), X)
    if not forms:
        raise InvalidValue("E125", "the fields span all velocities: nothing is constrained", "no constraints")
    moved = [u - g for u, g in zip(space.velocities, gamma.components if gamma else [0] * X.cols, strict=True)]
    return {f"{name}{i}": _row(w, moved) for i, w in enumerate(forms, start=1)}


def _bare(space: Space, reader: Reader) -> System:
    """A system on the space, at whose places ranks are decided; its L holds the parameters, so that they vary too."""
    weight = 1 + sum((p**2 for p in reader.parameters.values()), sp.S.Zero)
    energy = sum((weight * u**2 / 2 for u in space.velocities), sp.S.Zero)
    return System(space, energy, parameters=dict.fromkeys(reader.parameters))


def _row(w: sp.Matrix, moved: Sequence[sp.Expr]) -> sp.Expr:
    """w (u - gamma), in short."""
    return sp.Add(*(tidy(c) * e for c, e in zip(w, moved, strict=True) if c != 0))


# --- fields of constraints --------------------------------------------------------------------------------------------

#     u = gamma + v^i X_i ,   w^s X_i = 0 ,   w^s gamma = -g^s      for  phi^s = w^s u + g^s
#
# The term that the vakonomic equations have and the nonholonomic ones lack is lam_s E[phi^s] [lewis1995 (2.2)]. With
# the drift Gamma = d/dt + gamma, along the velocities that are allowed, it acts on D as
#
#     E[phi^s] = L_gamma w^s + (u - gamma) _| dw^s ,     E[phi^s](X_j) = -w^s([Gamma, X_j]) - v^i w^s([X_i, X_j])
#
# So it does nothing there, whatever lam and v are, where D is integrable and [Gamma, D] lies in D: each nonholonomic
# motion is then vakonomic, with any lam at the start. A drift in D is not needed for it: zdot = f(z).

_NOT = {True: "", False: "not ", None: "not decided whether "}
Components = Mapping[str, sp.Expr]


@noun
@dataclass(frozen=True, eq=False)
class Allowed:
    """The velocities gamma + D that linear and affine constraints allow.

    Attributes:
        system: whose they are.
        fields: ``{v: {velocity: component}}``, X_i that span D; each is named after the velocity that is its own.
        drift: gamma, ``{velocity: component}``: the allowed velocity whose own velocities are 0.
        variation: ``{constraint: {velocity: component}}``, E[phi^s] as functions of the state: what each multiplier of
            the vakonomic equations brings in beside its rate.
    """

    system: System
    fields: Mapping[str, Components]
    drift: Components
    variation: Mapping[str, Components] = field(repr=False)

    @cached_property
    def curvature(self) -> dict[tuple[str, str], Components]:
        """w^s([X_i, X_j]) by pairs of fields, ``{(i, j): {constraint: component}}``: 0 where D is integrable."""
        return {
            (i, j): self._across(bracket(self.system.space.frame, self._row(i), self._row(j)))
            for i, j in combinations(self.fields, 2)
        }

    @cached_property
    def drift_curvature(self) -> dict[str, Components]:
        """w^s([Gamma, X_j]), ``{j: {constraint: component}}``: 0 where the drift carries D along."""
        found: dict[str, Components] = {}
        frame = self.system.space.frame
        for j in self.fields:
            # [Gamma, X] = [gamma, X] + dX/dt
            slow = [e.diff(TIME) for e in self._row(j)]
            turned = bracket(frame, list(self.drift.values()), self._row(j))
            found[j] = self._across([a + b for a, b in zip(turned, slow, strict=True)])
        return found

    @cached_property
    def integrable(self) -> bool | None:
        """Is D integrable: do brackets of fields in D lie in D? None where that is not decided."""
        return self._vanish([e for row in self.curvature.values() for e in row.values()])

    @cached_property
    def carried(self) -> bool | None:
        """Does [Gamma, D] lie in D: does the drift carry D along?"""
        return self._vanish([e for row in self.drift_curvature.values() for e in row.values()])

    @property
    def any_multiplier(self) -> bool | None:
        """Is each nonholonomic motion vakonomic, whatever the multipliers are at the start?"""
        halves = self.integrable, self.carried
        return False if False in halves else None if None in halves else True

    def _row(self, name: str) -> list[sp.Expr]:
        return list(self.fields[name].values())

    def _across(self, X: Sequence[sp.Expr]) -> dict[str, sp.Expr]:
        """w^s X."""
        names, N = [c.name for c in self.system.constraints], normals(self.system)
        return {n: tidy(e) for n, e in zip(names, N * sp.Matrix(X), strict=True)}

    def _vanish(self, expressions: Sequence[sp.Expr]) -> bool | None:
        """Are they 0 wherever the constraints hold?"""
        sampler = ConstraintSampler(self.system)
        return vanish([read(e, sampler.graph) for e in expressions], sampler, "a bracket across D").value

    def __str__(self) -> str:
        told = Summary(f"{self.system.title or 'System'}: allowed velocities gamma + D", ".fields, .drift, .variation")
        told.add("D", f"{_NOT[self.integrable]}integrable, spanned by")
        for name, X in self.fields.items():
            told.add(f"  {name}", _shown(X))
        told.add("gamma", _shown(self.drift))
        told.add("[gamma, D]", f"is {_NOT[self.carried]}in D")
        for name, row in self.variation.items():
            told.add(f"E[{name}]", _shown(row))
        every = "nonholonomic motions are vakonomic, with any multipliers at the start"
        some = "the principles part, but for motions and multipliers that da.coincide(system) finds"
        told.add("so", {True: every, False: some, None: "not decided"}[self.any_multiplier])
        return str(told)

    __repr__ = __str__


@public
def allowed(system: System) -> Allowed:
    """The velocities that a system's constraints allow, as (D, gamma), and E[phi], [D, D] and [gamma, D].

    The inverse of `affine`. Forms of other length or order give the same D; gamma counts modulo D.

        da.symmetry.allowed(ball).carried

    Raises:
        WrongType: E101, not a system.
        InvalidValue: E114, no velocity is left; E124, a constraint that is not linear or affine in the velocities, or
            none at all; E136, it takes more time or memory than the system's limits.
    """
    needs_system(system, "allowed")
    strange = [c.name for c in system.constraints if c.kind == "nonlinear"]
    if strange or not system.constraints:
        fact = f"{', '.join(strange)} is not linear in the velocities" if strange else "there are no constraints"
        raise InvalidValue("E124", f"{fact}: no (D, gamma) is given by them", Call("examine", "system"))
    with derivation(system, "the allowed velocities"):
        return _allowed(system)


def _allowed(system: System) -> Allowed:
    u, N = system.space.velocities, normals(system)
    Z, left = solved(system, N)
    if not left:
        raise InvalidValue("E114", "the constraints leave no velocity: no motion is left", "leave one of them out")
    names = [s.name for s in u]
    fields = {u[a].name: dict(zip(names, Z[:, j], strict=True)) for j, a in enumerate(left)}
    gamma = dict(zip(names, _drift(system, N), strict=True))
    rows = {c.name: dict(zip(names, e, strict=True)) for c, e in zip(system.constraints, _varied(system), strict=True)}
    return Allowed(system, fields, gamma, rows)


def _drift(system: System, N: sp.Matrix) -> list[sp.Expr]:
    """gamma with N gamma = -g: 0 in the velocities that are left."""
    rows, dependent = pivots(system, N)
    block, g = N.extract(rows, dependent), sp.Matrix([system.constraints[r].drift for r in rows])
    found = [sp.S.Zero] * N.cols
    for a, e in zip(dependent, -adjugate(block) * g / determinant(block), strict=True):
        found[a] = tidy(e)
    return found


def _varied(system: System) -> Iterator[list[sp.Expr]]:
    """E[phi^s]: no acceleration is in it, as phi is affine in the velocities."""
    motion = Motion(system.space.frame, Symbolic())
    for c in system.constraints:
        yield [tidy(e) for e in motion.euler_lagrange(c.phi).rest]


def _shown(X: Components) -> str:
    parts = [f"{name} = {e}" for name, e in X.items() if e != 0]
    return ", ".join(parts) or "0"
