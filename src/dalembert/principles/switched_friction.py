"""Dry friction of given sizes against velocities: the equations of all its modes in one, with switches as parameters.

Of n joints there are 3^n modes, and a motion meets many of them. With z_a = 0 where u^a sticks and 1 elsewhere, d_a the
sense of its slip and P_a the load, all of them are

    z_a W_ab z_b udot^b = z_a (f_a - mu_a P_a d_a) ,    of which the diagonal keeps W_aa ,

so that a velocity that sticks stays what it is, and the matrix is as definite as W. What holds it is W_ab udot^b - f_a.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ..calculus.algebra import Algebra
from ..calculus.graph import Graph, Node
from ..calculus.linear_systems import Factored, dot
from ..equations import Form
from ..equations.contact_modes import InMode, rests_of, sense_of
from ..errors import DalembertWarning
from ..event import Event
from ..model.contact import Contact
from ..model.contact_loads import Loads, loaded
from ..model.system import System
from .lagrange import LagrangeEquations, declared_walls
from .saddle import saddle

FEW = 3  # joints with dry friction, below which there are few modes, and each has its own equations


def switchable(bare: System, parts: Sequence[Contact]) -> bool:
    """Is all that touches dry friction against velocities, one each, that nothing else holds?"""
    slips = [part.slip for part in parts if part.load is not None and len(part.slip) == 1]
    along = {slip for (slip,) in slips} & set(bare.space.velocities)
    return len(along) == len(parts) >= FEW and not bare.constraints


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SwitchedEquations(LagrangeEquations):
    """The nonholonomic equations of all modes.

    Attributes:
        mode: the system with friction of what slides, before inputs were given.
        rests: of each velocity the name of the parameter that is 1 where it sticks; nothing where nothing rubs.
    """

    mode: System
    rests: tuple[str | None, ...]
    principle = "nonholonomic"
    heading = "{title}: nonholonomic, in all modes of its dry friction"
    formula = r"\mathrm{EL}_a(L) = Q_a"

    @cached_property
    def walls(self) -> tuple[Event, ...]:
        """The walls of the system."""
        return declared_walls(self.mode)

    def derive(self, algebra: Algebra) -> Form:
        """The form, in which what sticks is cut off from all else."""
        form, symbols = super().derive(algebra), self.system.symbols
        free = [1 if name is None else 1 - algebra.read(symbols[name]) for name in self.rests]
        W = [[e if a == b else free[a] * free[b] * e for b, e in enumerate(row)] for a, row in enumerate(form.W)]
        return Form(W, form.N, [z * e for z, e in zip(free, form.f, strict=True)], form.g)


def in_all_modes(
    bare: System, parts: Sequence[Contact], definite: bool, by: Mapping[str, sp.Expr], coefficients: Sequence[str]
) -> InMode:
    """The equations of all modes, and the forces in them.

    Args:
        bare: the system without contacts.
        parts: dry friction, of which `switchable` is true.
        definite: is the kinetic energy positive wherever it was tried?
        by, coefficients: formulas of inputs, and the names of their coefficients.
    """
    senses, rests = ({part.name: sp.Symbol(of(part.name), real=True) for part in parts} for of in (sense_of, rests_of))
    against = {part.slip[0]: -part.mu * part.load * senses[part.name] for part in parts}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        held = loaded(bare, against, Loads((), lambda _: ()))
    object.__setattr__(held, "symbols", {**held.symbols, **{s.name: s for s in rests.values()}})
    resting = {part.slip[0]: rests[part.name].name for part in parts}
    each = tuple(resting.get(u) for u in held.space.velocities)
    equations = SwitchedEquations(
        system=held, kept=(), definite=definite, metric_definite=definite, mode=held, rests=each
    )
    steered = equations.steered_by(by, coefficients) if by else equations
    algebra = (held.steered_by(by, coefficients) if by else held).over(Graph())
    form = saddle(held, held.lagrangian, (), algebra)
    cut = steered.derive(algebra)
    udot = Factored.of([list(row) for row in cut.W]).solve(cut.f)
    normal: dict[str, Node] = {}
    friction: dict[str, tuple[Node, ...]] = {}
    for part in parts:
        a = held.space.velocities.index(part.slip[0])
        normal[part.name] = algebra.read(part.load)
        held_by = algebra.read(rests[part.name]) * (dot(form.W[a], udot) - form.f[a])
        friction[part.name] = (algebra.read(against[part.slip[0]]) + held_by,)
    return InMode(steered, normal, friction)
