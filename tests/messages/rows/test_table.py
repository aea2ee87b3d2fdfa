"""The catalogue of bad inputs, row by row: which tests hold the answer to each row.

A pointer is a file or folder, ``file::name`` of a test or a table of cases, or ``file::TABLE[case]``. A test looks that
all of them exist, and that every code of a row occurs there.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = "tests/messages/"
BAD, SYSTEMS, STARTS = HERE + "test_bad_inputs.py", HERE + "test_systems.py", HERE + "test_starts.py"
STORED, RUNS, WORLD = HERE + "test_stored.py", HERE + "rows/test_runs.py", HERE + "rows/test_environment.py"
NOTES = HERE + "rows/test_notes.py"
LANGUAGE, FILES = "tests/calculus/language", "tests/study"
SWEEP, STORE = "tests/numerics/sweep/test_results.py", "tests/numerics/sweep/test_store.py"
ACTION, WALLS = "tests/geometry/test_group_action.py", "tests/principles/test_impulsive.py"
COMMANDS = "tests/apps/test_commands.py"
RECORDS, DEVIATIONS = "tests/experiment/test_record.py", "tests/experiment/test_residuals.py"


def refused(*cases):
    return [f"{SYSTEMS}::REFUSED[{case}]" for case in cases]


def doubted(*cases):
    return [f"{SYSTEMS}::DOUBTED[{case}]" for case in cases]


def begun(*cases):
    return [f"{STARTS}::REFUSED[{case}]" for case in cases]


def given(table, *cases):
    return [f"{BAD}::{table}[{case}]" for case in cases]


ROWS = {
    # E7: expression text
    1: ("E701", [LANGUAGE]),
    2: ("E702", [LANGUAGE]),
    3: ("E703", [LANGUAGE]),
    4: ("E704", [LANGUAGE]),
    5: ("E705", [LANGUAGE]),
    6: ("E706", [LANGUAGE, *given("SYSTEM", "L is an equation")]),
    7: ("E707", [LANGUAGE]),
    8: ("E708", [LANGUAGE]),
    9: ("E709", [LANGUAGE]),
    10: ("E710", [LANGUAGE]),
    11: ("E711", [LANGUAGE]),
    12: ("E712", [LANGUAGE]),
    13: ("E713", [LANGUAGE]),
    14: ("E714", [LANGUAGE]),
    15: ("E715", [LANGUAGE]),
    16: ("E716", [LANGUAGE]),
    17: ("E717", [LANGUAGE]),
    18: ("E702", [LANGUAGE]),
    19: ("E718", [LANGUAGE, *given("SYSTEM", "L is None", "L is bytes", "L is a list")]),
    20: ("E719", given("SYSTEM", "L holds a bad name", "L is a matrix", "L holds an integral", "L holds i")),
    21: ("E720", given("SYSTEM", "L is a derivative that vanished")),
    # E1: the system
    22: (
        "E101 E102 E103",
        [
            *given("SYSTEM", "no coordinates", "coordinate t"),
            *refused("parameter twice", "parameter named like a function"),
        ],
    ),
    23: ("E104", [*refused("name of another system"), *given("SYSTEM", "L uses a function of time")]),
    24: ("W105", doubted("coordinate nowhere")),
    25: ("E106", [*given("SYSTEM", "L is 0", "L is a constant"), *refused("potential alone")]),
    26: ("E107", [*given("SYSTEM", "L linear in velocities"), *refused("linear in one velocity")]),
    27: ("E108", [*refused("sign slip hidden by multipliers"), *given("SYSTEM", "one term with the wrong sign")]),
    28: ("E109", refused("moments of no body", "not symmetric", "negative moment", "moments known later")),
    29: (
        "E110",
        [*refused("constraint 0 by rounding", "constraint 0 by a double angle"), *given("SYSTEM", "constraint 0")],
    ),
    30: ("E111", [*refused("two rods", "row and row - 1", "no real solution"), *given("SYSTEM", "constraint 1")]),
    31: ("E112", refused("rolling put into L", "rod put into L")),
    32: (
        "W113",
        [*doubted("same row twice", "a rod of twice the length squared"), f"{BAD}::test_same_constraint_twice"],
    ),
    33: ("E114", refused("rod and a stop", "four rows")),
    34: ("N115", [f"{BAD}::test_position_relation_is_holonomic"]),
    35: (
        "N116",
        [f"{NOTES}::NOTED[integrable alone]", f"{NOTES}::NOTED[integrable together]", "tests/geometry/test_examine.py"],
    ),
    36: ("N117", [f"{BAD}::test_nonlinear_constraint_says_chetaev"]),
    37: ("E118", [*refused("acceleration", "rate of a velocity"), *given("SYSTEM", "acceleration in L")]),
    38: ("W119", [*doubted("Omega forgotten"), f"{BAD}::test_parameter_that_is_not_used"]),
    39: ("N120", [f"{BAD}::test_explicit_time_is_noted"]),
    40: ("E121", [*refused("rank 0 at rest", "rank 0 at a crossing"), *given("SYSTEM", "Appell-Hamel at rest")]),
    41: ("E122", [f"{ACTION}::test_what_is_no_symmetry_is_refused_with_the_term"]),
    42: ("E123", [f"{ACTION}::test_generators_that_do_not_close_are_refused"]),
    43: ("E124", ["tests/geometry/test_splitting.py::test_where_the_symmetry_comes_to_lie_in_the_constraints_is_said"]),
    44: ("W125 E145", [*doubted("gravity upwards", "height as an expression"), *refused("up is a velocity")]),
    45: ("E126", [*refused("bordered matrix singular"), *given("SYSTEM", "vakonomic: bordered matrix singular")]),
    46: (
        "E127",
        [
            *refused("two components of four", "force on a multiplier"),
            *given("SYSTEM", "force on an unknown coordinate"),
        ],
    ),
    47: ("E128", refused("negative number", "negative load", "negative dissipation", "negative by its value")),
    48: ("W129 E129", [*doubted("v/|v|", "sign(v)", "v/abs(v)"), *given("SYSTEM", "rolling friction at rest")]),
    49: (
        "E130 E131 E132 E133",
        [
            f"{WALLS}::test_e130_restitution_outside",
            f"{WALLS}::test_what_cannot_be_imposed_is_refused",
            f"{WALLS}::test_e132_two_walls_that_are_one_surface",
            f"{WALLS}::test_heights_go_with_e_squared_and_the_series_ends_in_finite_time",
        ],
    ),
    50: (
        "E134 W134",
        [*refused("momentum added to energy", "radius left out", "sine of a length"), *doubted("a mass in rpm")],
    ),
    51: ("E135", refused("65 coordinates", "L too long", "L nested too deeply")),
    52: ("E136", ["tests/calculus/test_budget.py::test_time", "tests/calculus/test_budget.py::test_memory"]),
    # E2: parameters and the start
    53: ("E201", [*begun("missing radius", "missing in a run"), *given("PARAMETERS", "missing")]),
    54: ("E202", [*begun("misspelt override", "several misspelt"), *given("PARAMETERS", "misspelt")]),
    55: ("E203", [f"{STARTS}::NO_NUMBER[nan]", f"{STARTS}::NO_NUMBER[1e400]"]),
    56: ("E204", [f"{STARTS}::NO_NUMBER[text]", f"{STARTS}::NO_NUMBER[true]", f"{STARTS}::test_numbers_of_all_kinds"]),
    57: ("E205", [f"{STARTS}::test_a_mass_is_positive", *given("PARAMETERS", "zero mass", "negative mass")]),
    58: ("E206 E207", begun("unknown unit", "an rpm for a length", "a length for an angle")),
    59: ("W208", [*doubted("a tiny mass"), f"{STARTS}::DOUBTED[masses that differ by 1e20]"]),
    60: ("W209", [*doubted("a slope of 30"), f"{STARTS}::DOUBTED[degrees]"]),
    61: ("E230", begun("velocity missing", "position missing")),
    62: ("E231", begun("rolling violated", "rate violated", "rolling violated, vakonomic")),
    63: ("E232", begun("rod violated", "rod violated, vakonomic")),
    64: ("E233", begun("too much given", "rotation and its parts")),
    65: ("E234", begun("vakonomic without multipliers", "vakonomic with one of two", "vakonomic run")),
    66: ("E235", begun("multiplier not asked for", "multiplier of a free motion")),
    67: ("E236", begun("multiplier's name", "multipliers in a list")),
    68: ("E237", begun("pole", "origin")),
    69: ("E238", begun("four numbers", "norm 0.9", "other letters")),
    70: ("E239", begun("reflection", "not orthogonal")),
    71: ("E240", begun("below the floor")),
    72: ("E241", begun("too few", "nested", "a set")),
    # E3: time, tolerances, options
    73: (
        "E301 E302",
        [
            *given("OPTIONS", "until nan", "until inf", "until negative"),
            f"{BAD}::test_zero_length_is_a_path_of_one_point",
        ],
    ),
    74: (
        "E303",
        given("OPTIONS", "samples unsorted", "samples outside", "samples twice", "samples empty", "samples nan"),
    ),
    75: ("E304", given("OPTIONS", "samples too many", "samples too many, view")),
    76: (
        "E305 W306",
        [*given("OPTIONS", "rtol 0", "rtol 1e-20", "rtol 0.5", "atol of wrong length"), f"{BAD}::test_loose_tolerance"],
    ),
    77: ("E307", given("OPTIONS", "method misspelt", "option misspelt", "SciPy option")),
    78: ("W308", ["tests/orders/test_gallery.py"]),
    79: (
        "N309 E310 E311 N312 W311 W319",
        [
            f"{NOTES}::test_a_guard_that_is_not_seen_through_is_doubted",
            f"{BAD}::test_event_that_never_happens",
            *given("OPTIONS", "guard 0 at the start", "guard nan at the start"),
            f"{NOTES}::TOUCHES",
            "tests/numerics/test_fine_steps.py",
        ],
    ),
    80: (
        "E313",
        [
            f"{BAD}::test_steps_used_up",
            f"{BAD}::test_cpu_time_used_up",
            f"{RUNS}::test_a_run_that_was_stopped_goes_on",
        ],
    ),
    81: ("E314 E315", [f"{SWEEP}::REFUSED[a seed of text]", f"{SWEEP}::REFUSED[too many jobs]"]),
    # E4: during the run
    82: ("E401", [f"{RUNS}::test_an_overflow_is_named_with_its_term"]),
    83: (
        "E402",
        [f"{BAD}::test_square_root_leaves_the_real_numbers", f"{BAD}::test_logarithm_leaves_the_real_numbers"],
    ),
    84: ("E403", [f"{RUNS}::test_a_blow_up_is_named", f"{BAD}::test_blow_up"]),
    85: ("E404", [f"{BAD}::test_rank_lost_on_the_way", "tests/numerics/test_lost_rank.py"]),
    86: ("E405", [f"{BAD}::test_drift_above_the_limit_is_not_ok"]),
    87: ("E406", [f"{BAD}::test_energy_above_the_limit_is_not_ok"]),
    88: ("W407", [f"{RUNS}::test_multipliers_that_grow_are_noted"]),
    89: ("E408", [f"{RUNS}::test_dry_friction_as_free_text_is_stopped", f"{RUNS}::test_chatter_of_jumps_is_stopped"]),
    90: ("E318 E316 E718", [f"{RUNS}::test_functions_of_python_are_no_forces", f"{RUNS}::MEASURES"]),
    91: ("E499", [f"{RUNS}::test_a_number_that_slipped_through_is_our_fault"]),
    # E5: files and data
    92: ("E501 E502 E503 E504 E505", [FILES, f"{STORED}::test_files_that_are_none"]),
    93: ("E506", [FILES]),
    94: ("E507", [FILES]),
    95: ("E508 E509", [FILES]),
    96: ("E510", [FILES]),
    97: (
        "E520 E521 E522 E523 E524 E525",
        [
            f"{STORED}::FORGED",
            f"{STORED}::test_a_bomb_of_zeros",
            f"{STORED}::test_a_truncated_file",
            f"{STORE}::test_another_sweep_does_not_go_on_there",
        ],
    ),
    98: (
        "E530",
        [
            f"{STORED}::test_the_older_file_stays",
            f"{STORED}::test_a_full_disk",
            f"{STORE}::test_a_full_disk_leaves_a_valid_store",
        ],
    ),
    99: (
        "E531",
        [f"{STORE}::test_a_second_writer_is_refused_while_the_first_lives", f"{STORED}::test_two_writers_of_one_file"],
    ),
    100: (
        "E540 E541 E542 E543 E544 E545 E546 E547 W548",
        [
            *(f"{RECORDS}::REFUSED[{case}]" for case in ("no heading", "decimal comma in one row", "text cell")),
            *(f"{RECORDS}::REFUSED[{case}]" for case in ("empty cell", "nan", "unsorted", "repeated", "one row")),
            *(f"{RECORDS}::EXACT[{case}]" for case in ("semicolon and decimal comma", "unit row")),
            f"{RECORDS}::test_too_many_rows_are_counted_before_they_are_read",
            f"{RECORDS}::DOUBTED[pixels]",
            f"{RECORDS}::DOUBTED[millimetres]",
        ],
    ),
    101: (
        "E549",
        [f"{DEVIATIONS}::APART[{case}]" for case in ("centimetres", "turned", "another origin of time")],
    ),
    102: ("", [FILES]),
    # E8: the environment
    111: (
        "",
        [
            f"{COMMANDS}::test_control_c_stores_what_is_reached_and_resume_goes_on",
            f"{COMMANDS}::test_a_reader_that_goes_away_is_no_error",
            f"{WORLD}::test_what_is_printed_is_plain",
            f"{WORLD}::test_without_a_home",
            f"{WORLD}::test_a_cache_that_cannot_be_written",
            f"{STORE}::test_killed_at_random_and_resumed_it_is_the_same_to_the_last_bit",
        ],
    ),
    112: ("E801", [f"{WORLD}::MISSING", f"{WORLD}::test_the_supported_versions_are_declared"]),
}
WEB = range(103, 111)  # there is no server yet


@cache
def names_of(file):
    """What a test file defines at its top: names, with the keys of the tables among them."""
    found = {}
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = set()
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            keys = node.value.keys if isinstance(node.value, ast.Dict) else []
            found[node.targets[0].id] = {k.value for k in keys if isinstance(k, ast.Constant)}
    return found


def text_of(file):
    files = sorted((ROOT / file).rglob("*.py")) if (ROOT / file).is_dir() else [ROOT / file]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


def test_every_row_is_answered():
    assert set(ROWS) | set(WEB) == set(range(1, 113))


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_of_a_row_exist(row):
    codes, where = ROWS[row]
    assert where
    for pointer in where:
        file, _, name = pointer.partition("::")
        assert (ROOT / file).exists(), pointer
        table, _, case = name.partition("[")
        assert not name or table in names_of(file), pointer
        assert not case or case.removesuffix("]") in names_of(file)[table], pointer
    said = "\n".join(text_of(pointer.partition("::")[0]) for pointer in where)
    for code in codes.split():
        assert code in said, f"{code} of row {row}"
