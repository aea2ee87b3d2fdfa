"""One run: chunks of steps, cut where something happens, gathered into a path with its audit.

- ``simulate`` is the door: it checks what was given and makes of it a `RunRequest`, which the rooms behind trust.
- ``integrate`` is the loop. It asks the stepper for a chunk, the guards for what happens on it, and judges: go on, end,
  or fail, and why. ``run_context`` holds what the loop changes, `Run`, and what it does not, `RunContext`.
- ``path_of_run`` makes a trajectory of it: ``path_columns``, marks, what is noticed, and the ``audit``, which looks at
  the path
  again, without trust: constraints, energy against work, momenta. ``accuracy``: how a small disturbance grows, what
  fixed steps leave of an error, and steps that are short because of rounding.
- What happens: ``jumps`` (jumps, corners, jumps that pile up, forces that jump), ``resting_guards`` (against a guard,
  or a touch), ``interrupt`` (Ctrl-C).
- Near a pole of the chart in which it is integrated, and where inputs jump, it goes on in another one: ``charts``.
  Where branches of the constraints cross it goes on along its own, or along one that is asked for:
  ``constraint_branches``, ``branch_tangents``. ``control_loop`` waits between steps for other values of the inputs.
- ``hybrid_motion`` is a motion whose contacts change their modes, alone or as a member of an ensemble: ``contact_mode``
  runs one to the next change, ``mode_runs`` goes through many in compiled code, and ``hybrid_path`` is the path of all.

    request = prepare(equations, start, until=10)     # refuses what is not in order
    made = execute(request)                           # Made(field, run, ...); run.legs, run.marks, run.outcome
    path_of(made, request)                            # the Trajectory
"""
