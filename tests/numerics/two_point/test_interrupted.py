"""Ctrl-C while curves between two points are searched: those that were found come with the interrupt."""

import signal

import pytest

import dalembert as da
from dalembert.numerics.two_point.shooting import Shooting

PENDULUM = da.free(da.System(da.angle("a"), "va^2/2 + cos(a)"))
ENDS = {"start": {"a": 0}, "end": {"a": 1}, "duration": 6, "check": False, "seed": 1}


@pytest.fixture
def pressing(monkeypatch):
    """Ctrl-C is pressed at the n-th motion."""
    known, count = Shooting.shoot, [0]

    def press_at(*times):
        def shoot(self, *args, **more):
            count[0] += 1
            for _ in range(times.count(count[0])):
                signal.raise_signal(signal.SIGINT)
            return known(self, *args, **more)

        monkeypatch.setattr(Shooting, "shoot", shoot)

    return press_at


def test_what_was_found_comes_with_the_interrupt(pressing):
    whole = da.two_point(PENDULUM, **ENDS, starts=100)
    pressing(100)
    with pytest.raises(KeyboardInterrupt, match=r"sys\.last_value\.extremals") as met:
        da.two_point(PENDULUM, **ENDS, starts=100)
    found = met.value.extremals
    assert found.aborted.startswith("interrupted") and str(found).startswith("interrupted")
    assert 0 < found.starts < 100 and 0 < len(found) <= len(whole)
    known = {round(each.action, 8) for each in whole}
    assert {round(each.action, 8) for each in found} <= known


def test_before_anything_was_found_nothing_comes_with_it(pressing):
    pressing(2)
    with pytest.raises(KeyboardInterrupt) as met:
        da.two_point(PENDULUM, **ENDS, starts=100)
    assert type(met.value) is KeyboardInterrupt
