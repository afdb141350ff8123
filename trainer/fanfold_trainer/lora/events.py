"""What the run tells the outside: lines `@evt {json}` on the real standard output, and the same in `events.jsonl`."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from pathlib import Path
from typing import TypeAlias

from .failures import is_full

PREFIX = "@evt "
#: Readers give up on longer lines.
LONGEST_LINE = 16_000

Value: TypeAlias = "str | int | float | bool | None | list[Value] | dict[str, Value]"


def take_standard_output() -> int:
    """Keeps standard output for events: whatever libraries print goes to standard error from now on."""
    kept = os.dup(1)
    os.dup2(2, 1)
    return kept


class EventLog:
    """Numbers events without gaps, also over restarts in the same folder, and counts the active time of the attempt."""

    def __init__(self, folder: Path, output: int | None) -> None:
        self._lock = threading.Lock()
        self._output = output
        #: What of the lines before could not be told yet.
        self._untold = b""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "events.jsonl"
        self._seq, self._active_before = _last_event(path)
        self._file = path.open("ab", buffering=0)
        self._size = path.stat().st_size
        self._started: float | None = None
        self._said_at = 0.0

    def start_clock(self) -> None:
        self._started = time.monotonic()

    @property
    def active_ms(self) -> int:
        running = 0.0 if self._started is None else time.monotonic() - self._started
        return self._active_before + int(running * 1000)

    def silent_s(self) -> float:
        return time.monotonic() - self._said_at

    def emit(self, event: str, /, *, sync: bool = False, **values: Value) -> None:
        with self._lock:
            self._said_at = time.monotonic()
            content = {"event": event, "seq": self._seq + 1, "t": int(self._said_at * 1000), "active_ms": self.active_ms, **values}
            line = json.dumps(_finite(content), ensure_ascii=True, separators=(",", ":"))
            if len(line) > LONGEST_LINE:
                raise ValueError(f"The event {event} is too long. This is a bug.")
            # The file first: what was told can then be told again.
            self._append(line.encode() + b"\n")
            self._seq += 1
            if sync:
                os.fsync(self._file.fileno())
            self._tell(line)

    def _append(self, line: bytes) -> None:
        rest = line
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            # The disk is full. Half a line would spoil the next one.
            os.truncate(self._file.fileno(), self._size)
            raise
        self._size += len(line)

    def _tell(self, line: str) -> None:
        if self._output is None:
            return
        self._untold += f"{PREFIX}{line}\n".encode()
        try:
            while self._untold:
                self._untold = self._untold[os.write(self._output, self._untold) :]
        except OSError as error:
            # Where the output is a file, whoever reads it still does: the rest is told with the next event.
            if is_full(error):
                raise
            # Nobody listens any more. The file has it, and the watch of standard input decides what follows.
            self._output = None


def _last_event(path: Path) -> tuple[int, int]:
    """Number and active time of the last whole event. A line that a crash cut is removed, and one that a power cut spoilt is passed over."""
    if not path.exists():
        return 0, 0
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    for line in reversed(whole.splitlines()):
        try:
            last = json.loads(line)
            return int(last["seq"]), int(last["active_ms"])
        except (ValueError, TypeError, KeyError):
            continue
    return 0, 0


def _finite(value: object) -> object:
    """JSON has no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return value
