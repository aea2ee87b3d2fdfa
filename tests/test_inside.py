"""How the rooms look inside: no circles between files, imports where one looks for them, short functions, typed nouns.

Like `test_architecture`, each check reads the source. Budgets only fall: whoever betters a number writes the new one.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "dalembert"
PAPERS = PACKAGE.with_name("dalembert_papers")  # beside the library, under the same laws, as a room of that name
LONGEST = 80  # lines of a function that is one walk, its docstring not counted
MOST_PARAMETERS = 10

# what is still beyond a bar; a number may only become smaller
BUDGET = {
    "long functions": 0,
    "functions of many parameters": 15,
    "Any": 1690,
    "files of the library": 617,
    "annexes": 6,
    "helpers of a few lines that are called once": 104,
    "files that are called by a participle": 13,
    "class names with two meanings": 2,
    "records of ten and more fields": 70,
}
ANNEX = 110  # lines of a file that one other of its folder imports alone: it may be a part of that
RECORD = 10  # fields
CRUMB = 6  # lines of a function that is named once besides its definition: it may stand where it is called
# words that end as participles do, and are nouns of the field
NOUNS = {
    "heading",
    "string",
    "spring",
    "recording",
    "rolling",
    "rounding",
    "ranking",
    "listing",
    "printing",
    "shooting",
}
NOUNS |= {"steering", "splitting", "spelling", "meaning", "ordering"}

# the edges: files that import from their own room inside functions, and why; with a dot at its end all of a folder
EDGES = {
    "apps.commands.": "a command imports what it needs when it is called, so that dalembert --help is light",
    "apps.options": "the shell asks it at every press of a key, for one thing only",
    "calculus.plausibility": "a value that is a formula is refused: its number is read then",
    "calculus.simplification": "what brings an expression to one fraction is loaded with the first that is",
    "dalembert_papers.shelf": "papers are listed without loading one",
    "equations": "a motion is not printed: what writes equations down is loaded with the first that are",
    "equations.lean_form": "the same",
    "model.system_arguments": "contacts of bodies are formed where there are some",
    "model.system": "a motion is not printed: what writes a system down is loaded with the first that is",
    "numerics.node_derivatives": "a steady motion is found without a compiler; a branch, which asks often, loads it",
    "numerics.ensembles.ensemble": "a sweep is checked by its first member; what runs all is loaded where they run",
    "numerics.ensembles.results": "the same",
    "numerics.events.compiled_guards": "zeros are looked for where there are guards",
    "numerics.events.narrow_features": "the same",
    "numerics.events.singularities": "zeros of singular values are looked for where a pivot is small",
    "numerics.machine.loop.compiled_loop": "a loop whose IR is kept needs no writers",
    "numerics.machine.linear_solve": "the same",
    "numerics.methods.": "a method is loaded with the first run that takes it; the others cost a start 30 ms",
    "numerics.run.integrate": "what most runs do not meet, jumps, modes, lost ranks, is loaded where it is met",
    "numerics.run.simulate": "changes of contacts are loaded where contacts are, for the same reason",
    "principles.classical_forms": "what splits velocities for the eye is loaded with the first that are printed",
    "principles.lagrange": "most systems have no walls, and a motion is not printed",
    "show.report.page_parts": "a stored path has a page without SymPy; what typesets formulas needs it",
    "study": "what is read is not written, and what is written is not read: the schema of files alone takes 50 ms",
    "study.writing.system_tables": "the schema is needed by spaces of factories alone",
    "study.writing.file_text": "the order of options is that of the schema, and few runs have any",
    "trajectory": "most paths are not stored",
}


def module_name(path):
    """``numerics.run.simulate`` for its file; a folder's door bears the folder's name."""
    whole = path.relative_to(PACKAGE.parent).with_suffix("").parts
    parts = whole[1:] if whole[0] == PACKAGE.name else whole
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files():
    """All files of the library and of the papers."""
    return sorted(path for package in (PACKAGE, PAPERS) for path in package.rglob("*.py"))


@cache
def trees():
    """{module: syntax tree} of all files."""
    return {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in files()}


@cache
def doors():
    """Modules that are folders."""
    return {module_name(path) for path in files() if path.name == "__init__.py"}


def statements(node, inside=False):
    """(relative import, inside a function?) below a node; what is there for type checkers alone left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.level:
            yield child, inside
        elif not isinstance(child, ast.expr) and not (
            isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        ):
            yield from statements(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)))


def imports_of(module, tree, known, folders):
    """(imported module, inside a function?, line) of all relative imports; those for type checkers alone left out."""
    package = module.split(".") if module in folders else module.split(".")[:-1]
    for node, inside in statements(tree):
        base = ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
        for alias in node.names:
            below = f"{base}.{alias.name}" if base else alias.name
            yield (below if below in known else base), inside, node.lineno


def circles(arrows):
    """Sets of modules that import each other in a circle (Tarjan), each sorted."""
    order, low, stack, found = {}, {}, [], []

    def visit(module):
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in sorted(arrows.get(module, ())):
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            at = stack.index(module)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(arrows):
        if module not in order:
            visit(module)
    return [circle for circle in found if len(circle) > 1]


def arrows_between(sources, folders):
    """{module: modules it imports}; the front door, which nobody imports, is left out."""
    return {
        module: {other for other, _, _ in imports_of(module, tree, sources, folders)} - {module, ""}
        for module, tree in sources.items()
        if module
    }


def imports_inside_functions(sources, folders):
    """``module:line imports other`` where a function imports from its own room."""
    for module, tree in sources.items():
        for other, inside, line in imports_of(module, tree, sources, folders):
            if module and inside and other.partition(".")[0] == module.partition(".")[0]:
                yield f"{module}:{line} imports {other}"


