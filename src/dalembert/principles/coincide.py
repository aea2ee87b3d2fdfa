"""When do nonholonomic motions solve the vakonomic equations, and from which multipliers?

Two layers. In numbers, at random states: the Taylor series of the motion give all linear conditions on lam(0)
(`substitution`); this decides about almost every state and about each single one. Exactly: the conditions are made
invariant under the motion and split into branches (`branches`); each branch is then tried in numbers at a state on it.

Sources: [lewis1995 Section 2, Proposition 2.8 and Lemma 3.1], [cardin1996]; the sign is that of L - lam phi.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from .. import argument_checks as door
from ..answer import Answer
from ..argument_checks import noun, public
from ..calculus.budget import budget
from ..calculus.frame import TIME
from ..calculus.quantity import number
from ..equations import Equations, Start
from ..equations.contact_modes import refuse_contacts
from ..equations.start_completion import state_of
from ..errors import InvalidValue, Singular
from ..errors.remedies import Call
from ..geometry.random_states import ConstraintSampler
from ..model.system import System
from ..spelling import Multipliers
from .coincidence_branches import Outcome, Solved, vakonomic_branches
from .nonholonomic import nonholonomic
from .vakonomic import vakonomic
from .vakonomic_substitution import Assumed, Matching, SubstitutedEquations, matching, met, tried, vanishing

WORK = 32_000  # terms of polynomials; the ball on a turntable needs 28,000
_STATES, _TRIES = 6, 40
_OPERATIONS = 400_000  # graph nodes times Taylor coefficients, in what is decided at random states
_SPARE, _MOST = 5, 12
ALWAYS, CONDITIONS, NEVER, UNDECIDED = "always", "conditions", "never", "undecided"
WIDTH = 80


@dataclass(frozen=True)
class Coincident:
    """One branch of states whose nonholonomic motions solve the vakonomic equations.

    Attributes:
        conditions: expressions in t, q, u that vanish along the motion; none where the branch holds every motion.
        multipliers: ``{lam_<constraint>: expression}``: initial values that are determined.
        relations: expressions with multipliers that vanish, where they cannot be solved without a division.
        free: multipliers that are not determined.
        freedom: how many of these may be chosen.
        parameters: conditions on parameters alone; the branch belongs to systems whose parameters satisfy them.
        exceptions: expressions; the branch is claimed where they do not vanish.
        at_rest: do all velocities vanish on it?
        resting: the coordinates apart from rotations, where these do not move but a rotation may.
        here: do the system's parameters satisfy the conditions on parameters?
        confirmed: was it tried in numbers at a state on it, and did it hold?
        determined: do the vakonomic equations determine the motion with this lam(0)? With nonlinear constraints their
            matrix can be singular: the nonholonomic motion then solves them, and others do too.
    """

    conditions: tuple[sp.Expr, ...]
    multipliers: Mapping[sp.Symbol, sp.Expr]
    relations: tuple[sp.Expr, ...] = ()
    free: tuple[sp.Symbol, ...] = ()
    freedom: int = 0
    parameters: tuple[sp.Expr, ...] = ()
    exceptions: tuple[sp.Expr, ...] = ()
    at_rest: bool = False
    resting: tuple[sp.Symbol, ...] = ()
    here: bool = True
    confirmed: bool = True
    determined: bool = True

    @property
    def unique(self) -> bool:
        """Is there only one lam(0)?"""
        return not self.freedom

    @property
    def title(self) -> str:
        """The branch in words: which motions, of which systems."""
        place = " and ".join(f"{_equation(p)}" for p in self.parameters)
        motions = "motions with" if self.conditions else "every motion"
        if self.resting:
            motions = f"rest of {', '.join(map(str, self.resting))}"
        if self.at_rest:
            motions = "rest"
        told = f"if {place}: " if place else ""
        return told + motions + ("" if self.here else " (not with these values)")

    def lines(self) -> list[str]:
        """The branch as lines of text."""
        found = [_equation(c) for c in self.conditions]
        found += [f"where {e} is not 0" for e in self.exceptions]
        found += [f"{s}(0) = {e}" for s, e in self.multipliers.items()]
        found += [f"{e} = 0" for e in self.relations]
        names = ", ".join(f"{s}(0)" for s in self.free)
        if self.freedom == len(self.free) > 0:
            found.append(f"{names} may be chosen")
        elif self.freedom:
            found.append(f"{self.freedom} of {names} may be chosen")
        found += [] if self.determined else ["the vakonomic equations have other solutions too: they are singular"]
        return found if self.confirmed else [*found, "not confirmed in numbers"]

    def __str__(self) -> str:
        return "\n".join([self.title, *(_wrapped(line, "  ") for line in self.lines())])

    __repr__ = __str__


@noun
@dataclass(frozen=True, eq=False)
class Coincidence:
    """When the nonholonomic motions of a system solve its vakonomic equations.

    Attributes:
        system: the system.
        verdict: ``"always"`` (from almost every state, exactly), ``"conditions"`` (from special states only),
            ``"never"`` (exactly) or ``"undecided"``; `answer` is that on every motion.
        branches: the special motions, the widest branch first; those of other parameter values come last.
        unique: with verdict ``"always"``: is lam(0) unique at almost every state?
        proven: does an exact computation say so? Otherwise random states contradict that every motion is.
        samples: how many random states were decided in numbers.
        complete: are the branches all there are? Otherwise `reason` says what was left out.
        reason: see there.
        aborted: what the clock stopped, if it did: then the exact search found nothing, and might elsewhere.
    """

    system: System
    verdict: str
    branches: tuple[Coincident, ...]
    unique: bool
    proven: bool
    samples: int
    complete: bool
    reason: str = ""
    aborted: str = ""
    substitution: SubstitutedEquations | None = field(default=None, repr=False)

    @property
    def answer(self) -> Answer:
        """Is every nonholonomic motion vakonomic, from almost every state?"""
        value = {ALWAYS: True, UNDECIDED: None}.get(self.verdict, False)
        return Answer(value, self.sentence)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence; before it, what was aborted."""
        stopped = f"{self.aborted[0].upper()}{self.aborted[1:]}. " if self.aborted else ""
        return stopped + self._verdict

    @property
    def _verdict(self) -> str:
        name = self.system.title or "this system"
        how = "" if self.proven else f" (as {self.samples} random states contradict)"
        if not self.system.constraints:
            return f"{name} has no constraint: both principles are the same."
        if self.verdict == ALWAYS:
            lam = "with one lam(0) each" if self.unique else "with more than one lam(0)"
            return f"Every nonholonomic motion of {name} is vakonomic, {lam}."
        if self.verdict == NEVER:
            return f"No nonholonomic motion of {name} is vakonomic, whatever lam(0) is."
        here = [b for b in self.branches if b.here]
        if self.verdict == UNDECIDED:
            tried = f"those from {self.samples} random states are, and no identity was found"
            why = tried if self.samples else "it is beyond floating point"
            return f"Whether every nonholonomic motion of {name} is vakonomic is not decided: {why}."
        if not here:
            some = "Not every" if self.substitution is None or self.substitution.pieces else "Almost no"
            return f"{some} nonholonomic motion of {name} is vakonomic{how}; special ones were not found."
        kinds = f"{len(here)} kinds of them are" if len(here) > 1 else "one kind of them is"
        rest = " (rest)" if all(b.at_rest for b in here) else ""
        return f"Only special nonholonomic motions of {name} are vakonomic: {kinds} known{rest}."

    def lam(self, state: object, parameters: Mapping[Any, Any] | None = None) -> Multipliers[float]:
        """A matching lam(0), by name, at a state: the one of least size where there are more.

        Args:
            state: a `Start` of the nonholonomic equations, or values that complete one.
            parameters: values that replace the system's.

        Raises:
            InvalidValue: E243, the motion through this state solves the vakonomic equations for no lam(0).
            Singular: E244, floating point does not decide it (a great many multipliers).
            DalembertError: what `Equations.start` raises.
        """
        if self.substitution is None:
            return Multipliers()
        equations = self.substitution.equations
        start = state_of(equations, state, parameters)
        found = self.match(start)
        if not found.decided:
            raise Singular(
                "E244",
                "whether the motion through this state is vakonomic is beyond floating point: the conditions on lam(0) "
                "are too nearly dependent",
                "try a smaller system of the kind",
            )
        if not found.exists:
            raise InvalidValue(
                "E243",
                "the motion through this state is vakonomic for no lam(0): the conditions are left with "
                f"{found.residual:.2g} of their terms",
                ("start on one of the branches: ", Call("coincide", "system")),
            )
        return found.multipliers

    def match(self, state: object, parameters: Mapping[Any, Any] | None = None) -> Matching:
        """lam(0) with its residual and the directions in which it is free; nothing is refused."""
        if self.substitution is None:
            return Matching(np.zeros(0), np.zeros((0, 0)), 0.0)
        start = state_of(self.substitution.equations, state, parameters)
        return self.substitution.at({**start.parameters, **start.state, TIME.name: start.t})

    def start(
        self, *, t: float = 0.0, parameters: Mapping[Any, Any] | None = None, project: str | None = None, **given: Any
    ) -> Start:
        """A start of the vakonomic equations whose motion is the nonholonomic one.

        Multipliers that are given are kept where they match; the others follow.

        Raises:
            InvalidValue: E243, there is no matching lam(0), or not with the multipliers given.
            DalembertError: what `Equations.start` raises.
        """
        rival = vakonomic(self.system)
        names = {s.name for s in rival.states_of_multipliers}
        chosen = {k: number(v, k) for k, v in given.items() if k in names}
        given = {k: v for k, v in given.items() if k not in names}
        equations = nonholonomic(self.system) if self.substitution is None else self.substitution.equations
        real = equations.start(t=t, parameters=parameters, project=project, **given)
        lam = self.lam(real)
        lam = _nearest(lam, chosen, self.match(real)) if chosen else lam
        values: dict[str, Any] = {**real.state, **lam}
        return rival.start(t=real.t, parameters=real.parameters, **values)

    def __str__(self) -> str:
        lines = [_wrapped(self.sentence, "")]
        for i, b in enumerate(self.branches, 1):
            lines.append(_wrapped(f"{i}. {b.title}", "  "))
            lines += [_wrapped(line, "       ") for line in b.lines()]
        if self.reason:
            lines.append(_wrapped(f"note: the branches may not be all: {self.reason}", "  "))
        return "\n".join(lines)

    __repr__ = __str__


