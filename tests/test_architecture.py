"""The floor plan and the promises about the source, held by reading the source.

Each check is a function from text to complaints. It is run on the library, where it must find nothing, and on a bad
example, where it must find something.
"""

import ast
import importlib
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from functools import cache, lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "dalembert"
PAPERS = ROOT / "src" / "dalembert_papers"  # beside the library: it imports the library, and nothing there imports it
FILES = sorted((*PACKAGE.rglob("*.py"), *PAPERS.rglob("*.py")))

# --- the floor plan: room -> rooms it may import ---------------------------------------------------------------------

FLOOR_PLAN = {
    "answer": set(),
    "errors": set(),
    "argument_checks": set(),
    "display": set(),
    "spelling": set(),
    "output_file": set(),
    "calculus": set(),
    "event": set(),
    "trajectory": set(),
    "input_file": set(),
    "question": set(),
    "record": {"input_file"},
    "recording": {"calculus", "input_file", "record"},
    "comparison": {"trajectory"},
    "findings": {"trajectory", "record", "comparison"},
    "model": {"calculus"},
    "scene": {"calculus", "model"},
    "machines": {"calculus", "model"},
    "equations": {"calculus", "event"},
    "geometry": {"calculus", "model"},
    "principles": {"calculus", "model", "geometry", "equations", "event"},
    "numerics": {"calculus", "equations", "event", "trajectory"},
    "proof": {"calculus", "equations"},
    "reconstruction": {"calculus", "model", "geometry", "equations", "event", "trajectory", "numerics"},
    "study": {
        "calculus",
        "model",
        "machines",
        "geometry",
        "principles",
        "equations",
        "event",
        "numerics",
        "trajectory",
        "record",
        "recording",
        "input_file",
        "question",
    },
    "experiment": {"equations", "event", "trajectory", "record", "comparison", "findings", "numerics", "question"},
    "systems": {"calculus", "model", "record"},
    "show": {"calculus", "equations", "event", "trajectory", "record", "comparison", "findings"},
    "papers": {
        "calculus",
        "model",
        "geometry",
        "principles",
        "equations",
        "trajectory",
        "record",
        "findings",
        "numerics",
        "reconstruction",
        "experiment",
        "systems",
        "show",
        "question",
    },
}
# the sub-rooms of numerics in order: each may import rooms above it
NUMERICS = {
    "machine": set(),
    "vector_field": {"machine"},
    "methods": {"machine", "vector_field"},
    "policy": {"vector_field", "methods"},
    "events": {"machine", "vector_field"},
    "inputs": set(),
    "contacts": {"machine", "vector_field", "methods", "policy", "events", "inputs"},
    "run": {"machine", "vector_field", "methods", "policy", "events", "contacts", "inputs"},
    "ensembles": {"machine", "vector_field", "methods", "policy", "events", "run"},
    "sensitivities": {"machine", "vector_field", "methods", "policy", "events", "inputs", "contacts", "run"},
    "sweep": {"machine", "policy", "events", "inputs", "run", "ensembles"},
    "two_point": {"machine", "vector_field", "methods", "policy", "events", "inputs", "run", "sensitivities"},
    "manoeuvre": {"inputs", "run", "two_point"},
    "node_derivatives": {"machine"},
    "stability": {"node_derivatives"},
    "relative_equilibria": {"node_derivatives", "contacts", "stability"},
    "linearise": {"relative_equilibria", "node_derivatives", "contacts"},
    "families": {
        *("vector_field", "methods", "policy", "events", "inputs", "run", "sensitivities", "two_point"),
        *("node_derivatives", "stability", "relative_equilibria"),
    },
    "plant": {
        *("machine", "vector_field", "methods", "policy", "events", "inputs", "contacts", "run", "ensembles", "sweep")
    },
}
EVERYONE_MAY_IMPORT = {"answer", "errors", "argument_checks", "display", "spelling", "output_file"}
NAMESPACES = {
    "forms",
    "forces",
    "impacts",
    "inputs",
    "penalties",
    "symmetry",
    "measures",
    "methods",
    "ensembles",
    "families",
    "nouns",
}
UNBOUND = {"__init__", "__main__", "apps"} | NAMESPACES  # the front door and the apps may import anything
WITHOUT_SYMPY = {"trajectory", "record"}  # what is stored is readable without SymPy


