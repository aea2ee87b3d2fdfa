"""Machine code is taken from a disk only where nobody else can have put it."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from dalembert.numerics.machine import jit, private

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")


@pytest.fixture
def cache(tmp_path):
    """A folder below one that is made open or not."""
    folder = tmp_path / "above" / "cache"
    private.make(folder)
    return folder


def test_what_is_made_is_for_the_user_alone(cache):
    assert private.doubt(cache) == ""
    assert [each.stat().st_mode & 0o777 for each in (cache, cache.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o757, 0o777, 0o703])
@pytest.mark.parametrize("through", ["itself", "link"])
def test_a_folder_below_one_that_is_open_to_all(cache, mode, through):
    cache.parent.chmod(mode)
    link = cache.parent.parent / "link"
    link.symlink_to(cache)
    assert "to which others may write" in private.doubt(cache if through == "itself" else link)
    cache.parent.chmod(mode | 0o1000)  # as /tmp: nobody can exchange what is another's
    assert private.doubt(cache) == ""


def test_a_folder_below_one_of_somebody_else(cache, monkeypatch):
    real = Path.stat

    def stat(self, **more):
        found = list(real(self, **more))
        found[4] = 12345 if self.name == "above" else found[4]
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", stat)
    assert "belongs to another user (12345)" in private.doubt(cache)


def test_a_group_of_several_may_not_write_above(cache, monkeypatch):
    cache.parent.chmod(0o770)
    monkeypatch.setattr(private, "_is_alone", lambda group: False)
    assert private.doubt(cache)
    monkeypatch.setattr(private, "_is_alone", lambda group: True)
    assert not private.doubt(cache)


def test_a_folder_of_somebody_else(cache, monkeypatch):
    monkeypatch.setattr(private.os, "getuid", lambda: cache.stat().st_uid + 1)
    assert f"{cache} belongs to another user" in private.doubt(cache)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_is_open_itself(cache, mode):
    cache.chmod(mode)  # in one as /tmp others may still put new files
    assert f"others may write to {cache}" in private.doubt(cache)


def test_a_file_of_somebody_else_is_not_read(cache, monkeypatch):
    file = cache / "code"
    file.write_bytes(b"code")
    assert private.read(file) == b"code"
    monkeypatch.setattr(private.os, "getuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="somebody else"):
        private.read(file)


@pytest.mark.parametrize(
    ("name", "members", "alone"),
    [
        ("ann", [], True),
        ("ann", ["ann"], True),
        ("ann", ["ann", "bob"], False),
        ("staff", [], False),
        (None, [], False),
    ],
)
def test_a_group_is_the_users_own_if_it_has_the_users_name_and_nobody_else(monkeypatch, name, members, alone):
    import grp
    import pwd

    def group(number):
        if name is None:
            raise KeyError(number)
        return SimpleNamespace(gr_name=name, gr_mem=members)

    monkeypatch.setattr(pwd, "getpwuid", lambda number: SimpleNamespace(pw_name="ann"))
    monkeypatch.setattr(grp, "getgrgid", group)
    assert private._is_alone(7) is alone


# --- numba's loops ---------------------------------------------------------------------------------------------------


def _flipped(file, other):
    content = file.read_bytes()
    file.write_bytes(content[:9] + bytes([content[9] ^ 1]) + content[10:])


def _linked(file, other):
    file.symlink_to(file.rename(file.with_name("elsewhere")))


SPOILT = {
    "a bit": _flipped,
    "cut": lambda file, other: file.write_bytes(file.read_bytes()[:-1]),
    "empty": lambda file, other: file.write_bytes(b""),
    "another entry": lambda file, other: file.write_bytes(other.read_bytes()),
    "open to all": lambda file, other: file.chmod(0o666),
    "link": _linked,
    "gone": lambda file, other: file.unlink(),
    "a folder": lambda file, other: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_spoilt_loop_is_not_read(cache, what):
    kept = jit._Files(str(cache), "f", "stamp")
    kept.save(("int",), 7)
    (one,) = cache.iterdir()
    kept.save(("float",), 8)
    (two,) = {*cache.iterdir()} - {one}
    assert (kept.load(("int",)), kept.load(("float",)), kept.load(("text",))) == (7, 8, None)
    assert jit._Files(str(cache), "f", "newer").load(("int",)) is None
    SPOILT[what](one, two)
    assert (kept.load(("int",)), kept.load(("float",))) == (None, 8)
    kept.save(("int",), 7)
    assert kept.load(("int",)) == (None if what == "a folder" else 7)


@pytest.mark.parametrize("fails", ["mkstemp", "fdopen"])
def test_a_loop_on_a_full_disk_is_no_error(cache, monkeypatch, fails):
    def full(*_, **__):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(jit.objects.tempfile if fails == "mkstemp" else jit.objects.os, fails, full)
    kept = jit._Files(str(cache), "f", "stamp")
    kept.save(("int",), 7)
    monkeypatch.undo()
    assert kept.load(("int",)) is None and not list(cache.iterdir())


def test_settings_of_numba_name_no_place(tmp_path, monkeypatch):
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit.numba.config, "CACHE_LOCATOR_CLASSES", "foreign.Class")

    def nothing():
        return 1

    made = jit.cached(nogil=True)(nothing)
    assert made() == 1 and isinstance(made._cache, jit._Cache) and not list(tmp_path.iterdir())
