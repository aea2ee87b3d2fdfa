"""What a fit decides, and what it cannot, in sentences; pages of stored fits need no more than this."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..findings.fit import DECIDES, Fit

EMPTY = {"W568"}  # doubts with which a fit decides nothing


def decided(fit: Fit, of_prior: Sequence[str] = ()) -> list[str]:
    """What the data say of the model and its unknowns."""
    if EMPTY & {note.code for note in fit.notes}:
        return []
    known = [n for n, s in fit.errors.items() if math.isfinite(s) and n not in (*fit.at_bound, *of_prior)]
    told = [f"{_listed(known)}, each to within the stated uncertainty if the model is right"] if known else []
    if fit.adequate is True:
        told.append(f"{fit.principle} describes the track to within its noise (p = {fit.p_value:.2g})")
    if fit.adequate is False:
        told.append(
            f"{fit.principle} with these values does not describe the track (p = {fit.p_value:.1g} < {DECIDES:g})"
        )
        told.append("a law that is missing, another principle, or noise larger than stated: --figure shows where")
    return told


def undecided(fit: Fit, of_prior: Sequence[str] = ()) -> list[str]:
    """What the data cannot say."""
    told = [note.text for note in fit.notes if note.code in EMPTY]
    told += [f"{name}: the data add nothing to what was known before" for name in of_prior]
    told += [f"{each}; fix some of them, or give --prior" for each in fit.unseen]
    told += [f"{name} stands at its bound: the data want it beyond" for name in fit.at_bound]
    if fit.adequate is None and fit.loss != "linear":
        told.append(f"whether the model is right: with the loss {fit.loss} chi2 has no known law")
    elif fit.adequate is None:
        names = ", ".join(fit.estimated)
        told.append(
            f"whether the model is right: the noise of {names} was estimated from the misfit; --uncertainty says it"
        )
    if not fit.converged:
        told.append("the search has not ended: give a better guess, bounds, or --starts 20")
    return told


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