@public
def coincide(system: System, *, work: float = WORK) -> Coincidence:
    """The conditions under which nonholonomic motions solve the vakonomic equations, and the matching lam(0).

    Args:
        system: the system. Parameters without a value get random positive ones in what is decided in numbers.
        work: how much the exact search for branches may do, counted in terms of polynomials, so that it finds the same
            on every machine; 10,000 take about a second. Where it ends early the result says so. The CPU time in
            ``System(limits=...)`` aborts it: then the first sentence says so, and no branch is found.

    Returns:
        A `Coincidence`; its `lam` and `start` give the multipliers at a state.

    Raises:
        InvalidValue: E139, the system has contacts, which vakonomic motions have not.
        DalembertError: what `nonholonomic` raises for a system that determines no motion.
    """
    work = door.number(work, "work", "E307", least=0)
    equations = nonholonomic(system)
    refuse_contacts(equations, "vakonomic motions have no contacts")
    if not system.constraints:
        every = Coincident((), {})
        return Coincidence(system, ALWAYS, (every,), unique=True, proven=True, samples=0, complete=True)
    substitution = SubstitutedEquations(equations, _levels(equations))
    samples = list(_matches(substitution, ConstraintSampler(system)))
    outcome = _searched(equations, work)
    divided, stays = vanishing(outcome.assumed, substitution)
    tried = (_tried(s, substitution, divided) for s in outcome.branches)
    branches = _sorted([b for b in tried if b is not None])
    if stays:
        told = f"motions along which {' or '.join(map(str, stays[:4]))} stays 0 were not searched"
        outcome = replace(outcome, unfinished="; ".join(filter(None, (outcome.unfinished, told))))
    return _concluded(system, substitution, samples, outcome, branches)


