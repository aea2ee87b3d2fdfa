"""What is drawn of a system: the poses of its bodies on the expression graph.

    poses(system, Graph())      each body's frame, half sizes and traced point, as nodes
    default(system)             bodies guessed from the space, where none are given
    guessed(system)             which, in words

Poses hold the time, the states and the parameters of the motion, nothing else; what draws them, a page or a film, asks
for no more.
"""

from .pose import Pose, bodies_of, default, guessed, poses

__all__ = ["Pose", "bodies_of", "default", "guessed", "poses"]
