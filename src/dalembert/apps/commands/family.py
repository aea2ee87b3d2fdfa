"""``dalembert family FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import options, process
from ..options import SystemFile, complete_families
from ..terminal import Command, Reply, lines_of_table

if TYPE_CHECKING:
    from ...study.study import FamilySpec, Study
    from ..family_entries import Family

_FILE = click.Path(dir_okay=False, path_type=Path)
_TABLES = (".csv", ".txt", ".tsv", ".dat")


@click.command(cls=Command, foreign=True, writes=True, epilog="Example: dalembert family hoop.toml w=0.1:10 theta=0")
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--family", "--name", "names", multiple=True, shell_complete=complete_families, help="The family of this name."
)
@click.option("--run", "run", default=None, help="Begin at the run of this name, whatever [[family]] the file has.")
@click.option("--principle", default=None, help="Another principle than the file names.")
@click.option("--fix", default="", help='States that are held, "theta vphi".')
@click.option("--period", default=None, help="Follow motions that come back after about this time, or this formula.")
@click.option("--swing", default=None, help='Follow small swings: "only", "slowest", "fastest" or a frequency.')
@click.option("--symmetry", is_flag=True, help="Motions may come back up to the symmetry that the file declares.")
@options.columns_option
@click.option("--csv", type=_FILE, default=None, help="A table of all rows.")
@click.option("--figure", type=_FILE, default=None, help="Draw to this file.")
@click.option("--page", type=_FILE, default=None, help="A live page on which a click on a row shows its motion.")
def command(
    file: str,
    changes: tuple[str, ...],
    names: tuple[str, ...],
    run: str | None,
    csv: Path | None,
    figure: Path | None,
    page: Path | None,
    **wish: object,
) -> Reply:
    """Follow steady or periodic motions in a parameter.

    FILE is a system file, or the name of a system of the gallery. NAME=LOW:HIGH is what changes, "v=0:10 m/s" in a
    unit; NAME=VALUE replaces a parameter, or a value near which the first motion is looked for. Without a [[family]] in
    the file its first run, or that of --run, says the rest. With --period or --swing the motions are periodic ones.
    """
    from ...output_file import as_form, as_page
    from .. import family_entries, gallery, options, results, runs
    from ..study_inputs import inputs_as_parameters_for_families

    results.drawable(figure)
    study = family_entries.begun_at_run(gallery.load_study(file, systems=True), run)
    study = inputs_as_parameters_for_families(study, family_entries.values_asked(study, changes))
    specs = family_entries.families_asked(study, changes, family_entries.FamilyOptions(**wish))  # type: ignore[arg-type]
    runs.chosen(specs, names, "family", file)
    study = family_entries.with_families(study, specs)
    places = _places(study, file, changes, names, wish)
    table = csv and as_form(csv, _TABLES, "a table is CSV")
    drawings = [("--csv", table), ("--figure", figure), ("--page", page and as_page(page))]
    targets = {option: [options.numbered(base, i) for i in range(len(places))] for option, base in drawings if base}
    options.ready(*((each, options.maker(option)) for option, every in targets.items() for each in every))
    options.ready(*((each, options.maker()) for each in places.values()))
    return _followed(study, file, places, targets)


def _places(
    study: Study, file: str, changes: tuple[str, ...], names: tuple[str, ...], wish: Mapping[str, object]
) -> dict[str, Path]:
    """Where each family that is asked for is stored: by what the command line replaces."""
    from .. import family_entries, results

    files = results.file_names(spec.name for spec in study.families)
    apart = results.apart(*changes, *(f"{key}={given}" for key, given in wish.items() if given))
    asked = family_entries.named(study, names)
    return {spec.name: results.folder(file) / f"{files[spec.name]}{apart}.npz" for spec in asked}


def _followed(study: Study, file: str, places: Mapping[str, Path], targets: Mapping[str, list[Path]]) -> Reply:
    """Each family in turn, and those from which they begin."""
    from .. import family_entries, options

    specs = family_entries.wanted(study, list(places))
    for spec in specs:
        family_entries.equations(study, spec)
    process.tell_derived()
    done: dict[str, family_entries.Family] = {}
    texts, data = list[str](), list[Mapping[str, object]]()
    for spec in specs:
        found = done[spec.name] = family_entries.follow(study, spec, done)
        if spec.name not in places:
            continue
        stored, i = places[spec.name], len(texts)
        family_entries.store(study, spec, found, stored, options.maker())
        written = {option: _written(option, every[i], study, spec, found) for option, every in targets.items()}
        shown = options.asked_columns(study.system.space)
        said = [family_entries.summary(found, f"{study.title or study.name}: {spec.name}", shown, lines_of_table())]
        said += [f"stored       {stored}", *(f"{option[2:]:<12} {each}" for option, each in written.items())]
        texts.append("\n".join(said))
        files = {option[2:]: str(each) for option, each in written.items()}
        data.append({**family_entries.as_data(spec, found), "file": str(stored), **files})
    return Reply("\n\n".join(texts), {"file": file, "families": data})


def _written(option: str, file: Path, study: Study, spec: FamilySpec, found: Family) -> Path:
    """A table, a figure or a page of a family."""
    from ...output_file import write
    from .. import exports, options, results
    from ..family_entries import table

    maker = options.maker(option)
    if option == "--csv":
        return write(file, exports.as_csv(*table(found)), maker)
    if option == "--figure":
        return results.drawn(found, file, maker)
    from ..explore.page import page
    from ..family_entries import scene

    return write(file, page(scene(study, spec, found)), maker, "html")
