"""Compiled code kept on disk: found again, and never executed unless it is what was written."""

import hashlib
import os
import stat
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.graph import Graph, cos, sin
from dalembert.numerics.machine import batch_calls, compiler, llvm_ir, object_cache
from dalembert.systems import block_on_belt, rolling_disc

SOURCE = Path(compiler.__file__).parents[2]
X = np.linspace(-3.0, 3.0, 64).reshape(-1, 1)
HEAD = len(b"dalembert object 1\n") + 64


def texts(k=3.0):
    graph = Graph()
    x = graph.symbol("x")
    return {"f": llvm_ir.emit("f", [sin(k * x) * cos(x) + k / (2 + x * x)], {"x": ("y", 0)})}


def values(made):
    return np.array([batch_calls.value_at(made.address("f"), 0.0, x, [], 1)[0] for x in X])


def true(k=3.0):
    x = X.ravel()
    return np.sin(k * x) * np.cos(x) + k / (2 + x * x)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder that is not there yet."""
    where = tmp_path / "cache"
    monkeypatch.setenv(object_cache.VARIABLE, str(where))
    compiler._LOADED.clear()
    yield where
    compiler._LOADED.clear()
    compiler._setting.cache_clear()


@pytest.fixture
def optimised(monkeypatch):
    """How often something was compiled and not loaded."""
    calls_of, real = [], compiler._optimise
    monkeypatch.setattr(compiler, "LONG", 6000)
    monkeypatch.setattr(compiler, "_optimise", lambda *a: (calls_of.append(1), real(*a))[1])
    return calls_of


def afresh(k=3.0):
    """The library as another process would get it."""
    compiler._LOADED.clear()
    return compiler.Library.compile(texts(k))


def files(where):
    return sorted(where.glob("*.object"))


def test_compiled_once_loaded_after(cache, optimised):
    first = values(afresh())
    np.testing.assert_allclose(first, true(), rtol=1e-14, atol=1e-15)
    assert len(optimised) == len(files(cache)) == 1
    second = values(afresh())
    assert len(optimised) == 1
    assert first.tobytes() == second.tobytes()


def test_what_is_left_out_of_compiling_changes_no_bits(cache):
    levels = (compiler.QUICKLY, compiler.REGISTERS, compiler.OPTIMISATION)
    once = {values(compiler.Library.compile(texts(), level)).tobytes() for level in levels}
    assert once == {values(afresh()).tobytes()}


def test_code_that_a_run_waits_for_is_optimised_where_it_is_short_or_in_loops(monkeypatch):
    monkeypatch.setattr(compiler, "LONG", 100)
    straight, loop = "\n" * 51, "\n%at = phi i64" * 51
    given = [straight], [straight, straight], [straight, loop]
    assert [compiler.waited_for(some) for some in given] == [
        compiler.OPTIMISATION,
        compiler.REGISTERS,
        compiler.OPTIMISATION,
    ]


CHILD = """
    import numpy as np, sys
    sys.path.insert(0, sys.argv[1])
    import test_compiler as mine
    from dalembert.numerics.machine import compiler
    count, real = [], compiler._optimise
    compiler._optimise = lambda *a: (count.append(1), real(*a))[1]
    print(len(count), mine.values(mine.afresh()).tobytes().hex(), end="")
    print("", len(count), "pickle" in str(compiler._LOADED))
