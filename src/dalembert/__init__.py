"""Constrained mechanics, done whole: one system, its equations of motion under every principle, its motion.

The daily names stand here; the rest in namespaces: `forms`, `forces`, `impacts`, `inputs`, `penalties`, `symmetry`,
`measures`, `methods`, `ensembles`, `families`, `nouns`. All are listed in ``__init__.pyi`` and loaded when they are
first used, so that importing the package is fast.
"""

import sys as _sys

if _sys.argv[:1] == ["-m"] and "dalembert" in _sys.orig_argv and not _sys.flags.safe_path:
    del _sys.path[0]  # `python -m dalembert`: what lies in the current folder is data, not modules

from difflib import get_close_matches as _close
from importlib import import_module as _import
from importlib.util import find_spec as _find

import lazy_loader as _lazy

from . import argument_checks as _given
from . import display as _display
from . import spelling as _spelling

__version__ = "0.1.0"

_listed, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """A name of the list; for any other, where it is."""
    if name in __all__:
        return _listed(name)
    raise AttributeError(f"module 'dalembert' has no attribute '{name}'" + ("" if name[0] == "_" else _hint(name)))


def _places() -> dict[str, str]:
    """Each public name, and how a script writes it."""
    places = {name: f"da.{name}" for name in __all__}
    for space in (name for name in __all__ if _find(f"{__name__}.{name}")):
        names = vars(_import(f"{__name__}.{space}"))
        places |= {name: f"da.{space}.{name}" for name in names if name[0] != "_"}
    return places


def _hint(name: str) -> str:
    """The place of a name that is not at the door, or of the names most like it.

    ``from .. import room`` asks here before it loads the room: for that nothing may be loaded.
    """
    if _find(f"{__name__}.{name}"):
        return f": it is a module, import {__name__}.{name}"
    places = _places()
    if name in places:
        return f": it is {places[name]}"
    near = [places[known] for known in _close(name, places, n=3)]
    return f": did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(__all__)}"


def _seconds(text: str, name: str, code: str) -> float:
    """A time with a unit; units are loaded with the first that is read."""
    found: float = _import(f"{__name__}.calculus.quantity").seconds(text, name, code)
    return found


def _html(noun: object) -> str:
    """How nouns are drawn in a notebook; loaded with the first that is shown."""
    page: str = _import(f"{__name__}.apps.notebook").html(noun)
    return page


_display.drawn_by(_html)
_spelling.named_by(_places)
_given.times_read_by(_seconds)
