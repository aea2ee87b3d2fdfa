"""``dalembert doctor``."""

from __future__ import annotations

import click

from ..exit_codes import OK, RUN
from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Example: dalembert doctor > report.txt")
def command() -> Reply:
    """Check this installation: versions, threads, folders, and a run whose result is known.

    The report can be pasted where one asks for help.
    """
    from ..health import examined

    checks = examined()
    lines = [f"{'ok  ' if check.good else 'FAIL'}  {check.what:<14} {check.found}" for check in checks]
    lines += [f"      do: {check.remedy}" for check in checks if not check.good]
    data = {"checks": [{"what": c.what, "ok": c.good, "found": c.found, "remedy": c.remedy} for c in checks]}
    return Reply("\n".join(lines), data, OK if all(check.good for check in checks if check.needed) else RUN)
