"""Examinations of constraints: their integrability and growth vector, their integrals, and where their rank drops.

`examine` asks, an `Examination` is the answer, as data and as text.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp

from ..answer import Answer, no, undecided, yes
from ..argument_checks import noun, public
from ..calculus.frame import TIME
from ..calculus.graph import live
from ..calculus.jacobians import each
from ..display import html
from ..errors import DalembertWarning, Note, WrongType, kind_of
from ..model.constraint import Constraint
from ..model.system import System
from . import identities
from .constraint_integrals import Integral, IntegralSearch
from .constraint_rank import Ranks, ranks, without_energy
from .pfaff import Growth, Pfaff
from .random_states import ConstraintSampler
from .rank_drops import Drop, drops

# --- the questions ----------------------------------------------------------------------------------------------------

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
        raise WrongType("E101", f"examine needs a System, not {kind_of(system)}", "da.System(space=..., ...)")
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
    rows = tuple(ExaminedConstraint(c.name, c.kind, None, None, none) for c in system.constraints)
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


def _together(growth: Growth, reach: Growth, rows: tuple[ExaminedConstraint, ...]) -> dict[str, Any]:
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
    found = IntegralSearch(system, held, pfaff, wanted, brief=brief).run() if wanted > 0 and reach.complete else ()
    return tuple(integral for integral in found if not with_input(integral.expression))


def _row(
    system: System,
    c: Constraint,
    pfaff: Pfaff,
    held: list[Constraint],
    decided: Ranks,
    found: tuple[Integral, ...],
    brief: bool,
) -> ExaminedConstraint:
    if c.holonomic:
        return ExaminedConstraint(c.name, c.kind, True, answer=yes("given on positions"))
    if c.kind == "nonlinear":
        return ExaminedConstraint(
            c.name, c.kind, None, answer=undecided("rows nonlinear in the velocities are not looked at")
        )
    alone = None if c in held else _alone(system, c, decided)
    rows, which = (pfaff, held.index(c)) if alone is None else (alone, 0)
    answer = rows.integrable(which)
    if not answer.value:
        return ExaminedConstraint(c.name, c.kind, answer.value, None, answer)
    own = next((i for i in found if i.constraints == (c.name,)), None)
    if own is None:
        search = IntegralSearch(system, [c], alone or _alone(system, c, decided), 1, brief=brief)
        own = next((integral for integral in search.run() if not with_input(integral.expression)), None)
    return ExaminedConstraint(c.name, c.kind, True, own, answer)


def _alone(system: System, c: Constraint, decided: Ranks) -> Pfaff:
    """This row by itself, on a graph of its own."""
    return Pfaff(ConstraintSampler(system), [system.constraints.index(c)], decided.states)


def _verdict(rows: tuple[ExaminedConstraint, ...], integrals: int, disguised: int, reach: Growth) -> str:
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


_WIDTH = 80
MORE = "da.examine(system)"


@dataclass(frozen=True)
class ExaminedConstraint:
    """One constraint.

    Attributes:
        name: its name.
        kind: ``"holonomic"`` (given on positions), ``"linear"``, ``"affine"`` or ``"nonlinear"`` in the velocities.
        integrable: is it, by itself, the rate of some f(t, q) times a factor? None for a nonlinear one, or undecided.
        integral: that f, where it was found.
        answer: the same with its reason, and a state that contradicts.
    """

    name: str
    kind: str
    integrable: bool | None
    integral: Integral | None = None
    answer: Answer = field(default_factory=yes)

    def __str__(self) -> str:
        if self.kind == "holonomic":
            return f"{self.name}: holonomic, given on positions"
        if self.kind == "nonlinear":
            return f"{self.name}: nonlinear in the velocities"
        if not self.integrable:
            known = "not integrable" if self.integrable is False else "not decided whether integrable"
            why = f": {self.answer.reason}" if self.integrable is None and self.answer.reason else ""
            return f"{self.name}: {self.kind}, {known} by itself{why}"
        found = f"{self.integral}" if self.integral else "its integral was not found in closed form"
        return f"{self.name}: {self.kind}, but holonomic in disguise: {found}"


DETERMINED = (
    "the constraints determine all velocities: they give the motion, and the multipliers are the forces it takes"
)


@noun
@dataclass(frozen=True)
class Examination:
    """What a set of constraints is.

    Attributes:
        title: of the system.
        verdict: ``"unconstrained"``, ``"holonomic"``, ``"holonomic in disguise"``, ``"partly integrable"``,
            ``"nonholonomic"``, ``"nonlinear"``, ``"contradictory"`` or ``"undecided"``.
        rows: the constraints, one by one.
        velocities: how many velocities the space has (k).
        rank: how many rows are independent.
        redundant: rows that follow from others: ``{name: {other: coefficient}}``, {} where coefficients vary.
        contradictory: names of rows that cannot hold together.
        hidden: are the normals dependent wherever the rows hold, though no row follows from the others? Then the rows
            say more than their rates do (vx = y and vx = x: y = x), and nothing else is decided.
        growth: the growth vector of the distribution D of velocities the (linear and affine) rows allow, () if there
            is none.
        growth_complete: False where the brackets grew over the budget, so that it may go on.
        generating: do the brackets of D span all velocities almost everywhere? None where that is undecided, as of
            rows with max() or abs(), which may do so on one side alone, or where all rows are nonlinear.
        integrals: integrals f(t, q) = const found, beyond the relations given on positions.
        integral_count: how many there are (at most, where `growth_complete` is False).
        distribution_integrable: is D integrable at fixed time?
        integrable_in_time: are the linear and affine rows together integrable, the time taken in? None without rows.
        drift_in_distribution: does the drift lie in D (that is, is no row affine)? None without rows.
        drops: where the rank was found to be lower; None where it was not looked for.
        without_energy: directions that a constraint holds but L gives no kinetic energy: ``{direction: constraints}``.
        equivalent: names of the equivalent set the system carries.
        decided: how it was decided.
        searched: were integrals looked for with all that `examine` does? False for what is found unasked.
    """

    title: str
    verdict: str
    rows: tuple[ExaminedConstraint, ...]
    velocities: int
    rank: int
    redundant: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    contradictory: tuple[str, ...] = ()
    hidden: bool = False
    growth: tuple[int, ...] = ()
    growth_complete: bool = True
    generating: bool | None = None
    integrals: tuple[Integral, ...] = ()
    integral_count: int = 0
    distribution_integrable: bool | None = None
    integrable_in_time: bool | None = None
    drift_in_distribution: bool | None = None
    drops: tuple[Drop, ...] | None = ()
    without_energy: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    equivalent: tuple[str, ...] = ()
    decided: str = ""
    searched: bool = True

    @property
    def holonomic(self) -> bool:
        """Are all constraints equivalent to relations between positions and time?"""
        return self.verdict in ("unconstrained", "holonomic", "holonomic in disguise")

    @property
    def answer(self) -> Answer:
        """Are all constraints equivalent to relations between positions and time?"""
        if self.verdict in ("undecided", "contradictory"):
            return undecided(self.decided)
        if self.verdict == "nonlinear":  # (vx - vy)^3 = 0 is one, and holonomic
            return undecided(next(r.answer.reason for r in self.rows if r.kind == "nonlinear"))
        if self.holonomic:
            return yes(self.verdict)
        against = next((r for r in self.rows if r.integrable is False), None)
        if against is None:
            return no(self.verdict)
        return no(f"{self.verdict}, for {against.name}: {against.answer.reason}", against.answer.witness)

    @property
    def data(self) -> dict[str, object]:
        """For programs: the answer, the verdict, and the rows with theirs where one is asked of them."""
        rows = {
            r.name: {"kind": r.kind} | ({"integrable": r.answer.data} if r.kind in ("linear", "affine") else {})
            for r in self.rows
        }
        whole = {"verdict": self.verdict, "holonomic": self.answer.data, "decided": self.decided, "rank": self.rank}
        return {**whole, "growth": list(self.growth), "generating": self.generating, "rows": rows}

    @property
    def determined(self) -> bool:
        """Do the constraints alone determine all velocities? Then the motion is q' = gamma(t, q)."""
        return bool(self.rows) and self.rank == self.velocities and not self.contradictory

    @property
    def affine(self) -> bool:
        """Is a row affine in the velocities, and not linear?"""
        return any(r.kind == "affine" for r in self.rows)

    @property
    def affine_holonomic(self) -> bool | None:
        """Holonomic as affine constraints: D integrable and the drift in D [lewis1995 2]; None without rows.

        Where the rows hold the time, D must be integrable with it: a line that turns is integrable at each instant,
        and still no relation between positions.
        """
        halves = self.distribution_integrable, self.integrable_in_time, self.drift_in_distribution is not False
        return False if False in halves else None if None in halves else True

    @property
    def degree(self) -> int | None:
        """Degree of nonholonomy: how many steps of brackets the growth takes (1: integrable); None if undecided."""
        return len(self.growth) if self.growth and self.growth_complete else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """The findings as coded notes."""
        if self.determined:
            return (Note("N114", DETERMINED),)
        found = [*self._integrable_notes(), *self._growth_notes(), *self._affine_notes()]
        found += [Note("N143", f"the constraints have {d}, elsewhere {self.rank}") for d in self.drops or ()]
        return tuple(found)

    def _integrable_notes(self) -> list[Note]:
        agree = "nonholonomic and vakonomic then agree for suitable lam(0)"
        disguised = [r for r in self.rows if r.integrable and r.kind in ("linear", "affine")]
        found = []
        for r in disguised:
            what = f"equivalent to {r.integral}" if r.integral else f"its integral was not {self._sought}"
            found.append(
                Note("N116", f"{r.name} is integrable: {what}; {agree if len(self.rows) == 1 else ''}".rstrip("; "))
            )
        alone = {r.name for r in disguised}
        for i in self.integrals:
            if not set(i.constraints) <= alone or len(i.constraints) > 1:
                found.append(Note("N116", f"{', '.join(i.constraints)} together are integrable: {i}"))
        hidden = self.integral_count - len(self.integrals) - sum(r.integral is None for r in disguised)
        if hidden > 0 and self.growth_complete:
            found.append(Note("N116", f"{hidden} more integral(s) exist, not {self._sought}"))
        return found

    @property
    def _sought(self) -> str:
        return "found in closed form" if self.searched else f"looked for: {MORE} does"

    def _growth_notes(self) -> list[Note]:
        if self.verdict not in ("nonholonomic", "partly integrable") or not self.growth:
            return []
        return [Note("N141", self._growth_text())]

    def _growth_text(self) -> str:
        vector = ", ".join(map(str, self.growth)) + ("" if self.growth_complete else ", ...")
        if self.generating:
            near = ": around almost every configuration all that are near can be reached"
            tail = "bracket-generating" + ("" if self.affine else near)
        elif self.growth[-1] == self.velocities:
            tail = "at some configurations: it may be shorter on other sides of where the rows switch"
        elif self.generating is None:
            tail = f"brackets of higher order were not {'decided' if 'not decided' in self.decided else 'computed'}"
        elif self._fills_positions:
            tail = "bracket-generating on the positions allowed"
        else:
            tail = f"not bracket-generating in {self.velocities} velocities"
        return f"growth vector ({vector}), {tail}"

    @property
    def _fills_positions(self) -> bool:
        """Do the brackets span all velocities that the relations given on positions (and no others) allow?"""
        given = sum(r.kind == "holonomic" and r.name not in self.redundant for r in self.rows)
        return 0 < given == self.velocities - self.growth[-1] < self.rank

    def _affine_notes(self) -> list[Note]:
        if not self.affine or self.distribution_integrable is None or self.determined:
            return []
        D = "integrable" if self.distribution_integrable else "not integrable"
        gamma = "does" if self.drift_in_distribution else "does not"
        holds = "holonomic" if self.affine_holonomic else "not holonomic"
        return [Note("N142", f"D is {D}, the drift {gamma} lie in D: {holds} as an affine constraint")]

    def __str__(self) -> str:
        head = f"{self.title or 'System'}: {self.verdict}"
        dependent = f"rank {self.rank} of {len(self.rows)} constraints on {self.velocities} velocities"
        lines = [head, *(f"  {r}" for r in self.rows), *([f"  {dependent}"] if self.rows else [])]
        lines += [f"  {_tie(name, parts)}" for name, parts in self.redundant.items()]
        if self.contradictory:
            lines.append(f"  {', '.join(self.contradictory)} cannot be satisfied")
        if self.hidden:
            lines.append("  wherever they hold their normals are dependent, and yet none follows from the others")
        if self.determined:
            lines.append(f"  {DETERMINED}")
        elif self.growth and self.rows:
            lines.append(f"  {self._growth_text()}")
        together = [i for i in self.integrals if not any(r.integral == i for r in self.rows)]
        lines += [f"  integral of {', '.join(i.constraints)} together: {i}" for i in together]
        if self.integral_count > len(self.integrals) and not self.determined:
            lines.append(f"  {self.integral_count - len(self.integrals)} integral(s) not found in closed form")
        lines += [f"  {n.text}" for n in self._affine_notes()]
        lines += [f"  {d}, elsewhere {self.rank}" for d in self.drops or ()]
        lines += ["  where the rank drops was not searched: too many constraints"] if self.drops is None else []
        lines += [
            f"  ({direction}) is constrained by {', '.join(names)} but carries no kinetic energy"
            for direction, names in self.without_energy.items()
        ]
        lines += [f"  equivalent set in use: {', '.join(self.equivalent)}"] if self.equivalent else []
        lines += [f"  decided: {self.decided}"]
        return "\n".join(part for line in lines for part in wrap(line, _WIDTH, subsequent_indent="    "))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)


def _tie(name: str, parts: Mapping[str, float]) -> str:
    if not parts:
        return f"{name} follows from the others"
    terms = [
        f"{round(c, 9):+g} {other}".replace("1 ", "1*").replace("+1*", "+ ").replace("-1*", "- ")
        for other, c in parts.items()
        if abs(c) > 1e-9
    ]
    return f"{name} is redundant: {name} = {' '.join(terms).removeprefix('+ ').removeprefix('+')}"
