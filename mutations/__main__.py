"""`python -m mutations`: who notices a broken law."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from . import against_claims, against_tests, inputs
from .copy import state
from .law import SOURCE, Law, laws
from .sentinels import spoken, write
from .slips import slips
from .table import markdown

_OUT = click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Rows of JSON; what is there is kept."
)
_GROUP = click.option(
    "--group", multiple=True, metavar="FILE.FUNCTION", help="Groups of claims by name; all by default."
)
_REST = click.option(
    "--rest", is_flag=True, help="Leave claims alone of which a law or a slip is told beside the papers."
)
_ONLY = click.option("--only", multiple=True, metavar="LAW", help="Laws by name; all by default.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Break laws of the library on purpose, one at a time, and see who notices."""


@main.command("list")
def list_() -> None:
    """Every law, and how it is broken."""
    for law in laws():
        click.echo(f"{law.name}: {law.law}\n  {law.file}:{law.line}\n  - {law.here.strip()}\n  + {law.broken.strip()}")


@main.command()
@_OUT
@_ONLY
@click.option("--paper", multiple=True, help="Papers by name; all by default.")
@click.option("--first", is_flag=True, help="Leave claims alone that a law has turned red: hours instead of a day.")
@_GROUP
@_REST
def claims(
    out: Path | None, only: Sequence[str], paper: Sequence[str], first: bool, group: Sequence[str], rest: bool
) -> None:
    """Each law against the claims of the papers that reach it."""
    from dalembert_papers.shelf import papers

    chosen = paper or list(papers())
    _keep(against_claims.tried(_chosen(only), chosen, _known(out), first, _left(chosen, group, rest)), out)


@main.command("inputs")
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Rows that `claims` wrote.")
@click.option("--paper", multiple=True, help="Papers by name; all by default.")
@click.option("--most", type=int, default=inputs.MOST, show_default=True, help="Slips that are tried for a claim.")
@_GROUP
@_REST
def inputs_(out: Path, paper: Sequence[str], most: int, group: Sequence[str], rest: bool) -> None:
    """Slips in what claims are given, for those that no law turned red."""
    from dalembert_papers.shelf import papers

    chosen = paper or list(papers())
    _keep(inputs.tried(chosen, _known(out), most, _left(chosen, group, rest)), out)


@main.command()
@_OUT
@_ONLY
@click.option("--sample", type=int, help="So many laws, drawn from a seed; all by default.")
@click.option("--seed", type=int, default=0)
def tests(out: Path | None, only: Sequence[str], sample: int | None, seed: int) -> None:
    """Each law against its tests."""
    _keep(against_tests.tried(_chosen(only), sample, seed, _known(out)), out)


@main.command()
@_OUT
@click.option("--room", required=True, help="A folder below src/dalembert.")
@click.option("--count", type=int, default=10)
@click.option("--seed", type=int, default=0)
@click.option("--against", multiple=True, help="Tests, below tests/; those of the room and the laws by default.")
def random(out: Path | None, room: str, count: int, seed: int, against: Sequence[str]) -> None:
    """Slips at random places of a room against tests."""
    if not (SOURCE / room).is_dir():
        raise click.BadParameter(f"there is no room {room}", param_hint="--room")
    rows = []
    for slip in slips(room, count, seed):
        test, how = against_tests.noticed({slip.file: slip.applied()}, against or (room, "laws"))
        rows.append({"kind": "slip", "slip": str(slip), "test": test, "how": how})
        _keep(rows[-1:], out)
    click.echo(f"{sum(row['how'] != 'green' for row in rows)} of {len(rows)} slips in {room} were noticed")


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def table(files: Sequence[Path]) -> None:
    """What was found, as Markdown."""
    click.echo(markdown(laws(), [row for file in files for row in _known(file, present=False)]), nl=False)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--beside", is_flag=True, help="Keep what is told of other claims of these papers.")
def sentinels(files: Sequence[Path], beside: bool) -> None:
    """Write beside the papers what turned their claims red, for `dalembert reproduce` to tell."""
    by_laws, by_slips = write([row for file in files for row in _known(file)], beside=beside)
    click.echo(f"{by_laws} claims were turned red by some law, {by_slips} by a slip in what they are given")


def _left(papers: Sequence[str], groups: Sequence[str], rest: bool) -> against_claims.Rest:
    """Of each paper the groups that are worked through, and the claims that are left alone."""
    return {paper: (groups, spoken(paper) if rest else frozenset()) for paper in papers}


def _chosen(only: Sequence[str]) -> list[Law]:
    every = {law.name: law for law in laws()}
    strange = [name for name in only if name not in every]
    if strange:
        raise click.BadParameter(f"there is no law {strange[0]!r}; see `python -m mutations list`", param_hint="--only")
    return [every[name] for name in only] or list(every.values())


def _known(out: Path | None, *, present: bool = True) -> list[dict[str, Any]]:
    """Rows of a file, of the present sources alone or of all."""
    if out is None or not out.exists():
        return []
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if not present or row["state"] == state()]


def _keep(rows: Iterable[dict[str, Any]], out: Path | None) -> None:
    """Show rows as they come, and add them to a file."""
    for row in rows:
        click.echo(_line(row))
        if out is not None:
            with out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({**row, "state": state()}) + "\n")


def _line(row: dict[str, Any]) -> str:
    if row["kind"] in ("sound", "some"):
        return f"{row['paper']}: {sum(len(g.get('claims', ())) for g in row['groups'])} claims"
    if row["kind"] in ("reach", "reach of some"):
        return f"{row['paper']}: {sum(map(bool, row['laws'].values()))} laws are reached"
    if row["kind"] == "claims":
        told = f"{row['law']}: {len(row['red'])} claims of {row['paper']} went red, {len(row['gone'])} were not come to"
        return told + ", ended early" * row["ended"]
    if row["kind"] == "inputs":
        return f"{row['group']}: {len(row['red'])} claims of {row['paper']} went red: {row['slip']}"
    return f"{row.get('law') or row.get('slip')}: {row['how']} {row['test']}"


if __name__ == "__main__":
    main()
