"""Random systems whose accelerations are computed on many routes; see `fuzz.systems`.

`trees` are expressions as plain data, `invent` draws systems of them (`recipe`), `plain` computes their motion
without the library, `routes` and `programs` with it, `broken` breaks the library on purpose.
"""
