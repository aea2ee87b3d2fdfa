"""What is written never replaces what was not made by the same command of the same thing, nor anything that is read."""

import contextlib
import errno
import json
import os
import socket
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import dalembert as da
from dalembert.apps import exports, runs
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.apps.terminal import harmless
from dalembert.output_file import Maker, draft, free, write

SPRING = """
schema = 1
[space]
coordinates = { x = "line" }
[parameters]
m = 1
k = 4
[lagrangian]
L = "m/2*dot(x)^2 - k/2*x^2"
[[run]]
name = "long"
principle = "free"
start = { x = 1, "dot(x)" = 0 }
until = 300
"""
POSIX = pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    """A folder with a spring, a track and a stored path; commands work in this process."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SPRING)
    (tmp_path / "track.csv").write_text("t,x\n0,1\n0.1,0.98\n0.2,0.92\n")
    (tmp_path / "notes.txt").write_text("mine\n")
    return tmp_path


def call(*words):
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout + done.stderr


def seen(folder):
    """All that lies in a folder: kinds, contents, where links lead."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = stat.S_IFMT(path.lstat().st_mode)
        plain = stat.S_ISREG(kind)
        found[str(path)] = kind, path.read_bytes() if plain else os.readlink(path) if path.is_symlink() else b""
    return found


# --- the door --------------------------------------------------------------------------------------------------------


def lay(kind):
    """Something of a kind under the name ``there``."""
    there = Path("there")
    lays = {
        "text": lambda: there.write_text("mine"),
        "folder": lambda: os.mkdir("there"),
        "pipe": lambda: os.mkfifo("there"),
        "link to what is read": lambda: os.symlink("s.toml", "there"),
        "what is read": lambda: os.link("s.toml", "there"),
        "link to text": lambda: os.symlink("notes.txt", "there"),
        "link to nothing": lambda: os.symlink("none", "there"),
        "loop": lambda: os.symlink("there", "there"),
        "device": lambda: os.symlink("/dev/null", "there"),
        "protected": lambda: (there.touch(), os.chmod("there", 0o444)),
        "another's": lambda: write("there", "made", Maker("run", "other"), "c"),
        "another command's": lambda: write("there", "made", Maker("fit", "s"), "c"),
        "edited": lambda: (
            write("there", "made", Maker("run", "s"), "c"),
            there.write_text(there.read_text() + "more"),
        ),
        "changed": lambda: (
            write("there", "made", Maker("run", "s"), "c"),
            there.write_text(there.read_text().capitalize()),
        ),
    }
    lays[kind]()


ALWAYS = ("folder", "pipe", "link to what is read", "what is read", "link to nothing", "loop", "device", "protected")
ASKED = ("text", "link to text", "another's", "another command's", "edited", "changed")


@pytest.mark.parametrize("name", ["http://x/y.html", "https:/x/y.html", "file:///tmp/y.html", "~/y.html", "~"])
def test_an_address_and_a_home_are_no_names_of_files(name, here):
    before = seen(here)
    for file in (name, Path(name)):
        with pytest.raises(da.DalembertError, match=r"E510|E501") as caught:
            write(file, "made", Maker("run", "s"))
        assert caught.value.remedy
    assert seen(here) == before


@POSIX
@pytest.mark.parametrize("kind", [*ALWAYS, *ASKED])
@pytest.mark.parametrize("forced", [False, True])
def test_what_lies_there_stays(kind, forced, here):
    lay(kind)
    before, maker = seen(here), Maker("run", "s", (here / "s.toml",), forced)
    if forced and kind in ASKED:
        write("there", "new", maker, "c")
        assert "new" in Path("there").read_text() and os.path.islink("there") == kind.startswith("link")
        return
    with pytest.raises(da.DalembertError, match="E530") as caught:
        write("there", "new", maker, "c")
    assert caught.value.remedy and "there" in caught.value.fact
    assert seen(here) == before


