"""Contacts: which of them act, and how, from one instant to the next; `run.hybrid_motion` makes a motion of it.

At an instant contacts that touch are *apart*, *stick* or *slide*: a contact mode for each, one combination of which
holds. A motion is a chain of segments, in each of which the equations of one combination are run; at its end something
has happened, a gap has closed, a pressure is lost, a slip ends, friction yields, and the instant decides what is next.

- `instant` is a state in numbers: rows of everything that contacts may impose, rates, gaps, coefficients. A slip of two
  components begins with a first instant of its own.
- `problem` is the complementarity problem of the modes, on accelerations, and of an impact, on impulses: rest first,
  then all combinations of few, or the active set of many; of forces that are not unique it finds the least.
- `impacts` has the laws of restitution. Newton's is the problem once more; Poisson's and Stronge's follow an impact by
  its `course` at one contact, and at those that press on each other in two phases, or as `springs`.
- `change` is what one instant does: impacts, bounces that pile up, then the modes from there on.
- `active_set` is `problem` and `change` of few contacts in compiled code, which also runs uncompiled. It knows no slips
  of two components, no contacts with two sides or a given load, no courses and no hyperstatic forces: a form of both
  with all of these would be longer than the two are. What counts as met, over or passed it says for both.
- `mode_loop` goes from segment to segment in compiled code, until something is not plain.

The one walk through: `run.hybrid_motion.story_of` begins with `change.started`; `run.contact_mode.Runner` runs the
equations of the modes until a guard acts and says why (`Cause`); `change.change` finds the next modes; and so on. Where
it can, `run.mode_runs` walks the same way through `mode_loop`, and hands back what is left to `change`.
"""
