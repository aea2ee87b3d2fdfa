"""The tiers of the tests, and which tests are run by one process.

``pytest -m fast`` runs each room's most telling laws, in a minute. ``pytest`` runs all but the long ones: what every
change must pass. ``pytest -m long`` runs those. A file listed here is fast, or long, as a whole, or where words are
given in the tests whose names hold one of them. A test that is named on the command line runs, however long it is.

What is long repeats at length what is shown in short: a law on the whole gallery, the largest systems of a law that is
tried on many, statistics of many seeds, the built documentation, whole papers from the command line.
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
    "laws/test_euler_lagrange.py": (*SLEIGH, "poincare"),
    "laws/test_free.py": SLEIGH,
    "laws/test_invariance.py": SLEIGH,
    "laws/test_reactions.py": SLEIGH,
    "laws/test_spaces.py": ("SE2",),
    "forms/test_equal.py": SLEIGH,
    "geometry/test_exterior.py": SLEIGH,
    "geometry/test_shape.py": ("linear",),
    "numerics/test_roots.py": (),
    "orders/test_manufactured.py": ("knife",),
    "reconstruction/test_poles_between.py": (),
    "systems/test_gallery.py": ("[chaplygin_sleigh]",),
    "scene/test_poses.py": ("refused",),
    "messages/test_bad_inputs.py": ("[E1: ",),
    "trajectory/test_audit.py": (),
    "experiment/test_measures.py": (),
    "study/test_places.py": (),
    "show/test_html.py": ("number", "markup"),
    "papers/lewis_murray/test_claims.py": ("zero", "residuals"),
    "apps/test_cli.py": ("unknown", "chapter", "misprint"),
    "apps/test_explain.py": ("entry", "asked"),
    "docs/test_listings.py": ("every_listing",),
}

LONG = {
    "apps/explore/test_branch.py": ("a_click_shows_a_periodic", "keys_go_from_row"),
    "apps/explore/test_browser.py": ("keys_move_a_slider", "what_it_saves", "computed_beside"),
    "apps/test_cite.py": ("a_summary_fits_a_page",),
    "apps/test_cli.py": ("figures_are_drawn",),
    "apps/test_commands.py": ("a_terminal_without_greek",),
    "apps/test_explain.py": ("provokes_its_code[W153]", "provokes_its_code[W311]"),
    "apps/test_fit_command.py": ("principles_are_ranked",),
    "apps/test_fit_inputs.py": ("the_command_line_goes", "made_of_a_run", "an_input_is_no_unknown"),
    "apps/test_isolation.py": ("the_child_ends_with_its_parent[15]",),
    "calculus/language/test_round_trip.py": ("random_expressions",),
    "calculus/test_short.py": ("high_powers_and_multiples_are_not_searched[e2]",),
    "docs/test_build.py": (),
    "docs/test_met.py": ("[Geometry]",),
    "docs/test_shell.py": ("[howto/own-file.md]",),
    "equations/code/test_programs.py": ("main_takes_steps",),
    "equations/test_papers.py": ("what_is_shortened",),
    "equations/test_typeset.py": ("every_summary",),
    "experiment/fit/test_recovery.py": ("in_95_of_100_seeds", "vakonomic_multipliers"),
    "experiment/fit/test_search.py": ("find_the_frequency",),
    "experiment/plan/test_plan.py": (
        "what_a_column_magnifies",
        "inverse_to_the_noise",
        "the_best_design",
        "a_prior_on",
    ),
    "experiment/rank/test_verdicts.py": (
        "the_other_principles",
        "later_rows",
        "record_decides_nothing",
        "cannot_be_followed",
        "a_penny",
        "rarely_rejected",
        "by_a_long_track",
        "pivoting",
        "all_wrong",
        "unknown_noise",
        "crossings_of_a_ray",
    ),
    "geometry/test_connection.py": ("[symmetric sphere]", "in_D_and_alpha_takes_the_parts[roller racer]"),
    "geometry/test_distributions.py": ("[snakeboard-None]",),
    "geometry/test_measure.py": ("chaplygins_ball_is_found",),
    "geometry/test_phase_space.py": ("[routh]",),
    "geometry/test_reduce.py": ("size_and_group[rattleback]", "size_and_group[chaplygin ball]"),
    "geometry/test_splitting.py": ("on_the_given_space[r", "hold_nothing_that_vanishes"),
    "geometry/test_summaries.py": ("[rattleback]", "[snakeboard]"),
    "messages/rows/test_environment.py": ("every_text_of_a_message",),
    "messages/test_fuzz.py": ("nothing_foreign",),
    "messages/test_stored.py": ("a_bomb_of_zeros",),
    "model/rolling/test_carried.py": ("a_body_that_is_held", "[ellipsoid on ellipsoid]"),
    "model/rolling/test_level.py": ("slips_and_rolls[x", "a tube]", "True-a bowl]", "say[(x^2"),
    "numerics/sweep/test_cluster.py": ("starts_afresh",),
    "numerics/test_branches.py": ("the_whole_bicycle", "a_vakonomic_suslov"),
    "numerics/test_crossings.py": ("smooth_guards",),
    "numerics/test_hodograph.py": ("in_its_cone[stronge]", "of_small_impulses[stronge]"),
    "numerics/test_lean_runs.py": ("members_in_lanes",),
    "numerics/test_linearise.py": ("a_robot_back", "a_turning_motion"),
    "numerics/test_narrow.py": ("feel_a_kick[",),
    "numerics/test_orbits.py": ("a_ball_on_a_vibrating_table", "halo_orbits_begin"),
    "numerics/test_published_manoeuvres.py": ("a_car_parks", "a_pendulum_swings_up"),
    "numerics/test_rows.py": ("compared_fitted_ranked",),
    "numerics/test_saltation.py": ("follows_its_course[2-0.2-",),
    "numerics/test_sensitivity.py": ("several_runs",),
    "numerics/test_steady.py": ("the_mirrored_stone", "axes_agree", "a_low_sphere"),
    "numerics/test_steer.py": ("a_snakeboard_gets_on",),
    "numerics/two_point/test_free.py": (
        "in_every_description",
        "the_slope_of_the_action",
        "about_one_axis",
        "precesses",
    ),
    "numerics/two_point/test_heisenberg.py": ("reversed_ends", "vertical_ends", "conjugate_points", "the_same_seed"),
    "numerics/two_point/test_knife_edge.py": ("another_description", "left_free", "a_free_place", "the_parallel_shift"),
    "numerics/two_point/test_refusals.py": ("coinciding_ends", "a_rolling_disc_by_both"),
    "numerics/two_point/test_scales_and_counts.py": ("of_length_change_no_index",),
    "orders/test_manufactured.py": ("order_of_dop853",),
    "papers/appell_hamel/test_claims.py": ("turns_the_exit_code",),
    "papers/lewis_murray/test_experiment.py": (),
    "papers/symmetric_sphere/test_claims.py": ("figures_are_written", "without_reconstruction"),
    "papers/test_errata.py": ("and_why[a", "and_why[f", "and_why[l", "and_why[r", "and_why[sy"),
    "papers/test_every_paper.py": ("exit_code_0[lewis", "[lewis-murray:experiment.of_the_tilt]"),
    "principles/test_coincide.py": (
        "no_branch_lives",
        "whatever_the_clock",
        "on_the_resting_table",
        "roots_and_exponentials",
        "bicycle_goes",
        "pushed_wheel",
    ),
    "principles/test_first_integrals.py": ("of_its_circle",),
    "principles/test_impulsive.py": ("300_elastic_bounces", "rolling_sphere[0.5]"),
    "reconstruction/test_holonomy.py": ("by_laws_of_time]", "kept_hold_in_the_horizontal"),
    "reconstruction/test_leaning.py": ("full_motion[Routh",),
    "reconstruction/test_reconstruct.py": ("full_motion[chaplygin ball]", "all_motions_of_space"),
    "systems/test_chaplygin_ball.py": ("chaplygins[",),
    "test_fuzz.py": ("a_soak", "other_bits", "the_corpus_of_texts", "a_text_that"),
    "test_mutations.py": ("a_fork_sees",),
    "test_readme.py": ("the_fourth_script",),
}

# laws that are tried on the whole gallery: all but these systems are long
SOME = ("ball_on_turntable", "chaplygin_sleigh", "penny", "roller_racer", "rolling_disc", "snakeboard", "suslov")
ON_THE_GALLERY = {
    "apps/test_cite.py": ("every_system_of_the_gallery_cites",),
    "apps/test_commands.py": ("a_new_file_of_every",),
    "calculus/language/test_round_trip.py": ("every_expression_of_the_gallery",),
    "equations/code/test_programs.py": ("programs_agree",),
    "equations/test_read_back.py": ("those_of_the_gallery",),
    "equations/test_typeset.py": ("fit_a_column",),
    "forms/test_gallery.py": ("each_form_that_takes",),
    "forms/test_lean.py": ("on_the_gallery",),
    "numerics/test_packed.py": ("test_gallery",),
    "principles/test_coincide.py": ("stated_starts",),
    "study/test_round_trip.py": ("every_system_of_the_gallery",),
    "systems/test_gallery.py": ("where_they_are_said_to", "every_start_runs", "is_a_symmetry"),
}


def wanted(file: str) -> bool:
    """Does a file, from ``tests`` on, hold tests of the fast tier?"""
    return file in FAST


def is_fast(nodeid: str) -> bool:
    """Is a test, from ``tests`` on, of the fast tier?"""
    return _listed(nodeid, FAST)


def is_long(nodeid: str) -> bool:
    """Is a test, from ``tests`` on, left to ``pytest -m long``?"""
    _, _, parameters = nodeid.partition("[")
    return _listed(nodeid, LONG) or (_listed(nodeid, ON_THE_GALLERY) and not any(name in parameters for name in SOME))


def _listed(nodeid: str, tier: dict[str, tuple[str, ...]]) -> bool:
    file, _, name = nodeid.partition("::")
    return file in tier and (not tier[file] or any(word in name for word in tier[file]))


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
    order = ["tests/test_style.py", *(f"tests/{folder}" for folder in TOGETHER)]
    home = household(nodeid)
    return order.index(home) if home in order else len(order)
