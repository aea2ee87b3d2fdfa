"""Machine code is taken from a disk only where nobody else can have put it."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from dalembert.numerics.machine import object_cache

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")


@pytest.fixture
def cache(tmp_path):
    """A folder below one that is made open or not."""
    folder = tmp_path / "above" / "cache"
    object_cache.make(folder)
    return folder


def test_what_is_made_is_for_the_user_alone(cache):
    assert object_cache.doubt(cache) == ""
    assert [each.stat().st_mode & 0o777 for each in (cache, cache.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o757, 0o777, 0o703])
@pytest.mark.parametrize("through", ["itself", "link"])
def test_a_folder_below_one_that_is_open_to_all(cache, mode, through):
    cache.parent.chmod(mode)
    link = cache.parent.parent / "link"
    link.symlink_to(cache)
    assert "to which others may write" in object_cache.doubt(cache if through == "itself" else link)
    cache.parent.chmod(mode | 0o1000)  # as /tmp: nobody can exchange what is another's
    assert object_cache.doubt(cache) == ""


def test_a_folder_below_one_of_somebody_else(cache, monkeypatch):
    real = Path.stat

    def stat(self, **more):
        found = list(real(self, **more))
        found[4] = 12345 if self.name == "above" else found[4]
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", stat)
    assert "belongs to another user (12345)" in object_cache.doubt(cache)


def test_a_group_of_several_may_not_write_above(cache, monkeypatch):
    cache.parent.chmod(0o770)
    monkeypatch.setattr(object_cache, "_is_alone", lambda group: False)
    assert object_cache.doubt(cache)
    monkeypatch.setattr(object_cache, "_is_alone", lambda group: True)
    assert not object_cache.doubt(cache)


def test_a_folder_of_somebody_else(cache, monkeypatch):
    monkeypatch.setattr(object_cache.os, "getuid", lambda: cache.stat().st_uid + 1)
    assert f"{cache} belongs to another user" in object_cache.doubt(cache)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_is_open_itself(cache, mode):
    cache.chmod(mode)  # in one as /tmp others may still put new files
    assert f"others may write to {cache}" in object_cache.doubt(cache)


def test_a_file_of_somebody_else_is_not_read(cache, monkeypatch):
    file = cache / "code"
    file.write_bytes(b"code")
    assert object_cache.read(file) == b"code"
    monkeypatch.setattr(object_cache.os, "getuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="somebody else"):
        object_cache.read(file)


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
    assert object_cache._is_alone(7) is alone
