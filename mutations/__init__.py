"""Laws of the library, each with a way to break it, and who notices: claims of ``dalembert reproduce``, tests.

    python -m mutations list                                what is broken, and how
    python -m mutations claims --out claims.jsonl           each law against the papers that reach it
    python -m mutations inputs --out claims.jsonl           slips in what the claims are given that no law turned red
    python -m mutations tests --sample 20 --out tests.jsonl some laws against their tests
    python -m mutations random --room calculus --count 20   slips at random places, against the tests of the room
    python -m mutations sentinels claims.jsonl              what `dalembert reproduce` names beside each claim
    python -m mutations table claims.jsonl tests.jsonl      the tables of laws and claims

A law stands in ``laws/*.toml``: a line of the library as it is and as it would be wrong. It is broken in a copy of the
repository, where a process of its own works through claims or tests; nothing here is changed. Claims are worked through
in forks of a process that has imported what the library needs of others: a law costs little more than its claims. A run
that was stopped goes on where it ended, if ``--out`` is the same. What is found belongs to one state of the
sources, which is told.

After a change of some claims ``--group FILE.FUNCTION --rest`` tries those alone of which nothing is told yet, and
``sentinels --beside`` adds what was found.
"""
