"""The function `sweep`: what is asked for becomes a `Task`, whose batches are run and collected."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from ...argument_checks import public
from ...calculus.symbols import beyond_real, in_words
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...equations.determinacy import slip_speeds
from ...errors import InvalidValue, Note, WrongType, as_given, did_you_mean, kind_of, warn, written
from ...errors.remedies import Option
from ...event import Event
from ...output_file import as_path
from ...trajectory import Trajectory
from ...trajectory.audit import REACHED, STOPPED
from ..ensembles.ensemble import in_lanes
from ..ensembles.results import Ensemble
from ..events.guard import compile_guards, with_walls
from ..policy import OF_METHOD, Policy
from ..run import simulate
from ..run.accuracy import few_steps, may_be_unweighed
from ..run.run_context import RunRequest
from ..run.simulate import check_made_for, end_of, samples_of
from . import dataset, fingerprint, kept_columns, member_starts, parameter_grid, thread_pool
from .kept_columns import Measure
from .manifest import Manifest
from .parameter_grid import check_seed
from .store import ELSEWHERE, Store, keep_axes, require
from .task import Batch, Progress, Task, batches
from .thread_pool import Run, begin, in_memory, into_store

if TYPE_CHECKING:
    import xarray as xr


# ---------------------------------------------------------------------------------------------------------------------
# What only a whole path tells: some members are run once more by themselves, and what these runs doubt is said.
# Steps of one size that are too long (W305), states without digits (W306), a friction law that ends a motion before its
# time (W310), digits that the start does not determine (W408). Measures that have a number for no member (W318).

SAID = ("W305", "W306", "W310", "W311", "W408")
_MOST = 3  # members that are run again, besides the one of most steps


def doubted(task: Task, found: Mapping[str, Any]) -> list[Note]:
    """The doubts, once each: of how many of the members that were run again, and of which first."""
    told: dict[str, list[tuple[int, str]]] = {}
    members = _chosen(task, np.asarray(found["outcome"][:]), np.asarray(found["steps"][:]))
    for i in members:
        for code, text in _of(task, i):
            told.setdefault(code, []).append((i, text))
    notes = []
    for code, said in told.items():
        where = f"{len(said)} of {len(members)} members that were run alone, first of member {said[0][0]}"
        notes.append(warn(code, f"{said[0][1]} (said of {where})", 5))
    return [*notes, *_unmeasured(task, found)]


def _unmeasured(task: Task, found: Mapping[str, Any]) -> Iterator[Note]:
    """W318 for each measure that has a number for no member that ran, and why for the first of them."""
    ran = np.flatnonzero(np.isin(found["outcome"][:], (REACHED, STOPPED)))
    for name, measure in task.kept.measures.items() if len(ran) else ():
        if np.isnan(np.asarray(found[name][:])[ran]).all():
            told = f"the measure {as_given(name)} gives no number for any of the {len(ran)} members that ran"
            yield warn("W318", f"{told}: of member {ran[0]} {_said(measure, task.path(int(ran[0])))}", 5)


def _said(measure: Measure, path: Trajectory | None) -> str:
    """What a measure says of a path that it has no number for."""
    if path is None:
        return "it was not asked again"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"it returns {measure(path)}"
    except Exception as error:
        return f"it raises {kind_of(error)}: {error}"


def _small(task: Task, member: int) -> bool:
    """Does a member start so small beside the tolerance that its run may leave few digits?"""
    begun = member_starts.complete(task.equations, task.given, member, member + 1)
    return may_be_unweighed(task.ensemble.policy, task.equations.states, begun.states[0])


def _of(task: Task, member: int) -> Iterator[tuple[str, str]]:
    path = task.path(member)
    for note in () if path is None else path.audit.notes:
        code, _, text = note.partition(" ")
        if code in SAID:
            yield code, text


def _chosen(task: Task, outcome: np.ndarray, steps: np.ndarray) -> list[int]:
    """Members that ran to their ends, far apart, and that of most steps; none where none of the doubts can be."""
    ran = np.flatnonzero(np.isin(outcome, (REACHED, STOPPED)))
    policy = task.ensemble.policy
    long = len(ran) > 0 and steps[ran].max() > few_steps(policy)
    if not len(ran):
        return []
    apart = ran[np.linspace(0, len(ran) - 1, _MOST).round().astype(int)]
    if not (policy.method.fixed or slip_speeds(task.equations) or long or any(_small(task, int(i)) for i in apart)):
        return []
    return sorted({*apart.tolist(), int(ran[steps[ran].argmax()])})


_FIRST = 16  # members whose starts are looked at before those of whole batches
SHARE = 0.5  # of the free memory or disk, beyond which a result is refused

OWN = (
    "starts",
    "parameters",
    "inputs",
    "until",
    "times",
    "events",
    "keep",
    "jobs",
    "client",
    "store",
    "batch",
    "seed",
    "progress",
)
LARGEST, SMALLEST = 16384, 64  # members in a batch that is not told
BYTES = 2**26  # of a batch


@public
def sweep(
    equations: Equations,
    *,
    starts: object,
    until: float,
    parameters: object = None,
    inputs: Mapping[str, object] | None = None,
    times: object = None,
    events: object = (),
    keep: object = None,
    jobs: int | None = None,
    client: Any = None,
    store: Any = None,
    batch: int | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Any,
) -> xr.Dataset:
    """Run a grid or a table of starts and parameters.

    Args:
        equations: from a principle.
        starts: ``{name: number or array}``: each array is an axis of a grid, in the order given; or a table, whose
            columns go together: `samples`, `table`, a pandas DataFrame, a structured array or a list of mappings; or a
            `Start`. What the constraints determine may be left out, as in `Equations.start`.
        until: the time at which to end, in s or as text with a unit.
        parameters: the same for parameters. Two tables go together; a grid and a table are multiplied.
        inputs: what drives each input of the system, by name: a number or text with a unit, a list of such, which is an
            axis, or a formula of t, states and parameters, ``"0.1*sin(t)"``, as of `simulate`.
        times: sample times; without them the state at the end is kept.
        events: list of `Event`.
        keep: names of states, multipliers ``lam_...``, ``"energy"`` and events, a mapping of measures ``{name: function
            of the Trajectory}`` and of how many times of an event are kept ``{event: number}``, or a list of all these.
            Of a contact ``floor`` there are ``"floor_changes"``, how often its mode changed, ``"floor_mode"``, the last
            one (0 apart, 1 slides, 2 sticks), ``"floor_impacts"`` and ``"floor_impulse"``, the sum of the normal ones;
            of all of them ``"energy_jumps"``, by how much impacts and ends of slip changed the energy.
            By default all states, and how often and when first each event happened.
        jobs: how many threads; by default one for each core of this process.
        client: a ``dask.distributed.Client``, whose workers run the batches instead.
        store: a folder for the result. A sweep that was interrupted is resumed by the same call.
        batch: how many members are run, and stored, together; no number depends on it.
        seed: of samples that were given none, an integer >= 0.
        progress: show progress on a terminal.
        options: those of `Policy`: rtol, atol, method, step, order, stabilisation, max_step, max_steps, seconds.

    Returns:
        An ``xarray.Dataset``. Its dimensions are the axes: ``x_start`` for the start values of a state x, a parameter
        by its name, ``member`` for a table, and ``time``. ``outcome`` is 0 where a member reached the end, 1 where an
        event stopped it, and else the number of the error code with which a single run would have been refused or have
        ended; such a member does not end the sweep. A stored result beyond 64 MB comes from the store in pieces, as
        it is needed.

    Raises:
        DalembertError: E2xx where the starts of all members are refused, and for names, shapes and units; E3xx for
            times, options, events, keep, jobs (E315) and seed (E314), and E304 for results that no memory holds; E52x
            for the store, E530 where it cannot be written, E531 where another process writes; E801 where xarray, Zarr
            or Dask is missing.
    """
    if not isinstance(progress, bool):
        raise WrongType("E307", f"progress = {as_given(progress)} must be True or False", "progress=True")
    begin(progress)
    require(store is not None)
    store = None if store is None else as_path(store, "sweep.zarr")
    task = _task(equations, starts, (parameters, inputs), until, times, events, keep, seed, options)
    if client is not None:
        thread_pool.check(client)
        if jobs is not None:
            raise InvalidValue("E307", "jobs and client are both given", "leave jobs out: the cluster has its own")
    threads = thread_pool.jobs(jobs)
    size = _batch(batch, task, threads)

    def run(spans: thread_pool.Spans, tick: Progress) -> Iterator[tuple[int, Batch]]:
        return (
            thread_pool.on_threads(task, spans, threads, tick)
            if client is None
            else thread_pool.on_cluster(task, spans, client, tick)
        )

    check_room(task, store)
    return _of_memory(task, size, run, progress) if store is None else _of_store(task, Path(store), size, run, progress)


def prepare(
    equations: Equations,
    *,
    starts: object,
    until: object,
    parameters: object = None,
    inputs: Mapping[str, object] | None = None,
    times: object = None,
    events: object = (),
    keep: object = None,
    **options: Any,
) -> RunRequest:
    """The first member that can run, or what `sweep` and that run refuse of the same arguments."""
    task = _task(equations, starts, (parameters, inputs), until, times, events, keep, 0, options)
    first = check_some(task, LARGEST)
    formulas = task.equations.system.steered or None
    own = equations if formulas else task.equations
    return simulate.prepare(own, first, inputs=formulas, until=until, events=events, samples=times, **options)


def _of_memory(task: Task, size: int, run: Run, progress: bool) -> xr.Dataset:
    """All batches run, and kept in memory."""
    notes = dataset.notes(task)
    check_some(task, size)
    try:
        found = in_memory(task, size, run, progress)
        return dataset.of_memory(task, found, {**notes, **dataset.doubts(task, doubted(task, found))})
    except KeyboardInterrupt as stopped:
        stopped.add_note("nothing is kept: with store= a sweep goes on where it was stopped")
        raise


def _of_store(task: Task, path: Path, size: int, run: Run, progress: bool) -> xr.Dataset:
    """The batches run that the store does not hold yet."""
    notes = dataset.notes(task)
    variables: list[list[object]] = [[v.name, v.kind, list(v.shape)] for v in task.variables]
    manifest = Manifest(fingerprint.of_task(task), task.total, size, variables, notes)
    with Store(path, manifest, task.variables) as store:
        missing = store.missing()
        if len(missing) == store.batches:
            check_some(task, store.batch)
        into_store(store, missing, run, progress)
        store.check_ours()
        notes |= dataset.doubts(task, doubted(task, store.arrays))
        found = dataset.of_store(task, store, notes)
        keep_axes(path, found, store.identity)
        return found


def _task(
    equations: Equations,
    begun: Any,
    values: tuple[Any, Mapping[str, Any] | None],
    until: Any,
    times: Any,
    events: Any,
    kept: Any,
    seed: Any,
    options: Mapping[str, Any],
) -> Task:
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"sweep needs equations, not {kind_of(equations)}", "da.nonholonomic(system)")
    if equations.contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
    equations, driven = parameter_grid.driven(equations, values[1])
    equations = _apart(equations)
    policy = _policy(options)
    read = parameter_grid.read(equations, begun, values[0], check_seed(seed), driven)
    end = end_of(until, read.t0)
    watched = _events(with_walls(events, equations, policy.walls), equations)
    what = kept_columns.read(kept, equations, watched)
    at = samples_of(times, read.t0, end)
    marks = max(what.events.values(), default=1)
    policy.tolerances(equations.states, np.zeros(len(equations.states)))
    policy.notes(read.grid.largest(read.states))
    policy.method.doubts(equations)
    task = Task(Ensemble(equations, policy, read.t0, end, at, watched, marks, what.sums), read, what, int(seed))
    axes = {name for axis in read.grid.axes for name in (axis.dim, *axis.labels)} | (
        {"time"} if at is not None else set()
    )
    for variable in task.variables:
        if variable.name in axes:
            raise kept_columns.twice(variable.name)
    return task


_APART: weakref.WeakKeyDictionary[Equations, Equations] = weakref.WeakKeyDictionary()


def _apart(equations: Equations) -> Equations:
    """The equations on a graph of their own: numbers do not depend on what was asked before."""
    if equations not in _APART:
        _APART[equations] = equations.apart()
    return _APART[equations]


def _policy(options: Mapping[str, object]) -> Policy:
    known = [*(f.name for f in fields(Policy) if f.name not in ("dense", "progress", "halt")), *OF_METHOD]
    for name in options:
        if name not in known:
            raise WrongType("E307", f"sweep has no option {as_given(name)}", did_you_mean(name, [*known, *OWN]))
    return Policy.of(options)


def _events(events: object, equations: Equations) -> tuple[Event, ...]:
    system = equations.system
    known = dict.fromkeys([*system.parameters, *system.symbols])
    found = tuple(guard.event for guard in compile_guards(events, equations.states, known))
    for event in found:
        check_made_for(event, equations)
        for s in event.symbols:  # the values of all members are held to the symbols of the system
            own = system.symbols.get(s.name)
            if own is not None and not beyond_real(s).items() <= beyond_real(own).items():
                fact = f"{s} in event {as_given(event.name)} was declared {in_words(s)}, and not so in the system"
                raise InvalidValue("E721", fact, f"system.symbols[{as_given(s.name)}]")
    return found


def _batch(given_: object, task: Task, threads: int) -> int:
    if given_ is None:
        even = -(-task.total // (8 * threads))
        most = LARGEST if in_lanes(task.ensemble) else 2 * SMALLEST
        return int(max(1, min(np.clip(even, SMALLEST, most), BYTES // task.bytes, task.total)))
    if isinstance(given_, bool) or not isinstance(given_, int | np.integer) or given_ < 1:
        raise InvalidValue("E307", f"batch = {as_given(given_)} must be a whole number of members", "leave batch out")
    return min(int(given_), task.total)


# --- what speaks against a sweep as a whole ---------------------------------------------------------------------------


def check_room(task: Task, store: Any) -> None:
    """E304: more numbers than there is room for."""
    needed = task.bytes * task.total
    if store is None:
        free, where = psutil.virtual_memory().available, "the memory"
        remedy: tuple[str | Option, ...] = ("give ", Option("store", "a folder"), ", keep fewer columns or times")
    else:
        with written(Path(store), ELSEWHERE):
            above = next(p for p in [Path(store).absolute(), *Path(store).absolute().parents] if p.exists())
            free, where = psutil.disk_usage(os.fspath(above)).free, "the disk"
        remedy = ("give a store elsewhere, or keep fewer columns or times",)
    if needed > max(SHARE * free, 2**24):
        fact = f"{task.total} members need {needed / 1e9:.3g} GB, {where} has {free / 1e9:.3g} GB free"
        raise InvalidValue("E304", fact, remedy)


def check_some(task: Task, size: int) -> Start:
    """Raise the refusal of the first member if all starts are refused; the first that is not speaks its doubts."""
    few = min(_FIRST, task.total)
    for first, last in chain(batches(few, few), ((i + few, j + few) for i, j in batches(task.total - few, size))):
        good = np.flatnonzero(task.refused(first, last) == 0)
        if len(good):
            return member_starts.first_of(task.equations, task.given, first + int(good[0]))
    member_starts.first_of(task.equations, task.given, 0)
    raise InvalidValue("E230", "the starts of all members are refused", "try one of them alone: equations.start(...)")
