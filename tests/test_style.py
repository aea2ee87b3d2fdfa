"""The repository passes its own linter, formatter and type checker."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("command", ["ruff check --no-fix --no-cache .", "ruff format --check --no-cache .", "mypy"])
def test_style(command):
    done = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"python -m {command}\n{done.stdout}\n{done.stderr}"