def _searched(equations: Equations, work: float) -> Outcome:
    """What the exact search finds; nothing, where the clock or the memory ends it."""
    try:
        with budget("the exact search for branches", "", equations.system.limits):
            return vakonomic_branches(equations, work)
    except InvalidValue as stopped:
        if stopped.code != "E136":
            raise
        return Outcome((), "they were not searched to the end", stopped.fact)


def _concluded(
    system: System,
    substitution: SubstitutedEquations,
    samples: list[Matching],
    outcome: Outcome,
    branches: list[Coincident],
) -> Coincidence:
    """The verdict from the random states and the exact search together."""
    wide = [b for b in branches if b.here and not b.conditions and b.confirmed]
    complete, against = not outcome.unfinished, not all(m.exists for m in samples)
    if wide and not against:
        verdict = ALWAYS
    elif complete and (against or any(b.here for b in branches)):
        verdict = CONDITIONS if any(b.here for b in branches) else NEVER
    else:
        verdict = CONDITIONS if against else UNDECIDED  # that all of a few are says nothing of the others
    always, proven = verdict == ALWAYS, verdict == ALWAYS or (complete and verdict != UNDECIDED)
    unique = always and all(m.unique for m in samples or wide)
    told = unique, proven, len(samples), complete, outcome.unfinished, outcome.aborted
    return Coincidence(system, verdict, tuple(branches), *told, substitution)