def on_an_edge(module):
    """Does the module stand in `EDGES`, itself or in a folder named there?"""
    return any(within(module, edge) for edge in EDGES)


def within(module, edge):
    """Is it this module, or of this folder?"""
    return module == edge.rstrip(".") or (edge.endswith(".") and module.startswith(edge))


def functions(tree):
    """All functions of a file."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def length(function):
    """Lines of a function without its docstring and decorators."""
    first = function.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return function.end_lineno - function.lineno + 1 - (first.end_lineno - first.lineno + 1 if told else 0)


def parameters(function):
    """How many parameters a function has."""
    given = function.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)


# --- the laws --------------------------------------------------------------------------------------------------------


def test_no_files_import_each_other_in_a_circle():
    assert not circles(arrows_between(trees(), doors()))


def test_a_room_imports_its_own_files_at_the_top():
    found = list(imports_inside_functions(trees(), doors()))
    assert not [complaint for complaint in found if not on_an_edge(complaint.partition(":")[0])]


def test_every_edge_is_needed():
    found = {complaint.partition(":")[0] for complaint in imports_inside_functions(trees(), doors())}
    assert all(any(within(module, edge) for module in found) for edge in EDGES)


def test_functions_are_short():
    found = [
        f"{module}.{function.name}: {length(function)}"
        for module, tree in trees().items()
        for function in functions(tree)
        if length(function) > LONGEST
    ]
    assert len(found) <= BUDGET["long functions"], found


def test_options_travel_as_values():
    found = [
        f"{module}.{function.name}: {parameters(function)}"
        for module, tree in trees().items()
        for function in functions(tree)
        if parameters(function) >= MOST_PARAMETERS
    ]
    assert len(found) <= BUDGET["functions of many parameters"], found


def test_nouns_are_typed():
    rooms = Counter()
    for path in files():
        room = module_name(path).partition(".")[0]
        rooms[room] += len(re.findall(r"\bAny\b", path.read_text(encoding="utf-8")))
    assert rooms.total() <= BUDGET["Any"], rooms


def library():
    """{module: file} of the library alone, without its doors."""
    return {module_name(path): path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}


def test_files_are_few_and_none_is_an_annex_of_another():
    importers = {}
    for module, others in arrows_between(trees(), doors()).items():
        for other in others:
            importers.setdefault(other, set()).add(module)
    short = {m for m, path in library().items() if path.read_text(encoding="utf-8").count("\n") <= ANNEX}
    folder = {m: m.rpartition(".")[0] for m in trees()}
    annexes = [m for m in sorted(short) if {folder[by] for by in importers.get(m, ())} == {folder[m]}]
    annexes = [m for m in annexes if len(importers[m]) == 1]
    assert len(annexes) <= BUDGET["annexes"], annexes
    assert len(list(PACKAGE.rglob("*.py"))) <= BUDGET["files of the library"]


def test_helpers_of_a_few_lines_are_called_more_than_once():
    """What is named without a call is handed on, and has to be a function."""
    words = Counter(word for path in files() for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))
    found = []
    for module in library():
        tree = trees()[module]
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        found += [
            f"{module}.{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and node.end_lineno - node.lineno < CRUMB
            and words[node.name] <= 2
            and node.name in called
            and not node.decorator_list
        ]
    assert len(found) <= BUDGET["helpers of a few lines that are called once"], found


def test_files_are_called_by_nouns():
    found = [
        m for m in library() if re.search(r"(ed|ing)$", m.rpartition(".")[2]) and m.rpartition(".")[2] not in NOUNS
    ]
    assert len(found) <= BUDGET["files that are called by a participle"], found


def test_a_class_name_has_one_meaning():
    names, records = {}, []
    for module, tree in trees().items():
        for node in ast.walk(tree) if not module.startswith(PAPERS.name) else ():
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(module)
                fields = sum(isinstance(part, ast.AnnAssign) for part in node.body)
                records += [f"{module}.{node.name}: {fields}"] if fields >= RECORD else []
    shared = {name: where for name, where in names.items() if len(where) > 1}
    assert len(shared) <= BUDGET["class names with two meanings"], shared
    assert len(records) <= BUDGET["records of ten and more fields"], records


# --- the laws seen to fail -------------------------------------------------------------------------------------------


def parsed(**files):
    return {name.replace("__", "."): ast.parse(text) for name, text in files.items()}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"a": "from .b import f", "b": "from .a import g"}, [["a", "b"]]),
        ({"a": "def f():\n    from .b import g", "b": "from . import a"}, [["a", "b"]]),
        (
            {"r__a": "from .b import f", "r__b": "from .c import f", "r__c": "from ..r import a"},
            [["r.a", "r.b", "r.c"]],
        ),
        ({"a": "from .b import f", "b": "from .c import f", "c": "import numpy"}, []),
        ({"a": "from .b import f", "b": "if TYPE_CHECKING:\n    from .a import A"}, []),
    ],
)
def test_a_circle_is_found(files, found):
    assert circles(arrows_between(parsed(**files), {"r"})) == found


def test_an_import_inside_a_function_is_found():
    files = parsed(r__a="def f():\n    from .b import g\n    from ..s import h", r__b="x = 1", s="y = 2")
    assert list(imports_inside_functions(files, {"r"})) == ["r.a:2 imports r.b"]


def test_a_docstring_does_not_make_a_function_long():
    plain = "def f(x, *, y):\n" + '    """Says.\n\n    Much.\n    """\n' + "    x = 1\n" * 5
    function = functions(ast.parse(plain))[0]
    assert (length(function), parameters(function)) == (6, 2)