def room_of(path):
    """The room a file stands in: its top folder, or its own name in the hall; the papers are one room."""
    return "papers" if path.is_relative_to(PAPERS) else path.relative_to(PACKAGE).with_suffix("").parts[0]


@lru_cache(maxsize=2)  # the checks of one file follow each other
def nodes(source):
    """All nodes of a syntax tree, the module first."""
    return list(ast.walk(ast.parse(source)))


def imported_modules(path, source):
    """(line, dotted module) of every import, relative ones resolved; names taken from the front door count as rooms."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            if module == "dalembert":
                yield from ((node.lineno, f"dalembert.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def at_home(call):
    """Is it ``import_module(f"{__package__}.{file}")``, a file of the same folder?"""
    name = call.args[0] if call.args else None
    if not isinstance(name, ast.JoinedStr) or len(name.values) != 3:
        return False
    package, dot, file = name.values
    own = isinstance(package, ast.FormattedValue) and name_of(package.value) == "__package__"
    return own and isinstance(dot, ast.Constant) and dot.value == "." and isinstance(file, ast.FormattedValue)


@cache
def public_names():
    """The names of the front door, which the papers may use as a script does."""
    return set(importlib.import_module("dalembert").__all__)


def floor_plan_complaints(path, source):
    room = room_of(path)
    if room != "papers":
        for line, module in imported_modules(path, source):
            if module.partition(".")[0] == PAPERS.name:
                yield f"{path.name}:{line}: {room} imports {module}, which need not be installed"
    if room in UNBOUND:
        return
    if room not in FLOOR_PLAN:
        yield f"{path.name}: room {room!r} is not in the floor plan"
        return
    for line, module in imported_modules(path, source):
        top, _, rest = module.partition(".")
        if top == "sympy" and room in WITHOUT_SYMPY:
            yield f"{path.name}:{line}: {room} imports sympy"
        if top != "dalembert":
            continue
        target = rest.partition(".")[0]
        if room == "papers" and (target in public_names() or not target):
            continue
        if target not in FLOOR_PLAN[room] | EVERYONE_MAY_IMPORT | {room}:
            yield f"{path.name}:{line}: {room} imports {module}"
    for node in nodes(source):
        if isinstance(node, ast.Call) and name_of(node.func) in {"import_module", "__import__"} and not at_home(node):
            yield f"{path.name}:{node.lineno}: {room} imports by name, which hides the arrow"


def sub_room_complaints(path, source):
    """Imports between sub-rooms of numerics that their table does not allow; those inside functions count."""
    if room_of(path) != "numerics":
        return
    _, *parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts == ["__init__"]:
        return
    for line, module in (
        (line, full) for node in nodes(source) if isinstance(node, ast.ImportFrom) for line, full in _within(path, node)
    ):
        target = module.removeprefix("dalembert.numerics.").partition(".")[0]
        if target not in NUMERICS[parts[0]] | {parts[0]}:
            yield f"{'/'.join(parts)}:{line}: {parts[0]} imports {module}"


def _within(path, node):
    """(line, dotted module) of what one import takes from numerics; a name is counted as a module of its folder."""
    package = ("dalembert", *path.relative_to(PACKAGE).parent.parts)
    base = package[: len(package) - node.level + 1] if node.level else ()
    module = ".".join((*base, *([node.module] if node.module else [])))
    if module == "dalembert.numerics":
        yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
    elif module.startswith("dalembert.numerics."):
        yield node.lineno, module


# --- text never becomes code -----------------------------------------------------------------------------------------

BUILTIN_EVALUATORS = {"eval", "exec", "compile"}
EVALUATORS = {"sympify", "parse_expr", "lambdify"}
PICKLERS = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def name_of(node):
    """The last name of a name or attribute: `lambdify` for `sp.lambdify`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def evaluation_complaints(path, source):
    for node in nodes(source):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Name) and node.id in BUILTIN_EVALUATORS:
            yield f"{where}: {node.id}"
        if isinstance(node, ast.Attribute) and name_of(node.value) == "builtins" and node.attr in BUILTIN_EVALUATORS:
            yield f"{where}: builtins.{node.attr}"
        if name_of(node) in EVALUATORS:
            yield f"{where}: {name_of(node)}"
        if isinstance(node, ast.Call) and name_of(node.func) == "S":  # sympy.S("text") is sympify
            yield f"{where}: S(...)"
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and getattr(node.value, "value", True):
            yield f"{where}: allow_pickle"
        if isinstance(node, ast.ImportFrom):
            yield from (f"{where}: {alias.name}" for alias in node.names if alias.name in EVALUATORS)
    for line, module in imported_modules(path, source):
        if module.partition(".")[0] in PICKLERS:
            yield f"{path.name}:{line}: {module}"


