"""Plants: motions that go on step by step, each step with inputs of its own.

- ``plant``: one. It asks a motion to go on to the end of a step: ``swift``, machine code laid out once, where nothing
  acts at an instant; else a run under way, ``watched``, which meets walls, events and switches as `simulate` does.
- ``changing``: one whose contacts change their modes, a watched motion for each.
- ``environment``: one as an environment of Gymnasium.
- ``plants``: many in the lanes of the vector registers; those that cannot be there are plants of their own.
"""
