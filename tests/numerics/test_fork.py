"""A process forked while another of its threads compiles: it waits until that is done, and works."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, signal, threading, time
from dalembert.calculus.graph import Graph
from dalembert.numerics.machine import batch_calls, compiler, llvm_ir

graph = Graph()
x = graph.symbol("x")
done = []

def compiled(k):
    address = compiler.Library.compile({"f": llvm_ir.emit("f", [x * k], {"x": ("y", 0)})}).address("f")
    return batch_calls.value_at(address, 0.0, [2.0], [], 1)[0]

def work():
    with compiler._LOCK, graph._lock:
        begun.set()
        time.sleep(0.3)
        done.append(1)

for _ in range(2):
    begun = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(30)
        os._exit(0 if compiled(3.0) == 6.0 and len(done) else 1)  # nothing is half-made
    print(os.waitpid(child, 0)[1], compiled(5.0))
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")
def test_a_fork_while_another_thread_compiles():
    command = [sys.executable, "-W", "ignore", "-c", CODE]  # from 3.12 on Python warns of threads and forks
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["0", "10.0"] * 2, done.stderr[-2000:]
