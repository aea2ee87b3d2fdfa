"""Events: functions of the motion whose zeros matter, found on the path between the steps.

- ``guard`` makes an event computable: its guard and its jump on the graph; and it finds the surfaces on which forces
  switch, which are watched like events.
- ``roots`` finds all zeros of a function along a path, pairs within one step too; ``crossings`` is the common case,
  compiled; ``compiled_guards`` brings the guards of a run and its steps to them.
- ``guard_signs`` tells what holds at one state: is it on the guard, does it cross, rest, press, leave?
- ``singularities``: losses of rank, charts and terms that are not finite, watched for and named.

    guards = compile_guards([da.Event("turn", vx)], equations.states, parameters)
    Watch(guards, states, parameters).happenings(guards, piece)     # in the order of their times

What happens then, a mark, a stop or a jump, is for the run to decide.
"""
