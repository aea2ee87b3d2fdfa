"""Pages step one set of equations: what touches is refused rather than drawn falling through the floor."""

import pytest

import dalembert as da
from dalembert.systems import bouncing_ball


def test_a_page_of_what_touches_is_refused(tmp_path):
    with pytest.raises(da.DalembertError, match=r"E139 .*has contacts: floor"):
        da.explore(bouncing_ball.system(), tmp_path / "page.html", start=bouncing_ball.START)
    assert not list(tmp_path.iterdir())
