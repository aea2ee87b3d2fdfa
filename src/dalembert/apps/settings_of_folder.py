"""Settings that other libraries would read from the current folder are not read by commands: such files are foreign.

Matplotlib looks for ``matplotlibrc`` once, when it is imported.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def unread_settings() -> None:
    """Said when a command begins: import elsewhere what would read settings from here."""
    if Path("matplotlibrc").exists() and find_spec("matplotlib"):
        _import_elsewhere("matplotlib")


def _import_elsewhere(name: str) -> None:
    here = Path.cwd()
    os.chdir(Path(__file__).parent)  # where no settings lie
    try:
        import_module(name)
    finally:
        os.chdir(here)