def test_a_socket_a_read_folder_and_the_answers_own_file_stay(here, monkeypatch):
    if hasattr(socket, "AF_UNIX"):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as bound:
            bound.bind("sock")
        with pytest.raises(da.DalembertError, match="socket"):
            free("sock", Maker("run"))
    os.mkdir("store")
    with pytest.raises(da.DalembertError, match="read here"):
        free("store/table.csv", Maker("export", read=(here / "store",)))
    with pytest.raises(da.DalembertError, match="standard output"):
        free("-", Maker("run"))
    own = os.open("notes.txt", os.O_RDWR)
    monkeypatch.setattr(os, "fstat", lambda number, known=os.fstat: known(own if number == 1 else number))
    with pytest.raises(da.DalembertError, match="answer"):
        free("notes.txt", Maker("run", replaces=True))
    os.close(own)


@pytest.mark.parametrize("form", ["html", "svg", "python", "c", "latex", "png", "pdf", "nc", "npz"])
def test_what_the_same_made_is_replaced_while_it_is_as_it_was_made(form, here):
    maker = Maker("run --report of -->*/", here / "a --> b.toml")

    def make(content):
        with draft(f"page.{form}", maker) as beside:
            if form == "npz":
                with beside.open("wb") as stream:
                    np.savez(stream, a=np.arange(len(content)))
            else:
                beside.write_text(content)

    make("one")
    make("second")
    data = (here / f"page.{form}").read_bytes()
    assert b"second" in data or zipfile.ZipFile(f"page.{form}").testzip() is None
    assert data.count(b"*/") == (form == "c") and data.count(b"--") == 2 * (form in ("html", "svg"))
    for at in (0, len(data) // 3, len(data)):
        (here / f"page.{form}").write_bytes(data[:at] + b"!" + data[at:])
        with pytest.raises(da.DalembertError, match="E530"):
            make("third")


@pytest.mark.parametrize("form", ["html", "npz", "csv"])
@pytest.mark.parametrize("older", [False, True])
def test_what_fails_half_way_leaves_what_was_there(form, older, here):
    maker, name = Maker("export", "s", replaces=True), f"page.{form}"
    if older:
        (here / name).write_text("older")
    before = seen(here)
    refused = pytest.raises(da.DalembertError, match=f"E530 {name} cannot be written: No space")
    with refused as caught, draft(name, maker) as beside:
        beside.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert isinstance(caught.value, OSError) and seen(here) == before


@POSIX
def test_drafts_of_processes_that_were_killed_go_and_all_others_stay(here):
    dead = subprocess.Popen([sys.executable, "-S", "-c", ""])
    dead.wait()
    with draft(here / "a.svg", Maker("test")) as beside:
        host = beside.name[1:9]
        kept = [f".{host}-{os.getppid()}-{'0' * 12}.part", f".{'0' * 8}-{dead.pid}-{'0' * 12}.part", ".mine.part"]
        gone = f".{host}-{dead.pid}-{'0' * 12}.part"
        for name in (*kept, gone):
            (here / name).write_text("draft")
        write(here / "b.svg", "b", Maker("test"))
        assert beside.exists() and {each for each in os.listdir(here) if each.endswith(".part")} == {*kept, beside.name}
        beside.write_text("a")
    assert (here / "a.svg").exists()


def test_a_folder_may_move_with_all_its_files(here):
    os.mkdir("old")
    (here / "old" / "s.toml").write_text(SPRING)
    write("old/page.html", "one", Maker("run", here / "old" / "s.toml"))
    os.rename("old", "new")
    write("new/page.html", "two", Maker("run", here / "new" / "s.toml"))
    assert "two" in (here / "new" / "page.html").read_text()
    os.rename("new/page.html", "page.html")
    with pytest.raises(da.DalembertError, match="made by run of"):
        write("page.html", "three", Maker("run", here / "new" / "s.toml"))


@POSIX
def test_a_file_keeps_its_mode_and_a_new_one_is_as_others(here):
    before = os.umask(0o027)
    try:
        write("a.c", "one", Maker("run"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat("a.c").st_mode) == 0o640
    os.chmod("a.c", 0o600)
    write("a.c", "two", Maker("run"))
    assert stat.S_IMODE(os.stat("a.c").st_mode) == 0o600


# --- commands --------------------------------------------------------------------------------------------------------

FIT = ("fit", "s.toml", "track.csv", "--free", "k", "--uncertainty", "x=0.01")
COMPARE = ("compare", "s.toml", "--principles", "nonholonomic,vakonomic")
OPTIONS = {
    "derive": ("derive", "s.toml", "--c", "--out"),
    "derive text": ("derive", "s.toml", "--out"),
    "run": ("run", "s.toml", "--report"),
    "compare": (*COMPARE, "--report"),
    "figure": (*COMPARE, "--figure"),
    "fit": (*FIT, "--report"),
    "fit's figure": (*FIT, "--figure"),
    "sweep": ("sweep", "s.toml", "k=1,2", "--figure"),
}


@pytest.mark.parametrize("words", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("given", ["s", "track", "notes", "folder", "pipe"])
def test_no_command_replaces_what_others_made(words, given, here):
    forms = {"--figure": ".svg", "--report": ".html", "--out": ".c" if "--c" in words else ".txt"}
    there = here / f"{given}-{forms[words[-1]]}"
    if given in ("s", "track"):
        os.link({"s": "s.toml", "track": "track.csv"}[given], there)
    elif given == "notes":
        there.write_text("<svg/>")
    else:
        (os.mkdir if given == "folder" else os.mkfifo)(there)
    before = seen(here)
    code, said = call(*words, there)
    assert code == 2 and ("E530" in said or "is a folder, and" in " ".join(said.split())), said
    assert seen(here) == before


@pytest.fixture
def stored(here):
    assert call("run", "s.toml", "--until", 1)[0] == 0
    return here / "results" / "s" / "long.npz"


def test_the_same_again_is_replaced_and_another_of_the_same_name_is_not(stored, here):
    assert call("run", "s.toml", "k=5", "--until", 1, "--report", "page.html")[0] == 0
    assert call("run", "s.toml", "--until", 1, "--report", "page.html")[0] == 0
    os.makedirs("b")
    (here / "b" / "s.toml").write_text(SPRING.replace("k = 4", "k = 9"))
    before = seen(here)
    code, said = call("run", "b/s.toml", "--until", 1)
    assert code == 2 and "E530" in said and "--out" in said and str(here / "s.toml") in said.replace("\n ", "")
    code, said = call("run", "b/s.toml", "--until", 1, "--out", "other", "--report", "page.html")
    assert code == 2 and "page.html" in said
    os.link(stored, "stored.html")
    before = seen(here)
    code, said = call("run", "s.toml", "--until", 1, "--report", "stored.html")
    assert (code == 2 and "twice" in said) or "made by run" in said
    assert seen(here) == {**before, **{k: v for k, v in seen(here).items() if k == str(here / "other")}}
    assert call("run", "b/s.toml", "--until", 1, "--force")[0] == 0


def test_exported_tables_are_known_by_what_they_hold(stored, here):
    kinds = ("--csv", "--npz", "--html", "--nc")
    for _ in range(2):
        code, said = call("export", stored, *kinds)
        assert code == 0, said
    assert call("export", stored, "--csv", "--npz", "--nc", "--samples", 5)[0] == 0
    with np.load(stored.with_name(f"{stored.stem}-columns.npz")) as arrays:
        assert xr.open_dataset(stored.with_suffix(".nc")).sizes == {"t": 5} and len(arrays["t"]) == 5
    table = stored.with_suffix(".csv")
    data = table.read_text().splitlines()
    for other in ("\n".join(data), "\r\n".join([data[0], "9" + data[1], ""]), "\r\n".join([*data, "mine", ""])):
        table.write_text(other, newline="")
        before = seen(here)
        assert call("export", stored, *kinds)[0] == 2
        assert call("export", stored, "--csv", "--out", here / "track")[0] == 2
        assert seen(here) == before


@POSIX
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("s.toml", "--csv"), "E307"),
        (("{}", "--csv", "--out", "."), "E530"),
        (("{}", "--csv", "--out", "results"), "E530"),
        (("{}", "--csv", "--out", "/dev/stdout"), "E530"),
        (("{}", "--csv", "--out", "~/x"), "E501"),
        (("{}", "--svg", "--samples", "5"), "E307"),
        (("{}", "--csv", "--samples", "0"), "E303"),
        (("{}", "--csv", "--samples", "1"), "E303"),
        (("{}", "--csv", "--samples", "99999999999"), "E304"),
    ],
)
def test_what_is_no_export_is_refused(words, code, stored, here):
    (here / "results").mkdir(exist_ok=True)
    before = seen(here)
    done, said = call("export", *(str(stored) if word == "{}" else word for word in words))
    assert done == 2 and code in said and "do: " in said, said
    assert seen(here) == before


