"""What lies beside a system file is data: no module is loaded from there, and no settings are read.

And a command that is told to stop, or killed, takes the process that works for it along.
"""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress

import psutil
import pytest

from begun import telling, until
from dalembert.apps import process
from dalembert.apps.process import CONFINED, as_interrupts, until_interrupted

MODULES = ["numpy", "sympy", "click", "psutil", "llvmlite", "lark", "difflib", "lazy_loader", "yaml"]
SPRING = """
schema = 1
[space]
coordinates = { x = "line" }
[lagrangian]
L = "dot(x)^2/2 - 2*x^2"
[[run]]
name = "long"
principle = "free"
start = { x = 1, "dot(x)" = 0 }
until = 1e8
samples = 2
"""


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """A folder with a system file, and with modules that tell when they are loaded."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'witness')!r}, 'a').write({name!r})")
    (tmp_path / "f.toml").write_text(SPRING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(CONFINED, raising=False)
    return tmp_path


def test_no_module_from_beside_a_system_file(beside):
    command = [sys.executable, "-m", "dalembert", "check", "f.toml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "in order" in done.stdout, done.stderr
    assert not (beside / "witness").exists()


def test_no_package_of_our_name_from_beside_a_system_file(beside):
    (beside / "dalembert").mkdir()
    for file in ("__init__.py", "__main__.py"):
        (beside / "dalembert" / file).write_text(f"open({str(beside / 'witness')!r}, 'a').write('ours')")
    command = [sys.executable, "-P", "-m", "dalembert", "check", "f.toml"]  # as the installed command starts
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "in order" in done.stdout, done.stderr
    assert not (beside / "witness").exists()


SETTINGS = """
from dalembert.apps.terminal import unread_settings
unread_settings()
import os, matplotlib
print(matplotlib.rcParams["lines.linewidth"], os.getcwd())
"""


def test_no_settings_from_the_current_folder(tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 77\n")
    command = [sys.executable, "-P", "-c", SETTINGS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["1.5", str(tmp_path)], done.stderr


@pytest.fixture
def begun(beside, monkeypatch):
    """A long run whose equations are derived, and the process that works for it."""
    monkeypatch.setenv("TMPDIR", str(beside / "tmp"))
    (beside / "tmp").mkdir()
    command = [sys.executable, "-m", "dalembert", "run", "f.toml"]
    known, told = telling(beside, "run_context.py", "gather", 2)
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=known, text=True, **pipe) as process:
        until(told, process)
        (child,) = psutil.Process(process.pid).children()
        yield process, child
        process.kill()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_child_ends_with_its_parent(begun, beside, number):
    process, child = begun
    process.send_signal(number)
    out, _ = process.communicate()  # until the child has closed its side
    psutil.wait_procs([child])
    assert not child.is_running()
    assert process.returncode == (4 if number == signal.SIGTERM else -signal.SIGKILL)
    assert (beside / "results" / "f" / "long.npz").exists() and "--resume" in out


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_nothing_is_left_where_both_are_killed_at_once(begun, beside):
    process, child = begun
    child.kill()
    process.kill()
    process.wait()
    psutil.wait_procs([child])
    assert not list((beside / "tmp").iterdir()) and not list((beside / "results" / "f").iterdir())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_stop_whose_exception_was_swallowed_is_asked_for_by_the_run():
    """As a finalizer swallows it, or a callback of foreign code."""
    with as_interrupts():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        with until_interrupted() as told:
            assert told()
    with as_interrupts(), until_interrupted() as told:
        assert not told()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_second_interrupt_loses_nothing_while_something_is_handed_over_and_a_third_does(capsys):
    for inside in (True, False):  # while it is stored, and while a page of it is written
        with as_interrupts(), ExitStack() as stack:
            told = stack.enter_context(until_interrupted())
            signal.raise_signal(signal.SIGINT)
            assert told()
            if not inside:
                stack.close()
            signal.raise_signal(signal.SIGINT)
            assert "loses it" in capsys.readouterr().err
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    with as_interrupts():  # nothing is handed over
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)


@pytest.mark.skipif(os.name != "posix", reason="pipes are inherited by number")
def test_a_child_whose_parent_is_gone_before_it_listens_stops(beside):
    (ear, mouth), (other, voice) = os.pipe(), os.pipe()
    os.close(mouth)  # as of a parent that was killed while its child started
    command = [sys.executable, "-P", "-m", "dalembert", "run", "f.toml"]
    named = {**os.environ, CONFINED: f"{ear},{voice}"}
    with subprocess.Popen(command, env=named, pass_fds=(ear, voice), stderr=subprocess.DEVNULL) as child:
        assert child.wait() in (4, -signal.SIGTERM)
    for each in (ear, other, voice):
        os.close(each)


def test_a_parent_that_is_told_to_stop_between_two_looks_waits_for_what_its_child_hands_over(monkeypatch):
    """It left at once, and the draft of what was reached still lay there."""
    done = []

    class Child:
        pid = os.getpid()

        def poll(self):
            return 0 if "waited" in done else None

        def wait(self, seconds=None):
            if not done:
                raise subprocess.TimeoutExpired("run", seconds)
            done.append("waited")

    class Parent:
        def silent(self, seconds):
            return True

        def hang_up(self):
            done.append("hung up")

    def told(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_exceeded", told)
    assert process._watch(Child(), Parent(), 60.0, 2.0) == "" and done == ["hung up", "waited"]


@pytest.mark.skipif(os.name != "posix", reason="pipes are inherited by number")
@pytest.mark.parametrize("named", ["998,999", "998,99999999999999999999", "x"])
def test_a_line_that_there_is_not_is_not_listened_to(monkeypatch, named):
    monkeypatch.setenv("LINE", named)
    process.listen("LINE", lambda: pytest.fail("heard"))
    process.say("LINE")


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "soon"])
@pytest.mark.parametrize("limit", ["--seconds", "--gibibytes"])
def test_a_limit_is_a_positive_number(beside, limit, value):
    from click.testing import CliRunner

    from dalembert.apps.cli import main

    answer = CliRunner().invoke(main, ["check", "f.toml", limit, value], prog_name="dalembert")
    assert answer.exit_code == 2 and value in answer.output
