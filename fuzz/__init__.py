"""Random and hostile input, and random systems: ``python -m fuzz`` says what there is.

Not part of the tests of a change; run before a release and at night.
"""
