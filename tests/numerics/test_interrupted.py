"""Ctrl-C while `simulate` runs in Python: it is a KeyboardInterrupt, and what was computed comes with it."""

import pickle
import signal
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.run.interrupt import on_the_keyboard

START = {"x": 1.0, "vx": 0.0}


@pytest.fixture(scope="module")
def swing():
    return da.free(da.System(da.line("x"), "vx^2/2 - x^2/2 - x^4/4"))


def pressing(*times):
    """A question that presses Ctrl-C when it is asked for these times."""
    count = 0

    def asked():
        nonlocal count
        count += 1
        for _ in range(times.count(count)):
            signal.raise_signal(signal.SIGINT)
        return False

    return asked


def run(swing, halt, until=1e7, **more):
    return da.simulate(swing, START, until=until, halt=halt, **more)


@pytest.mark.parametrize("samples", [None, [0.0, 1.0, 2.0, 1e7]], ids=["steps", "samples"])
def test_what_was_computed_comes_with_the_interrupt(swing, samples):
    with pytest.raises(KeyboardInterrupt) as met:
        run(swing, pressing(2), samples=samples)
    path = met.value.path
    assert path.ending.code == "E320" and not path.ok and len(path.t) > 2
    whole = run(swing, None, until=50.0, samples=None if samples is None else samples[:3])
    np.testing.assert_array_equal(path["x"][:3], whole["x"][:3])
    assert "sys.last_value.path" in str(met.value)


def test_the_next_run_is_as_if_nothing_had_been(swing):
    before = run(swing, None, until=1.0)
    with pytest.raises(KeyboardInterrupt):
        run(swing, pressing(1))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    np.testing.assert_array_equal(run(swing, None, until=1.0)["x"], before["x"])


def test_pressed_twice_nothing_is_lost(swing, capsys):
    with pytest.raises(KeyboardInterrupt) as met:
        run(swing, pressing(2, 2))
    assert len(met.value.path.t) > 2
    assert "Ctrl-C again stops at once, and loses it" in capsys.readouterr().err


def test_pressed_three_times_it_stops_at_once(swing):
    with pytest.raises(KeyboardInterrupt) as met:
        run(swing, pressing(1, 1, 1))
    assert type(met.value) is KeyboardInterrupt


def test_before_anything_was_computed_it_stops_at_once():
    with pytest.raises(KeyboardInterrupt), on_the_keyboard():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_users_own_stays(swing):
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        assert run(swing, pressing(1), until=1e4).ok
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [1]


def test_another_thread_runs_as_before(swing):
    done = []
    thread = threading.Thread(target=lambda: done.append(run(swing, None, until=1.0).ok))
    thread.start()
    thread.join()
    assert done == [True]


def test_a_worker_sends_the_interrupt_without_the_path(swing):
    with pytest.raises(KeyboardInterrupt) as met:
        run(swing, pressing(1))
    assert type(pickle.loads(pickle.dumps(met.value))) is KeyboardInterrupt
