"""``dalembert explore FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import SystemFile, complete_families, complete_principles
from ..terminal import TIME, Command, Reply, folded

_BRANCH = "A [[family]] of the file by its name: a click on a row of it shows the motion."
_PRINCIPLES = "Principles, separated by commas; by default nonholonomic, vakonomic and those that the file names."


@click.command(
    cls=Command, foreign=True, writes=True, epilog="Example: dalembert explore ball.toml Omega=3 --out ball.html"
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The page; by default FILE.html, here.")
@click.option("--principles", default=None, shell_complete=complete_principles, help=_PRINCIPLES)
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--branch", default=None, shell_complete=complete_families, help=_BRANCH)
@click.option("--open", "shown", is_flag=True, help="Show the page in the browser.")
def command(
    file: str,
    changes: tuple[str, ...],
    out: Path | None,
    principles: str | None,
    until: float | None,
    branch: str | None,
    shown: bool,
) -> Reply:
    """Write a page with sliders, in which every principle is integrated.

    FILE is a system file, or the name of a system of the gallery. The page opens from disk and asks nothing of the
    network. NAME=VALUE replaces a parameter or a start value.
    """
    from ...output_file import as_page, write
    from .. import assignments, gallery, options, runs
    from ..explore.page import page
    from ..explore.scenario import scenario

    study = gallery.load_study(file, systems=True)
    if study.places is None:  # of the gallery
        study = gallery.following(file, study, {change.partition("=")[0].strip() for change in changes})
    target = as_page(Path(f"{Path(file).stem}.html") if out is None else out)
    maker = options.maker("--out", None if Path(file).exists() else file)
    options.ready((target, maker))
    wanted = None if principles is None else principles.replace(",", " ").split()
    given = assignments.assignments(changes, study)
    if branch is None:
        found = scenario(runs.changed_throughout(study, given), wanted, until=until)
    else:
        from .. import family_entries
        from ..study_inputs import inputs_as_parameters_for_families

        found = family_entries.scene(
            *family_entries.followed(inputs_as_parameters_for_families(study, given), branch, given),
            wanted or (),
            until,
        )
    write(target, page(found), maker, "html")
    if shown:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())
    names = [each.name for each in found.formed]
    text = "\n".join(
        [*map(folded, found.notes), f"written {target}: {', '.join(names)}", f"next: open {target} in a browser"]
    )
    data = {"file": file, "out": str(target), "principles": names, "notes": list(found.notes)}
    return Reply(text, data)