# --- no clock in a finding -------------------------------------------------------------------------------------------

FINDS = (
    *("calculus", "model", "equations", "geometry", "principles", "reconstruction", "proof"),
    *("numerics/two_point", "numerics/manoeuvre"),
)
CLOCKS = {"time", "timeit", "datetime"}
THE_CLOCK = "calculus/budget.py"  # CPU seconds, which abort and are said to


def clock_complaints(path, source):
    """Where a room that finds something imports a clock."""
    inside = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    if inside == THE_CLOCK or not inside.startswith(tuple(f"{room}/" for room in FINDS)):
        return
    for line, module in imported_modules(path, source):
        if module.partition(".")[0] in CLOCKS:
            yield f"{inside}:{line}: {module}"


# --- no addresses of registries, no paths of one machine -------------------------------------------------------------

TEXT = {".py", ".md", ".toml", ".txt", ".cff", ".yaml", ".yml", ".bib", ".cfg", ".rst", ".html", ".js", ".css", ""}
SCANNED = [
    path
    for path in (
        *(p for p in ROOT.iterdir() if p.name != ".git"),
        *(p for folder in ("src", "tests", "docs", "benchmarks", ".ci") for p in (ROOT / folder).rglob("*")),
    )
    if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts
]
# One letter of each stands in brackets, so that this file does not match itself.
REGISTRY = r"py[p]i\.org|python[h]osted\.org|ana[c]onda\.(?:org|com)|np[m]js\.(?:org|com)|crate[s]\.io"
MACHINE = r"(?<![\w.])/(?:wor[k]\b|(?:hom[e]|roo[t]|Use[r]s)/)|[A-Z]:\\+Use[r]s"


def address_complaints(text):
    return [match.group() for match in re.finditer(f"{REGISTRY}|{MACHINE}", text)]


# --- citations -------------------------------------------------------------------------------------------------------

KEY = r"[a-z]+[0-9]{4}[a-z]?\b"


def citations(source):
    """Keys in brackets in comments and strings: `[lewis1995 (3.4)]`, `[hairer1993; hairer1996 II.5]`."""
    if not re.search(rf"\[{KEY}", source):
        return
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    text = "\n".join(t.string for t in tokens if tokenize.tok_name[t.type] in {"COMMENT", "STRING", "FSTRING_MIDDLE"})
    for bracket in re.findall(rf"\[({KEY}[^\[\]]*)", text):
        yield from re.findall(rf"(?:^|[;,]\s*)({KEY})", bracket)


@cache
def bibliography():
    """{key: {field: text}} of references.bib, and the list of keys in order."""
    text = (PACKAGE / "references.bib").read_text(encoding="utf-8")
    entries, keys = {}, []
    for entry in re.split(r"^(?=@)", text, flags=re.MULTILINE)[1:]:
        key = re.match(r"@[a-z]+\{([^,\s]+),", entry).group(1)
        entries[key] = dict(re.findall(r"^\s+([a-z]+)\s*=\s*\{(.*)\},?$", entry, flags=re.MULTILINE))
        keys.append(key)
        assert entry.count("{") == entry.count("}"), f"braces of {key}"
    return entries, keys