"""


def child(cache, extra=None, **environment):
    """The same in a process of its own: bits and how often it compiled."""
    known = {**os.environ, object_cache.VARIABLE: str(cache), "PYTHONPATH": str(SOURCE), **environment}
    program = textwrap.dedent(CHILD)
    if extra:
        program = extra + program
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    return subprocess.Popen(command, env=known, stdout=subprocess.PIPE, text=True)


def answer(process):
    with process:
        out, _ = process.communicate()
    assert process.returncode == 0
    _, code, count, _ = out.split()
    return bytes.fromhex(code), int(count)


@pytest.mark.parametrize("system", [rolling_disc, block_on_belt])
def test_the_passes_of_llvm_change_no_bit(cache, optimised, monkeypatch, system):
    """Motions with their audit, and members of a sweep in lanes: as they are made quickest, and with all passes."""
    found, compiled = [], []
    for level in (compiler.UNCHANGED, 1, compiler.OPTIMISATION):  # 1: REGISTERS, which tests set lower
        monkeypatch.setattr(compiler, "_level", lambda *_, level=level: level)
        compiler._LOADED.clear()
        equations = da.nonholonomic(system.system())
        path = da.simulate(equations, system.START, until=1.0)
        ends = da.sweep(equations, starts=system.START, parameters={"m": np.linspace(1.0, 2.0, 9)}, until=0.2)
        compiled.append(len(optimised))
        found.append([path.t, path.to_numpy(), *(path[name] for name in path.names), *ends.to_array().values])
    assert compiled[1] == 0 < compiled[2]
    for other in found[1:]:
        assert all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(found[0], other, strict=True))


def test_another_process_loads_the_same_bits(cache):
    first, compiled = answer(child(cache))
    second, again = answer(child(cache))
    assert (compiled, again) == (1, 0)
    assert first == second == values(afresh()).tobytes()


def test_two_processes_at_once(cache, optimised):
    compiler._setting.cache_clear()  # as the children have it
    both = [child(cache) for _ in range(2)]
    bits = {answer(p)[0] for p in both}
    theirs = [(f.name, f.stat().st_size) for f in files(cache)]  # two of them have two keys, or one is a draft
    assert bits == {values(afresh()).tobytes()}
    ours = object_cache.key([*compiler._setting(), str(compiler.OPTIMISATION), *texts(), *texts().values()]).hex()
    assert [name for name, _ in theirs] == [f"{ours}.object"], theirs
    assert len(files(cache)) == 1
    assert list(cache.iterdir()) == files(cache)  # nothing half written is left


def spoiled(content):
    """Contents that must be refused: damaged, cut, empty, somebody else's."""
    for place in (0, 5, 18, 19, 30, 50, 51, 70, HEAD - 1, HEAD, HEAD + 1, HEAD + 100, len(content) // 2, -1):
        yield f"byte {place}", content[:place] + bytes([content[place] ^ 1]) + content[place:][1:]
    for length in (0, 1, 18, 19, HEAD - 1, HEAD, HEAD + 1, len(content) // 2, len(content) - 1):
        yield f"cut to {length}", content[:length]
    yield "longer", content + b"\0"
    code = content[HEAD:]
    yield "other magic", b"dalembert object 9\n" + content[19:]
    yield "no head", code
    yield "other key", content[:19] + bytes(32) + hashlib.sha256(code).digest() + code


def test_what_is_spoiled_is_never_executed(cache, optimised, monkeypatch):
    expected = values(afresh()).tobytes()
    (file,) = files(cache)
    good = file.read_bytes()
    assert good.startswith(b"dalembert object 1\n") and good[HEAD:].startswith((b"\x7fELF", b"\xcf\xfa", b"\x64\x86"))
    given, real = [], compiler.binding.ObjectFileRef.from_data
    monkeypatch.setattr(compiler.binding.ObjectFileRef, "from_data", lambda d: (given.append(d), real(d))[1])
    for what, content in spoiled(good):
        file.write_bytes(content)
        before = len(optimised)
        assert values(afresh()).tobytes() == expected, what
        assert len(optimised) == before + 1, what
        assert file.read_bytes()[:HEAD] == good[:19] + bytes.fromhex(file.stem) + file.read_bytes()[51:HEAD], what
        assert object_cache.load(bytes.fromhex(file.stem)) is not None, what  # it was replaced
    assert not given
    afresh()
    assert len(given) == 1


def test_code_of_another_library_under_the_right_name(cache, optimised):
    afresh(3.0)
    (one,) = files(cache)
    afresh(5.0)
    (two,) = (f for f in files(cache) if f != one)
    one.write_bytes(two.read_bytes())  # whole, with right checksum, but of other texts
    np.testing.assert_allclose(values(afresh(3.0)), true(3.0), rtol=1e-14, atol=1e-15)
    assert len(optimised) == 3


def test_off(cache, optimised, monkeypatch):
    monkeypatch.setenv(object_cache.VARIABLE, "")
    monkeypatch.chdir(cache.parent)
    for _ in range(2):
        np.testing.assert_allclose(values(afresh()), true(), rtol=1e-14, atol=1e-15)
    assert len(optimised) == 2
    assert not list(cache.parent.iterdir())


def works_without(optimised):
    for _ in range(2):
        np.testing.assert_allclose(values(afresh()), true(), rtol=1e-14, atol=1e-15)
    assert len(optimised) == 2


def test_a_file_where_the_folder_should_be(cache, optimised):
    cache.write_text("not a folder")
    works_without(optimised)
    assert cache.read_text() == "not a folder"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_in_which_others_may_write(cache, optimised, mode):
    afresh()
    cache.chmod(mode)
    kept = [f.read_bytes() for f in files(cache)]
    optimised.clear()
    with pytest.warns(UserWarning, match="W802 .*others may write") as seen:
        works_without(optimised)
    assert len(seen) == 1
    assert [f.read_bytes() for f in files(cache)] == kept


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")
def test_a_folder_of_somebody_else(cache, optimised, monkeypatch):
    afresh()
    optimised.clear()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.warns(UserWarning, match="W802 .*belongs to another user"):
        works_without(optimised)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")
def test_a_file_of_somebody_else_is_compiled_afresh(cache, optimised, monkeypatch):
    expected = values(afresh()).tobytes()
    (file,) = files(cache)
    theirs = file.rename(cache / "theirs")
    file.symlink_to(theirs)  # right in every byte, but not where it belongs
    assert values(afresh()).tobytes() == expected
    assert len(optimised) == 2 and not file.is_symlink()
    file.chmod(0o666)
    assert values(afresh()).tobytes() == expected
    assert len(optimised) == 3


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")
def test_the_folder_is_made_for_the_user_alone(cache):
    afresh()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def refuse(*_args, **_named):
    raise PermissionError("read-only")


def test_a_folder_that_cannot_be_written(cache, optimised, monkeypatch):
    monkeypatch.setattr(object_cache.tempfile, "mkstemp", refuse)
    works_without(optimised)
    assert not files(cache)


def test_a_full_disk_leaves_nothing_behind(cache, optimised, monkeypatch):
    real = os.fdopen

    def full(handle, mode):
        os.close(handle)
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(object_cache.os, "fdopen", full)
    works_without(optimised)
    monkeypatch.setattr(object_cache.os, "fdopen", real)
    assert not list(cache.iterdir())


def test_a_cache_on_a_read_only_disk_is_still_read(cache, optimised, monkeypatch):
    # the time of last use cannot be written there
    afresh()
    monkeypatch.setattr(object_cache.os, "utime", refuse)
    monkeypatch.setattr(object_cache.tempfile, "mkstemp", refuse)
    np.testing.assert_allclose(values(afresh()), true(), rtol=1e-14, atol=1e-15)
    assert len(optimised) == 1


def test_without_a_home(tmp_path, optimised, monkeypatch):
    # no HOME and no entry in the list of users, as in a container: "~" stays what it is
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE", object_cache.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    works_without(optimised)
    assert not list(tmp_path.iterdir())


def test_files_used_longest_ago_go_first(cache, monkeypatch):
    for k in range(4):
        afresh(float(k + 2))
        os.utime(max(files(cache), key=lambda f: f.stat().st_mtime_ns), (1000 + k, 1000 + k))
    oldest = sorted(files(cache), key=lambda f: f.stat().st_mtime)
    afresh(2.0)  # the oldest is used again
    size = sum(f.stat().st_size for f in files(cache)) // 4
    monkeypatch.setattr(object_cache, "LARGEST", 3 * size + size // 2)
    monkeypatch.setattr(object_cache, "_TURNS", 1)
    afresh(9.0)
    left = files(cache)
    assert len(left) == 3
    assert oldest[0] in left and oldest[3] in left
    assert oldest[1] not in left and oldest[2] not in left


def test_pruning_leaves_other_files_alone(cache, monkeypatch):
    afresh()
    note = cache / "notes.txt"
    note.write_text("mine")
    monkeypatch.setattr(object_cache, "LARGEST", 0)
    monkeypatch.setattr(object_cache, "_TURNS", 1)
    afresh(4.0)
    assert [*cache.iterdir()] == [note]


def test_few_that_store_look_through_all_files_and_these_stay_bounded(cache, monkeypatch):
    looked, real = [], object_cache.prune
    monkeypatch.setattr(object_cache, "prune", lambda *a: (looked.append(1), real(*a)))
    monkeypatch.setattr(object_cache, "LARGEST", 20_000)
    most = 0
    for k in range(2000):
        object_cache.store(object_cache.key([str(k)]), bytes(900))
        most = max(most, sum(1 for _ in os.scandir(cache)))
    # one in 64; between two of them there are 64 on the average, and 64 ln 2000 = 490 at most as a rule
    assert 15 <= len(looked) <= 60
    assert most <= 20 + 490
    assert len(files(cache)) < 490


def test_key_tells_lists_of_texts_apart():
    lists = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], [], [""], ["c", "ab"], ["ab", "C"], ["ä"]]
    assert len({object_cache.key(parts) for parts in lists}) == len(lists)
    assert all(len(object_cache.key(parts)) == 32 for parts in lists)


SETTINGS = {
    "processor": ("binding.get_host_cpu_name", lambda: "other"),
    "features": ("features", lambda: "+other"),
    "version of LLVM": ("binding.llvm_version_info", (1, 2, 3)),
    "version of llvmlite": ("llvmlite.__version__", "0.0.1"),
    "optimisation": ("OPTIMISATION", 1),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_key_depends_on_the_setting(what, monkeypatch):
    target, value = SETTINGS[what]
    compiler._setting.cache_clear()
    before = compiler._setting()
    monkeypatch.setattr(f"dalembert.numerics.machine.compiler.{target}", value)
    compiler._setting.cache_clear()
    machine = compiler._target_machine
    monkeypatch.setattr(compiler, "_target_machine", type("Machine", (), {"triple": machine.__name__}))
    compiler._setting.cache_clear()
    changed = {*compiler._setting()} - {*before, machine.__name__}
    compiler._setting.cache_clear()
    assert changed


def test_key_depends_on_every_text_and_name(cache):
    one = texts()["f"]
    other = llvm_ir.emit("g", [Graph().symbol("x") + 1], {"x": ("y", 0)})
    compiler.Library.compile({"f": one})
    compiler.Library.compile({"f": one, "g": other})
    compiler.Library.compile({"f": one.replace("\n", "\n; a remark\n", 1)})
    assert len(compiler._LOADED) == len(files(cache)) == 3


def test_nothing_is_unpickled():
    for module in (compiler, object_cache):
        text = Path(module.__file__).read_text()
        assert "import pickle" not in text and "marshal" not in text and "loads(" not in text


def test_a_library_lives_as_long_as_it_is_used(cache, monkeypatch):
    monkeypatch.setattr(compiler, "MOST", 2)
    kept = [compiler.Library.compile(texts(float(k))) for k in range(1, 12)]
    assert len(compiler._LOADED) == 2
    for k, made in enumerate(kept, 1):
        np.testing.assert_allclose(values(made), true(float(k)), rtol=1e-13, atol=1e-14)


def test_threads_share_one_library(cache, optimised):
    gate = threading.Barrier(6)

    def one(_):
        gate.wait()
        return compiler.Library.compile(texts(7.0))

    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(one, range(6)))
    assert all(m is made[0] for m in made)
    assert len(optimised) == 1


def resident():
    """Memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is read from /proc")
def test_memory_of_many_libraries_stays_bounded(cache):
    graph = Graph()
    x = graph.symbol("x")
    make = lambda k: compiler.Library.compile({"f": llvm_ir.emit("f", [x * float(k)], {"x": ("y", 0)})})  # noqa: E731
    for k in range(100):
        made = make(k + 2)
    assert batch_calls.value_at(made.address("f"), 0.0, [1.0], [], 1)[0] == 101.0
    before = resident()
    for k in range(100, 300):
        assert batch_calls.value_at(make(k + 2).address("f"), 0.0, [2.0], [], 1)[0] == 2.0 * (k + 2)
    assert resident() - before < 6  # MiB; 13 where the optimiser is not freed, 160 where libraries are not
