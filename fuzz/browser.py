"""Chromium, spoken to through a pipe: nothing but a browser is needed. `CHROMIUM` names one that is not on the path."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from itertools import count

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ["--headless", "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader"]
FLAGS += ["--enable-unsafe-swiftshader", "--no-first-run"]
GUARDED = {"allowUnsafeEvalBlockedByCSP": False}  # scripts of tests are held to the policy of the page
PATIENCE = 30.0  # seconds for one answer
KEYS = {" ": ("Space", 32), "ArrowRight": ("ArrowRight", 39), "ArrowLeft": ("ArrowLeft", 37), "Delete": ("Delete", 46)}


class Browser:
    """A browser that runs until it is closed; `said` are messages and exceptions, `asked` the addresses of requests."""

    def __init__(self, folder, width=1280, height=800):
        self.folder, self.numbers, self.said, self.asked, self.rest = folder, count(1), [], [], b""
        ours, theirs = os.pipe(), os.pipe()
        flags = [*FLAGS, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}"]
        first, second = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (ours[0], theirs[1]))

        def wired():  # the browser reads from 3 and writes to 4
            os.dup2(first, 3)
            os.dup2(second, 4)

        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([CHROMIUM, *flags], preexec_fn=wired, close_fds=False, **quiet)  # noqa: PLW1509
        os.close(first)
        os.close(second)
        os.close(ours[0])
        os.close(theirs[1])
        self.into, self.out = ours[1], theirs[0]
        self.target = self.session = None
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.into)
        os.close(self.out)

    def open(self, address, before="", shown="window.dalembert && dalembert.times.draw.length > 0"):
        """A page in a tab of its own, which is there when `shown`; `before` is run ahead of its own programs."""
        self.target = self.send("Target.createTarget", own=False, url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", own=False, targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.send(f"{domain}.enable")
        self.send("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.send("Page.navigate", url=address)
        return self.until(shown)

    def enter_frame(self):
        """From now on the page is the one frame of another origin that it holds."""
        targets = self.send("Target.getTargets", own=False)["targetInfos"]
        [frame] = [each["targetId"] for each in targets if each.get("parentId") == self.target]
        self.session = self.send("Target.attachToTarget", own=False, targetId=frame, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, own=True, **parameters):
        """The answer to one command; what happens meanwhile is kept."""
        number = next(self.numbers)
        session = {"sessionId": self.session} if own and self.session and not method.startswith("Browser.") else {}
        os.write(
            self.into, json.dumps({"id": number, "method": method, "params": parameters, **session}).encode() + b"\0"
        )
        while (told := self._read()).get("id") != number:
            self._keep(told)
        assert "error" not in told, told
        return told["result"]

    def run(self, expression):
        """The value of an expression in the page; a promise is waited for."""
        found = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, **GUARDED)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression):
        """Wait for an expression to be true."""
        limit = time.monotonic() + PATIENCE
        while not (found := self.run(f"Boolean({expression})")):
            assert time.monotonic() < limit, (expression, self.said)
            time.sleep(0.05)
        return found

    def press(self, key, times=1):
        """A key, so many times."""
        code, number = KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()[0])))
        text = {"text": key} if len(key) == 1 else {}
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                more = text if kind == "keyDown" else {}
                self.send("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, **more)

    def file(self, name):
        """A file that the page saved."""
        limit = time.monotonic() + PATIENCE
        while not (self.folder / name).exists():
            assert time.monotonic() < limit, name
            self.run("1")
            time.sleep(0.05)
        return self.folder / name

    def _read(self):
        while b"\0" not in self.rest:
            assert select.select([self.out], [], [], PATIENCE)[0], "the browser does not answer"
            told = os.read(self.out, 2**16)
            assert told, "the browser is gone"
            self.rest += told
        told, _, self.rest = self.rest.partition(b"\0")
        return json.loads(told)

    def _keep(self, told):
        method, given = told.get("method", ""), told.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.said.append([each.get("value", each.get("description")) for each in given["args"]])
        elif method == "Runtime.exceptionThrown":
            self.said.append(given["exceptionDetails"])
        elif method == "Log.entryAdded":
            self.said.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(given["request"]["url"])
