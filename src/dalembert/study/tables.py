"""Tables of which all keys are known, and what each may hold; all that is wrong with one is told together.

A check takes what a file holds and returns it as it is kept, or raises `Unfit`. A table is a check itself: made from
what the file holds, it has each of its keys as an attribute. ``Many`` and ``ByName`` hold a list and a table of others
to one check, ``Before`` reads a shorter spelling first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

Check = Callable[[Any], Any]
MISSING, UNKNOWN, NO_WORD, TOO_MANY = "missing", "unknown", "no word", "too many"  # what may be wrong with a table
TABLE, LIST, WHOLE, SWITCH = "a table", "a list", "a whole number", "true or false"  # what may be wanted


@dataclass(frozen=True, eq=False)
class Problem:
    """What is wrong with one value.

    Attributes:
        place: keys and numbers of entries on the way to it.
        kind: a code of the catalogue, or one of the words of this module.
        about: details for the message.
    """

    place: tuple[str | int, ...]
    kind: str
    about: Mapping[str, Any] = field(default_factory=dict)


class Unfit(Exception):
    """A value that is refused, with all that is wrong in it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems

    def below(self, key: str | int) -> Iterator[Problem]:
        """The problems as seen from what holds the value under this key."""
        return (Problem((key, *each.place), each.kind, each.about) for each in self.problems)


def unfit(kind: str, **about: Any) -> Unfit:
    """A value that is refused as a whole."""
    return Unfit(Problem((), kind, about))


# --- checks ----------------------------------------------------------------------------------------------------------


def anything(given: object) -> object:
    """No check here; what is built from it looks at it."""
    return given


def whole(given: object) -> int:
    """A whole number."""
    if not isinstance(given, int) or isinstance(given, bool):
        raise unfit(WHOLE)
    return given


def switch(given: object) -> bool:
    """True or false."""
    if not isinstance(given, bool):
        raise unfit(SWITCH)
    return given


def one_of(*words: str) -> Check:
    """One of these words."""

    def check(given: object) -> str:
        if not isinstance(given, str) or given not in words:
            raise unfit(NO_WORD, words=words)
        return given

    return check


class Before:
    """What is read as something else first, such as a shorter spelling."""

    def __init__(self, read: Check, inner: Check) -> None:
        self.read, self.inner = read, inner

    def __call__(self, given: object) -> Any:
        """The value."""
        return self.inner(self.read(given))


class Many:
    """A list with at most so many entries."""

    def __init__(self, inner: Check, most: int | None = None) -> None:
        self.inner, self.most = inner, most

    def __call__(self, given: object) -> list[Any]:
        """The list."""
        if not isinstance(given, list):
            raise unfit(LIST)
        return list(_each(enumerate(given), self.inner, self.most).values())


class ByName:
    """A table of names that the file chooses, at most so many."""

    def __init__(self, inner: Check, most: int | None = None) -> None:
        self.inner, self.most = inner, most

    def __call__(self, given: object) -> dict[str, Any]:
        """The table."""
        if not isinstance(given, dict):
            raise unfit(TABLE)
        return _each(given.items(), self.inner, self.most)


def _each(given: Iterable[tuple[Any, Any]], check: Check, most: int | None) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    wrong: list[Problem] = []
    for key, value in given:
        try:
            found[key] = check(value)
        except Unfit as error:
            wrong += error.below(key)
    if most is not None and len(found) > most:
        raise unfit(TOO_MANY, most=most)
    if wrong:
        raise Unfit(*wrong)
    return found


# --- tables ----------------------------------------------------------------------------------------------------------


class Key:
    """What a key may hold, and what stands for it where it is left out; `needed` says that it may not be.

    Attributes:
        name: of the attribute.
        word: the key in the file.
    """

    name = word = ""

    def __init__(self, check: Check, default: Any, needed: bool) -> None:
        self.check, self.default, self.needed = check, default, needed

    def __set_name__(self, table: type, name: str) -> None:
        self.name, self.word = name, name.rstrip("_")

    def __call__(self, given: object) -> Any:
        """The value."""
        absent = given is None and self.default is None and not self.needed
        return None if absent else self.check(given)


def key(check: Check, default: Any = None) -> Any:
    """A key that may be left out."""
    return Key(check, default, needed=False)


def needed(check: Check) -> Any:
    """A key that each table has."""
    return Key(check, None, needed=True)


class Table:
    """A table whose keys are all known. A key that is a word of Python has an underscore behind it here.

    Attributes:
        keys: what each key may hold, in the order in which they are listed, those of the base first.
        given: the keys that the file has.
        others: the values of other keys.
    """

    keys: ClassVar[Mapping[str, Key]] = {}
    given: frozenset[str]
    others: dict[str, Any]

    def __init_subclass__(cls) -> None:
        """List the keys."""
        cls.keys = {**cls.keys, **{each.word: each for each in vars(cls).values() if isinstance(each, Key)}}

    def __init__(self, given: object) -> None:
        if not isinstance(given, dict):
            raise unfit(TABLE)
        found, wrong = vars(self), list[Problem]()
        for word, each in self.keys.items():
            if word in given:
                _take(found, each.name, each, given[word], wrong, word)
            elif each.needed:
                wrong.append(Problem((word,), MISSING))
            else:
                found[each.name] = each.default
        others: dict[str, Any] = {}
        for word in (word for word in given if word not in self.keys):
            _take(others, word, self.other, given[word], wrong, word)
        if wrong:
            raise Unfit(*wrong)
        self.given, self.others = frozenset(given), others

    def other(self, given: object) -> Any:
        """The value of any other key: there is none."""
        raise unfit(UNKNOWN)


def _take(into: dict[str, Any], name: str, check: Check, given: object, wrong: list[Problem], word: str) -> None:
    """The value where the check takes it; else what is wrong with it."""
    try:
        into[name] = check(given)
    except Unfit as error:
        wrong += error.below(word)


def tables_of(check: Check) -> Iterator[type[Table]]:
    """The tables that a value of this check is made of."""
    if isinstance(check, type) and issubclass(check, Table):
        yield check
    elif isinstance(check, Before | Many | ByName):
        yield from tables_of(check.inner)
    elif isinstance(check, Key):
        yield from tables_of(check.check)
