"""``dalembert gallery [NAME]``."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from .. import gallery
from ..options import complete_gallery
from ..process import OK, RUN
from ..terminal import Command, Reply, folded, on_terminal, width

_ELSEWHERE = "--out OTHER stores elsewhere, --force replaces it"


@click.command(cls=Command, writes=True, epilog="Example: dalembert gallery penny")
@click.argument("name", required=False, shell_complete=complete_gallery)
@click.option("--variant", default=None, help="Which of the systems of that file.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=None, help="Store paths and pages here."
)
def command(name: str | None, variant: str | None, out: Path | None) -> Reply:
    """List the classical systems, or run one of them.

    Running one prints what its source states, runs its starts, and compares the principles.
    """
    if name is None:
        return _list()
    from .. import options, results, runs

    study = gallery.study(name, variant)
    about = folded(gallery.told(name))
    parts, data, ok = [about, f"source: {', '.join(study.cite)}", str(study.system)], [], True
    files, maker = results.file_names(spec.name for spec in study.runs), options.maker("--out", study.name, _ELSEWHERE)
    if out:
        options.ready(*((out / f"{each}.npz", maker) for each in files.values()))
    for spec in study.runs:
        path = runs.run(study, spec, progress=on_terminal())
        stored = out / f"{files[spec.name]}.npz" if out else None
        if stored:
            results.store(path, stored, maker)
        parts.append(f"start {spec.name}\n{results.summary(path, stored)}")
        data.append(results.as_data(spec.name, path, stored))
        ok = ok and path.ok
    for entry in study.compares:
        comparison = runs.compare(study, entry)
        parts.append(str(comparison))
        data.append(results.comparison_data(entry.name, comparison))
    parts.append(f"next: dalembert new {name} --from {name}")
    return Reply("\n\n".join(parts), {"name": name, "cite": list(study.cite), "results": data}, OK if ok else RUN)


def _list() -> Reply:
    rows = [(name, gallery.about(name), gallery.listed(name).source) for name in gallery.names()]
    first = max(len(name) for name, _, _ in rows) + 2
    told = [f"{name:<{first}}{about} [{source}]" for name, about, source in rows]
    lines = [line for row in told for line in textwrap.wrap(row, width(), subsequent_indent=" " * first)]
    more = {name: list(found) for name in gallery.names() if (found := gallery.listed(name).variants)}
    lines += ["", *(folded(f"{name} --variant: {', '.join(which)}") for name, which in more.items())]
    data = [{"name": n, "about": a, "source": s, "variants": more.get(n, [])} for n, a, s in rows]
    return Reply("\n".join(lines), {"systems": data})
