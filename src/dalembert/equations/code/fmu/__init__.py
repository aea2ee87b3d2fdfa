"""Equations as a Functional Mock-up Unit: model exchange of FMI 3.0, C sources inside, and a binary where one is made.

    file.fmu ─┬─ modelDescription.xml        the variables: states, rates, parameters, inputs, what is computed beside
              ├─ sources/ buildDescription.xml, fmu.c, model.h
              └─ binaries/<platform>/...     where a C compiler is there

The importing tool integrates and knows no constraints: they drift, by what the outputs ``residual(...)`` tell, and in
speeds that the constraints leave free only relations between positions and unit lengths do. ``energy`` and ``power``,
its rate, are outputs too. The file is the same to the bit for the same equations, start and compiler: nothing in it
tells a time, and it is stored without compression.
"""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from ....errors import InvalidValue
from ....output import Maker, as_path, draft, free
from ..listing import Listing
from ..names import identifiers
from .binary import shared_library
from .description import building, described
from .sources import sources
from .variables import as_written, in_free_speeds, variables

__all__ = ["as_written", "checked", "in_free_speeds", "write"]
ENDING = ".fmu"
_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the first time that a zip knows
_TOKEN = 32  # hexadecimal digits


def checked(file: object, maker: Maker) -> Path:
    """The place of the file, before any work.

    Raises:
        InvalidValue: E804, its name does not end in .fmu; E501, it is no name of a file.
        Unwritable: E530, something else lies there.
    """
    name = as_path(file, f"model{ENDING}")
    if name.suffix != ENDING:
        raise InvalidValue("E804", f"an FMU is a file that ends in {ENDING}, not {name.name}", f'"{name.stem}{ENDING}"')
    free(name, maker)
    return name


def write(listing: Listing, file: Path, maker: Maker, compiled: bool | None = None) -> Path:
    """Write the FMU, whole or not at all."""
    contents = unit(listing, compiled)
    with draft(file, maker, ENDING[1:]) as beside, zipfile.ZipFile(beside, "w") as container:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _BEGINNING)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            container.writestr(entry, content)
    return file


def unit(listing: Listing, compiled: bool | None) -> dict[str, bytes]:
    """The files of the FMU by name."""
    found = variables(listing)
    identifier = identifiers([listing.equations.system.title or "model"]).popitem()[1]
    seed = [*sources(listing, found, "").values(), described(listing, found, identifier, "").decode()]
    token = hashlib.sha256("\n".join(seed).encode()).hexdigest()[:_TOKEN]
    texts = sources(listing, found, token)
    return {
        "modelDescription.xml": described(listing, found, identifier, token),
        "sources/buildDescription.xml": building(identifier),
        **{f"sources/{name}": text.encode() for name, text in texts.items()},
        **({} if compiled is False else shared_library(texts, identifier, compiled)),
    }
