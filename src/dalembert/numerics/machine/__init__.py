"""From the expression graph to machine code: LLVM IR as text, compiled, kept on disk, called by address."""
