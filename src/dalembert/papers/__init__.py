"""Papers reproduced: a paper is a folder here, or one file; what papers share stands beside the folders.

A *claim* (`claim`) is a sentence of the paper with the verdict of a computation: where it stands, what it says, what
the library's own derivation says it should be (a misprint should fail), what came out. Claims are made by algebra
(`identity` asks `vanishing` whether residuals are identically 0; `pair` holds a misprint against its repair), by a
number that is 0 but for rounding (`small`), or by any other decision (`said`).

A *group* is a function that yields the claims about one thing. A *chapter* is a title and groups, with what is printed
below them. A *paper* is title, source, chapters, figures: data. `reproduction` works through it, prints, draws,
and ends with a table of the claims that matter and an exit code.

The whole of a paper, in a file ``papers/hooke.py``; ``dalembert reproduce hooke`` finds it by itself (`shelf`), and
tells the first line of its docstring::

    '''A spring: the period does not depend on the amplitude.'''

    x, k, m, t = sp.symbols("x k m t", positive=True)

    def oscillation():
        curve = sp.cos(sp.sqrt(k / m) * t)
        yield identity("(1)", "m xdd = -k x", m * curve.diff(t, 2) + k * curve)

    PAPER = Paper("Hooke, De potentia restitutiva", "hooke1678", "SI units.", (Chapter("The spring", (oscillation,)),))

A paper may import what a script would use (the floor plan lists it), and no other paper: what two papers need has a
file of its own here.
"""
