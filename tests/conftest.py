"""How the tests are shared out among processes, and which of them are of which tier.

Files that share what they build (a `Zoo`, a session's fixtures, a paper's claims) belong together: a process takes all
of such a household, so that nothing is derived twice. Households that take long come first, so that no process is left
with one at the end.
"""

import gc
import itertools
import os
import signal
from pathlib import Path

os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")  # read when SymPy is imported; a process sees many systems

import hypothesis
import pytest

from tiers import household, is_fast, is_long, place, wanted

HERE = Path(__file__).parent
SHORT = "not long"
COLLECTED = pytest.StashKey[list[str]]()

# the same examples each time, however busy the machine is: a change is refused for what it does. `python -m fuzz` and
# `pytest --hypothesis-profile default` draw others
hypothesis.settings.register_profile("gate", derandomize=True, deadline=None)
hypothesis.settings.load_profile("gate")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as jobs in the background are begun; runs that are interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)  # here would go on for ever


gc.disable()  # while tests are found, nothing is thrown away


def pytest_collection_finish():
    """What was found stays: the collector of cycles need not go through it again and again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_configure(config):
    """Where no test is asked for by its place, name or mark, the long ones are left out."""
    everywhere = config.args_source is config.ArgsSource.TESTPATHS
    if everywhere and not config.option.markexpr and not config.option.keyword:
        config.option.markexpr = SHORT


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole households to each process."""
    from xdist.scheduler import LoadScopeScheduling

    class ByHousehold(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return household(nodeid)

    config.option.loadscopereorder = False  # the order is that of the households
    return ByHousehold(config, log)


def pytest_ignore_collect(collection_path, config):
    """``pytest -m fast`` reads the files of the fast tier only."""
    file = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if config.option.markexpr == "fast" and file and not wanted(collection_path.relative_to(HERE).as_posix()):
        return True
    return None


def pytest_collection_modifyitems(config, items):
    """Mark the tiers; long households first."""
    config.stash[COLLECTED] = [item.nodeid.removeprefix("tests/") for item in items]
    for item in items:
        nodeid = item.nodeid.removeprefix("tests/")
        if is_fast(nodeid):
            item.add_marker(pytest.mark.fast)
        if is_long(nodeid):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: place(item.nodeid))


@pytest.fixture(scope="session", autouse=True)
def _children_share_bytecode():
    """The processes that tests start compile each module once, also where the caller's shell keeps no bytecode.

    It is kept where Python keeps it: that of all packages, which an environment holds, is of no use elsewhere.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _code_is_compiled_soon(request):
    """Machine code as LLVM makes it quickest, of every text: a quarter of the time, and the same bits.

    `numerics/test_compiler.py` holds the bits against each other; long tests and those that are named take all passes.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.config.option.markexpr == SHORT:
            from dalembert.numerics.machine import compiler

            patch.setattr(compiler, "LONG", 0)
            patch.setattr(compiler, "REGISTERS", compiler.QUICKLY)
            compiler._setting.cache_clear()
        yield


@pytest.fixture
def collected(request):
    """All tests that were found, from ``tests`` on, those that are left out too."""
    return request.config.stash[COLLECTED]


@pytest.fixture(scope="session", autouse=True)
def cpu_clock():
    """The clock that ends long work stands still, so that nothing depends on the machine; this is the real one."""
    from dalembert.calculus import budget

    real = budget.cpu_clock
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "cpu_clock", lambda: lambda: 0.0)
        yield real


@pytest.fixture
def ticking(monkeypatch):
    """CPU time that is counted and not measured: each look is so many seconds after the one before, on any machine."""

    def tick(seconds):
        def cpu_clock():
            looks = itertools.count()
            return lambda: seconds * next(looks)

        monkeypatch.setattr("dalembert.calculus.budget.cpu_clock", cpu_clock)

    return tick
