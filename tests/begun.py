"""A process that tells how far it has come: once a function was called so often, there is a file. Nobody waits in vain.

It is told by a profiler that Python loads at its start; the process itself, and what it starts, is as it always is.
"""

import os
import time

TELLING = """
import os, sys
told, file, name, times = os.environ["BEGUN"].split("|")
left = int(times)
def called(frame, event, _):
    global left
    if event == "call" and frame.f_code.co_name == name and frame.f_code.co_filename.endswith(file):
        left -= 1
        if not left:
            open(told, "w").close()
            sys.setprofile(None)
sys.setprofile(called)
"""


def telling(folder, file, name, times):
    """The environment of such a process, and the file that appears when `name` in `file` was called so often."""
    (folder / "telling").mkdir()
    (folder / "telling" / "sitecustomize.py").write_text(TELLING)
    told = folder / "telling" / "told"
    path = os.pathsep.join([str(folder / "telling"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "BEGUN": f"{told}|{file}|{name}|{times}"}, told


def until(told, process):
    """Wait until it has told, or ended."""
    while not told.exists() and process.poll() is None:
        time.sleep(0.01)