def _levels(equations: Equations) -> int:
    """Taylor coefficients: enough conditions to determine all multipliers, and a few more to see that they agree."""
    m, k = len(equations.constraints), len(equations.space.velocities)
    return min(-(-m // max(k - len(equations.kept), 1)) + _SPARE, _MOST)


def _matches(substitution: SubstitutedEquations, sampler: ConstraintSampler) -> Iterator[Matching]:
    """Matching lam(0) at random states on the constraints, where they are clear: `_STATES` of them, or fewer."""
    most, count = min(max(_OPERATIONS // substitution.operations, 1), _STATES), 0
    for values, held in islice(sampler.states(), _TRIES):
        found = matching(substitution, values) if held else None
        count += found is not None
        if found is not None and found.decided:
            yield found
        if count == most:
            return


def _sorted(branches: Sequence[Coincident]) -> list[Coincident]:
    """Branches of these parameter values first, wider ones first, rest last among them."""
    return sorted(branches, key=lambda b: (not b.here, b.at_rest, len(b.conditions), len(b.multipliers)))


def _tried(solved: Solved, substitution: SubstitutedEquations, assumed: Assumed) -> Coincident | None:
    """The branch with its numerical check; None where it has no real state."""
    system = substitution.equations.system
    found = tried(solved, substitution, assumed)
    if found is None:
        return None
    known = {s: sp.Float(v, 30) for n, s in system.symbols.items() if (v := system.parameters.get(n)) is not None}
    return Coincident(
        solved.conditions,
        solved.multipliers,
        solved.relations,
        solved.free,
        solved.freedom,
        tuple(c for c, _, _ in solved.given),
        (*solved.exceptions, *(h for h in found.exceptions if h not in solved.exceptions)),
        solved.at_rest,
        solved.resting,
        here=all(met(c, known) for c, _, _ in solved.given),
        confirmed=found.confirmed,
        determined=found.determined,
    )


def _equation(condition: sp.Expr) -> str:
    """The condition x - e as "x = e", any other as "e = 0"."""
    for term in sp.Add.make_args(condition):
        if term.is_Symbol and condition != term and not (rest := condition - term).has(term):
            return f"{term} = {-rest}"
    return f"{condition} = 0"


def _nearest(lam: Mapping[str, float], chosen: Mapping[str, float], match: Matching) -> Multipliers[float]:
    """The matching multipliers with the chosen values; E243 where these do not match."""
    names = list(lam)
    at = [names.index(n) for n in chosen]
    wanted = np.array([chosen[n] - lam[n] for n in chosen])
    step = np.linalg.lstsq(match.free[at], wanted, rcond=None)[0] if match.free.size else np.zeros(match.free.shape[1])
    found = match.lam + match.free @ step
    off = np.abs(found[at] - list(chosen.values())).max()
    if off > 1e-9 * (1 + np.abs(found).max()):
        told = ", ".join(f"{n} = {found[i]:.10g}" for n, i in zip(chosen, at, strict=True))
        raise InvalidValue(
            "E243", "the motion through this state is not vakonomic with these multipliers", f"nearest: {told}"
        )
    return Multipliers({**dict(zip(names, map(float, found), strict=True)), **chosen})


def _wrapped(line: str, indent: str) -> str:
    return "\n".join(
        textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False)
    )
