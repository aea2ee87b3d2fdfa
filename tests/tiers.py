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
    "calculus/test_taylor_series.py": (),
    "calculus/language/test_name_resolution.py": (),
    "calculus/language/test_refusals.py": (),
    "model/test_inertia.py": (),
    "machines/test_machine.py": ("blade", "gears", "textbooks"),
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
    "geometry/test_group_invariants.py": ("linear",),
    "numerics/test_roots.py": (),
    "orders/test_manufactured.py": ("knife",),
    "proof/test_proofs.py": ("heisenberg_system_is", "not_smooth", "stands_alone"),
    "reconstruction/test_poles_between.py": (),
    "systems/test_gallery.py": ("[chaplygin_sleigh]",),
    "scene/test_poses.py": ("refused",),
    "messages/test_bad_inputs.py": ("[E1: ",),
    "trajectory/test_audit.py": (),
    "experiment/test_measures.py": (),
    "study/test_toml_positions.py": (),
    "show/test_html.py": ("number", "markup"),
    "papers/lewis_murray/test_claims.py": ("zero", "residuals"),
    "apps/test_cli.py": ("unknown", "chapter", "misprint"),
    "apps/test_explain.py": ("entry", "asked"),
    "docs/test_listings.py": ("every_listing",),
}

LONG = {
    "apps/explore/test_branch.py": ("a_click_shows_a_periodic", "keys_go_from_row"),
    "apps/explore/test_browser.py": (
        "keys_move_a_slider",
        "what_it_saves",
        "computed_beside",
        "without_webgl[#",
    ),
    "apps/test_cite.py": ("a_summary_fits_a_page",),
    "apps/test_cli.py": ("figures_are_drawn",),
    "apps/test_commands.py": (
        "a_terminal_without_greek",
        "as_far_as_the_run_they_begin_as[lean1]",
        "-lean1]",
    ),
    "apps/test_explain.py": (
        "provokes_its_code[W153]",
        "provokes_its_code[W311]",
        "provokes_its_code[E135]",
        "provokes_its_code[E243]",
    ),
    "apps/test_families_of_files.py": ("when_it_was_followed[tilted]",),
    "apps/test_film.py": ("as_long_as_it_should[50]", "as_long_as_it_should[30]"),
    "apps/test_fit_command.py": ("principles_are_ranked",),
    "apps/test_fit_inputs.py": ("the_command_line_goes", "made_of_a_run", "an_input_is_no_unknown", "finds_the_gains"),
    "apps/test_isolation.py": ("the_child_ends_with_its_parent[15]",),
    "calculus/language/test_round_trip.py": ("random_expressions",),
    "calculus/test_numerical_rank.py": ("singular_values_are[1e-07-False]",),
    "calculus/test_short.py": (
        "high_powers_and_multiples_are_not_searched[e2]",
        "not_searched[e3]",
    ),
    "docs/test_build.py": (),
    "docs/test_pages.py": ("ranked_first",),
    "docs/test_met.py": ("[Geometry]",),
    "docs/test_shell.py": (
        "[howto/own-file.md]",
        "[tutorial/ball.md]",
    ),
    "equations/code/test_fmu.py": (
        "same_bytes[False]",
        "library_does[pair2]",
        "library_does[pair3]",
        "library_does[pair4]",
        "library_does[pair5]",
        "free_speeds_computes_what_the_library_does[pair1]",
    ),
    "equations/code/test_programs.py": ("main_takes_steps",),
    "equations/test_in_entries.py": ("[routh_sphere",),
    "equations/test_moving.py": ("along_the_motion[chaplygin_top",),
    "equations/test_papers.py": ("what_is_shortened",),
    "equations/test_read_back.py": (
        "[snakeboard]",
        "[roller_racer]",
    ),
    "equations/test_small.py": (
        "half_a_page[snakeboard]",
        "half_a_page[roller_racer]",
    ),
    "equations/test_typeset.py": (
        "every_summary",
        "fit_a_column[snakeboard-vakonomic]",
    ),
    "experiment/fit/test_fit_warnings.py": ("zeros under a robust loss",),
    "experiment/fit/test_ground.py": ("differences_tell_it",),
    "experiment/fit/test_recovery.py": ("in_95_of_100_seeds", "not_known[100", "vakonomic_multipliers"),
    "experiment/fit/test_search.py": ("find_the_frequency",),
    "experiment/plan/test_plan.py": (
        "root_of_the_number",
        "what_a_column_magnifies",
        "inverse_to_the_noise",
        "the_best_design",
        "a_prior_on",
        "both_principles_agree",
    ),
    "experiment/rank/test_verdicts.py": (
        "explained_by_the_tilt",
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
        "an_integrable_constraint",
    ),
    "forms/test_gallery.py": (
        "fits_a_page[double_pendulum_cartesian-hamel]",
        "fits_a_page[double_pendulum_cartesian-voronec]",
    ),
    "geometry/test_connection.py": (
        "takes_the_parts[disc]",
        "on_the_connection[roller racer]",
        "[symmetric sphere]",
        "in_D_and_alpha_takes_the_parts[roller racer]",
    ),
    "geometry/test_distributions.py": (
        "dimensions[sleigh",
        "kind[linear]",
        "[rolling disc-None]",
        "[snakeboard-None]",
    ),
    "geometry/test_exterior.py": (
        "not_integrable[rolling disc]",
        "without_the_group[rattleback]",
        "without_the_group[routh sphere]",
        "not_integrable[snakeboard]",
    ),
    "geometry/test_invariant_measure.py": ("chaplygins_ball_is_found",),
    "geometry/test_noether.py": (
        "what_cancels[two_wheeled",
        "momentum_equation[top]",
        "dimensions[rattleback",
        "momentum_equation[snakeboard]",
        "what_cancels[snakeboard",
        "momentum_equation[suslov]",
        "momentum_equation[racer]",
        "unit_of_mass[1.0]",
        "momentum_equation[robot]",
        "unit_of_length[1000.0]",
        "unit_of_length[1.0]",
        "unit_of_length[0.001]",
        "unit_of_mass[1000.0]",
        "unit_of_mass[1e-06]",
        "unit_of_mass[1000000000.0]",
    ),
    "geometry/test_other_frame.py": (
        "full_one[top]",
        "ball]",
    ),
    "geometry/test_phase_space.py": (
        "reduced_spaces[veselova]",
        "reduced_motion[routh sphere]",
        "[routh]",
    ),
    "geometry/test_quotient_space.py": ("keeps_jacobi[SE(3)]",),
    "geometry/test_reduce.py": (
        "with_the_plane[a foot",
        "the_full_one[rattleback]",
        "the_full_one[chaplygin ball]",
        "size_and_group[roller racer]",
        "size_and_group[rattleback]",
        "size_and_group[chaplygin ball]",
        "the_full_one[roller racer]",
        "size_and_group[snakeboard]",
    ),
    "geometry/test_restrict.py": (
        "is_told[symmetry0]",
        "motion[vehicle]",
        "motion[loaded_ball]",
    ),
    "geometry/test_splitting.py": (
        "and_vertical[veselova]",
        "given_space[veselova]",
        "the_reduced_one[roller racer]",
        "on_the_given_space[r",
        "hold_nothing_that_vanishes",
        "[roller racer]",
    ),
    "geometry/test_summaries.py": ("[routh sphere]", "[rattleback]", "[snakeboard]"),
    "geometry/test_symmetries.py": ("are_found[suslov-3]",),
    "geometry/test_symplectic_form.py": ("along_its_field[loaded_ball]", "along_its_field[routh sphere]"),
    "laws/test_euler_lagrange.py": ("sympy_agree[loaded_ball",),
    "laws/test_invariance.py": ("dependent_row[disc]",),
    "machines/test_robot_packages.py": (),
    "messages/rows/test_environment.py": (
        "every_text_of_a_message",
        "cannot_be_written[a long name]",
        "cannot_be_written[a file]",
    ),
    "messages/test_fuzz.py": ("nothing_foreign",),
    "messages/test_stored.py": ("a_bomb_of_zeros",),
    "messages/test_systems.py": ("[L too long]",),
    "model/rolling/test_carried.py": ("a_body_that_is_held", "[ellipsoid on ellipsoid]"),
    "model/rolling/test_level.py": (
        "energy_is_kept[z - 0.2",
        "slips_and_rolls[x",
        "a tube]",
        "True-a bowl]",
        "say[(x^2",
        "slips_and_rolls[",
    ),
    "model/rolling/test_motions.py": (
        "changes_nothing[1 - x^2 - y^2]",
        "in_a_turn[1 - sqrt",
    ),
    "model/test_space.py": ("at_once[fewer",),
    "numerics/sweep/test_cluster.py": ("starts_afresh",),
    "numerics/taylor/test_taylor.py": (
        "two_methods_meet[double_pendulum",
        "two_methods_meet[car_with",
    ),
    "numerics/test_equilibrium_branches.py": ("the_whole_bicycle", "a_vakonomic_suslov"),
    "numerics/test_contacts.py": ("a_box_that_falls_on_a_corner", "too_fast[-1]", "housner_says[-1]"),
    "numerics/test_charts.py": ("as_written[turning-taylor", "as_written[veselova-dop853"),
    "numerics/test_contacts_driven.py": ("its_weight[spline]",),
    "numerics/test_contacts_published.py": (
        "both_its_edges[0.0-1]",
        "both_its_edges[0.0--1]",
        "a_tippe_top_that_slips_turns_over",
    ),
    "numerics/test_crossings.py": ("smooth_guards",),
    "numerics/test_dependent_rows.py": ("their_singular_place[16]",),
    "numerics/test_driven_derivatives.py": ("a_table_drives[linear]", "a_table_drives[cubic]"),
    "numerics/test_hodograph.py": ("in_its_cone[stronge]", "of_small_impulses[stronge]"),
    "numerics/test_lanes.py": ("single_run[double_pendulum",),
    "numerics/test_lean_runs.py": ("members_in_lanes",),
    "numerics/test_compiler.py": ("change_no_bit[dalembert.systems.block_on_belt]",),
    "numerics/test_linearisation.py": ("a_robot_back", "a_turning_motion"),
    "numerics/test_long_chains.py": ("within_the_numbers[1e+18]",),
    "numerics/test_narrow_features.py": (
        "feel_a_kick[",
        "momentum[two-dop853]",
        "throws_back[flat-0]",
        "throws_back[steep-0]",
        "throws_back[flat-0.513]",
        "throws_back[steep-0.513]",
        "throws_back[gaussian-0.513]",
    ),
    "numerics/test_orbit_family.py": ("a_ball_on_a_vibrating_table", "halo_orbits_begin"),
    "numerics/test_packed.py": (
        "test_gallery[roller_racer",
        "test_gallery[snakeboard",
    ),
    "numerics/test_published_manoeuvres.py": ("a_car_parks", "a_pendulum_swings_up"),
    "numerics/test_row_functions.py": (
        "compared_fitted_ranked",
        "where_the_path_was[almost_poisson]",
        "where_the_path_was[symplectic]",
        "where_the_path_was[maggi]",
        "where_the_path_was[hamel]",
        "where_the_path_was[chaplygin]",
    ),
    "numerics/test_saltation.py": (
        "follows_its_course[2-1.5-stronge]",
        "follows_its_course[2-0.2-",
    ),
    "numerics/test_sensitivity.py": (
        "several_runs",
        "against_differences[trailers]",
        "against_differences[snakeboard",
    ),
    "numerics/test_relative_equilibria.py": ("a_low_sphere",),
    "numerics/test_steer.py": (
        "a_snakeboard_gets_on",
        "a_ball_is_rolled_on_a_tilting",
    ),
    "proof/test_proofs.py": ("rattleback_reverses",),
    "numerics/test_swings.py": ("holds_nothing[0.001-0.1]",),
    "numerics/two_point/test_free.py": (
        "in_every_description",
        "the_slope_of_the_action",
        "about_one_axis",
        "precesses",
    ),
    "numerics/two_point/test_heisenberg.py": ("reversed_ends", "vertical_ends", "conjugate_points", "the_same_seed"),
    "numerics/two_point/test_knife_edge.py": (
        "elliptic_curve[end0]",
        "another_description",
        "left_free",
        "a_free_place",
        "the_parallel_shift",
    ),
    "numerics/two_point/test_refusals.py": ("coinciding_ends", "a_rolling_disc_by_both"),
    "numerics/two_point/test_scales_and_counts.py": (
        "of_length_change_no_index",
        "all_counted[17.3-1-10]",
        "ends_are_met[1e-10]",
    ),
    "orders/test_energy.py": ("any_motion[3.0-4]", "1000000"),
    "orders/test_gallery.py": ("test_order[routh_sphere",),
    "orders/test_manufactured.py": (
        "order_of_dop853",
        "work_balance[4-dla]",
        "radau[all]",
    ),
    "orders/test_reversible.py": ("rattleback",),
    "orders/test_stiff.py": (
        "nonlinear[0.0-1000.0]",
        "nonlinear[0.1-100000.0]",
        "events_and_jumps[100000.0]",
        "nonlinear[0.1-100000000.0]",
    ),
    "papers/appell_hamel/test_claims.py": (
        "figures_are_written",
        "turns_the_exit_code",
        "noticed[vakonomic_model.reduced",
        "noticed[parting",
        "noticed[chetaev.result",
        "noticed[errata",
    ),
    "papers/lewis_murray/test_claims.py": (
        "constraint_is_noticed[damped]",
        "constraint_is_noticed[friction]",
        "noticed[dalembert_papers.lewis_murray.derivations.closed_forms-spiral",
    ),
    "papers/lewis_murray/test_experiment.py": (),
    "papers/rolling_disc/test_claims.py": (
        "another_line_of_nodes",
        "a_wrong_balance",
        "another_kappa",
        "is_noticed[formulation.manifold]",
        "is_noticed[motions.reconstruction]",
        "is_noticed[motions.quadrature]",
        "is_noticed[reduction.momenta]",
        "is_noticed[angles.rolling]",
        "is_noticed[reduction.form]",
        "a_wrong_critical_rate",
        "period_is_the_integral_between_the_turning_points[wobbling]",
        "two_figures",
    ),
    "papers/sicm/test_claims.py": ("two_figures",),
    "papers/symmetric_sphere/test_claims.py": (
        "wrong_sign_is_noticed[impacts.jump",
        "wrong_sign_is_noticed[impacts.reduced",
        "without_grip_is_noticed[impacts.reduced",
        "without_grip_is_noticed[impacts.jump",
        "curvature_of_another_size",
        "is_noticed[SAME-",
        "wrong_lagrangian_is_noticed[bundles",
        "wrong_sign_is_noticed[bundles",
        "figures_are_written",
        "without_reconstruction",
        "wrong_size_is_noticed[dynamics.vertical",
        "wrong_size_is_noticed[motions",
    ),
    "papers/test_errata.py": ("and_why[a", "and_why[f", "and_why[l", "and_why[r", "and_why[sy"),
    "papers/test_every_paper.py": (
        "claims_cover[lewis-murray]",
        "claims_cover[rolling-disc]",
        "claims_cover[symmetric-sphere]",
        "exit_code_0[lewis",
        "exit_code_0[rolling",
        "exit_code_0[symmetric",
        "[lewis-murray:any_system",
        "[lewis-murray:experiment.of_the_tilt]",
        "[lewis-murray:experiment.of_the_vakonomic_ball]",
        "[lewis-murray:on_a_leaf.any_leaf]",
        "[lewis-murray:rolling_penny",
        "[rolling-disc:angles.rolling]",
        "[rolling-disc:any_system",
        "[rolling-disc:formulation.manifold]",
        "[rolling-disc:motions.reconstruction]",
        "[rolling-disc:newton.newton]",
        "[rolling-disc:reduction.form]",
        "[rolling-disc:reduction.momenta]",
        "[symmetric-sphere:any_system",
        "[symmetric-sphere:bundles.parts]",
        "[symmetric-sphere:impacts.jump]",
        "[symmetric-sphere:motions",
        "[families:beginnings",
        "[families:gaits",
        "[families:reversals",
        "[families:spins",
        "[families:windows",
        "[families:followed.tongues",
        "[families:attractors",
        "[families:families.straight",
        "[families:moon.branching",
        "[families:moon.catalogued",
        "[families:moved_mass.gaining",
        "[families:followed.cascade",
        "[families:circles.lyapunov",
        "[families:followed.halo",
        "exit_code_0[families",
        "claims_cover[families]",
    ),
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
    "reconstruction/test_gyroscopic.py": ("two_hundred",),
    "reconstruction/test_holonomy.py": (
        "free_body[turned1]",
        "by_laws_of_time]",
        "kept_hold_in_the_horizontal",
        "encloses_a_cap[1.1]",
        "encloses_a_cap[1.4]",
        "by_hand[0.0-in_time]",
    ),
    "reconstruction/test_leaning.py": (
        "full_motion[top, with a matrix]",
        "full_motion[Routh",
        "full_motion[top, other axes]",
        "full_motion[top, velocities in the body]",
        "between_the_axes[Routh",
        "full_motion[top, axes",
    ),
    "reconstruction/test_reconstruct.py": (
        "full_motion[routh]",
        "full_motion[chaplygin ball]",
        "all_motions_of_space",
        "full_motion[snakeboard]",
        "full_motion[racer]",
    ),
    "reconstruction/test_slices.py": ("to_the_slice[place3]",),
    "systems/test_ball_on_rotating_sphere.py": ("euler_say[True",),
    "systems/test_chaplygin_ball.py": (
        "the_measure_is_preserved",
        "chaplygins[",
    ),
    "systems/test_contacts.py": (
        "its_forces_say[3.0",
        "a_rattleback_that_slips",
    ),
    "systems/test_examined.py": ("kinds_and_growth[whipple", "kinds_and_growth[rolling_ellipsoid/"),
    "systems/test_gallery.py": (
        "growth_vector[whipple",
        "partners[wheeled_snake/n = 2]",
        "partners[appell_hamel/no force]",
        "partners[car_with_trailers/n",
    ),
    "systems/test_gyroscopic_ball_on_sphere.py": ("contact_says[/inside",),
    "systems/test_rolling_disc.py": (
        "functions[300.0]",
        "functions[2.0]",
    ),
    "systems/test_rolling_ellipsoid.py": ("end_over_end_it_takes_the_time_that_is_said[9.0]",),
    "systems/test_symmetric_sphere.py": ("momentum[thin]",),
    "systems/test_whipple_bicycle.py": ("of_another_bicycle",),
    "test_fuzz.py": ("a_soak", "other_bits", "the_corpus_of_texts", "a_text_that"),
    "test_mutations.py": ("a_fork_sees",),
}

