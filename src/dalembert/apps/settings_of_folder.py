"""Settings that other libraries would read from the current folder are not read by commands: such files are foreign.

numba looks for ``.numba_config.yaml`` again and again, but only where it found a reader of YAML; Matplotlib looks for
``matplotlibrc`` once, when it is imported.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_YAML = "yaml"


def unread_settings() -> None:
    """Said when a command begins: import elsewhere, or blind, what would read settings from here."""
    if Path(".numba_config.yaml").exists():
        _import_without_yaml("numba")
    if Path("matplotlibrc").exists() and find_spec("matplotlib"):
        _import_elsewhere("matplotlib")


def _import_without_yaml(name: str) -> None:
    known = sys.modules.get(_YAML)
    sys.modules[_YAML] = None  # type: ignore[assignment] # so it cannot be imported
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses its reader
            import_module(name)
    finally:
        del sys.modules[_YAML]
        if known is not None:
            sys.modules[_YAML] = known


def _import_elsewhere(name: str) -> None:
    here = Path.cwd()
    os.chdir(Path(__file__).parent)  # where no settings lie
    try:
        import_module(name)
    finally:
        os.chdir(here)
