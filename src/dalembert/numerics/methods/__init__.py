"""Methods of integration: values that know their options, what fits them, their sources and their stepper.

A method is asked for the stepper of a run; the stepper is asked for one chunk of steps after another, until its status
is no longer FULL. All of a run's knowledge of methods is in these two nouns, `Method` and `Stepper`:

    method = Radau(order=9)                            # a frozen value: options, sources, doubts
    stepper = method.stepper(field, request)           # one integration under way
    chunk = stepper.advance(10.0)                      # status, t, y, dense output, least rank margin
    stepper.restart(t, y)                              # from elsewhere, as after an impact

What stands where:

- ``method`` says what a method is, ``stepper`` what a stepper, a chunk and a status are, with clock and counters.
- ``disturbance_growth`` carries a small disturbance along the steps that were made.
- ``explicit_runge_kutta``, the pairs of which DOP853 is one, ``radau`` and ``taylor`` choose their steps; each folder
  opens with its value, then come its loop, which is compiled once for every system, and the code that it compiles with
  each right-hand side.
- ``geometric`` holds the methods of fixed steps: a file each, which writes one step of order 2 down on the graph, and
  what they share: the loop, Newton's method, compositions, dense output.

A new method is one file with a value, and its row in `METHODS`: simulate, files, sweeps and citations read it there. An
explicit Runge-Kutta pair is an `ExplicitTableau` and a value, an `ExplicitPair` of `explicit_runge_kutta`: it has its
lanes, plants and derivatives with it. They know a method by its word, and change the word into the value once, in
`by_name`. A method is loaded with the first run that takes it: the others would cost every start as much as a whole
motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from ...errors import InvalidValue, as_given, did_you_mean
from .method import Method

if TYPE_CHECKING:
    from .explicit_runge_kutta import Dop853 as Dop853
    from .geometric.discrete_gradient import DiscreteGradient as DiscreteGradient
    from .geometric.lagrange_dalembert import DiscreteLagrangeDAlembert as DiscreteLagrangeDAlembert
    from .geometric.symmetric_projection import SymmetricProjection as SymmetricProjection
    from .radau import Radau as Radau
    from .taylor import Taylor as Taylor

_FILES = {
    "dop853": ("explicit_runge_kutta", "Dop853"),
    "radau": ("radau", "Radau"),
    "taylor": ("taylor", "Taylor"),
    "dla": ("geometric.lagrange_dalembert", "DiscreteLagrangeDAlembert"),
    "discrete_gradient": ("geometric.discrete_gradient", "DiscreteGradient"),
    "symmetric_projection": ("geometric.symmetric_projection", "SymmetricProjection"),
}


class _Methods(Mapping[str, type[Method]]):
    """The kind of method of each word, loaded when it is asked for."""

    def __getitem__(self, word: str) -> type[Method]:
        file, name = _FILES[word]
        found: type[Method] = getattr(import_module(f"{__package__}.{file}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


METHODS: Mapping[str, type[Method]] = _Methods()


def __getattr__(name: str) -> type[Method]:
    """A kind of method by the name of its class."""
    for word, (_, known) in _FILES.items():
        if name == known:
            return METHODS[word]
    raise AttributeError(f"module {__name__} has no attribute {name}")


def by_name(word: object, options: Mapping[str, object]) -> Method:
    """The method with a word, from the options ``step`` and ``order`` of a run; those left out are None.

    Raises:
        InvalidValue: E307, an unknown word, options that the method does not have or lacks; E305, of wrong values.
    """
    return kind(word).of(options)


def kind(word: object) -> type[Method]:
    """The kind of method with a word (E307)."""
    if not isinstance(word, str) or word not in METHODS:
        raise InvalidValue("E307", f"unknown method {as_given(word)}", did_you_mean(str(word).lower(), METHODS))
    return METHODS[word]
