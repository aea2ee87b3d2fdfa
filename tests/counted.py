"""Work that is counted and not timed: how many functions some code calls, the same on any machine."""

import subprocess
import sys

_PROGRAM = """
import sys, warnings
import dalembert as da
from dalembert.calculus import clock
clock.cpu_clock = lambda: lambda: 0.0
warnings.simplefilter("ignore")
given = sys.stdin.read()
{before}
calls = 0
def count(frame, event, argument):
    global calls
    calls += event == "call"
sys.setprofile(count)
try:
    {code}
except da.DalembertError as error:
    assert len(str(error)) < 20_000
finally:
    sys.setprofile(None)
print(calls)
"""


def calls(code, given="", before=""):
    """How many Python functions a line calls in a process of its own, with a text `given`, after other lines."""
    program = _PROGRAM.format(code=code, before=before)
    done = subprocess.run([sys.executable, "-c", program], check=False, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])
