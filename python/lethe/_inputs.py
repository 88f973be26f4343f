"""What arguments may be: cards as text or integers, configurations as names, files, text or dictionaries."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from lethe import _lethe
from lethe._errors import InputError

CardsLike = Union[str, Sequence[str], Sequence[int], Sequence[Sequence[int]], NDArray[Any]]
"""Cards: text such as ``"AsKs"``, integers from 0 (``2c``) to 51 (``As``), or rows of either."""

RangeLike = Union[str, "_lethe.Range", Sequence[int], NDArray[Any]]
"""A hand or a range: text, a `Range`, or the integers of two cards."""

Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A configuration: the name of a preset, the path of a YAML file, YAML text or a dictionary."""

Set = Union[Mapping[str, Any], Sequence[str], None]
"""Overrides: ``{"game.stack": 1500}`` or ``["game.stack=1500"]``."""

Time = Union[str, float, timedelta, None]
"""A time: text such as ``"5m"``, seconds, or a `timedelta`."""

PathLike = Union[str, "os.PathLike[str]"]

_YAML = re.compile(r"\s*(#|---|[\w-]+\s*:(\s|$)|\{)")


def rows(value: CardsLike, what: str) -> tuple[NDArray[np.uint8], bool]:
    """Cards as a contiguous (n, k) array, and whether a single row was given."""
    if isinstance(value, str):
        return np.frombuffer(_lethe.read_cards(value), dtype=np.uint8).reshape(1, -1), True
    if isinstance(value, (list, tuple)) and any(isinstance(item, str) for item in value):
        if not all(isinstance(item, str) for item in value):
            raise TypeError(f"{what}: expected texts or integers, found both")
        return _texts([str(item) for item in value], what), False
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{what}: expected rows of cards, all of one length") from error
    if array.dtype.kind == "U":
        return _texts([str(item) for item in array.ravel()], what), False
    if array.size == 0 and array.ndim == 1 and not isinstance(value, np.ndarray):
        return np.zeros((1, 0), dtype=np.uint8), True
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: expected text or integers from 0 to 51, found an array of {array.dtype}")
    if array.ndim not in (1, 2):
        raise InputError(f"{what}: expected rows of cards in 1 or 2 dimensions, found {array.ndim}")
    if array.dtype != np.uint8 and array.size > 0:
        least, most = array.min(), array.max()
        if least < 0 or most > 51:
            wrong = least if least < 0 else most
            raise InputError(f"{what}: {wrong} is not a card: expected 0 (2c) to 51 (As)")
    single = array.ndim == 1
    return np.ascontiguousarray(np.atleast_2d(array), dtype=np.uint8), single


def _texts(texts: list[str], what: str) -> NDArray[np.uint8]:
    read = [_lethe.read_cards(text) for text in texts]
    if len({len(cards) for cards in read}) > 1:
        raise InputError(f"{what}: expected texts of equally many cards")
    width = len(read[0]) if read else 0
    return np.frombuffer(b"".join(read), dtype=np.uint8).reshape(len(read), width)


def boards(value: CardsLike | None) -> tuple[NDArray[np.uint8], bool]:
    """Boards as an (n, k) array; none is the board before the flop."""
    if value is None:
        return np.zeros((1, 0), dtype=np.uint8), True
    return rows(value, "boards")


def text(value: RangeLike | CardsLike | None, what: str) -> str:
    """A hand, board or range as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, _lethe.Range):
        return value.text
    array, single = rows(value, what)
    if not single and len(array) != 1:
        raise InputError(f"{what}: expected one hand or board, found {len(array)}")
    return _lethe.write_cards(array[0].tolist())


def _plain(value: Any) -> Any:
    """What JSON has no word for."""
    if isinstance(value, _lethe.Range):
        return value.text
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} cannot be part of a configuration")


def dumps(value: Any, indent: int | None = None) -> str:
    """A value as JSON, which is YAML too."""
    try:
        return json.dumps(value, indent=indent, default=_plain, allow_nan=False, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise InputError(f"configuration: {error}") from error


def config(value: Config, presets: bool) -> tuple[str, str]:
    """A configuration as what it is, `preset`, `file` or `text`, and its name or text."""
    if isinstance(value, Mapping):
        return "text", dumps(dict(value), indent=1)
    if isinstance(value, os.PathLike):
        return "file", os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"expected a name, a path, YAML or a dictionary, found {type(value).__name__}")
    if "\n" in value or _YAML.match(value):
        return "text", value
    is_file = not presets or value.endswith((".yaml", ".yml")) or "/" in value or os.sep in value
    return ("file" if is_file else "preset"), value


def overrides(value: Set) -> list[str]:
    """Overrides as ``key=value``."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [f"{key}={dumps(item)}" for key, item in value.items()]
    if isinstance(value, str):
        raise TypeError("set: expected a dictionary or a list of texts such as ['seed=7']")
    return [str(item) for item in value]


def time(value: Time) -> str | None:
    """A time as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, timedelta):
        value = value.total_seconds()
    return f"{_number(value, 'time'):.6f}s"


def percent(value: str | float | None) -> str | None:
    """A share of the pot as text."""
    if value is None or isinstance(value, str):
        return value
    return f"{100 * _number(value, 'target'):.10f}%"


def memory(value: str | int | None) -> str | None:
    """An amount of memory as text."""
    if value is None or isinstance(value, str):
        return value
    return f"{_number(value, 'memory') / 1024:.6f}K"


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{what}: expected text or a number, found {type(value).__name__}")
    number = float(value)
    if not np.isfinite(number) or number < 0:
        raise InputError(f"{what} is {number}: expected a number above 0")
    return number


def whole(value: object, what: str, most: int = 2**64 - 1) -> int:
    """A whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what}: expected a whole number, found {type(value).__name__}")
    number = int(value)
    if not 0 <= number <= most:
        raise InputError(f"{what} is {number}: expected 0 to {most}")
    return number


def optional(value: object, what: str, most: int = 2**32 - 1) -> int | None:
    """A whole number or none."""
    return None if value is None else whole(value, what, most)


def threads(value: object) -> int | None:
    """A number of threads."""
    count = optional(value, "threads", 1024)
    if count == 0:
        raise InputError("threads is 0: expected at least 1")
    return count


def path(value: PathLike | None) -> str | None:
    """A path as text."""
    if value is None:
        return None
    found = os.fspath(value)
    if not isinstance(found, str):
        raise TypeError("expected a path as text")
    if "\0" in found:
        raise InputError("a path has no zero byte")
    return found
