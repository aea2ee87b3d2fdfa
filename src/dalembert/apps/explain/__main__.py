"""``python -m dalembert.apps.explain [FILE]``: write the page of all codes, or print it."""

from __future__ import annotations

import sys
from pathlib import Path

from .page import page

if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
    else:
        print(page(), end="")
