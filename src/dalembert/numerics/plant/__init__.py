"""Plants: motions that go on step by step, each step with inputs of its own.

- ``plant``: one. It asks a ``motion`` to go on to the end of a step: machine code laid out once where nothing acts at
  an instant; else a run that meets walls, events and switches as `simulate` does, one for each mode of contacts.
- ``environment``: one as an environment of Gymnasium.
- ``plants``: many in the lanes of the vector registers; those that cannot be there are plants of their own.
"""
