"""What an examination of constraints found, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from ..answer import Answer, no, undecided, yes
from ..display import html
from ..errors import Note
from ..given import noun
from .drops import Drop
from .integrals import Integral

_WIDTH = 80
MORE = "da.examine(system)"


@dataclass(frozen=True)
class Row:
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
    rows: tuple[Row, ...]
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