# laws that are tried on many systems: all but these are long, file -> (words of the law, systems that stay)
SOME = ("ball_on_turntable", "chaplygin_sleigh", "penny", "roller_racer", "rolling_disc", "snakeboard", "suslov")
INTEGRABLE = ("chaplygin_sleigh", "disguised_holonomic", "double_pendulum_cartesian", "two_wheeled_robot")
TOUCHING = ("billiard_ball", "block_on_incline", "bouncing_ball")
# linear, affine, of a body, on positions, not linear, of the time
ZOO = ("sleigh", "[ball", "suslov", "pendulum", "appell_hamel", "driven")
FEW = ("ball_on_turntable", "chaplygin_sleigh", "penny")
ON_MANY = {
    "apps/test_cite.py": {"every_system_of_the_gallery_cites": FEW},
    "apps/test_commands.py": {"a_new_file_of_every": FEW},
    "calculus/language/test_round_trip.py": {"every_expression_of_the_gallery": SOME},
    "calculus/test_length.py": {"is_that_of_the_count": ("[1", "[3")},
    "docs/test_published.py": dict.fromkeys(
        ("as_long", "say_the_same"), ("chaplygin_sleigh", "ball_on_turntable", "suslov")
    ),
    "equations/code/test_elementary.py": {
        "agree_with_scipy": ("sqrt", "sin", "atan", "erf", "besselj2", "hyp2f10.5", "elliptic_k")
    },
    "equations/code/test_fmu.py": {
        "finds_nothing_wrong": ("pair0", "pair4"),
        "fmpy_integrates": ("pair0", "True-pair1"),
        "the_rate_of_energy": ("pair0", "pair1-True"),
        "without_a_warning": ("False-c99", "True-gnu17"),
    },
    "equations/code/test_lean_programs.py": {
        "what_the_library_computes": ("rolling_disc", "ball_on_turntable", "pendulum_cartesian")
    },
    "equations/code/test_sympy_matrices.py": {"what_evaluate_says": ("chaplygin_sleigh", "penny")},
    "equations/code/test_programs.py": {"programs_agree": FEW},
    "equations/test_in_entries.py": {"they_say_the_same": ("veselova", "suslov")},
    "equations/test_papers.py": {"are_in_order": ("appell_hamel", *FEW, "heisenberg")},
    "equations/test_read_back.py": {"those_of_the_gallery": (*FEW, "rolling_disc")},
    "equations/test_small.py": {
        "half_a_page": ("[top", "rolling_disc", "chaplygin_sleigh"),
        "holds_along": ("[top", "rolling_disc"),
    },
    "equations/test_typeset.py": {
        **dict.fromkeys(("equations_fit_a_column", "systems_fit_a_column"), FEW),
        "folding_changes": ("rolling_disc", "veselova"),
    },
    "forms/test_equal.py": {
        "are_the_nonholonomic_ones": (
            "sleigh",
            "-ball",
            "bead",
            "appell_hamel",
            "driven",
            "conveyor",
            "redundant_penny",
        ),
        "machine_code_gives": ("sleigh", "conveyor", "appell_hamel", "redundant_penny", "massless"),
    },
    "forms/test_gallery.py": {
        "each_form_that_takes": ("turntable-gauss", "turntable-maggi", "chaplygin_sleigh", "penny")
    },
    "forms/test_lean.py": {"on_the_gallery": FEW},
    "forms/test_runs.py": {
        "stiff_steps": ("chaplygin", "gauss", "maggi"),
        "the_path_is": ("sleigh", "maggi-conveyor", "redundant_penny"),
        "the_constraints_lose": ("plain", "pivoted-gauss", "pivoted-maggi"),
    },
    "geometry/test_equivariance.py": {
        "moves_along_the_moved_path": ("top in space", "veselova", "rolling disc", "particle", "knife edge")
    },
    "geometry/test_integral_manifold.py": {"on_the_leaf_are_one": ("0.0-wheel", "1.7-heading", "1.7-lift")},
    "geometry/test_noether.py": {
        "four_flags": ("knife edge", "particle-None", "disc-None-shift x", "top-turns", "veselova-turns-rotation 1")
    },
    "geometry/test_quotient_space.py": {
        "moves_along_the_moved_path": ("sleigh", "rolling penny", "rolling disc", "plain ball")
    },
    "geometry/test_reduce.py": {"size_and_group": ("heisenberg", "plain ball", "penny", "suslov", "veselova")},
    "geometry/test_restrict.py": {"is_the_nonholonomic_motion": ("sleigh", "penny", "suslov", "veselova")},
    "geometry/test_group_invariants.py": {"are_rewritten": ("quaternion", "linear-matrix", "power-matrix")},
    "laws/test_balances.py": dict.fromkeys(("energy_change_is", "work_by_quadrature"), ZOO),
    "laws/test_euler_lagrange.py": dict.fromkeys(
        ("graph_and_sympy", "accelerations_solve", "vakonomic_motion_solves"), ZOO
    ),
    "laws/test_free.py": dict.fromkeys(("no_multiplier", "without_constraints"), ZOO),
    "laws/test_invariance.py": dict.fromkeys(("test_scaling", "test_permutation", "test_adding"), ZOO),
    "laws/test_reactions.py": dict.fromkeys(("orthogonal_to_what", "names_in_what"), ZOO),
    "model/rolling/test_motions.py": {
        "the_matter_at_the_contact": ("True-an egg", "False-an ellipsoid", "True-a wheel on", "False-a wheel in"),
        "of_the_place_and_of_the_contact": ("True-ellipsoid", "False-egg", "True-wheel"),
    },
    "numerics/sweep/test_member_starts.py": {"completed_like_one": ("appell_hamel", "disc", "driven", "sleigh")},
    "numerics/taylor/test_recurrence.py": {"random_expressions": ("[0]", "[3]", "[8]", "[10]")},
    "numerics/taylor/test_taylor.py": {"two_methods_meet": ("rolling_disc", "pendulum", "heisenberg-vakonomic")},
    "numerics/test_blur.py": {"hardly_moves": ("12-options0", "09-options3")},
    "numerics/test_crossings.py": {
        "nearly_all_of_it": ("product", "clock"),
        "found_once": ("[1.0", "[1000.0"),
        "begins_at_0": ("[1-0.3", "[1-1e-09"),
    },
    "numerics/test_event_texts.py": {"text_is_what": ("states", "an input")},
    "numerics/test_growth.py": {"at_which_two_runs_part": ("options0", "06-options3")},
    "numerics/test_hodograph.py": {"is_the_planar_one": ("[0.1-0.2", "[0.1-3.0")},
    "numerics/test_lanes.py": {
        "of_its_single_run": ("rolling_disc", "snakeboard", "heisenberg"),
        "any_neighbours": ("[True", "[watched1-blows up"),
    },
    "numerics/test_lean_runs.py": {"as_written": ("disc", "ball-dop853")},
    "numerics/test_narrow_features.py": {"gives_its_momentum": ("bump-dop853", "pair", "tent-taylor")},
    "numerics/test_packed.py": {"test_gallery": FEW},
    "numerics/test_periodic_orbits.py": {"asked_for_as_one_are_told": ("1.5-1", "2.5-3]")},
    "numerics/test_row_functions.py": {"where_the_path_was": ("nonholonomic", "vakonomic", "gauss")},
    "numerics/test_sensitivity.py": {
        "keep_the_constraints": ("disc", "pendulum", "Appell"),
        "against_differences": ("disc", "pendulum", "Heisenberg"),
    },
    "numerics/test_simulate.py": {"against_thirty_digits": ("[80.0-0.0]", "[0.0-10.0]")},
    "numerics/test_starts_at_the_origin.py": {"for_0_and_told": ("5e-15-z", "5e-15-tan", "1e-20")},
    "numerics/test_relative_equilibria.py": {"to_the_nearest": ("[0]", "[3]")},
    "numerics/test_tidied.py": {
        "the_same_and_shorter": ("ball_on_turntable", "suslov"),
        "what_the_matrices_give": ("ball_on_turntable", "rolling_disc", "suslov"),
    },
    "numerics/two_point/test_end_map.py": {"those_of_differences": ("whole", "free place", "nonlinear", "ball")},
    "numerics/two_point/test_scales_and_counts.py": {"are_all_counted": ("1.02", "0.62")},
    "orders/test_gallery.py": {"test_order": ("chaplygin_sleigh", "penny-4")},
    "orders/test_manufactured.py": {
        "order_of_fixed_steps": ("knife", "2-ellipsoid", "4-moving-discrete"),
        "at_every_step": ("knife", "quadratic"),
    },
    "orders/test_reversible.py": {
        "there_and_back": ("knife-2", "moving-4", "knife-6-dla"),
        "turned_round": ("chaplygin_sleigh", "cartesian-dla"),
    },
    "orders/test_stiff_orders.py": dict.fromkeys(
        ("order_at_the_ends", "order_between"), ("3-logistic", "5-free_top", "7-logistic")
    ),
    "papers/appell_hamel/test_claims.py": {
        "a_force_that_does_not": ("newton_euler.constraints", "chetaev", "motions"),
        "a_wrong_constraint": ("newton_euler.newton_euler", "motions.both"),
    },
    "papers/rolling_disc/test_claims.py": {
        "another_turning_part": ("lies_in_U-0", "proposition_2-1.5", "lifts.lift--1")
    },
    "papers/sicm/test_claims.py": {
        "a_wrong_1240": ("second_set-without_rate", "difference-other_sign", "integrable-minus_psi")
    },
    "papers/symmetric_sphere/test_claims.py": {
        "a_broken_step": ("hat-", "bracket-kinematics", "_turning", "K-dynamics")
    },
    "principles/test_coincide.py": {"stated_starts": SOME},
    "principles/test_impulsive.py": dict.fromkeys(("bordered_form", "test_carnot"), ("-0.4", "sleigh", "sphere-1.0")),
    "principles/test_loads.py": {"with_friction_in_numbers": ("-0",)},
    "principles/test_pushes.py": {
        "act_at_once": ("heavy-1.0", "narrow corner-0.4", "blunt corner-1.0", "not pushed-0.4")
    },
    "reconstruction/test_holonomy.py": {"a_skate_drifts": ("1-1-angle", "1-3-plain")},
    "reconstruction/test_phases.py": dict.fromkeys(
        ("parts_fit", "rate_along_K", "from_the_complement"), ("particle", "penny, SE(2)", "symmetric")
    ),
    "reconstruction/test_reconstruct.py": {
        "is_the_full_motion": ("[ball", "knife edge", "penny", "sleigh"),
        "away_from_the_slice": ("heisenberg", "penny", "sleigh"),
    },
    "reconstruction/test_slices.py": {"is_the_full_motion": ("area", "kepler", "skate")},
    "study/test_round_trip.py": {"every_system_of_the_gallery": SOME},
    "systems/test_ball_on_turntable.py": {
        "meets_the_closed_form": ("[tilt]", "centre mu", "tilt mu nu", "ball Omega"),
        "in_the_same_time": ("steel 0.635", "nylon 2.54"),
    },
    "systems/test_disguised_holonomic.py": {"are_one_motion": ("wheel", "sphere", "heading", "rod")},
    "systems/test_examined.py": dict.fromkeys(
        ("kinds_and_growth", "the_known_ones"), (*SOME, *INTEGRABLE, "appell_hamel", "car_with_trailers]", "hooked")
    ),
    "systems/test_gallery.py": {
        **dict.fromkeys(("every_start_runs", "is_a_symmetry"), SOME),
        "where_they_are_said_to": ("[chaplygin_sleigh", "[penny", "[roller_racer", "[suslov]"),
        "under_both_principles": ("chaplygin_sleigh", "decay", "pair", "two_wheeled_robot]"),
        "combinations_of_the": INTEGRABLE,
        **dict.fromkeys(
            (
                "quantities_are_conserved",
                "contacts_change",
                "what_touches",
                "exact_meets",
                "exact_solves",
                "are_partners",
            ),
            (*SOME, *TOUCHING),
        ),
    },
}


def wanted(file: str) -> bool:
    """Does a file, from ``tests`` on, hold tests of the fast tier?"""
    return file in FAST


def is_fast(nodeid: str) -> bool:
    """Is a test, from ``tests`` on, of the fast tier?"""
    return _listed(nodeid, FAST)


def is_long(nodeid: str) -> bool:
    """Is a test, from ``tests`` on, left to ``pytest -m long``?"""
    file, _, name = nodeid.partition("::")
    law, _, case = name.partition("[")
    stay = next((stay for words, stay in ON_MANY.get(file, {}).items() if words in law), None)
    return _listed(nodeid, LONG) or (stay is not None and not any(word in f"[{case}" for word in stay))


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
