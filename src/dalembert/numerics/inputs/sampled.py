"""Functions of Python as inputs: asked at equal steps, the value held between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...given import function as checked
from ...given import number, public

EVERY = 1e-3  # seconds between samples of a function that is given bare: 1 kHz

Controller = Callable[[float, Mapping[str, float]], float]


@dataclass(frozen=True, eq=False)
class Sampled:
    """A function of (t, state) that is asked every so often.

    Attributes:
        function: of the time and the states by name, the input's value in base SI.
        every: the time between two samples.
    """

    function: Controller
    every: float = EVERY
    changes: ClassVar[bool] = True  # it is no one value


@public
def sampled(function: Controller, every: float = EVERY) -> Sampled:
    """A function of (t, state) as an input: asked at the start and then every so often, in the order of time.

    A run lands on the samples exactly and holds the value between them, as a digital controller does. The function is
    called once for each sample; ``state`` is a mapping of the states by name.

    Args:
        function: ``lambda t, state: -2.0*state["theta"]``.
        every: seconds between two samples; a bare function among the inputs of a run is asked every 0.001.

    Raises:
        WrongType: E182, it is no function of two arguments, or `every` is no number.
        InvalidValue: E182, `every` is not positive.
    """
    return Sampled(checked(function, "an input", "t, state", "E182"), number(every, "every", "E182", above=0.0))
