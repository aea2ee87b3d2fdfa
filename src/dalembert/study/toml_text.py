"""From a path to the TOML tables of a system file and the places of all keys and values, or a refusal.

E501 to E506 and E510 are of the file, E507 is of what is not TOML. Nothing but a plain file is opened.
"""

from __future__ import annotations

import datetime
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from ..errors import DalembertError, InvalidValue, Place, as_given
from ..errors.lookalike_letters import shape, strange
from ..input_file import Wanted, name_of, opened, plain
from .toml_positions import Places, places

SCHEMA = 1  # of the files that are read and written

LARGEST = 2**20  # bytes of a file
_NEW = "dalembert new writes a file to start from"
WANTED = Wanted('da.read("ball.toml")', "ball.toml", f"check the name; {_NEW}")


def text_of(path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> tuple[str, str]:
    """The text of a file, and the name it has in messages.

    Args:
        path: of the file.
        folder: if given, the file must lie in it, and `path` is relative to it.

    Raises:
        WrongType: E501, no path.
        MissingFile: E501, there is no such file.
        InvalidValue: E502 a folder, E503 no permission, E504 empty, E505 binary or above 1 MiB, E506 not UTF-8, E510
            not a plain file, an address, or a file outside `folder`.
    """
    name, label = name_of(path, WANTED)
    return decoded(_read(inside(name, folder), label), label), label


def inside(name: str, folder: str | os.PathLike[str] | None) -> Path:
    """The path, below the folder if one is given (E510)."""
    if folder is None:
        return Path(name)
    root, parts = Path(name_of(folder, WANTED)[0]), Path(name)
    below = not (parts.is_absolute() or parts.drive or ".." in parts.parts or "\\" in name or "\0" in name)
    if below and (root / parts).resolve().is_relative_to(root.resolve()):
        return root / parts
    fact = f"{plain(name)[:60]} is not below the folder of the study"
    raise InvalidValue("E510", fact, "give a name relative to this folder, without .. and without links that leave it")


def _read(path: Path, label: str) -> bytes:
    """The bytes of a plain file."""
    with opened(path, label, WANTED) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InvalidValue(
            "E505", f"{label} is larger than 1 MiB", "a system file is a few kB of text; is it this one?"
        )
    return data


def decoded(data: bytes, name: str) -> str:
    """UTF-8 text with line feeds; a byte order mark is left out.

    Raises:
        InvalidValue: E504 empty, E505 binary, E506 another encoding.
    """
    if not data.strip():
        raise InvalidValue("E504", f"{name} is empty", _NEW)
    for mark, encoding in ((b"\xff\xfe\0\0", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if data.startswith(mark):
            raise _encoding(name, encoding)
    if b"\0" in data[:4096]:
        zeros = [data[i:4096:2].count(0) for i in (0, 1)]
        if max(zeros) > len(data[:4096]) // 3 and min(zeros) == 0:
            raise _encoding(name, "UTF-16")
    if b"\0" in data:
        raise InvalidValue("E505", f"{name} is binary, not text", "a system file is TOML text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(name, data, error.start) from None
    return text.replace("\r\n", "\n")


def _encoding(name: str, encoding: str) -> InvalidValue:
    return InvalidValue("E506", f"{name} is {encoding}, not UTF-8", "save it as UTF-8")


def _no_text(name: str, data: bytes, at: int) -> DalembertError:
    """E506 with the line of the first byte that is not UTF-8, or E505."""
    strange = sum(byte < 9 or 13 < byte < 32 for byte in data[:4096])
    if strange > len(data[:4096]) // 50:
        return InvalidValue("E505", f"{name} is binary, not text", "a system file is TOML text")
    first, line = data.rfind(b"\n", 0, at) + 1, data.count(b"\n", 0, at) + 1
    text = data[first : (data + b"\n").index(b"\n", at)].decode("latin-1").rstrip("\r")
    where = Place(name, line, at - first, text)
    letter = data[at : at + 1].decode("latin-1")
    fact = f"byte 0x{data[at]:02X} is not UTF-8: is the file Latin-1 ({as_given(letter)})?"
    return InvalidValue("E506", fact, "save it as UTF-8").at(where)


# --- TOML ------------------------------------------------------------------------------------------------------------

DEEPEST = 40  # tables and arrays within each other
MOST = 20_000  # values of a file
LONGEST = 100_000  # characters of a line that is no list
TYPED = 500  # characters: a longer line was not typed, and no slip of the hand is looked for in it
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_COMMA = re.compile(r"[^=\"'#]*=\s*[+-]?[0-9]+,[0-9]+\s*(#|\Z)")
_UNQUOTED = re.compile(r"\s*[\w.-]+\s*=\s*([^\"'\[{#=\s][^\"'\[\]{}#]*?)\s*(?:#.*)?\Z")
_DIGITS = re.compile(r"[0-9_]{4000,}")
# dotted keys cost time that grows with the square of their length
_DOTTED = re.compile(r"(?:(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}")
_QUOTE = "text, also a number with its unit, stands in quotes: "
_HINTS = (
    (
        "Invalid initial character for a key",
        'a key with other characters than letters, digits, _ and - stands in quotes: "θ" = 0',
    ),
    ("Expected ']]'", "write [[run]], with two brackets on each side"),
    ("Expected ']'", "write [parameters], with one bracket on each side"),
    ("Unclosed inline table", _QUOTE + '{ x = "60 deg" }; a comma stands between entries, } at the end'),
    ("Invalid value", 'text stands in quotes: title = "Ball"; a decimal mark is a point: 0.5'),
    ("Cannot overwrite", "give each key once"),
    ("Cannot declare", "give each table once; several of a kind are [[constraint]], [[run]]"),
    ("Expected '='", 'a line is  key = value ; a key with other characters stands in quotes: "dot(x)" = 0'),
    ("Expected newline", "one key = value on each line; text stands in quotes"),
    ("Invalid statement", 'a line is  key = value , [table] or # comment; "dot(x)" = 0 needs its quotes'),
    ("Illegal character", "text on one line ends with its quote on that line"),
    ("Unterminated string", "close the quote"),
    ("Unclosed array", "close the ["),
    ("Unescaped", r"in text a \ is written \\, or the text stands in single quotes"),
)


def parsed(text: str, name: str) -> tuple[dict[str, Any], Places]:
    """Tables of a TOML text, and where everything stands.

    Raises:
        InvalidValue: E507, not TOML, or nested too deeply; with its place.
    """
    # E507, a line that nobody wrote: refused before it is read, since reading it takes long
    for number, line in enumerate(text.split("\n") if len(text) > LONGEST else (), 1):
        if len(line) > LONGEST and line.count(",") < len(line) // 100 and not line.lstrip().startswith("#"):
            fact = f"line {number} of {name} has {len(line)} characters, the limit is {LONGEST}"
            raise InvalidValue("E507", fact, "no system file needs this").at(Place(name, number, 0, line, 1))
    found = _DOTTED.search(text)
    if found:
        raise _too_deep(Places(text, name).at(*found.span()))
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(str(error), text, name) from None
    except RecursionError:
        raise _too_deep(_deepest(text, name)) from None
    except ValueError:  # int() of thousands of digits, a date that no calendar has
        long = _DIGITS.search(text)
        where = Places(text, name).at(*long.span()) if long else None
        fact = "a number of more than 4000 digits" if long else "a value that cannot be read"
        raise InvalidValue("E507", fact, "give a shorter one").at(where) from None
    depth, count = _extent(tables)
    if depth > DEEPEST:
        raise _too_deep(_deepest(text, name))
    if count > MOST:
        fact = f"{name} holds more than {MOST} values"
        raise InvalidValue("E507", fact, 'no system file needs this; long axes of sweeps are ranges: "0:1:1000"')
    return tables, places(text, name)


def _syntax(message: str, text: str, name: str) -> Exception:
    """tomllib's message with its place, and what to do about the usual slips."""
    at = _AT.search(message)
    fact = message[: at.start()] if at else message
    fact = "".join(c if c.isprintable() else " " for c in fact)[:200]
    hints = [hint for start, hint in _HINTS if fact.startswith(start)]
    where = _place(at, text, name)
    given_twice = fact.startswith("Cannot")
    hints[:0] = _headed(where, text) if given_twice else _guessed(where, text)
    remedy = [*hints, "check the quotes, brackets and = of this line and the one above"][0]
    return InvalidValue("E507", f"not TOML: {fact[:1].lower()}{fact[1:]}", remedy).at(where)


_XML = "of a robot, URDF or MJCF, a system file is written first: dalembert new NAME --from robot.urdf"
# what belongs to other languages, where it stands
_FOREIGN = tuple(
    (re.compile(mark), hint)
    for mark, hint in (
        ("[\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a]", 'text stands in straight quotes: "200 g"'),
        (r"//|%|--|/\*|!", "a comment begins with #"),
        (r"[;,]\s*(?:#.*)?\Z", "nothing stands at the end of a line: leave it out"),
        (r"==|:=", "a key has one = behind it"),
        (r"(?:True|False)\b", "write true or false"),
        (r"\.[0-9]|\.(?![\w.])", "a number has digits on both sides of its point: 0.2, 2.0"),
        (
            "[\u00a0\u2000-\u200b\u3000]",
            "this is no plain blank, perhaps a non-breaking space: type it anew",
        ),
    )
)


_TABLES = (".csv", ".tsv", ".dat")
_QUOTED = '"{}" = ...'


def _of_another_kind(where: Place, text: str) -> list[str]:
    """A file that is no system file at all: a model of another program, or a table."""
    if text.lstrip().startswith("<"):
        return [_XML]
    if where.file.lower().endswith(_TABLES):
        return [f"{where.file} is a table, and a system file is wanted: dalembert fit SYSTEM.toml {where.file}"]
    return []


def _headed(where: Place, text: str) -> list[str]:
    """A table of several that was begun as the only one."""
    header = re.match(r"\s*\[\[\s*([\w.]+)\s*\]\]", where.text)
    one = header and re.search(rf"^[ \t]*\[[ \t]*({re.escape(header[1])}(?:\.\w+)?)[ \t]*\]", text, re.MULTILINE)
    return [f"the first is [{one[1]}]: write [[{header[1]}]] there too"] if header and one else []


def _guessed(where: Place, text: str) -> list[str]:
    """What the line itself tells."""
    if len(where.text) > TYPED:
        return []
    if other := _of_another_kind(where, text) or _headed(where, text):
        return other
    line, left = where.text, where.text[where.column :]
    if re.match(r"\s*\}", left) and line[: where.column].rstrip().endswith(","):
        return ["no comma stands before a }: leave it out"]
    for mark, hint in _FOREIGN:
        if mark.match(left) or mark.match(line, max(0, where.column - 1)):
            return [hint]
    if _COMMA.match(line):
        return ["a decimal mark is a point: 0.5"]
    if not left.strip() and line.count("{") > line.count("}"):
        above = re.findall(r"^[ \t]*\[\[?([^\[\]]+)\]", "\n".join(text.split("\n")[: where.line]), re.MULTILINE)
        key = ".".join([*above[-1:], line.partition("=")[0].strip()])
        return [f"{{ ... }} stands on one line; or write a table: [{key}], and below it a line for each entry"]
    found = _UNQUOTED.match(line)
    if found and where.column >= found.start(1):
        return [f'{_QUOTE}{found[0][: found.start(1)].strip()} "{found[1].strip()}"']
    found = re.match(r"\s*([\w.-]+)\s*:\s*(.*)", line)
    if found and where.column <= found.start(2):
        return [f"a key has = behind it, not a colon: {found[1]} = ..."]
    if told := _of_a_strange_word(where):
        return told
    name = re.match(r"[^\W\d]\w*", left)
    if name and not name[0].isascii():
        return [f'a key with other characters than letters, digits, _ and - stands in quotes: "{name[0]}" = ...']
    found = re.match(r"(.*?)((?<![\w\"])\w+\([^()\"]*\))\s*=", line)
    if found and found.start(2) <= where.column <= found.end(2):
        return [f'this key stands in quotes: "{found[2]}" = ...']
    return []


def _of_a_strange_word(where: Place) -> list[str]:
    """What is strange in the word at the column: a character that looks like another."""
    word = next((m[0] for m in re.finditer(r"\w+", where.text) if m.start() <= where.column < m.end()), "")
    wrong = strange(word)
    if not wrong:
        return []
    meant = shape(word)
    return [f"{as_given(word)}: {wrong[0]}; {wrong[1] if meant.isascii() else f'in quotes: {_QUOTED.format(meant)}'}"]


def _place(at: re.Match[str] | None, text: str, name: str) -> Place:
    lines = text.split("\n")
    if at is None or at[1] is None:
        used = [i for i, line in enumerate(lines) if line.strip()] or [0]
        last = lines[used[-1]]
        return Place(name, used[-1] + 1, len(last.rstrip()), last)
    line, column = int(at[1]), int(at[2]) - 1
    if line > len(lines):
        line, column = len(lines), len(lines[-1])
    return Place(name, line, column, lines[line - 1])


def _too_deep(where: Place | None) -> Exception:
    fact = f"tables and arrays are nested more than {DEEPEST} deep"
    return InvalidValue("E507", fact, "no system file needs this").at(where)


def _deepest(text: str, name: str) -> Place:
    """The line with the most brackets."""
    lines = text.split("\n")
    n = max(range(len(lines)), key=lambda i: lines[i].count("[") + lines[i].count("{") + lines[i].count("."))
    return Place(name, n + 1, max(0, lines[n].find("[")), lines[n])


def _extent(tables: Any) -> tuple[int, int]:
    """How deep tables and arrays are nested, and how many values there are; counted without recursion."""
    level, depth, count = [tables], 0, 0
    while level and depth <= DEEPEST and count <= MOST:
        inner = [v for node in level for v in (node.values() if isinstance(node, dict) else node)]
        level = [node for node in inner if isinstance(node, dict | list)]
        depth, count = depth + 1, count + len(inner)
    return depth, count


def kind(value: object) -> str:
    """What a TOML value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time"
    words = ((str, "text"), (int, "a number"), (float, "a number"), (list, "a list"), (dict, "a table"))
    return next((word for of, word in words if isinstance(value, of)), type(value).__name__)
