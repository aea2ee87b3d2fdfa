"""What pages show is right, not only run: a reduction brought back, bounces, a sweep, a fit, a ranking."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from extensions.listings import Page  # noqa: E402

LISTING = re.compile(r"^```\{run\}\n((?::.*\n)*)(.*?)^```", re.M | re.S)


def shown(name, *listings):
    """The names that a page has after some of its listings, and what these printed."""
    text = (ROOT / "docs" / "howto" / f"{name}.md").read_text(encoding="utf-8")
    codes = [code for _, code in LISTING.findall(text)]
    page = Page(name)
    with page.folder:
        printed = [page.run(codes[i])[0] for i in listings]
    return page.names, printed


def test_a_reduced_disc_comes_back_as_the_full_one():
    names, printed = shown("symmetry", 0, 2, 3, 4)
    assert any("Rolling disc, reduced by shift x" in text for text in printed)
    back, full = map(float, printed[-1].split())
    assert back == pytest.approx(full, abs=1e-7)
    assert full == names["full"].at(5)["x"]


def test_a_ball_bounces_as_restitution_says():
    names, _ = shown("events", 0, 2)
    hits, flight = names["path"].marks["floor"].t, 2 * np.sqrt(2 / 9.81)
    assert len(hits) > 5
    assert hits[0] == pytest.approx(flight / 2, rel=1e-9)
    assert np.diff(hits)[:4] == pytest.approx(flight * 0.8 ** np.arange(1, 5), rel=1e-9)


def test_the_discs_that_fall_are_those_that_fall_alone():
    names, printed = shown("sweeps", 0)
    ends, disc = names["ends"], names["disc"]
    assert (ends.outcome == 1).sum() > 0
    assert str((ends.outcome == 1).sum("vpsi_start").values) in printed[0]
    for i, spin in enumerate(names["rolling"]["vpsi"][:8]):
        start = disc.start(**{**names["rolling"], "vpsi": spin}, parameters={"C": 0.5})
        path = da.simulate(disc, start, until=5.0, events=[names["flat"]])
        assert path.outcome.startswith("stopped") == (ends.outcome.sel(C=0.5)[i] == 1)


def test_a_fit_recovers_the_truth():
    names, _ = shown("fit", 0, 1)
    fit = names["fit"]
    assert fit.adequate
    for name, true in {"vx": 0.0, "vy": 5.0, "Omega": names["truth"].system.values()["Omega"], "nu": 2.0}.items():
        assert abs(fit[name] - true) < 3 * fit.errors[name]


def test_the_true_principle_is_ranked_first_and_the_other_rejected():
    _, printed = shown("rank", 0, 1)
    assert "nonholonomic is the only candidate that remains" in " ".join(printed[-1].split())
