"""Many motions of one system, over starts and parameters: kept in memory or on disk, resumed when interrupted.

A sweep is data before it runs. What a person gives becomes a `Task`, whose members have numbers; a batch of it is a
function of its first and last member, so batches may run in any order, on any thread or machine, and no number depends
on how they are cut.

- ``sweep``: the function; it reads what is asked for, runs the batches, and hands out an ``xarray.Dataset``.
- ``inputs``: starts and parameters as ``axes`` of numbers; ``tables``: columns that belong together, and samples.
- ``keep``: what is kept of each member. ``task``: all this as one value, and one batch of it.
- Starts, with arrays, as `Equations.start` does for one: ``starts`` completes them, with ``linear_completion`` for what
  rows determine, ``start_laws`` for what they must obey, and ``determinacy``: is the motion determined there?
- ``run_alone``: what single runs of some members doubt.
- Results of a batch: ``derived`` has columns and the audit, ``outcomes`` says as a number how a member ended.
- Where batches run: ``pool`` (threads of this machine), ``cluster`` (workers of Dask). ``collect`` takes them in.
- The folder: ``store``, with its ``lock`` and the fingerprints of ``digest``; ``stored`` reads it without equations.
- ``dataset`` names what comes out; ``refusals`` and ``packages`` say why a sweep cannot be.

The motions themselves are those of `ensembles`:

    found = sweep(equations, starts={"theta": np.linspace(0, 1, 50)}, parameters={"m": [1, 2]}, until=9.0, store="runs")
    found["theta"].sel(m=2), found["outcome"]
"""

from .stored import stored
from .sweep import sweep
from .tables import Samples, Table, samples, table

__all__ = ["Samples", "Table", "samples", "stored", "sweep", "table"]
