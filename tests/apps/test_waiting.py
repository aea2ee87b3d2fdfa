"""A line is shown in silence, gone before anything else is written, and absent where nobody looks."""

import io
import itertools
import sys
import time
from types import SimpleNamespace

import pytest

from dalembert.apps import terminal


class Terminal(io.StringIO):
    """Stands for stderr."""


def shown(wanted, work, monkeypatch, plain=False):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(terminal, "SILENT", 0.01)
    looks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 0.02 * next(looks))
    monkeypatch.setattr(terminal, "time", clock)  # each look is after twice as long
    with terminal.waiting("dalembert run: working", wanted, plain):
        work(screen)
    return screen.getvalue()


def silent(terminal):
    """Until the line is there; the test would hang if it did not come."""
    while "working" not in terminal.getvalue():
        time.sleep(0.01)


def test_it_comes_in_silence_and_goes(monkeypatch):
    text = shown(True, silent, monkeypatch)
    assert "dalembert run: working, 0 s" in text
    assert text.endswith("\r\x1b[K")


def test_it_goes_before_anything_is_written(monkeypatch):
    def work(terminal):
        silent(terminal)
        print("a result")

    before, _, after = shown(True, work, monkeypatch).partition("a result")
    assert before.endswith("\r\x1b[K")
    assert after.startswith("\n")


def test_plain_text_is_told_once_without_signs_of_a_terminal(monkeypatch):
    def work(terminal):
        silent(terminal)
        time.sleep(0.05)  # five times as long as it is silent
        print("a result")

    assert shown(True, work, monkeypatch, plain=True) == "dalembert run: working\na result\n"


def test_nobody_looks(monkeypatch):
    assert shown(False, lambda terminal: time.sleep(0.05), monkeypatch) == ""


def test_streams_are_put_back_after_an_error(monkeypatch):
    streams = sys.stdout, sys.stderr
    with pytest.raises(ValueError, match="broken"), terminal.waiting("x", True):
        raise ValueError("broken")
    assert (sys.stdout, sys.stderr) == streams
