"""The audit of a run: what it kept, by how much, a verdict with reasons; and how the run ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import wrap

from ..display import html

OK, SUSPECT, FAILED = "ok", "suspect", "failed"
WIDTH = 80  # of the printed lines


def unaccounted(balance: float, rounding: float, scale: float) -> float:
    """A work balance over its scale, what may be rounding left out; 0 where nothing moves."""
    over = balance if not balance <= rounding else 0.0
    return over / scale if scale else 0.0


@dataclass(frozen=True)
class Audit:
    """What a run kept, and how well.

    Attributes:
        verdict: ``"ok"``, ``"suspect"`` or ``"failed"``.
        reasons: why it is not ok, each with its code.
        constraints: largest |phi| (and |f| of holonomic ones) on the path, by constraint name.
        constraint_residual: the largest of them, 0 without constraints.
        energy_start, energy_change: E(0) and E(end) - E(0), E = u dL/du - L.
        work_balance: largest |E(t) - E(0) - work done|; the work of forces, moving constraints and explicit time.
        energy_scale: what the balance is measured against.
        energy_rounding: how much of it may be rounding of the energy's terms; looked for where it matters, else 0.
        momenta: largest change of each declared momentum.
        steps, rejected, evaluations: cost of the run.
        margin: least rank margin met (1 at the start; 0 where the motion stops being determined).
        seconds: wall time of the integration.
        remarks: what is no fault, or a function that finds it out; read `notes`.
    """

    verdict: str
    reasons: tuple[str, ...] = ()
    constraints: Mapping[str, float] = field(default_factory=dict)
    constraint_residual: float = 0.0
    energy_start: float = float("nan")
    energy_change: float = float("nan")
    work_balance: float = float("nan")
    energy_scale: float = float("nan")
    energy_rounding: float = 0.0
    momenta: Mapping[str, float] = field(default_factory=dict)
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    margin: float = float("nan")
    seconds: float = float("nan")
    remarks: tuple[str, ...] | Callable[[], tuple[str, ...]] = field(default=(), repr=False, compare=False)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks that are no faults; those on the constraints are found when they are asked for."""
        return self.remarks() if callable(self.remarks) else self.remarks

    def __deepcopy__(self, memo: object) -> Audit:
        """A copy whose remarks are found: what finds them belongs to the run."""
        return replace(self, constraints={**self.constraints}, momenta={**self.momenta}, remarks=self.notes)

    @property
    def ok(self) -> bool:
        """Is the verdict ``"ok"``?"""
        return self.verdict == OK

    @property
    def energy_drift(self) -> float:
        """Work balance over its scale, rounding left out."""
        return unaccounted(self.work_balance, self.energy_rounding, self.energy_scale)

    def __str__(self) -> str:
        because = [part for r in self.reasons for part in _wrapped(f"  because    {r}")]
        rows = [f"verdict      {self.verdict}", *because]
        worst = max(self.constraints, key=lambda k: self.constraints[k], default="")
        where = f" ({worst}), of {len(self.constraints)}" if worst else " (there are none)"
        rows.append(f"constraints  largest residual {self.constraint_residual:.1e}{where}")
        change = f"change {self.energy_change:.3g}, unaccounted {self.work_balance:.1e}"
        rows.append(f"energy       start {self.energy_start:.6g}, {change}")
        rows += [f"momentum     {k}: changed by {v:.1e}" for k, v in self.momenta.items()]
        cost = f"{self.rejected} rejected, {self.evaluations} evaluations, {self.seconds:.3g} s"
        rows.append(f"steps        {self.steps} ({cost})")
        rows += [part for n in self.notes[:3] for part in _wrapped(f"note         {n}")]
        rows += [f"  and {len(self.notes) - 3} more notes, listed in .audit.notes"] if len(self.notes) > 3 else []
        return "\n".join(row if len(row) <= WIDTH else row[: WIDTH - 4] + " ..." for row in rows)

    def _repr_html_(self) -> str | None:
        return html(self)


def _wrapped(row: str) -> list[str]:
    return wrap(row, WIDTH, subsequent_indent=" " * 13)


# --- how a run ended -------------------------------------------------------------------------------------------------
# One vocabulary: what a path says, what a sweep stores as a number, and the words for it. An outcome is REACHED or
# STOPPED, or the number of the code for which a motion could not go on; the catalogue of codes says what that is.
# `numerics.methods.stepper.Status` is how a chunk of steps ends, in compiled code.

MISSING, REACHED, STOPPED = -1, 0, 1
INTERRUPTED = "E320"
MEANINGS = {
    MISSING: "not_computed",
    REACHED: "reached_the_end",
    STOPPED: "stopped_by_an_event",
    108: "kinetic_energy_negative",
    109: "no_body_has_these_moments",
    121: "constraints_lose_rank_at_the_start",
    126: "rates_of_multipliers_not_determined",
    128: "friction_negative",
    129: "friction_at_rest",
    130: "restitution_impossible",
    133: "impacts_pile_up",
    138: "friction_of_a_contact_negative",
    162: "form_singular",
    205: "parameter_of_wrong_sign",
    230: "start_left_free",
    231: "velocity_constraint_violated",
    232: "position_constraint_violated",
    233: "start_contradicts_constraints",
    237: "chart_singular",
    238: "not_of_norm_one",
    239: "not_a_rotation",
    240: "start_beyond_an_event",
    304: "too_long",
    310: "start_on_an_event",
    311: "guard_not_finite",
    313: "limit_used_up",
    401: "not_finite",
    402: "left_the_real_numbers",
    403: "grows_without_bound",
    404: "rank_lost",
    407: "steps_shrink",
    408: "force_jumps_back_and_forth",
    409: "order_of_jumps_decides",
    410: "no_mode_of_contacts_or_several",
    411: "too_many_contacts",
    412: "contact_passed_unseen",
}


def meaning(outcome: int) -> str:
    """What an outcome means: ``"reached the end"``, ``"E401 not finite"``."""
    told = MEANINGS.get(outcome, "").replace("_", " ")
    return told if outcome in (REACHED, STOPPED) else f"E{outcome} {told}".strip()


@dataclass(frozen=True)
class Ending:
    """At its end where both are empty.

    Attributes:
        event: the name of the event that stopped it.
        code: the code of the error for which it could not go on.
    """

    event: str = ""
    code: str = ""

    @property
    def outcome(self) -> int:
        """How it ended as a number: the code of an error, or `STOPPED`, or `REACHED`."""
        return int(self.code[1:]) if self.code else STOPPED if self.event else REACHED

    @classmethod
    def told(cls, outcome: str, reached: bool) -> Ending:
        """From the words of a path that was stored without it."""
        if not reached:
            return cls(code=outcome.partition(" ")[0])
        stopped, _, rest = outcome.partition("stopped by ")
        return cls(event=rest.rpartition(" at t = ")[0]) if rest and not stopped else cls()
