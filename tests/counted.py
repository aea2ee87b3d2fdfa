"""Work that is counted and not timed: how many functions some code calls, the same on any machine."""

import json
import subprocess
import sys

_PROGRAM = """
import sys, warnings
import dalembert as da
from dalembert.calculus import budget
budget.cpu_clock = lambda: lambda: 0.0
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


_GROWTH = """
import json, sys, warnings
import dalembert as da
warnings.simplefilter("ignore")
{before}

def lines(call, n):
    count = 0
    def counted(frame, event, argument):
        nonlocal count
        count += 1
        return counted
    sys.settrace(counted)
    try:
        call(n)
    except da.DalembertError as error:
        return count, len(str(error))
    finally:
        sys.settrace(None)

found = {{}}
for name, (code, n) in json.load(sys.stdin).items():
    call = eval(f"lambda n: {{code}}")
    lines(call, n // 4)  # whatever is loaded once is loaded now
    found[name] = lines(call, n // 4), lines(call, n)
print(json.dumps(found))
"""


def refusals(given, before=""):
    """Of each {name: (code, n)} the lines run until it is refused, and the length of what is said, for n/4 and for n.

    In a process of its own: a tracer in one that has run other code need not come back.
    """
    program = _GROWTH.format(before=before)
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, input=json.dumps(given), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
