"""`python -u -m fanfold_trainer.lora.train --spec /abs/spec.json`: one attempt at one training."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

from .control import CANCEL, Control, take_folder
from .events import EventLog, take_standard_output
from .failures import BUG, CANCELLED, DONE, INTERRUPTED, Stopped, TrainerFailure, disk_failure, out_of_memory
from .spec import Spec, read_spec


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--spec", type=Path, required=True)
    path: Path = parser.parse_args(arguments).spec
    # Before anything is slow, so that a cancellation is never lost.
    control = Control()
    control.catch_signals()
    output = take_standard_output()
    # Libraries look these up when they are imported: nothing is fetched, and nobody is told.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    try:
        spec = read_spec(path)
    except TrainerFailure as failure:
        return _failed(EventLog(path.parent / "out", output), failure)
    control.listen(stop_when_orphaned=spec.orphan == "stop")
    out = path.parent / spec.out_dir
    try:
        held = take_folder(out, control)
        events = EventLog(out, output)
    except Stopped as stopped:
        return CANCELLED if stopped.reason == CANCEL else INTERRUPTED
    except TrainerFailure as failure:
        # Without an event: the numbers in the folder belong to the other one.
        return _end_unsaid(failure)
    except OSError as error:
        known = disk_failure(error)
        if isinstance(known, TrainerFailure):
            return _end_unsaid(known)
        raise
    code = run(spec, path.parent, events, control)
    if held is not None:
        os.close(held)
    return code


def _end_unsaid(failure: TrainerFailure) -> int:
    """The exit code says the same."""
    with contextlib.suppress(OSError):
        print(failure, file=sys.stderr)
    return failure.exit_code


def run(spec: Spec, folder: Path, events: EventLog, control: Control) -> int:
    """Runs an attempt; returns the exit code, which the last event explains."""
    try:
        return _run(spec, folder, events, control)
    except Stopped as stopped:
        if stopped.reason == CANCEL:
            # On a full disk the exit code says the same.
            with contextlib.suppress(OSError):
                events.emit("cancelled", sync=True, best={})
            return CANCELLED
        words = "The program that started the training is gone."
        return _failed(events, TrainerFailure(INTERRUPTED, "worker_lost", words, retryable=True))
    except TrainerFailure as failure:
        return _failed(events, failure)
    except MemoryError as error:
        return _failed(events, out_of_memory(str(error) or "Memory ran out."))
    except Exception as error:
        known = disk_failure(error) if isinstance(error, OSError) else error
        if isinstance(known, TrainerFailure):
            return _failed(events, known)
        if _is_out_of_memory(error):
            return _failed(events, out_of_memory("Memory ran out during a step."))
        traceback.print_exc()
        # Texts of unexpected errors may quote data: the log has them, the event does not.
        return _failed(events, TrainerFailure(BUG, "internal_error", f"Unexpected {type(error).__name__}.", "Look at the log."))


def _is_out_of_memory(error: Exception) -> bool:
    return type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)


def _failed(events: EventLog, failure: TrainerFailure) -> int:
    error = {"code": failure.code, "message": str(failure)[:2000], "hint": failure.hint, "retryable": failure.retryable}
    try:
        events.emit("failed", sync=True, error=error)
    except OSError:
        return _end_unsaid(failure)
    return failure.exit_code


def _run(spec: Spec, folder: Path, events: EventLog, control: Control) -> int:
    # Imported here: it takes seconds, and a bad spec should be told at once.
    from .session import open_session

    _prefer_to_be_ended_first()
    session = open_session(spec, folder, events, control)
    loop = session.loop
    events.emit("started", sync=True, resumed_step=loop.progress.step)
    events.start_clock()
    finished = threading.Event()
    heart = threading.Thread(target=_beat, args=(events, loop.tell, finished), daemon=True)
    heart.start()
    try:
        loop.run()
        result = loop.conclude()
        session.export()
    finally:
        finished.set()
        heart.join()
    best = {"step": loop.progress.best_step, **loop.progress.best} if loop.progress.best_step >= 0 else {"step": loop.progress.step}
    events.emit("finished", sync=True, best=best, **result)
    return DONE


def _beat(events: EventLog, tell: Callable[[], None], finished: threading.Event) -> None:
    while not finished.wait(0.25):
        if events.silent_s() < 1:
            continue
        # A disk may be full for a moment. A heart that stopped with it would let a trainer that goes on be taken for lost.
        with contextlib.suppress(OSError):
            tell()


def _prefer_to_be_ended_first() -> None:
    """Where memory runs out, the kernel should end the training, not the server."""
    try:
        Path("/proc/self/oom_score_adj").write_text("800")
    except OSError:
        pass


if __name__ == "__main__":
    # Threads of libraries may hang at the end of the interpreter; everything is written.
    code = main()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
