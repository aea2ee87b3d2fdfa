"""What the tests of papers share."""

from importlib import import_module
from pkgutil import walk_packages

import pytest


@pytest.fixture
def broken(monkeypatch):
    """broken(package, name, wrong): a step replaced in every file of a folder that uses it."""

    def everywhere(package, name, wrong):
        modules = [import_module(found.name) for found in walk_packages(package.__path__, f"{package.__name__}.")]
        holders = [module for module in modules if hasattr(module, name)]
        assert holders, name
        for module in holders:
            monkeypatch.setattr(module, name, wrong)

    return everywhere
