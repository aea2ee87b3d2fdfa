"""Programs for people, and the functions of the front door that take words for things; no mechanics.

- The door: ``fit``, ``rank``, ``compare``, ``recorded``, ``report``, ``cite`` look names up, read text and units, and
  hand values to the rooms; ``modelling`` does it for fits.
- The command: ``cli``, ``commands`` (a file each), ``terminal`` (how commands answer), ``exit_codes``,
  ``completing``, ``explain``.
- What is asked on the command line: ``what`` (file, result or gallery), ``assigning`` (NAME=VALUE),
  ``following`` (families), ``asking`` and ``track`` (fits).
- What a study asks for, done: ``confined`` (foreign files in a child process), ``perform`` (runs, comparisons,
  sweeps), ``family``, ``fitting``.
- What is said of it: ``results``, ``sweeps``, ``family_rows``, ``fits``, ``fit_verdict``, ``pages``, ``exporting``,
  ``script``, ``notebook``.
- Books and health: ``bibliography``, ``reasons`` (why a source is cited), ``shelf`` (the gallery), ``health``.
"""
