"""Random and hostile input for the readers: ``python -m fuzz texts`` and ``python -m fuzz files``.

Not part of the tests of a change; run before a release and at night.
"""