# --- the laws --------------------------------------------------------------------------------------------------------


def relative(path):
    return path.relative_to(ROOT).as_posix()


def test_the_sub_rooms_of_numerics_stand_in_order():
    rooms = list(NUMERICS)
    assert all(allowed <= set(rooms[: rooms.index(room)]) for room, allowed in NUMERICS.items())
    there = {path.stem for path in (PACKAGE / "numerics").iterdir()} - {"__init__", "__pycache__"}
    assert set(rooms) == there
    essay = ast.get_docstring(ast.parse((PACKAGE / "numerics" / "__init__.py").read_text(encoding="utf-8")))
    assert re.findall(r"^    ([a-z_]+)  +\S", essay, flags=re.MULTILINE)[: len(rooms)] == rooms


def test_the_bibliography_is_sound():
    entries, keys = bibliography()
    assert len(keys) == len(set(keys))
    for key, fields in entries.items():
        assert re.fullmatch(KEY, key), key
        assert "title" in fields, key
        assert "author" in fields or "editor" in fields, key
        assert fields["year"] == re.search(r"[0-9]{4}", key).group(), key


def test_no_file_names_a_registry_or_a_path_of_one_machine():
    found = {relative(path): address_complaints(path.read_text(encoding="utf-8")) for path in SCANNED}
    assert not {path: matches for path, matches in found.items() if matches}


HEAVY = ("numpy", "scipy", "sympy", "numba", "llvmlite", "matplotlib")
IMPORT_THE_FRONT_DOOR = "import dalembert"
ASK_FOR_HELP = """
sys.argv = ["dalembert", "--help"]
from dalembert.apps.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
"""


def loaded_by(snippet, heavy=HEAVY):
    """The heavy packages in memory after running a snippet in a fresh interpreter."""
    report = f"print('loaded', *sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{snippet}\n{report}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.split("loaded")[-1].split()


LIST_THE_GALLERY = ASK_FOR_HELP.replace('"--help"', '"gallery"')  # the files are read and not run
LIST_THE_PAPERS = ASK_FOR_HELP.replace('"--help"', '"reproduce", "--help"')


@pytest.mark.parametrize(
    "snippet",
    [IMPORT_THE_FRONT_DOOR, ASK_FOR_HELP, LIST_THE_PAPERS, LIST_THE_GALLERY],
    ids=["import", "help", "papers", "gallery"],
)
def test_the_front_door_is_light(snippet):
    assert loaded_by(snippet) == []


FIRST_MOTION = """
import dalembert as da
from dalembert.systems import rolling_disc
equations = da.nonholonomic(rolling_disc.system())
da.simulate(equations, rolling_disc.START, until=0.1)
"""
# what a motion without events does not need, and is not to wait for
LATER = (
    *("dalembert.calculus.printing", "dalembert.calculus.readable_form", "dalembert.calculus.polynomials"),
    *("dalembert.equations.printed_sheet", "dalembert.equations.typeset", "dalembert.equations.written_rows"),
    *("dalembert.principles.adapted_velocities", "dalembert.principles.rotation_entries"),
    *("dalembert.principles.impulsive", "dalembert.geometry.restriction"),
    *("dalembert.numerics.events.roots", "dalembert.numerics.run.jumps", "dalembert.numerics.contacts.problem"),
    *("dalembert.numerics.methods.radau", "dalembert.numerics.methods.taylor"),
    "dalembert.numerics.methods.geometric",
    *("dalembert.output_file", "dalembert.trajectory.stored_path"),
)
NAMED = "da.symmetry.euclidean, da.measures.period\n"


