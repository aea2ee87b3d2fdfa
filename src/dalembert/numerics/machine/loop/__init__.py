"""Loops: small Python functions over arrays and numbers, compiled by `library` as the equations are.

What steps a run, searches for events or solves a small system stands as plain Python; ``compiled_loop.loop`` before a
function makes it one that is compiled when it is called, together with all functions that it calls. They may use:

- numbers with a declared type, ``float``, ``int`` (64 bits), ``bool``; C-contiguous arrays of float64, int64 and bool;
  named tuples of these, and such tuples in them; the numbers and tuples of numbers of their module;
- ``x = ...`` (a name keeps the kind it got first), elements, rows ``a[i]`` and leading parts ``a[i, k:]`` of arrays,
  ``a, b = b, a``, ``+=``, ``if``, ``while``, ``for`` over a range or a row, ``break``, ``continue``, ``return``;
- arithmetic, comparisons, ``and``, ``or``, ``not``, ``x if c else y``, other such functions, what `arithmetic` lists,
  and ``call`` (`function_address`) of machine code;
- ``np.empty`` and ``np.zeros`` of a few numbers, outside of loops.

Everything else, and everything that Python would decide by the type that a value happens to have, is refused when the
function is compiled. An index below 0 or beyond the end is the caller's fault, as in C. Compiled or not, a function
does the same to the last bit; but a compiled one divides by 0 as IEEE says.

``value_types`` are the types, ``ir_builder`` writes instructions, ``expressions`` and ``statements`` read Python's
syntax tree, ``program`` collects the functions, ``syntax_tree`` finds their text, ``argument_layout`` lays arguments
out, ``compiled_loop`` is the door.
"""
