"""A file that is written: whole or not at all, and never in the place of what somebody else wrote.

Whatever is written ends in a mark that says what made it of what, with a sum of all before it. A file is replaced if it
bears the mark of the same maker and is as it was made; any other only where that is asked for. What is read is never
replaced, and what is no plain file neither.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from .errors import InvalidValue, Unwritable, WrongType, as_given, kind_of, written

_SUM = 16  # hexadecimal digits
_LAST = 8192  # bytes in which a mark is looked for
_BLOCK = 2**20
_LONGEST = 200  # characters of what a file is of
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # a path that was made of one has lost a slash
_MARK = re.compile(rb"made by dalembert (\S+) of (\S*), sum ([0-9a-f]{%d})" % _SUM)
_ELSEWHERE = "make room, or give a place elsewhere; what was there is as it was"
# how a remark is written in each form; forms that know none bear no mark
_REMARKS = {
    **dict.fromkeys(("html", "svg"), ("<!-- ", " -->\n")),
    **dict.fromkeys(("python", "script", "py"), ("# ", "\n")),
    **dict.fromkeys(("latex", "tex", "pgf", "pdf", "ps", "eps"), ("% ", "\n")),
    **dict.fromkeys(("png", "jpg", "jpeg", "tif", "tiff", "gif", "webp", "nc"), ("\n", "\n")),
    "c": ("/* ", " */\n"),
}
_ENDS = {"", *(after for _, after in _REMARKS.values())}
_ZIPPED = ("npz", "fmu")
PAGES = (".html", ".htm")
# endings by which a person, a browser or a shell takes a file for something
_KNOWN = re.compile(
    r"\.(avi|bat|bmp|c|cc|cmd|com|cpp|css|csv|desktop|dll|docx?|eps|exe|fmu|gif|gz|h|h5|html?|ipynb|jar|jpe?g|js|json|lnk"
    r"|mat|mp4|msi|nc|npy|npz|ods|pdf|php|png|ps|ps1|pyc?|sh|so|svg|tar|tex|tiff?|toml|txt|vbs|xlsx?|xml|ya?ml|zarr|zip)"
)
_DRAFT = re.compile(r"\.([0-9a-f]{8})-([0-9]+)-[0-9a-f]{12}\.part")


@dataclass(frozen=True)
class Maker:
    """Who writes a file, of what.

    Attributes:
        by: the command and its option, or the function: ``"run --report"``.
        of: the file that it is about, or what the thing is called.
        read: files and folders that are read for it.
        replaces: may it replace files that others made?
        remedy: what to do where another file lies there.
    """

    by: str
    of: str | Path = ""
    read: tuple[Path, ...] = ()
    replaces: bool = False
    remedy: str = "give another name, or overwrite=True"

    def origin(self, place: Path) -> str:
        """What the file at a place is made of; a file as it is seen from there, so that a folder may move."""
        if not isinstance(self.of, Path):
            return _short(self.of)
        whole = os.path.realpath(self.of)
        try:
            return _short(Path(os.path.relpath(whole, place.parent)).as_posix())
        except ValueError:  # another drive
            return _short(Path(whole).as_posix())


def as_path(file: object, example: str = "path.npz") -> Path:
    """The name of a file as a path; the example is for messages.

    Raises:
        WrongType, InvalidValue: E501, not the name of a file.
    """
    if not isinstance(file, str | os.PathLike):
        raise WrongType("E501", f"a file is named by text or a path, not by {kind_of(file)}", f'"{example}"')
    name = os.fspath(file)
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise InvalidValue("E501", f"{as_given(name)} is not the name of a file", f'"{example}"')
    if ADDRESS.match(name):
        raise InvalidValue("E510", f"{as_given(name)} is an address", "give the name of a file: no network")
    if name == "~" or name.startswith(("~/", "~\\")):
        fact = f"{as_given(name)} would make a folder called ~"
        raise InvalidValue("E501", fact, "write the whole name of your home folder")
    return Path(str.__str__(name))  # an heir of text may show something else


def as_page(file: object) -> Path:
    """The name of a page: browsers go by its ending.

    Raises:
        WrongType, InvalidValue: E501, not the name of a file; E307, it ends in something else.
    """
    path = as_path(file, "page.html")
    if path.suffix.lower() not in PAGES:
        fact = f"a page is a file of HTML, and {as_given(str(path))} does not end in .html"
        raise InvalidValue("E307", fact, f'"{path.with_suffix(PAGES[0]).name}"')
    return path


def as_form(file: object, own: Sequence[str], what: str, more: str = "") -> Path:
    """The name of a file that its ending does not take for something else.

    Args:
        file: its name.
        own: endings of what is written, the usual one first.
        what: is written, ``"a path is stored as NumPy's .npz"``.
        more: said behind the name in the remedy.

    Raises:
        WrongType, InvalidValue: E501, not the name of a file; E307, the ending is that of something else.
    """
    path = as_path(file, f"path{own[0]}")
    ending = path.suffix.lower()
    if _KNOWN.fullmatch(ending) and ending not in own:
        fact = f"{what}, and the name ends in {ending}"
        raise InvalidValue("E307", fact, f'"{path.with_suffix(own[0]).name}"{more}')
    return path


def free(file: object, maker: Maker, own: Callable[[Path], bool] | None = None) -> Path:
    """The place at which a file may be written, links followed.

    Args:
        file: its name.
        maker: who writes it.
        own: is what lies there made by the same for the same? By default its mark says so.

    Raises:
        Unwritable: E530, something lies there that is not replaced, or nothing can be written there.
        WrongType, InvalidValue: E501, not the name of a file.
    """
    name = as_path(file)
    if str(name) == "-":
        raise Unwritable("E530", "- is not the name of a file", "give a name; what is shown goes to standard output")
    with written(name, _ELSEWHERE):
        place = Path(os.path.realpath(name))
        _check_folders(name, place, maker)
        try:
            there = os.stat(name)
        except FileNotFoundError:
            if name.is_symlink():
                raise Unwritable("E530", f"{name} is a link to nothing", "give another name") from None
            return place
        _check_kind(name, there)
        for each in maker.read:
            if each.exists() and os.path.samefile(each, name):
                raise Unwritable(
                    "E530", f"{name} is read here, and what is read is never replaced", "give another name"
                )
        if there.st_size and not maker.replaces and not (own or _own(maker))(place):
            raise Unwritable("E530", _whose(name, place, maker), maker.remedy)
    return place


@contextmanager
def draft(
    file: object, maker: Maker, form: str | None = None, own: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """A new file beside the place, to be filled; it is marked and takes the place when the body is done.

    Args:
        file, maker, own: as of `free`.
        form: of the contents, by default what the ending says.

    Raises:
        Unwritable, WrongType, InvalidValue: as `free`, and E530 with the reason of the operating system.
    """
    place = free(file, maker, own)
    if not place.parent.exists():
        fact = f"{as_path(file)} cannot be written: there is no folder {as_path(file).parent}"
        raise Unwritable("E530", fact, "make the folder, or give a place in one that is there")
    beside = place.with_name(f".{_host()}-{os.getpid()}-{secrets.token_hex(6)}.part")  # the place's may just fit
    with written(file, _ELSEWHERE):
        _clear(place.parent)
        try:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield beside
            _mark(beside, form or place.suffix[1:].lower(), maker, place)
            free(file, maker, own)  # it may have got there meanwhile
            with suppress(FileNotFoundError):
                os.chmod(beside, stat.S_IMODE(os.stat(place).st_mode))
            beside.replace(place)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def write(file: object, content: str, maker: Maker, form: str | None = None) -> Path:
    """Write a text; the file appears whole or not at all. Raises what `draft` does."""

    def own(place: Path) -> bool:
        return _own(maker)(place) or place.read_bytes() == content.encode()

    with draft(file, maker, form, own) as beside, beside.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(content)
    return as_path(file)


def _host() -> str:
    """Tells machines apart that see one folder."""
    return hashlib.sha256(platform.node().encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _clear(folder: Path) -> None:
    """Remove the drafts of processes of this machine that were killed."""
    for each in folder.iterdir() if os.name == "posix" and folder.is_dir() else ():
        found = _DRAFT.fullmatch(each.name)
        if found and found[1] == _host() and not _lives(int(found[2])):
            each.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user; no such number
        return True
    return True


# --- what lies there -------------------------------------------------------------------------------------------------


def _check_folders(name: Path, place: Path, maker: Maker) -> None:
    """Refuse a folder that cannot be written, and one that is read: a store is whole as it is."""
    if place.is_relative_to("/dev") and not place.exists() and not place.is_relative_to("/dev/shm"):
        raise Unwritable("E530", f"{name} lies among the devices", "give a place elsewhere")
    if place.parent.is_dir() and not os.access(place.parent, os.W_OK):
        raise Unwritable("E530", f"{name} cannot be written: its folder may only be read", _ELSEWHERE)
    for folder in maker.read:
        if folder.is_dir() and place.is_relative_to(os.path.realpath(folder)):
            raise Unwritable("E530", f"{name} lies in {folder}, which is read here", "give a place outside of it")


def _check_kind(name: Path, there: os.stat_result) -> None:
    kinds = (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket")
    mode = there.st_mode
    if not stat.S_ISREG(mode):
        kind = next((word for test, word in kinds if test(mode)), "a device")
        raise Unwritable("E530", f"{name} is {kind}, not a file", "give the name of a file")
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(name, os.W_OK):
        raise Unwritable("E530", f"{name} is protected against writing", "give another name, or change its permissions")
    if any(_is_stream(number, there) for number in (1, 2)):
        raise Unwritable("E530", f"{name} is where the answer of the command goes", "give another name")


def _is_stream(number: int, there: os.stat_result) -> bool:
    with suppress(OSError):  # it is closed
        return os.path.samestat(os.fstat(number), there)
    return False


def _own(maker: Maker) -> Callable[[Path], bool]:
    def own(place: Path) -> bool:
        found = _found(place)
        return found is not None and found == (maker.by, maker.origin(place), True)

    return own


def _whose(name: Path, place: Path, maker: Maker) -> str:
    """Whose file it is, as far as its mark tells."""
    found = _found(place)
    if found is None:
        return f"{name} is there already, and {maker.by} did not make it"
    by, of, whole = found
    if by != maker.by or of != maker.origin(place):
        of = os.path.normpath(place.parent / of) if isinstance(maker.of, Path) and by == maker.by else of
        return f"{name} is there already, made by {by}{' of ' if of else ''}{of}"
    return f"{name} is there already, and was changed since {by} made it" if not whole else f"{name} is there already"


# --- marks -----------------------------------------------------------------------------------------------------------


def _short(text: str) -> str:
    """The beginning of a long text and a sum of the whole: a mark stays short."""
    whole = text.encode("utf-8", "surrogatepass")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} {hashlib.sha256(whole).hexdigest()[:_SUM]}"


def _word(text: str) -> str:
    """Text without anything that a form could take for more than a remark."""
    return quote(text, safe="/", errors="backslashreplace").replace("-", "%2D")


def marked(remark: bytes) -> bool:
    """Is this a whole mark?"""
    return _MARK.fullmatch(remark) is not None


def _found(place: Path) -> tuple[str, str, bool] | None:
    """By what a file was made, of what, and whether it is as it was made."""
    with place.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        first = stream.seek(max(0, size - _LAST))
        last = stream.read(_LAST)
        mark = next(reversed(list(_MARK.finditer(last))), None)
        if mark is None:
            return None
        by, of, seen = (part.decode() for part in mark.groups())
        whole = seen == _sum(stream, first + mark.start()) and last[mark.end() :].decode("latin-1") in _ENDS
    return unquote(by), unquote(of), whole


def _sum(stream: BinaryIO, size: int) -> str:
    """Of so many bytes from the beginning."""
    found, left = hashlib.sha256(), size
    stream.seek(0)
    while left and (block := stream.read(min(left, _BLOCK))):
        found.update(block)
        left -= len(block)
    return found.hexdigest()[:_SUM]


def _around(form: str, length: int) -> tuple[bytes, bytes]:
    """What stands before and after a remark of so many bytes; nothing in forms that know none."""
    if form == "mp4":  # a box of free space: its length, its kind
        return (8 + length).to_bytes(4, "big") + b"free", b""
    before, after = _REMARKS.get(form, ("", ""))
    return before.encode(), after.encode()


def _mark(beside: Path, form: str, maker: Maker, place: Path) -> None:
    """Say at the end of a file what made it, and bring it to the disk."""
    words = f"made by dalembert {_word(maker.by)} of {_word(maker.origin(place))}, sum "
    if form in _ZIPPED:
        with zipfile.ZipFile(beside, "a") as container:
            container.comment = f"{words}{'0' * _SUM}".encode()
    before, after = _around(form, len(words) + _SUM)
    with beside.open("r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        if form in _ZIPPED:  # its comment is the last of it
            found = _sum(stream, end - _SUM - len(words))
            stream.seek(end - _SUM)
            stream.write(found.encode())
        elif before:
            stream.write(before)
            found = _sum(stream, end + len(before))
            stream.seek(0, os.SEEK_END)
            stream.write(f"{words}{found}".encode() + after)
        stream.flush()
        os.fsync(stream.fileno())
