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
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ....errors import InvalidValue, kind_of
from ....output_file import Maker, as_path, draft, free
from ..listing import Listing
from ..program_header import doubted, identifiers
from .description import building, described
from .sources import MAIN, sources
from .variables import as_written, in_free_speeds, variables

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-g0", "-ffp-contract=off", "-shared", "-DFMI3_OVERRIDE_FUNCTION_PREFIX")
_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("windows", ".dll")}
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_PATIENCE = 300.0  # seconds that a compiler may take
_SOURCES_ONLY = "binary=False makes an FMU of C sources, which the importing tool compiles"

__all__ = ["as_written", "export", "in_free_speeds", "write"]
ENDING = ".fmu"
_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the first time that a zip knows
_TOKEN = 32  # hexadecimal digits


def export(listing: Callable[[], Listing], file: str | Path, of: str, binary: bool | None, overwrite: bool) -> Path:
    """A Functional Mock-up Unit; see `Equations.to_fmu`. The listing is made when the place is known to be free."""
    maker = Maker("to_fmu", of, replaces=overwrite)
    place = checked(file, maker)
    return write(doubted(listing()), place, maker, binary)


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


# --- the shared library, where a C compiler is there ------------------------------------------------------------------


def shared_library(texts: Mapping[str, str], identifier: str, wanted: bool | None) -> dict[str, bytes]:
    """The library by its place in the unit; nothing where no compiler is there and none is asked for.

    Raises:
        InvalidValue: E805, there is no compiler, FMI has no name for this machine, or the compiler fails.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    system, machine = _SYSTEMS.get(sys.platform), _MACHINES.get(platform.machine().lower())
    if compiler is None or system is None or machine is None:
        if not wanted:
            return {}
        lacking = "there is no C compiler" if compiler is None else f"FMI has no name for {platform.machine()}"
        raise InvalidValue("E805", f"{lacking}: none of {', '.join(COMPILERS)}", _SOURCES_ONLY)
    name, ending = system
    return {f"binaries/{machine}-{name}/{identifier}{ending}": _built(compiler, texts, identifier + ending)}


def _built(compiler: str, texts: Mapping[str, str], target: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8", newline="\n")
        words = [compiler, *FLAGS, *(() if sys.platform == "win32" else ("-fPIC",)), "-o", target, MAIN, "-lm"]
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InvalidValue("E805", f"{compiler} does not run: {kind_of(error)}", _SOURCES_ONLY) from None
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it says nothing"])[0][:200]
            raise InvalidValue("E805", f"{compiler} fails: {said}", _SOURCES_ONLY)
        return Path(folder, target).read_bytes()
