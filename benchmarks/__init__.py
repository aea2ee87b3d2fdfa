"""Benchmarks: every job measured beside what it has to beat, in one run. `python -m benchmarks --help`."""
