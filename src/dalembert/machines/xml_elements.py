"""Elements of an XML file with the lines on which they stand. Files are data: nothing outside is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ..errors import InvalidValue, MissingFile, Place, as_given
from ..errors.remedies import Words

_DEEPEST = 200  # elements in elements
_XACRO = "xacro robot.urdf.xacro > robot.urdf writes the file without them"


@dataclass
class Element:
    """An element: its tag, its attributes, what is in it, and where it begins."""

    tag: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)

    @property
    def called(self) -> str:
        """The element in words: ``<link> arm``."""
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag}> {as_given(name)}"

    def refused(self, fact: str, remedy: Words = "") -> InvalidValue:
        """E165, with the place of the element."""
        error = InvalidValue("E165", fact, remedy)
        error.at(self.place)
        return error

    def all(self, *tags: str) -> Iterator[Element]:
        """Those in it that have one of these tags."""
        return (each for each in self.children if each.tag in tags)

    def one(self, tag: str) -> Element | None:
        """The only one that has this tag."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].refused(f"{self.called} has {len(found)} elements <{tag}>", "one of them can be meant")
        return found[0] if found else None

    def needed(self, tag: str) -> Element:
        """The only one, which must be there."""
        if (found := self.one(tag)) is None:
            raise self.refused(f"{self.called} has no <{tag}>")
        return found

    def text(self, attribute: str) -> str:
        """An attribute that must be there."""
        if not (found := self.attributes.get(attribute, "")):
            raise self.refused(f"{self.called} has no {attribute}")
        return found

    def number(self, attribute: str, default: float | None = None) -> float:
        """An attribute that is a number."""
        return self.numbers(attribute, 1, None if default is None else (default,))[0]

    def numbers(self, attribute: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute of several numbers with spaces between."""
        if default is not None and attribute not in self.attributes:
            return default
        given = self.text(attribute)
        try:
            found = tuple(map(float, given.split()))
        except ValueError:
            found = ()
        if len(found) != count or not all(map(math.isfinite, found)) or "_" in given:
            wanted = "a number" if count == 1 else f"{count} numbers"
            fact = f"{attribute} of {self.called} is {as_given(given)}, not {wanted}"
            raise self.refused(fact, _XACRO if "$" in given else "")
        return found

    def holds(self, tags: str, attributes: str) -> None:
        """E165: a tag or an attribute that is not understood."""
        for each in self.children:
            if each.tag not in tags.split():
                raise each.refused(f"<{each.tag}> in {self.called} is not understood", f"there may be {tags or 'none'}")
        for name in self.attributes:
            if name not in attributes.split() and ":" not in name:
                raise self.refused(f"{name} of {self.called} is not understood", f"there may be {attributes}")


def read_elements(path: Path) -> Element:
    """The root of a file.

    Raises:
        MissingFile: E165, there is no such file.
        InvalidValue: E165, it is no XML, declares entities or a document type, or holds macros of xacro.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise MissingFile("E165", f"there is no file {path}", "check the name and the folder") from None
    except OSError as error:
        fact = f"{path} cannot be read: {error.strerror or error}"
        raise InvalidValue("E165", fact, "give the file of a robot, and leave to read it") from None
    lines = data.decode("utf-8", "replace").splitlines()
    parser = expat.ParserCreate()
    roots: list[Element] = []
    open_: list[Element] = []

    def here() -> Place:
        line = min(parser.CurrentLineNumber, len(lines) or 1)
        text = lines[line - 1].strip() if lines else ""
        return Place(path.name, parser.CurrentLineNumber, 0, text, max(1, min(len(text), 60)))

    def begun(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, here())
        if tag.startswith("xacro:"):
            raise element.refused(f"<{tag}> is a macro of xacro", _XACRO)
        if len(open_) > _DEEPEST:
            raise element.refused(f"elements lie in each other {len(open_)} deep")
        (open_[-1].children if open_ else roots).append(element)
        open_.append(element)

    def declared(*_: object) -> None:
        raise Element("!DOCTYPE", {}, here()).refused("the file declares a document type", "leave <!DOCTYPE ...> out")

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begun, declared
    parser.EndElementHandler = lambda tag: open_.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        fact = f"{path.name} is no XML: {expat.errors.messages.get(error.code, error)}"
        refusal = InvalidValue("E165", fact, "check the brackets, quotes and closing tags at this line")
        refusal.at(Place(path.name, error.lineno))
        raise refusal from None
    return roots[0]