COMMANDS = """
from click.testing import CliRunner
from dalembert.apps import exports
from dalembert.apps.cli import main
for command in (["check", "--trust"], ["explore", "--trust", "--out", {page!r}]):
    answer = CliRunner().invoke(main, [*command, {file!r}])
    assert not answer.exit_code, answer.output
"""
ONE_RUN = """
schema = 1
space.coordinates = { x = "line" }
lagrangian.L = "dot(x)^2/2 - 2*x^2"
run = [{ principle = "free", start = { x = 1, "dot(x)" = 0 }, until = 0.1 }]
"""


def test_a_first_motion_loads_no_solver_of_others(tmp_path):
    """Nor does a command on a file without families and fits: SciPy took half of a check. And nothing for later."""
    there = [(PACKAGE.parent / Path(*name.split("."))) for name in LATER if "." in name]
    assert all(path.is_dir() or path.with_suffix(".py").is_file() for path in there)
    (tmp_path / "f.toml").write_text(ONE_RUN)
    others = ("scipy.integrate", "scipy.optimize", "scipy.stats", "scipy.spatial", "matplotlib", "pandas", "xarray")
    commands = COMMANDS.format(file=str(tmp_path / "f.toml"), page=str(tmp_path / "f.html"))
    nothing_more = f"early = set({LATER}) & set(sys.modules)\nassert not early, early\n"
    assert loaded_by(FIRST_MOTION + nothing_more + NAMED + commands, (*others, "scipy.linalg")) == []


A_MOTION_BY_HAND = """
import dalembert as da
q = da.coordinates("x y theta")
x, y, theta, vx, vy, vtheta = q
import sympy as sp
blade = vy * sp.cos(theta) - vx * sp.sin(theta)
equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + vtheta**2) / 2, constraints={"blade": blade}))
da.simulate(equations, equations.start(x=0, y=0, theta=0.4, vx=1, vtheta=0.2), until=1)
"""
NEW_FILE = ASK_FOR_HELP.replace('"--help"', '"new", {file!r}')
# modules of ours that are loaded; a number may only become smaller
MOST_OF_A_MOTION, MOST_OF_A_NEW_FILE = 154, 98
COUNTED = """
ours = [name for name in sys.modules if name.partition(".")[0] == "dalembert"]
assert len(ours) <= {most}, (len(ours), ours)
"""


