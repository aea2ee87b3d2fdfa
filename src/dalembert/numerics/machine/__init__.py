"""From the expression graph to machine code, without a word of mechanics.

- ``function_source``: outputs on the graph, and a linear system that is solved on the way, as one function to be
  compiled.
- ``llvm_ir`` writes it as LLVM IR, for one state or for lanes (``ir_numbers`` says which), with ``sincos`` and
  ``linear_solve`` for what processors lack; ``forward_derivatives`` writes it together with its derivatives.
- Long code becomes loops where it repeats itself: ``loop_rerolling`` finds what comes again, says where values lie
  and joins loops that do not wait for each other, ``loop_ir`` writes them and moves what lies in order.
  Else ``function_splitting`` cuts it.
- ``compiler`` compiles IR, keeps the code in memory and, by ``object_cache``, on disk; ``batch_calls`` calls it by its
  address, from Python for many rows at once, and ``loop`` compiles the functions of Python that do it from machine
  code.

    text = Function((energy,)).text("f", {"x": ("y", 0), "vx": ("y", 1)})      # where each symbol lies
    library = Library.compile({"f": text})
    value_at(library.address("f"), t, state, parameters, 1)

All compiled functions have one signature, ``f(t, y, p, out)``, four pointers: so loops that were compiled once serve
every system.
"""