@pytest.mark.parametrize(
    "words",
    [
        ("derive", "s.toml", "--latex", "--c"),
        ("derive", "s.toml", "--latex", "--to", "c"),
        ("compare", "s.toml", "--principles", "free,free"),
        ("compare", "s.toml", "--principles", "free"),
        ("compare", "s.toml", "--principles", ""),
        ("sweep", "s.toml", "k=2:2:3"),
        ("check", "\udcb5.toml"),
    ],
)
def test_what_is_asked_twice_or_not_at_all_is_refused_in_words_of_the_command(words, here):
    done, said = call(*words)
    assert done == 2 and "do: " in said and "da." not in said and "= =" not in said, said
    assert words[0] != "check" or "?.toml" in said


@pytest.mark.parametrize("name", ["", ".", "..", ".toml", "/"])
def test_a_new_file_has_a_name(name, here):
    before = seen(here)
    assert call("new", name)[0] == 2
    assert seen(here) == before


# --- going on --------------------------------------------------------------------------------------------------------

SAME = {
    "title and remarks": lambda text: text.replace("schema = 1", 'schema = 1\ntitle = "T"  # mine'),
    "later end": lambda text: text.replace("until = 300", "until = 310"),
}
OTHER = {
    "parameters.k": lambda text: text.replace("k = 4", "k = 9"),
    "lagrangian.L": lambda text: text.replace("k/2", "k/3"),
    "run.start.x": lambda text: text.replace("x = 1,", "x = 2,"),
    "run.options.rtol": lambda text: text + "rtol = 1e-6\n",
    "run.events": lambda text: text + '[[run.event]]\nname = "e"\nguard = "x"\n',
    "wall": lambda text: text.replace("[[run]]", '[[wall]]\nname = "w"\nguard = "x + 5"\nrestitution = 0.5\n[[run]]'),
    "forces.vx": lambda text: text.replace("[[run]]", '[forces]\nvx = "-0.1*dot(x)"\n[[run]]'),
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The bytes of a path that was interrupted."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("begun")
        patch.chdir(folder)
        patch.setenv(CONFINED, str(folder / "phase"))
        (folder / "s.toml").write_text(SPRING)
        asked = iter([False] + [True] * 10**6)

        def cut(*given, known=runs.simulate, **options):
            return known(*given, **{**options, "halt": lambda: next(asked)})

        patch.setattr(runs, "simulate", cut)
        code, said = call("run", "s.toml", "--until", 3000)
        assert code == 4 and "run s.toml --until 3000 --resume" in said, said
        return (folder / "results" / "s" / "long.npz").read_bytes()


@pytest.mark.parametrize("change", [*SAME, *OTHER, "run.parameters.k", "run.principle"])
def test_a_path_goes_on_only_as_it_was_begun(change, begun, here):
    os.makedirs("results/s")
    file = here / "results" / "s" / "long.npz"
    file.write_bytes(begun)
    (here / "s.toml").write_text({**SAME, **OTHER}.get(change, str)(SPRING))
    more = {"run.parameters.k": ["k=9"], "run.principle": ["--principle", "nonholonomic"]}.get(change, [])
    code, said = call("run", "s.toml", "--resume", *more)
    if change in SAME:
        assert code == 0, said
        path = da.load(file)
        assert np.abs(path["x"] - np.cos(2 * path.t)).max() < 1e-8
    else:
        assert code == 2 and "E521" in said and change in " ".join(said.split())
        assert file.read_bytes() == begun


def test_what_a_run_is_begun_with_holds_the_rows_of_its_tables(here):
    head = SPRING.partition("[[run]]")
    driven = '[inputs]\nF = {{ file = "f.csv", column = "F"{} }}\n[forces]\nvx = "F"\n'
    sums = []
    for kind, rows in (("", "0,1\n400,2"), ("", "0,1\n400,3"), (', kind = "linear"', "0,1\n400,3")):
        (here / "f.csv").write_text(f"t,F\n{rows}\n")
        (here / "s.toml").write_text(head[0] + driven.format(kind) + "".join(head[1:]))
        study = da.read("s.toml")
        sums.append(runs.motion_asked(study, study.runs[0]))
    one, two, line = sums
    assert {name for name in one if one[name] != two[name]} == {"column F of f.csv"}
    assert {name for name in two if two[name] != line[name]} == {"inputs.F", "run.inputs.F"}


def test_a_path_that_does_not_say_how_it_was_begun_does_not_go_on(begun, here):
    os.makedirs("results/s")
    file = here / "results" / "s" / "long.npz"
    file.write_bytes(begun)
    path = da.load(file)
    told = {key: value for key, value in path.provenance.items() if key != "asked"}
    file.unlink()
    replace(path, provenance=told).save(file)
    before = file.read_bytes()
    code, said = call("run", "s.toml", "--resume", "--force")
    assert code == 2 and said.startswith("E521") and "without --resume" in said
    assert file.read_bytes() == before


# --- what is printed -------------------------------------------------------------------------------------------------

SPEAKING = "\x1b]0;title\x07 \x1b[31m \x9b5m \x7f \u202e \u2066 \u200b \u2028 \x85 \r \udc9b \U000e0041"


@pytest.mark.parametrize("words", [("check",), ("check", "--json"), ("derive", "--c", "--out", "SPEAKING.c")])
def test_nothing_that_is_printed_speaks_to_a_terminal(words, here):
    name = SPEAKING.replace("\r", "").replace("\udc9b", "") + ".toml"
    (here / name).write_text(SPRING)
    code, said = call(words[0], name, *(word.replace("SPEAKING", name) for word in words[1:]))
    assert code == 0 and all(c.isprintable() for c in said.replace("\n", "")), said
    assert "--json" not in words or json.loads(said)["file"] == name


def test_what_does_not_show_stands_as_json_knows_it():
    assert json.loads(f'"{harmless(SPEAKING)}"') == SPEAKING
    assert all(map(str.isprintable, harmless(SPEAKING)))
    plain = "x\u00a0=\u20091,\n\tθ̇ = ṙ"
    assert harmless(plain) == plain


TO_FULL = [
    ("explain", "E530"),
    ("explain", "E530", "--json"),
    ("--help",),
    ("check", "s.toml", "--trust"),
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
@pytest.mark.parametrize("words", TO_FULL)
def test_an_answer_that_cannot_be_written_is_told(words, here):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dalembert", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3 and done.stderr.startswith("E530") and "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 2


@POSIX
def test_an_answer_to_nobody_is_no_fault(here):
    words = "exec '{}' -m dalembert explain E530 {}"
    for where in (">&-", ">&- 2>&-", "| true"):
        done = subprocess.run(
            ["sh", "-c", words.format(sys.executable, where)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and not done.stderr, done


HEADS = {
    "=HYPERLINK(1)": '"\'=HYPERLINK(1)"',
    " =1+1": '"\' =1+1"',
    "+a": '"\'+a"',
    "@a": '"\'@a"',
    "\t=a": '"\' =a"',
    "＝a": '"\'＝a"',
    "x;=1": '"x;=1"',
    'a","=b': '"a"",""=b"',
    "a\r\n=b": '"a  =b"',
    "vx": "vx",
    "dot(x)": "dot(x)",
}


@pytest.mark.parametrize("head", HEADS)
def test_a_head_of_a_table_is_no_formula(head):
    assert exports._harmless(head) == HEADS[head]


ENDINGS = [
    ("run", "s.toml", "--until", 1, "--report", "p.csv"),
    ("run", "s.toml", "--until", 1, "--report", "p"),
    ("compare", "s.toml", "--principles", "free,nonholonomic", "--report", "p.exe"),
    ("fit", "s.toml", "track.csv", "--free", "k", "--report", "p.png"),
    ("derive", "s.toml", "--html", "--out", "p.csv"),
    ("reproduce", "appell-hamel", "--chapter", "none", "--html", "p.csv"),
    ("derive", "s.toml", "--latex", "--out", "p.pdf"),
    ("derive", "s.toml", "--c", "--out", "p.py"),
    ("derive", "s.toml", "--python", "--out", "p.exe"),
    ("derive", "s.toml", "--javascript", "--out", "p.html"),
    ("derive", "s.toml", "--out", "p.tex"),
    ("family", "s.toml", "k=1:2", "--csv", "p.html"),
]


@pytest.mark.parametrize("words", ENDINGS, ids=lambda words: f"{words[0]} {words[-1]}")
def test_no_file_is_written_whose_ending_says_another_form(words, here):
    """Who opens it goes by the ending: a page called p.csv is no table. Said before any work."""
    before = seen(here)
    code, said = call(*words)
    assert code == 2 and "E307" in said and Path(words[-1]).suffix in said and "do: " in said, said
    assert seen(here) == before


def test_a_page_of_a_paper_has_a_remedy_of_the_command_line(here):
    (here / "p.html").write_text("mine")
    code, said = call("reproduce", "appell-hamel", "--chapter", "none", "--html", "p.html")
    assert code == 2 and "E530" in said and "remove that file" in said and "overwrite" not in said


def test_the_form_that_the_ending_asks_for_is_proposed(here):
    assert "or --latex" in call("derive", "s.toml", "--out", "p.tex")[1]
    assert call("derive", "s.toml", "--latex", "--out", "p.tex")[0] == 0
    assert call("derive", "s.toml", "--latex", "--out", "p.draft2")[0] == 0


@pytest.mark.parametrize("name", ["p.exe", "p.sh", "p.py", "p.csv", "p.pdf", "p.desktop"])
def test_no_python_call_writes_what_the_ending_says_is_something_else(name, here):
    q = da.coordinates("x")
    system = da.System(q, "vx^2/2 - x^2/2")
    path = da.simulate(da.free(system), {"x": 1, "vx": 0}, until=1)
    before = seen(here)
    for act in (
        lambda: da.report(path, name),
        lambda: da.explore(system, name, start={"x": 1, "vx": 0}),
        lambda: da.write(system, name),
        lambda: path.save(name),
    ):
        with pytest.raises(da.DalembertError, match="E307") as refused:
            act()
        assert '"p.' in str(refused.value).split("do:")[1]
    assert seen(here) == before
    path.save("of k = 1.5")
    assert da.load("of k = 1.5").ok


def test_a_store_of_any_name_is_exported_as_the_answer_of_the_sweep_says(here):
    code, said = call("sweep", "s.toml", "k=1,2", "--until", 1, "--store", "kept")
    assert code == 0 and "dalembert export kept --csv" in said, said
    code, said = call("export", "kept", "--csv")
    assert code == 0 and Path("kept.csv").exists(), said
