"""How a script writes a public name, a principle, and the multiplier of a constraint: the same wherever it occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

DAILY = ("nonholonomic", "vakonomic", "free")
_MULTIPLIER = "lam_"
_Value = TypeVar("_Value")


_places: list[Callable[[], Mapping[str, str]]] = []


def named_by(places: Callable[[], Mapping[str, str]]) -> None:
    """From now on `places` tells how a script writes each public name: the front door says so, which no room knows."""
    _places[:] = [places]


def function_in_script(name: str) -> str | None:
    """``da.draw`` of the public function draw; None of what is none, as a class or a namespace."""
    places = _places[0]() if _places else {}
    spaces = {place.rpartition(".")[0] for place in places.values()}
    place = places.get(name)
    return place if place not in spaces and name[:1].islower() else None


def typed(principle: str) -> str:
    """``da.nonholonomic``, ``da.forms.gauss``."""
    return f"da.{principle}" if principle in DAILY else f"da.forms.{principle}"


def multiplier(constraint: str) -> str:
    """``lam_blade`` of the constraint blade."""
    return _MULTIPLIER + constraint


class Multipliers(dict[str, _Value]):
    """Values by the name of the multiplier, ``lam_<constraint>``; the constraint's alone, or a symbol, is understood.

    They are called as the columns of a path are and as a start calls them.
    """

    @classmethod
    def of(cls, constraints: Iterable[str], values: Iterable[_Value]) -> Multipliers[_Value]:
        """The values in the order of the constraints."""
        return cls({multiplier(name): value for name, value in zip(constraints, values, strict=True)})

    def _own(self, key: object) -> str:
        name = str(getattr(key, "name", key))
        return name if super().__contains__(name) else multiplier(name)

    def __missing__(self, key: object) -> _Value:
        own = self._own(key)
        if super().__contains__(own):
            return super().__getitem__(own)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._own(key))

    def get(self, key: object, default: object = None) -> object:  # type: ignore[override]
        """The value under either name."""
        return super().get(self._own(key), default)
