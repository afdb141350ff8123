"""How a run can end, apart from success. The exit code tells the program that started us, the words tell a person."""

from __future__ import annotations

import errno

DONE = 0
CANCELLED = 10
BAD_INPUT = 20
UNSUPPORTED = 21
OUT_OF_MEMORY = 30
DIVERGED = 31
DISK_FULL = 32
TIME_LIMIT = 33
EXPORT_FAILED = 40
BUG = 70
INTERRUPTED = 75


class TrainerFailure(Exception):
    """An expected end. `hint` says what to change; `retryable`, whether the same job may succeed if run again."""

    def __init__(self, exit_code: int, code: str, message: str, hint: str = "", *, retryable: bool = False) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.code = code
        self.hint = hint
        self.retryable = retryable


def bad_spec(field: str, message: str) -> TrainerFailure:
    return TrainerFailure(BAD_INPUT, "spec_invalid", f"{field}: {message}")


def bad_data(message: str, hint: str = "Freeze the dataset again.") -> TrainerFailure:
    return TrainerFailure(BAD_INPUT, "dataset_invalid", message, hint)


def unsupported(message: str, hint: str = "Choose another base model.") -> TrainerFailure:
    return TrainerFailure(UNSUPPORTED, "base_model_unavailable", message, hint)


def out_of_memory(message: str) -> TrainerFailure:
    hint = "Lower batch_size or max_seq_length, or train on a machine with more memory."
    return TrainerFailure(OUT_OF_MEMORY, "out_of_memory", message, hint)


def is_full(error: OSError) -> bool:
    """No space, or less of it than this process may take."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def disk_failure(error: OSError) -> Exception:
    """What an error of the file system means: a full disk, or a bug."""
    if not is_full(error):
        return error
    hint = "Free disk space and retry from the last checkpoint."
    return TrainerFailure(DISK_FULL, "artifact_write_failed", "The disk is full.", hint, retryable=True)


class Stopped(Exception):
    """The run was asked to end: by a cancellation, or because nobody is left to read what it says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
