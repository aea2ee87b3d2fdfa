"""How a member ended, as a number: 0, 1, or that of the error code with which a single run would have ended."""

from __future__ import annotations

import numpy as np

from ..ensembles.results import CODES, Results

REACHED, STOPPED, MISSING = 0, 1, -1
OK, SUSPECT, FAILED = 0, 1, 2
VERDICTS = {OK: "ok", SUSPECT: "suspect", FAILED: "failed"}
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


def of(results: Results) -> np.ndarray:
    """The outcome of each member (K,)."""
    found = results.status.astype(np.int16)
    for status, code in CODES.items():
        found[results.status == status] = code
    return np.where(results.code > 0, results.code, found).astype(np.int16)


def flags(values: dict[int, str]) -> dict[str, object]:
    """Attributes that say what the numbers mean, as the CF conventions have it."""
    return {"flag_values": list(values), "flag_meanings": " ".join(values.values())}
