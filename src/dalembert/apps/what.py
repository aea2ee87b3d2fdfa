"""What a word on the command line stands for: a system file, a stored result, or a system of the gallery."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import InvalidValue, MissingFile, did_you_mean
from . import shelf, stored_family


def found(word: str) -> Any:
    """A `Study`, a `Trajectory`, a `StoredFamily`, or the xarray Dataset of a stored sweep.

    Raises:
        MissingFile: E501, it is none of these.
        InvalidValue: E520, it is there, and something else.
        DalembertError: what reading it raises.
    """
    path = Path(word)
    if path.suffix == ".toml" and path.exists():
        from ..study import read

        return read(path)
    if path.suffix == ".npz" and path.exists():
        if stored_family.is_family(path):
            return stored_family.read(path)
        from ..trajectory.loading import load

        return load(path)
    if path.is_dir() and (path.suffix == ".zarr" or (path / "task.json").is_file()):  # a store has any name
        from ..numerics.sweep import stored

        return stored(path)
    if shelf.known(word):
        return shelf.study(word)
    kind = "no such file" if path.suffix else "neither a file nor a system of the gallery"
    if path.exists():
        ending = f"ends on {path.suffix}" if path.suffix else "has no ending"
        fact = f"{word} {ending}: it is no system file, and no result that was stored"
        raise InvalidValue(
            "E520", fact, "give a .toml, a .npz or a .zarr, as dalembert run, family and sweep name them"
        )
    near = (
        [p.name for p in path.parent.glob("*") if p.suffix in (".toml", ".npz", ".zarr")]
        if path.parent.is_dir()
        else []
    )
    raise MissingFile("E501", f"{word}: {kind}", did_you_mean(path.name, [*near, *shelf.names()]))