def test_a_first_motion_loads_few_modules(tmp_path, monkeypatch):
    """Its machine code is kept from the run before: it is not made again, and what makes it is not loaded."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    loaded_by(A_MOTION_BY_HAND)
    assert loaded_by(A_MOTION_BY_HAND + COUNTED.format(most=MOST_OF_A_MOTION), ("pydantic", "lark", "scipy")) == []


def test_a_new_file_is_written_without_what_reads_files(tmp_path):
    new = NEW_FILE.format(file=str(tmp_path / "f.toml")) + COUNTED.format(most=MOST_OF_A_NEW_FILE)
    assert loaded_by(new, ("pydantic", "pint", "scipy", "numba", "llvmlite")) == []


def test_the_test_command_of_the_readme_is_what_ci_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in readme if line.startswith("python3 -m venv") and line.endswith("-m pytest")]
    assert len(commands) == 1
    assert commands[0] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, flags=re.MULTILINE).group(1) == project["version"]
    papers = tomllib.loads((PAPERS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert papers["version"] == project["version"]
    assert f"dalembert=={project['version']}" in papers["dependencies"]
    group = "dalembert.papers"  # for editable installs of the library, and for the papers' own
    assert papers["entry-points"][group] == project["entry-points"][group]


def test_the_floor_plan_of_the_guide_is_the_one_tested():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = guide.split("## Floor plan")[1].split("## ")[0]
    stated = {}
    for rooms, allowed in re.findall(r"^\| ([a-z_, ]+) \| (.*) \|$", table, flags=re.MULTILINE):
        for room in rooms.split(", "):
            stated[room] = set() if allowed == "-" else set(allowed.split(", "))
    del stated["room"], stated["apps"]
    assert stated == {room: allowed for room, allowed in FLOOR_PLAN.items() if room not in EVERYONE_MAY_IMPORT}


# --- messages are made, not read --------------------------------------------------------------------------------------

SAID = {"fact", "remedy", "detail"}  # of a refusal
READERS = {"sub", "subn", "search", "match", "fullmatch", "findall", "finditer", "split", "partition", "rpartition"}
READERS |= {"startswith", "endswith", "removeprefix", "removesuffix", "replace", "index", "find"}


def reading_complaints(path, source):
    """What a refusal says is for people: the code asks its `subject`, and chooses its surface."""
    for node in nodes(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            parts = [node.func.value, *node.args]
            if any(isinstance(part, ast.Attribute) and part.attr in SAID for part in parts):
                yield f"{path.name}:{node.lineno}: reads what a refusal says"
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AugAssign) and any(
            isinstance(t, ast.Attribute) and t.attr in ("fact", "remedy") for t in targets
        ):
            yield f"{path.name}:{node.lineno}: changes what a refusal says"


@pytest.mark.parametrize(
    "source",
    [
        "re.sub('a', 'b', error.remedy)",
        "_RULE.search(error.fact)",
        "error.fact.removeprefix('free: ')",
        "error.remedy.startswith('write')",
        "error.remedy += 'more'",
        "error.fact = 'other'",
    ],
)
def test_code_that_reads_a_refusal_is_found(source):
    assert list(reading_complaints(Path("here.py"), source))


# --- all of the library ----------------------------------------------------------------------------------------------


def docstring_complaints(path, source):
    if not ast.get_docstring(nodes(source)[0]):
        yield f"{path.name}: no docstring"


def citation_complaints(path, source):
    """Keys that are cited and stand in no bibliography."""
    yield from (f"{path.name}: [{key}]" for key in sorted(set(citations(source)) - set(bibliography()[0])))


CHECKS = (
    *(floor_plan_complaints, sub_room_complaints, evaluation_complaints, clock_complaints),
    *(docstring_complaints, citation_complaints, reading_complaints),
)


@cache
def complaints():
    """{check: {file: what it finds there}}; each file of the library is parsed once for all checks."""
    found = {check: {} for check in CHECKS}
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        for check in CHECKS:
            if said := list(check(path, source)):
                found[check][relative(path)] = said
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_no_file_gives_cause_for_complaint(check):
    assert len(FILES) > 500
    assert complaints()[check] == {}


@pytest.mark.parametrize(
    ("check", "source"),
    [(docstring_complaints, "x = 1"), (citation_complaints, "# as in [nobody1999 (1.1)]")],
    ids=["docstring", "citation"],
)
def test_what_lacks_is_found(check, source):
    assert list(check(PACKAGE / "model" / "here.py", source))


# --- the laws seen to fail -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("numerics/step.py", "from ..principles import free"),
        ("numerics/step.py", "from dalembert.model import System"),
        ("numerics/step.py", "import dalembert.model.system"),
        ("numerics/step.py", "def f():\n    from ..model import System"),
        ("numerics/step.py", "if TYPE_CHECKING:\n    from ..model.system import System"),
        ("numerics/step.py", "from .. import model"),
        ("numerics/step.py", "from dalembert import nonholonomic"),
        ("numerics/step.py", "import dalembert"),
        ("numerics/step.py", "import importlib\nimportlib.import_module('dalembert.model')"),
        ("numerics/step.py", "import_module(f'{__package__}..model')"),
        ("numerics/step.py", "import_module(f'..{room}', __package__)"),
        ("numerics/__init__.py", "from ..model import System"),
        ("numerics/deep/step.py", "from ...model import System"),
        ("calculus/graph.py", "from ..equations import Equations"),
        ("principles/free.py", "from ..systems import sleigh"),
        ("trajectory.py", "from .equations import Equations"),
        ("trajectory.py", "from . import equations"),
        ("trajectory.py", "import sympy as sp"),
        ("apps/commands/reproduce.py", "from dalembert_papers.shelf import papers"),
        ("apps/commands/reproduce.py", "def f():\n    import dalembert_papers"),
        ("../dalembert_papers/hooke.py", "from dalembert.apps import shelf"),
        ("attic.py", "x = 1"),
    ],
)
def test_a_forbidden_import_is_found(file, source):
    assert list(floor_plan_complaints((PACKAGE / file).resolve(), source))


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("numerics/step.py", "from ..errors import Singular\nfrom .. import errors, equations"),
        ("numerics/step.py", "from .tableau import A\nfrom . import tableau\nimport numpy as np"),
        ("numerics/step.py", "getattr(import_module(f'{__package__}.{name}'), name)"),
        ("numerics/deep/step.py", "from ..tableau import A\nfrom ...calculus import graph"),
        ("equations.py", "from .calculus.graph import Graph"),
        ("apps/cli.py", "from ..systems import sleigh\nfrom .. import nonholonomic"),
        ("__init__.py", "from .systems import sleigh"),
        (
            "../dalembert_papers/hooke.py",
            "from dalembert import free, symmetry\nfrom dalembert.symmetry import noether",
        ),
        ("../dalembert_papers/hooke.py", "from .claim import small\nfrom dalembert.model.space import Space"),
    ],
)
def test_an_allowed_import_passes(file, source):
    assert not list(floor_plan_complaints((PACKAGE / file).resolve(), source))


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("numerics/machine/llvm_ir.py", "from ..vector_field.field import Field"),
        ("numerics/vector_field/compiled_kernel.py", "from ..methods.explicit_runge_kutta.step_ir import stepping"),
        ("numerics/methods/explicit_runge_kutta/stepper.py", "def f():\n    from ...run import simulate"),
        ("numerics/methods/method.py", "from .. import policy"),
        ("numerics/policy.py", "from .run.simulate import simulate"),
        ("numerics/events/guard.py", "from dalembert.numerics.run import resting_guards"),
    ],
)
def test_a_step_down_between_sub_rooms_is_found(file, source):
    assert list(sub_room_complaints(PACKAGE / file, source))


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "run = exec",
        "compile('1', '', 'exec')",
        "import builtins\nbuiltins.eval('1')",
        "sp.sympify('x')",
        "from sympy import lambdify as fast",
        "f = sp.lambdify(x, y)",
        "sympy.parsing.sympy_parser.parse_expr('x')",
        "sp.S('x')",
        "import pickle",
        "def f():\n    from pickle import loads",
        "np.load(file, allow_pickle=True)",
    ],
)
def test_an_evaluation_of_text_is_found(source):
    assert list(evaluation_complaints(PACKAGE / "model" / "read.py", source))


@pytest.mark.parametrize("source", ["import time", "from time import perf_counter", "def f():\n    import timeit"])
def test_a_clock_is_found(source):
    assert list(clock_complaints(PACKAGE / "geometry" / "integrals.py", source))
    assert not list(clock_complaints(PACKAGE / THE_CLOCK, source))
    assert not list(clock_complaints(PACKAGE / "apps" / "health.py", source))


@pytest.mark.parametrize("source", ["re.compile('x')", "sp.S.Zero", "np.load(file, allow_pickle=False)", "graph.eval"])
def test_a_harmless_call_passes(source):
    assert not list(evaluation_complaints(PACKAGE / "model" / "read.py", source))


@pytest.mark.parametrize(
    "parts", [("https://py", "pi.org/simple"), ("'/wo", "rk/x'"), (" /ho", "me/me"), ("/Us", "ers/a")]
)
def test_an_address_is_found(parts):
    assert address_complaints("".join(parts))
    assert not address_complaints(" ".join(parts))


def test_citations_are_read_from_comments_and_docstrings():
    source = '"""By [lewis1995 (3.4)] and [hairer1993; hairer1996 II.5]."""\ntable[abcd1234] = 1  # [pars1965]\n'
    assert set(citations(source)) == {"lewis1995", "hairer1993", "hairer1996", "pars1965"}


def test_a_heavy_import_is_found():
    assert loaded_by("import numpy") == ["numpy"]
