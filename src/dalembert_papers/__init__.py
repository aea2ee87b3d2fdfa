"""Papers reproduced with `dalembert`: a paper is a folder here, or one file; what papers share stands beside them.

The library knows nothing of them: it finds them by an entry point of the group ``dalembert.papers``, which leads to
`shelf.papers`, and they import of it what a script would. `Entry` is all that ``dalembert reproduce`` asks of a paper.

A *claim* (`claim`) is a sentence about the paper with the verdict of a computation: where it stands, of what kind it is
(confirmed, misprint, scope, new), what came out, with residual and bound. Claims are made by algebra (`identity` asks
`vanishing` whether residuals are identically 0), by a number that is 0 but for rounding (`small`), or by any other
decision (`said`). `misprint` (by algebra: `pair`) makes one of two: what is printed does not hold, what stands in its
place does; it says whose slip it is (`author`, `at_hand`, `scope`) and why. `uses` reads which public functions a
claim calls, `broken_by` which laws were seen to turn it red.

A *group* is a function that yields the claims about one thing. A *chapter* (`chapter`) is a title and groups, with what
is printed below them. A *paper* is title, source, chapters, figures: data. `reproduction` works through it, or the part
that is asked for (`wanted`), prints a line an equation (`listing`), draws, and ends with what is printed otherwise than
it should be and an exit code.

The whole of a paper, in a file ``hooke.py`` here; ``dalembert reproduce hooke`` finds it by itself (`shelf`), and tells
the first line of its docstring::

    '''A spring: the period does not depend on the amplitude.'''

    x, k, m, t = sp.symbols("x k m t", positive=True)

    def oscillation():
        curve = sp.cos(sp.sqrt(k / m) * t)
        yield identity("(1)", "m xdd = -k x", m * curve.diff(t, 2) + k * curve)

    PAPER = Paper("Hooke, De potentia restitutiva", "hooke1678", "SI units.", (Chapter("The spring", (oscillation,)),))

A paper may import what a script would use (the floor plan lists it), and no other paper: what two papers need has a
file of its own here.
"""
