"""The fast tier, and which tests are run by one process.

``pytest -m fast`` runs each room's most telling laws, in a minute. A file listed here is fast as a whole, or where
words are given in the tests whose names hold one of them.
"""

import re

SLEIGH = ("sleigh",)  # of the laws that are tried on many systems, those of one
FAST = {
    "test_inside.py": (),
    "calculus/test_graph.py": (),
    "calculus/test_series.py": (),
    "calculus/language/test_meaning.py": (),
    "calculus/language/test_refusals.py": (),
    "model/test_inertia.py": (),
    "equations/test_equations.py": (),
    "principles/test_wall_arguments.py": (),
    "laws/test_balances.py": SLEIGH,
    "laws/test_euler_lagrange.py": SLEIGH,
    "laws/test_free.py": SLEIGH,
    "laws/test_invariance.py": SLEIGH,
    "laws/test_reactions.py": SLEIGH,
    "laws/test_spaces.py": SLEIGH,
    "forms/test_equal.py": SLEIGH,
    "geometry/test_exterior.py": SLEIGH,
    "geometry/test_shape.py": SLEIGH,
    "numerics/test_roots.py": (),
    "orders/test_manufactured.py": ("knife",),
    "reconstruction/test_poles_between.py": (),
    "systems/test_gallery.py": ("[chaplygin_sleigh]",),
    "scene/test_poses.py": ("refused",),
    "messages/test_bad_inputs.py": ("[L ", "[start "),
    "trajectory/test_audit.py": (),
    "experiment/test_measures.py": (),
    "study/test_places.py": (),
    "show/test_html.py": ("letter", "number", "hostile"),
    "papers/lewis_murray/test_claims.py": ("zero", "residuals"),
    "apps/test_cli.py": ("unknown", "chapter", "misprint"),
    "apps/test_explain.py": ("entry", "asked"),
    "docs/test_listings.py": ("every_listing",),
}


def wanted(file: str) -> bool:
    """Does a file, from ``tests`` on, hold tests of the fast tier?"""
    return file in FAST


def is_fast(nodeid: str) -> bool:
    """Is a test, from ``tests`` on, of the fast tier?"""
    file, _, name = nodeid.partition("::")
    return wanted(file) and (not FAST[file] or any(word in name for word in FAST[file]))


# --- households -------------------------------------------------------------------------------------------------------

# households, the longest first; every other file is one of its own
TOGETHER = (
    "papers/lewis_murray",
    "papers/rolling_disc",
    "papers/symmetric_sphere",
    "systems",
    "forms",
    "geometry",
    "docs",
    "papers/sicm",
    "laws",
    "papers/appell_hamel",
    "experiment/rank",
    "experiment/fit",
    "orders",
    "equations/code",
    "numerics/sweep",
)


def household(nodeid: str) -> str:
    """The files that a test is run with: ``tests/laws``, or its own file; of every paper, with that paper."""
    file = nodeid.partition("::")[0]
    inside = file.removeprefix("tests/")
    if paper := re.search(r"^papers/test_(?:every_paper|errata)\.py::\w+\[([a-z-]+)", nodeid.removeprefix("tests/")):
        return f"tests/papers/{paper[1].rstrip('-').replace('-', '_')}"
    return next((f"tests/{folder}" for folder in TOGETHER if inside.startswith(f"{folder}/")), file)


def place(nodeid: str) -> int:
    """Where a household stands in the order: the longest first."""
    order = [f"tests/{folder}" for folder in TOGETHER]
    home = household(nodeid)
    return order.index(home) if home in order else len(order)
