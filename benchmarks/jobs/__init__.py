"""The jobs, in the order of the table; one file each."""

from . import (
    bicycle,
    disc_accuracy,
    elastic_bounces,
    energy,
    events,
    formation,
    growth,
    machine_precision,
    manoeuvres,
    memory,
    plants,
    right_hand_side,
    start_up,
    sweep,
    tangents,
    turntable,
)

JOBS = (
    formation.JOB,
    start_up.JOB,
    growth.JOB,
    right_hand_side.JOB,
    disc_accuracy.JOB,
    machine_precision.JOB,
    bicycle.JOB,
    sweep.JOB,
    energy.JOB,
    events.JOB,
    tangents.JOB,
    manoeuvres.JOB,
    plants.JOB,
    memory.JOB,
    turntable.JOB,
    elastic_bounces.JOB,
)
