"""Options of a run as a file gives them: checked here, so that a slip is found before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..calculus.quantity import NUMBER, SECOND, quantity
from ..errors import DalembertError, InvalidValue, as_given

MOST_STEPS, MOST_SECONDS = 10_000_000, 600.0  # a file may ask for fewer


def option(key: str, given: Any) -> Any:
    """One option of `simulate`, as far as a file can say it."""
    read: Callable[[str, Any], Any] = _OPTIONS.get(key, lambda _, value: value)
    return read(key, given)


def _method(_: str, given: str) -> str:
    from ..numerics.methods import kind  # loads the engine: only for files that name a method

    return kind(given).word


def _order(_: str, given: int) -> int:
    from ..numerics.methods import METHODS

    known = sorted({order for method in METHODS.values() for order in method.orders})
    if given not in known:
        raise InvalidValue("E307", f"order = {given} is not known", ", ".join(map(str, known)))
    return given


def _tolerance(_: str, given: Any) -> float:
    value = quantity(given, "rtol", NUMBER).value
    if not 1e-16 <= value <= 1e-2:
        raise InvalidValue("E305", f"rtol = {value:g} must be in [1e-14, 1e-2]", "rtol = 1e-9")
    return value


def _absolute(_: str, given: Any) -> Any:
    if isinstance(given, dict):
        return {name: _absolute("", value) for name, value in given.items()}
    value = quantity(given, "atol", NUMBER).value
    if value <= 0:
        raise InvalidValue("E305", f"atol = {value:g} must be positive", "atol = 1e-12")
    return value


def _positive(key: str, given: float) -> float:
    if given <= 0:
        raise InvalidValue("E305", f"{key} = {given:g} must be positive", f"{key} = 0.01")
    return given


def _limit(key: str, given: Any) -> Any:
    most = MOST_STEPS if key == "max_steps" else MOST_SECONDS
    value = given if isinstance(given, int) else quantity(given, key, SECOND if key == "seconds" else NUMBER).value
    if value <= 0:
        raise InvalidValue("E313", f"{key} = {value:g} must be positive", f"leave {key} out")
    if value > most:
        fact = f"{key} = {value:g} is above the limit {most:g}: a file may lower a limit, not raise it"
        raise InvalidValue("E313", fact, f"leave {key} out, and raise it where you run the file")
    return value


def _stabilisation(_: str, given: Any) -> Any:
    if given in ("projection", "drift"):
        return given
    if isinstance(given, dict) and set(given) == {"baumgarte"}:
        rate = quantity(given["baumgarte"], "baumgarte", SECOND**-1).value
        if rate > 0:
            return {"baumgarte": rate}
    fact = f"stabilisation = {as_given(given)} is not known"
    error: DalembertError = InvalidValue("E307", fact, '"projection", "drift" or { baumgarte = 1.0 }')
    raise error


_OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    "method": _method,
    "rtol": _tolerance,
    "atol": _absolute,
    "step": _positive,
    "max_step": _positive,
    "max_steps": _limit,
    "seconds": _limit,
    "order": _order,
    "stabilisation": _stabilisation,
}
