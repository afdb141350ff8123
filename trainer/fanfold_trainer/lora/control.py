"""Ways in which a run is asked to end: SIGTERM, a command on standard input, and the end of standard input, which
means that the program that started us has died."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from .failures import INTERRUPTED, Stopped, TrainerFailure

CANCEL = "cancel"
ORPHAN = "orphan"
#: For another trainer in the same folder to end.
LONGEST_WAIT_S = 60


class Control:
    def __init__(self) -> None:
        self._wish: str | None = None

    def catch_signals(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: self.ask(CANCEL))

    def ask(self, reason: str) -> None:
        if self._wish is None:
            self._wish = reason

    def check(self) -> None:
        """Raises `Stopped` where the run was asked to end. Called at every layer of the model, so that also a step
        that takes minutes ends soon; the unfinished step is dropped."""
        if self._wish is not None:
            raise Stopped(self._wish)

    def listen(self, *, stop_when_orphaned: bool) -> None:
        """Reads standard input until it ends."""
        watch = threading.Thread(target=self._watch_input, args=(stop_when_orphaned,), daemon=True)
        watch.start()

    def _watch_input(self, stop_when_orphaned: bool) -> None:
        for line in sys.stdin or ():
            if _is_cancel(line):
                self.ask(CANCEL)
        # The reader of our prints is gone too, and a print into a broken pipe must not end the run.
        if stop_when_orphaned or os.getppid() == 1:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        if stop_when_orphaned:
            self.ask(ORPHAN)


def take_folder(folder: Path, control: Control) -> int | None:
    """Waits until no other trainer is at work in a folder: one that its dead starter left behind takes a moment to stop.
    What is returned holds the folder as long as this process lives; None where the file system knows no locks."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + LONGEST_WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            control.check()
            if time.monotonic() > deadline:
                words = "Another trainer is at work in this folder."
                raise TrainerFailure(INTERRUPTED, "worker_lost", words, retryable=True) from None
            time.sleep(0.05)
        except OSError:
            return None


def _is_cancel(line: str) -> bool:
    try:
        content = json.loads(line)
    except ValueError:
        return False
    return isinstance(content, dict) and content.get("cmd") == CANCEL
