"""``dalembert export RESULT``."""

from __future__ import annotations

from pathlib import Path

import click

from ..terminal import Command, Reply


@click.command(cls=Command, writes=True, epilog="Example: dalembert export results/ball/circle.npz --csv --html")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--csv", is_flag=True, help="A table of all samples.")
@click.option("--events", is_flag=True, help="A table of what happened: events, contacts, times, columns.")
@click.option("--html", is_flag=True, help="A page that needs nothing else.")
@click.option("--svg", is_flag=True, help="The figure.")
@click.option("--npz", is_flag=True, help="NumPy arrays.")
@click.option("--nc", is_flag=True, help="NetCDF.")
@click.option("--samples", type=int, default=None, help="So many even times in tables, not the stored ones.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="File, without its ending; by default beside."
)
def command(result: Path, samples: int | None, out: Path | None, **kinds: bool) -> Reply:
    """Turn a stored result into files for other programs.

    RESULT is a path or a family (.npz) or a sweep (.zarr), as "run", "family" and
    "sweep" store them.
    """
    from ...errors import InvalidValue, MissingFile
    from .. import exports, options
    from ..stored_results import thing_named

    if not result.exists():
        raise MissingFile("E501", f"there is no result {result}", "dalembert run FILE stores one and says where")
    thing = thing_named(str(result))
    wanted = [kind for kind, asked in kinds.items() if asked]
    if not wanted:
        raise InvalidValue("E307", "no form is asked for", "--csv, --events, --html, --svg, --npz or --nc")
    if samples is not None and not {"csv", "npz", "nc"} & {*wanted}:
        raise InvalidValue("E307", "--samples is of tables, and none is asked for", "leave --samples out, or add --csv")
    base, maker = result.with_suffix("") if out is None else out, options.maker()
    files = {kind: exports.place(thing, kind, base, maker, samples) for kind in wanted}
    for kind, file in files.items():
        exports.write(thing, kind, file, maker, samples)
    written = list(files.values())
    text = "\n".join(f"written {file}{exports.told(thing, kind)}" for kind, file in files.items())
    return Reply(text, {"result": str(result), "written": list(map(str, written))})
