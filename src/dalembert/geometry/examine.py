"""Examine constraints: their integrability and growth vector, their integrals, and where their rank drops."""

from __future__ import annotations

import warnings
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp

from ..answer import undecided, yes
from ..calculus.frame import TIME
from ..calculus.graph import live
from ..calculus.slopes import each
from ..errors import DalembertWarning, WrongType
from ..given import public
from ..model.constraint import Constraint
from ..model.system import System
from . import identities
from .drops import drops
from .examination import Examination, Row
from .integrals import Integral, Search
from .pfaff import Growth, Pfaff
from .ranks import Ranks, ranks, without_energy
from .states import ConstraintSampler

_ORDER, _MARK = 3, "input__"

SMALL = 600  # nodes of the constraints' normals up to which they are looked at without being asked
_KNOWN: WeakKeyDictionary[System, Examination] = WeakKeyDictionary()
_GLANCED: WeakKeyDictionary[System, Examination] = WeakKeyDictionary()


@public
def examine(system: System) -> Examination:
    """Decide what the constraints of a system are.

    For each row: holonomic, linear, affine or nonlinear in the velocities, integrable by itself or not. For all of
    them: rank, redundant and contradictory rows, growth vector, integrals f(t, q) = const where they can be found,
    states at which the rank drops, constrained velocities without kinetic energy. For affine rows: whether D is
    integrable and whether the drift lies in D [lewis1995 2].

    Inputs in constraints are functions of time of which nothing is known; integrals with one are counted, not shown.

    Integrability, growth and integrals are decided exactly, at points modulo a prime on the constraints, with numbers
    as they were written; a rank that holds at random states holds almost everywhere. What neither shows is undecided.

    Raises:
        WrongType: E101, not a system.
    """
    if not isinstance(system, System):
        raise WrongType("E101", f"examine needs a System, not {type(system).__name__}", "da.System(space=..., ...)")
    if system not in _KNOWN:
        _KNOWN[system] = _examine(driven(system))
    return _KNOWN[system]


def glance(system: System) -> Examination | None:
    """What `examine` found, if it was asked before; else what a small budget of work finds, None if it is too small.

    The work is bounded by the size of the constraints, not by a clock: searches by quadrature are made in rows of few
    operations only.
    """
    if system in _KNOWN or system in _GLANCED:
        return _KNOWN.get(system) or _GLANCED[system]
    given, system = system, driven(system)
    sampler = ConstraintSampler(system)
    seen: set[int] = set()
    for row in each(sampler.normals):  # no further than needed: rows of long chains take their time
        seen.update(live(row))
        if len(seen) > SMALL:
            return None
    _GLANCED[given] = _examine(system, brief=True)
    return _GLANCED[given]


def _examine(system: System, brief: bool = False) -> Examination:
    decided = ranks(system)
    common: dict[str, Any] = {
        "title": system.title,
        "velocities": len(system.space.velocities),
        "rank": decided.rank,
        "equivalent": tuple(c.name for c in system.equivalent),
        "decided": _how(decided),
    }
    apart = _apart(system, decided)
    if decided.contradictory or not decided.states or decided.hidden or decided.unseen or apart:
        return Examination(**{**common, **_undecided(system, decided, apart)})
    return Examination(**{**common, **_decided(system, decided, brief)})


def _apart(system: System, decided: Ranks) -> list[str]:
    """Rows that follow from those kept on this side of where they switch, and perhaps not on another."""
    left = [i for i in range(len(system.constraints)) if i not in decided.kept]
    if not left:
        return []
    sampler, names = ConstraintSampler(system), [c.name for c in system.constraints]
    N = sampler.normals
    if not identities.switches(N, sampler):
        return []
    kept = [N[i] for i in decided.kept]
    return [names[i] for i in left if not identities.decided([*kept, N[i]], sampler, names[i]).value]


def _undecided(system: System, decided: Ranks, apart: list[str]) -> dict[str, Any]:
    """Findings where the rows contradict each other, or where their ranks say nothing of the motion."""
    none = undecided("the rows together say nothing of a motion")
    rows = tuple(Row(c.name, c.kind, None, None, none) for c in system.constraints)
    if decided.contradictory:
        return {"verdict": "contradictory", "rows": rows, "contradictory": decided.contradictory}
    if not decided.states:
        return {"verdict": "undecided", "rows": rows, "decided": "no random state gave finite numbers"}
    if decided.unseen:
        where = f"{_how(decided)}, where some differ from others by less than rounding"
        return {"verdict": "undecided", "rows": rows, "decided": where}
    if apart:
        where = f"{_how(decided)}, where {', '.join(apart)} follows from the others; where rows switch it may not"
        return {"verdict": "undecided", "rows": rows, "decided": where}
    return {"verdict": "undecided", "rows": rows, "hidden": True, "rank": decided.seen}


