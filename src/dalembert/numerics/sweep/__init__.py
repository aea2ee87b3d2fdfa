"""Many motions of one system, over starts and parameters: kept in memory or on disk, resumed when interrupted.

A sweep is data before it runs. What a person gives becomes a `Task`, whose members have numbers; a batch of it is a
function of its first and last member, so batches may run in any order, on any thread or machine, and no number depends
on how they are cut.

- ``sweep``: the function; it reads what is asked for, runs the batches, and hands out an ``xarray.Dataset``; some
  members are run once more by themselves, for what only a whole path tells.
- ``parameter_grid``: starts and parameters, grids and tables of them, as axes of numbers. ``kept_columns``: what is
  kept of each.
- ``task``: all this as one value, and one batch of it.
- ``member_starts`` completes starts with arrays, as `Equations.start` does for one; ``start_checks`` holds them to the
  laws that they must obey, and to a motion that is determined there.
- ``member_audit``: columns and verdicts of a batch, and as a number how each member ended.
- ``thread_pool``: the threads of this machine, or a Dask cluster, and who takes in what they finish.
- The folder: ``store``, which is read without equations too; ``manifest`` says what it computes, which batches are
  there for good, and who writes; ``fingerprint`` has the fingerprints.
- ``dataset`` names what comes out.

The motions themselves are those of `ensembles`:

    found = sweep(equations, starts={"theta": np.linspace(0, 1, 50)}, parameters={"m": [1, 2]}, until=9.0, store="runs")
    found["theta"].sel(m=2), found["outcome"]
"""

from .parameter_grid import Samples, Table, samples, table
from .store import stored
from .sweep import sweep

__all__ = ["Samples", "Table", "samples", "stored", "sweep", "table"]
