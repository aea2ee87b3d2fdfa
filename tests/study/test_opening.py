"""From a path to text: rows 92, 93 and 96 of the catalogue of bad input."""

import os
import socket
import stat

import pytest

from dalembert.errors import DalembertError
from dalembert.study import read, read_source


def refused(path, **options):
    with pytest.raises(DalembertError) as caught:
        read(path, **options)
    return caught.value


def written(folder, data, name="ball.toml"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["nothing.toml", "no/such/folder.toml", "x" * 5000, "a\0b"])
def test_a_missing_file(tmp_path, name):
    error = refused(f"{tmp_path}/{name}")
    assert error.code == "E501"
    assert isinstance(error, FileNotFoundError)


@pytest.mark.parametrize("given", [None, 3, ["ball.toml"]])
def test_no_path_at_all(given):
    assert refused(given).code == "E501"


def test_a_folder(tmp_path):
    assert refused(tmp_path).code == "E502"


def test_no_permission(tmp_path, monkeypatch):
    path = written(tmp_path, b"schema = 1")

    def denied(*_):
        raise PermissionError

    monkeypatch.setattr(os, "open", denied)  # root may read everything, so that chmod would show nothing
    assert refused(path).code == "E503"


@pytest.mark.parametrize("data", [b"", b"  \n\t\r\n"])
def test_an_empty_file(tmp_path, data):
    assert refused(written(tmp_path, data)).code == "E504"


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\0\0\0abc", bytes(range(256)), b"\x89PNG\r\n\x1a\n\0\0\0", b"PK\x03\x04\x14\0\x08"]
)
def test_a_binary_file(tmp_path, data):
    assert refused(written(tmp_path, data)).code == "E505"


def test_the_limit_of_size_is_one_mebibyte(files, tmp_path):
    text = files.SLEIGH.encode()
    filled = text + b"#" * (2**20 - len(text))
    assert read(written(tmp_path, filled)).title == "Sleigh"
    assert refused(written(tmp_path, filled + b"#")).code == "E505"
    with pytest.raises(DalembertError) as caught:
        read_source((filled + b"#").decode())
    assert caught.value.code == "E505"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(files, tmp_path, encoding):
    error = refused(written(tmp_path, files.SLEIGH.encode(encoding)))
    assert error.code == "E506"
    assert "UTF-16" in error.fact or "UTF-32" in error.fact


def test_latin_1_is_named_with_its_line(files, tmp_path):
    error = refused(written(tmp_path, files.SLEIGH.replace("Sleigh", "Schlittén").encode("latin-1")))
    assert (error.code, error.where.line, files.meant(error)) == ("E506", 2, "é")
    assert "Latin-1" in error.fact


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_and_windows_line_ends_are_read(files, tmp_path, mark, end):
    data = mark + files.SLEIGH.replace("\n", end).encode()
    study = read(written(tmp_path, data))
    assert study.system.constraints[0].name == "blade"
    assert study.source == files.SLEIGH
    assert study.name == "ball.toml"


def test_windows_line_ends_move_no_place(files, tmp_path):
    error = refused(written(tmp_path, files.SLEIGH.replace("m = 1.5", "m = nan").replace("\n", "\r\n").encode()))
    assert (error.code, error.where.line, files.meant(error)) == ("E203", 8, "nan")


def test_a_pipe_a_socket_and_a_device_are_not_opened(tmp_path):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert refused(pipe).code == "E510"
    with socket.socket(socket.AF_UNIX) as server:
        name = os.path.relpath(tmp_path / "s", "/")  # a socket's path must be short
        os.chdir("/")
        server.bind(name)
        assert refused(tmp_path / "s").code == "E510"
    assert stat.S_ISCHR(os.stat("/dev/zero").st_mode)
    assert refused("/dev/zero").code == "E510"


@pytest.mark.parametrize("name", ["https://example.org/ball.toml", "file:///etc/passwd", "ftp://a/b"])
def test_an_address(name):
    assert refused(name).code == "E510"


def test_a_study_folder_confines(files, tmp_path):
    inside = tmp_path / "study"
    inside.mkdir()
    written(inside, files.SLEIGH.encode())
    secret = written(tmp_path, files.SLEIGH.encode(), "secret.toml")
    (inside / "link.toml").symlink_to(secret)
    (inside / "good.toml").symlink_to(inside / "ball.toml")
    (inside / "up").symlink_to(tmp_path)
    assert read("ball.toml", folder=inside).title == "Sleigh"
    assert read("good.toml", folder=inside).title == "Sleigh"
    for name in (
        "../secret.toml",
        str(secret),
        "link.toml",
        "up/secret.toml",
        "..\\secret.toml",
        "a/../../secret.toml",
    ):
        assert refused(name, folder=inside).code == "E510", name


def test_a_name_with_escapes_is_shown_without_them(tmp_path):
    error = refused(written(tmp_path, b"a = ", "ba\x1b[31mll.toml"))
    assert "\x1b" not in str(error)
    assert error.where.file == "ba [31mll.toml"


def test_the_source_is_text(files):
    with pytest.raises(DalembertError) as caught:
        read_source(files.SLEIGH.encode())
    assert caught.value.code == "E508"
