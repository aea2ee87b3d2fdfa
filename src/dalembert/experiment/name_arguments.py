"""Names as users write them: text, symbols, lists of either, and mappings by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..errors.remedies import Option


def name_of(key: object) -> str:
    """The name of a symbol; text as it stands."""
    return str(getattr(key, "name", key))


def listed(names: object) -> tuple[str, ...]:
    """Names: ``"x y"``, a symbol, or a list of either."""
    if isinstance(names, str):
        return tuple(names.replace(",", " ").split())
    if isinstance(names, list | tuple):
        return tuple(map(name_of, names))
    return (name_of(names),)


def by_name(given: object, what: str, code: str, remedy: str | Option) -> dict[str, Any]:
    """Values by the text of their names; none where nothing was given.

    Raises:
        WrongType: with this code, they are not given by name.
        InvalidValue: E102, a symbol and text, or two symbols, of one name.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongType(code, f"{what} are given by name, not as {kind_of(given)}", remedy)
    found = {name_of(key): value for key, value in given.items()}
    if len(found) < len(given):
        twice = next(name for name in found if sum(name_of(key) == name for key in given) > 1)
        raise InvalidValue("E102", f"{what}: {twice} is given twice", f"give {twice} once, as text or as a symbol")
    return found


def check_known(found: Iterable[str], known: Iterable[str], what: str, lacking: str) -> None:
    """Refuse a name that is not among those that are known (E553)."""
    for name in found:
        if name not in known:
            raise UnknownName(
                "E553", f"{what}: {as_given(name)} {lacking}", did_you_mean(name, known), subject=("fit", what, name)
            )
