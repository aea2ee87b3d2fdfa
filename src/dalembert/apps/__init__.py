"""Programs for people, and the functions of the front door that take words for things; no mechanics.

- The door: ``experiments`` (compare, limit, fit, rank, plan), ``families``, ``steer``, ``report``, ``citations``,
  ``explore`` and ``film`` look names up, read text and units, and hand values to the rooms; ``notebook`` draws nouns.
- The command: ``cli``, ``commands`` (a file each), ``options`` (what they share), ``terminal`` (how they answer),
  ``process`` (exit codes, interrupts, the child in which foreign files are read), ``explain`` (the catalogue of codes).
- The entries of a study, with what the command line asks laid over them (``assignments``), performed: ``runs``,
  ``family_entries``, ``fit_entries``, with ``study_inputs``.
- Results: ``results``, ``sweep_report``, ``fits``, ``stored_results``, ``exports``, ``python_script``.
- The gallery: ``gallery``, ``base_si_units`` (its systems in base units).

``dalembert run FILE`` goes cli -> commands.run -> gallery.load_study -> runs (assigned, started, run) -> results
(stored, summed up) -> terminal.
"""
