"""Inputs: symbols of a system whose values are given at run time, as functions of time.

They stand among the symbols beside the parameters. Where one is given by a formula, the system is `steered`: its
expressions are read with the formula in the input's place, before anything is derived, so that rates and work of what
moves in constraints and the Lagrangian come out right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

import sympy as sp

from ..argument_checks import names
from ..calculus.algebra import GraphAlgebra, Symbolic
from ..calculus.euler_lagrange import Motion
from ..calculus.graph import Graph, Node, symbols
from ..calculus.symbols import put
from ..errors import InvalidValue, UnknownName, as_given
from ..errors.remedies import Option
from .names import check_name

if TYPE_CHECKING:
    from .system import System


class Steered(GraphAlgebra):
    """An algebra that reads inputs as what they stand for."""

    def __init__(self, graph: Graph, by: Mapping[str, sp.Expr]) -> None:
        super().__init__(graph)
        self.by = by

    def read(self, expression: sp.Expr | int) -> Node:
        """The expression as a node, each input replaced."""
        node: Node = super().read(expression)
        if not self.by or not isinstance(expression, sp.Basic):
            return node
        if self.by.keys().isdisjoint(s.name for s in expression.free_symbols):
            return node
        put = [self.graph.symbol(name) for name in self.by]
        found: Node = self.substitute([node], put, [super(Steered, self).read(e) for e in self.by.values()])[0]
        return found


class SteeredSymbolic(Symbolic):
    """An algebra of SymPy's expressions that reads inputs as what they stand for."""

    def __init__(self, by: Mapping[str, sp.Expr]) -> None:
        super().__init__()
        self.by = by

    def read(self, expression: sp.Expr | int) -> sp.Expr:
        """The expression, each input replaced."""
        return put(super().read(expression), self.by)


def read_inputs(given: object, parameters: Collection[str]) -> tuple[str, ...]:
    """Names of inputs, ``"tau_l tau_r"`` or a list.

    Raises:
        WrongType: E182, they are given otherwise.
        InvalidValue: E103, an input is a parameter too, or named twice.
    """
    found = tuple(check_name(name, "an input") for name in names(given, "inputs", "E182", some=False))
    for i, name in enumerate(found):
        if name in parameters:
            fact = f"{as_given(name)} is an input and also a parameter"
            raise InvalidValue("E103", fact, f"leave {name} out of one of the two", subject=("inputs", name))
        if name in found[:i]:
            raise InvalidValue(
                "E103", f"inputs name {as_given(name)} twice", "name each once", subject=("inputs", name)
            )
    return found


def refuse_missing(system: System, values: Mapping[str, object]) -> None:
    """E180: an input that the system uses has no value."""
    missing = [name for name in system.inputs if name in system.symbols and name not in values]
    if missing:
        raise UnknownName(
            "E180",
            f"no value for the input{'s' if len(missing) > 1 else ''} {', '.join(missing)} "
            f"(used in {system.used_in.get(missing[0], 'the system')})",
            ("give ", Option("inputs", dict.fromkeys(missing, 0.0))),
            subject=("inputs", missing[0]),
        )


def steered(system: System, by: Mapping[str, sp.Expr], coefficients: Iterable[str]) -> System:
    """The system with inputs given by formulas in t, states, parameters and coefficients, which are parameters then."""
    twin = object.__new__(type(system))
    for part in fields(system):
        object.__setattr__(twin, part.name, getattr(system, part.name))
    known = {name: symbol for name, symbol in system.symbols.items() if name not in by}
    known |= {name: sp.Symbol(name, real=True) for name in coefficients}
    known |= {s.name: s for e in by.values() for s in e.free_symbols if s.name in system.parameters}
    object.__setattr__(twin, "symbols", known)
    object.__setattr__(twin, "steered", dict(by))
    return twin


def shaping(system: System) -> dict[str, str]:
    """Inputs that consistent states depend on, and where they stand: those of constraints and of momenta."""
    motion, own = Motion.of(system.space.frame, system.algebra), set(system.inputs)
    momenta = motion.algebra.gradient(system.algebra.read(system.lagrangian), motion.u)
    found = dict.fromkeys(symbols(momenta) & own, "the momenta of L")
    for c in (*system.constraints, *system.equivalent):
        found |= dict.fromkeys(system.names_in([c.given]) & own, f"the constraint {c.name}")
    return found


def moving_gaps(system: System) -> dict[str, str]:
    """Inputs that move a surface of a contact, and which: with these a gap, or its rate, would jump."""
    own = set(system.inputs)
    return {name: f"the gap of {c.name}" for c in system.contacts for name in system.names_in([c.gap]) & own}
