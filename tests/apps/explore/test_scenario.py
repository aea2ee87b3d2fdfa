"""What a page shows, and what is refused before it is made."""

import math

import pytest

import dalembert as da


@pytest.mark.parametrize(("until", "code"), [(object(), "E301"), (math.nan, "E301"), (-1.0, "E302"), (0.0, "E302")])
def test_a_time_that_is_none_or_does_not_come_is_refused(tmp_path, until, code):
    from dalembert.systems import rolling_disc

    with pytest.raises((ValueError, TypeError), match=code):
        da.explore(rolling_disc.system(), tmp_path / "page.html", until=until)
    assert not (tmp_path / "page.html").exists()
