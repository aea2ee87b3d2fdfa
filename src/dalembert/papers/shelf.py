"""The papers that can be reproduced."""

# paper -> (what is reproduced, the module of this folder that does it: its reproduce(folder) returns the exit code)
PAPERS = {
    "lewis-murray": (
        "affine constraints, the ball on a turning table: equations, orbits, Table 1, figures, the experiment",
        "lewis_murray",
    ),
    "appell-hamel": (
        "a wheel with a falling weight, a nonlinear constraint: equations, Figure 2, the vakonomic motion",
        "appell_hamel",
    ),
    "symmetric-sphere": (
        "a sphere with an axis of symmetry: reduction to S^2, equations with curvature, bounces off rough walls",
        "symmetric_sphere",
    ),
    "rolling-disc": (
        "a rolling disc by the geometry of its constraints: reduction, two hidden constants, reconstruction",
        "rolling_disc",
    ),
    "sicm": ("two ways to vary a constrained action: equations (1.231) and (1.240)", "sicm"),
}
