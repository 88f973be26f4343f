"""The exceptions of Lethe. Their messages are those of the command."""

__all__ = ["ClosedError", "Error", "InputError", "NotFoundError"]


class Error(Exception):
    """Something went wrong: a damaged file, a full disk, a bug."""

    __module__ = "lethe"


class InputError(Error, ValueError):
    """An argument, or something that it names, is wrong; the message says what and what to do."""

    __module__ = "lethe"


class NotFoundError(InputError, LookupError):
    """There is no such abstraction, run, solution or file."""

    __module__ = "lethe"


class ClosedError(Error, ValueError):
    """An object is used after it was closed."""

    __module__ = "lethe"
