"""What is said of a run is said whole: folded where it is longer than a line, and never cut."""

from __future__ import annotations

import dalembert as da
from dalembert.apps import results

LONG = "A mass of many words on a spring of many words, as one would name it in a laboratory with several springs"


def test_long_titles_and_names_of_events_are_folded_and_not_cut() -> None:
    q = da.coordinates("x")
    far = "the_mass_leaves_the_field_of_view_of_the_camera_on_the_right_hand_side_of_the_table"
    system = da.System(q, "dot(x)^2/2", title=LONG)
    path = da.simulate(da.free(system), {"x": 0, "vx": 1}, until=5, events=[da.Event(far, q["x"] - 1, "stop")])
    text = results.summary(path, None)
    assert "..." not in text and far in text
    assert " ".join(text.split()).startswith(f"{LONG}: free")
    assert all(len(line) <= 80 or far in line for line in text.splitlines())