def _decided(system: System, decided: Ranks, brief: bool) -> dict[str, Any]:
    """Findings where independent rows are known: their integrability, their growth, where their rank drops."""
    sampler = ConstraintSampler(system)  # on a graph of its own: the budget of brackets counts the nodes on it
    linear = [i for i in decided.kept if system.constraints[i].kind != "nonlinear"]
    pfaff = Pfaff(sampler, linear, decided.states)
    held = [system.constraints[i] for i in linear]
    growth = pfaff.growth(False)
    reach = pfaff.growth(True) if pfaff.moving else growth
    found = _integrals(system, held, pfaff, reach, brief)
    rows = tuple(_row(system, c, pfaff, held, decided, found, brief) for c in system.constraints)
    missing = _missing(held, pfaff, reach)
    verdict = _verdict(rows, missing, len(held) - sum(c.holonomic for c in held), reach)
    unsure = (r.answer.reason for r in rows if r.answer.value is None and r.kind != "nonlinear")
    why = reach.undecided or growth.undecided or next(unsure, "")
    return {
        "verdict": verdict,
        **({"decided": f"{_how(decided)}; not decided: {why}"} if why else {}),
        "rows": rows,
        "redundant": decided.ties,
        "growth_complete": growth.complete and reach.complete,
        "searched": not brief,
        "generating": _generating(growth, pfaff) if held or not rows else None,
        "integrals": found,
        "integral_count": max(missing, len(found)) if reach.complete else len(found),
        **(_together(growth, reach, rows) if held else {}),
        "drops": drops(sampler, system.constraints, decided.kept),
        "without_energy": without_energy(system, decided),
    }


def _together(growth: Growth, reach: Growth, rows: tuple[Row, ...]) -> dict[str, Any]:
    """Findings on all the rows of the Pfaffian system at once."""
    return {
        "growth": growth.vector,
        "distribution_integrable": growth.integrable,
        "integrable_in_time": reach.integrable,
        "drift_in_distribution": not any(r.kind == "affine" for r in rows),
    }


def _missing(held: list[Constraint], pfaff: Pfaff, reach: Growth) -> int:
    """How many integrals there are beside the relations between positions."""
    return pfaff.width - (not pfaff.moving) - reach.vector[-1] - sum(c.holonomic for c in held)


def _generating(growth: Growth, pfaff: Pfaff) -> bool | None:
    if growth.vector[-1] == pfaff.width - 1:
        # on the one side of max() or abs() brackets may be what they are not on the other
        return None if len(growth.vector) > 1 and identities.switches(pfaff.omega, pfaff.sampler) else True
    return False if growth.complete else None


def _integrals(
    system: System, held: list[Constraint], pfaff: Pfaff, reach: Growth, brief: bool
) -> tuple[Integral, ...]:
    wanted = _missing(held, pfaff, reach)
    found = Search(system, held, pfaff, wanted, brief=brief).run() if wanted > 0 and reach.complete else ()
    return tuple(integral for integral in found if not with_input(integral.expression))


def _row(
    system: System,
    c: Constraint,
    pfaff: Pfaff,
    held: list[Constraint],
    decided: Ranks,
    found: tuple[Integral, ...],
    brief: bool,
) -> Row:
    if c.holonomic:
        return Row(c.name, c.kind, True, answer=yes("given on positions"))
    if c.kind == "nonlinear":
        return Row(c.name, c.kind, None, answer=undecided("rows nonlinear in the velocities are not looked at"))
    alone = None if c in held else _alone(system, c, decided)
    rows, which = (pfaff, held.index(c)) if alone is None else (alone, 0)
    answer = rows.integrable(which)
    if not answer.value:
        return Row(c.name, c.kind, answer.value, None, answer)
    own = next((i for i in found if i.constraints == (c.name,)), None)
    if own is None:
        search = Search(system, [c], alone or _alone(system, c, decided), 1, brief=brief)
        own = next((integral for integral in search.run() if not with_input(integral.expression)), None)
    return Row(c.name, c.kind, True, own, answer)


def _alone(system: System, c: Constraint, decided: Ranks) -> Pfaff:
    """This row by itself, on a graph of its own."""
    return Pfaff(ConstraintSampler(system), [system.constraints.index(c)], decided.states)


def _verdict(rows: tuple[Row, ...], integrals: int, disguised: int, reach: Growth) -> str:
    """In one word; `disguised` counts independent rows on velocities, `integrals` those of them that integrate."""
    if not rows:
        return "unconstrained"
    if any(r.kind == "nonlinear" for r in rows):
        return "nonlinear"
    if not disguised:
        return "holonomic"
    if reach.integrable is None:
        return "undecided"
    if not reach.complete or not integrals:
        return "nonholonomic"
    return "holonomic in disguise" if integrals == disguised else "partly integrable"


def _how(decided: Ranks) -> str:
    return f"at {len(decided.states)} random states" + ("" if decided.held else ", none of them on the constraints")


# --- inputs of constraints as functions of time of which nothing is known ---------------------------------------------

#     w = w_0 + w_1 t + w_2 t^2 + w_3 t^3
#
# at random coefficients: what is decided of constraints by derivatives up to the third, is decided of any input.


def driven(system: System) -> System:
    """The system whose constraints hold no inputs, but such functions in their places; itself where none does."""
    rows = [c.given for c in (*system.constraints, *system.equivalent)]
    names = system.names_in(rows) & {*system.inputs} if rows else set()
    if not names:
        return system
    symbols = {s for row in rows for s in row.free_symbols if s.name in names}
    by = {s: sum(sp.Symbol(f"{_MARK}{s.name}_{k}", real=True) * TIME**k for k in range(_ORDER + 1)) for s in symbols}

    def put(kind: str) -> dict[str, sp.Expr]:
        return {c.name: c.given.xreplace(by) for c in getattr(system, kind)}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # said when the system was made
        return system.changed(constraints=put("constraints"), equivalent=put("equivalent") or None)


def with_input(e: sp.Expr) -> bool:
    """Does an expression hold such a function?"""
    return any(s.name.startswith(_MARK) for s in e.free_symbols)
