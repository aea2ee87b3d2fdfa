"""What the literature knows about a system, as data that tests check.

Every gallery file states `SOURCE` (a key of references.bib), `STARTS` (``{name: values}`` for `Equations.start`; the
first is `START`, or holds it), `FACTS` and ``system(...)``. Where the motion is known in closed form there are also
`EXACT` (names of columns) and ``exact(t, start, parameters)``, which carries the values of these columns at t = 0 to
the times t; where it is not, `UNSOLVED` says what of it is. A file with more than one system lists the others in
`VARIANTS`; one whose motion is fast may say in `SPAN` over what time the principles are compared, and one whose numbers
are not in base SI says in `UNITS` in which units its lengths and masses are, and one whose parameters follow from
others unless they are given, as the moment of inertia of a homogeneous ball does, says how in `FOLLOWS`, ``{name:
formula}``. A system with contacts has no vakonomic rival, which refuses them: its facts say nothing of where principles
agree, and say in `modes` how its contacts change while it runs, over `SPAN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

Starts = Mapping[str, Mapping[str, object]]
Expressions = Mapping[str, sp.Expr]


@dataclass(frozen=True)
class Facts:
    """Facts about a system with the parameters it has by default.

    Attributes:
        kinds: kind of each constraint as it is written: ``"holonomic"``, ``"linear"``, ``"affine"``, ``"nonlinear"``.
        growth: growth vector of the distribution D of velocities that the homogeneous constraints allow, at a generic
            point: dimensions of D, D + [D, D], ... until they stay; empty where a constraint is nonlinear, or
            there is none.
        generating: does D reach every direction by brackets?
        integrals: ``{name: f(t, q)}`` that constraints keep constant on every path, whatever the principle.
        conserved: ``{name: expression}`` constant along nonholonomic motions, besides the energy.
        vakonomic: the same along vakonomic motions; multipliers ``lam_<constraint>`` may occur.
        agree: for each start: does the nonholonomic motion solve the vakonomic equations for some lam(0)?
        coincide: ``"always"``, ``"sometimes"`` or ``"never"``: the same for all starts but rest.
        where: the starts that agree, if only some do: alternatives, each a list of expressions that vanish.
        multipliers: ``{"lam_<constraint>": expression}`` a lam(0) for which they agree.
        principle: the principle that `exact` belongs to.
        modes: for each start of a system with contacts: the changes of these in the time `SPAN` of the file, each a
            contact and what it does from then on, such as ``("floor", "sticks")``.
    """

    kinds: Mapping[str, str]
    growth: tuple[int, ...]
    generating: bool
    integrals: Expressions = field(default_factory=dict)
    conserved: Expressions = field(default_factory=dict)
    vakonomic: Expressions = field(default_factory=dict)
    agree: Mapping[str, bool] = field(default_factory=dict)
    coincide: str = "sometimes"
    where: Sequence[Sequence[sp.Expr]] = ()
    multipliers: Expressions = field(default_factory=dict)
    principle: str = "nonholonomic"
    modes: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """Another system of the same file: ``system(**options)``, its starts and facts; is `exact` its motion too?"""

    options: Mapping[str, Any]
    starts: Starts
    facts: Facts
    exact: bool = False


def multiplier(constraint: str) -> sp.Symbol:
    """The symbol of a multiplier, ``lam_<constraint>``."""
    return sp.Symbol(f"lam_{constraint}", real=True)
