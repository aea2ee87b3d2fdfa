"""Numbers at one point of a motion whose state has two parts: y and what rounding has left over of it.

An angle of 2000 turns has no digits left behind 1e-12, and so have its sine and the forces. The sum of the steps knows
more: y + low. What is linear in the state is carried in two parts, and the sine and cosine of such a number are

    sin(a + e) = sin a + e cos a ,    cos(a + e) = cos a - e sin a .

So the motion does not lose digits as positions and angles grow.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....calculus.graph import Node, live
from ...machine.llvm import ARGUMENTS, Body, Inputs


class Point(Body):
    """Instructions for the values of nodes at y + low; the argument ``"y"`` holds the n elements of each in turn.

    Args:
        inputs: for every symbol, the argument that holds it and its index there.
        n: number of states.

    Attributes:
        low: by node, what its value leaves over.
    """

    def __init__(self, inputs: Inputs, n: int) -> None:
        super().__init__(inputs, dict(zip(ARGUMENTS, ("%a0", "%a1", "%a2"), strict=True)))
        self.n = n
        self.low: dict[int, str] = {}

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """The values of the outputs, with all instructions that they need and that are not yet there."""
        if outputs:
            graph = outputs[0].graph
            for index in live(outputs):
                if index not in self.values:
                    self._in_two_parts(Node(graph, index))
        return super().compute(outputs)

    def _in_two_parts(self, node: Node) -> None:
        """The value of a node that is linear in the state, or its sine or cosine; others are left for later."""
        args = [a.index for a in node.args]
        if node.operation == "symbol":
            argument, place = self.inputs.get(node.key[1], ("", 0))
            if argument == "y":
                super().compute([node])
                self.low[node.index] = self.load("%a1", self.n + place)
        elif node.operation in ("sin", "cos"):
            if args[0] in self.low:
                self._turned(node.args[0])
        elif any(i in self.low for i in args):
            self._linear(node, args)

    def _linear(self, node: Node, args: list[int]) -> None:
        """a + b, a - b, -a and c a, the latter for a number c."""
        if node.operation == "neg":
            super().compute([node])
            self.low[node.index] = self.new(f"fneg double {self.low[args[0]]}")
        elif node.operation in ("+", "-"):
            super().compute([*node.args, node])  # both parts by themselves
            self._sum(node, args)
        elif node.operation in ("*", "/"):
            number = next((a for a in node.args if a.is_constant), None)
            if number is not None and not (node.operation == "/" and node.args[0].is_constant):
                super().compute([node])
                low = next(self.low[i] for i in args if i in self.low)
                factor = number.value if node.operation == "*" else 1 / number.value
                self.low[node.index] = self.new(f"fmul double {low}, {self.real.number(factor)}")

    def _sum(self, node: Node, args: list[int]) -> None:
        a, b = (self.values[i] for i in args)
        total = self.values[node.index]
        sign = "fadd" if node.operation == "+" else "fsub"
        # what a + b = total leaves over: (a - (total - part)) + (b - part) ,  part = total - a
        part = self.new(f"fsub double {total}, {a}")
        rest = self.new(f"fsub double {total}, {part}")
        rest = self.new(f"fsub double {a}, {rest}")
        if node.operation == "-":
            b = self.new(f"fneg double {b}")
        other = self.new(f"fsub double {b}, {part}")
        low = self.new(f"fadd double {rest}, {other}")
        for i, how in zip(args, ("fadd", sign), strict=True):
            if i in self.low:
                low = self.new(f"{how} double {low}, {self.low[i]}")
        new = self.new(f"fadd double {total}, {low}")
        change = self.new(f"fsub double {new}, {total}")
        self.values[node.index], self.low[node.index] = new, self.new(f"fsub double {low}, {change}")

    def _turned(self, a: Node) -> None:
        """Sine and cosine of a number in two parts."""
        graph, e = a.graph, self.low[a.index]
        sine, cosine = graph.apply("sin", a), graph.apply("cos", a)
        if sine.index in self.values:
            return
        s, c = super().compute([sine, cosine])
        upward, downward = self.new(f"fmul double {c}, {e}"), self.new(f"fmul double {s}, {e}")
        self.values[sine.index] = self.new(f"fadd double {s}, {upward}")
        self.values[cosine.index] = self.new(f"fsub double {c}, {downward}")
