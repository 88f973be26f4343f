"""Progress: a function that is called, or a bar like those of tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from lethe._errors import InputError

Callback = Callable[[str, int, int, dict[str, Any]], object]
"""Called with the phase, the units done, the units in all (0 if that is not known) and figures."""

Progress = Union[Callback, bool, None, Any]
"""A `Callback`; a bar such as ``tqdm()`` or the class ``tqdm``; ``True`` for a bar of tqdm's."""


class _Bars:
    """Drives one bar, or makes one for each phase."""

    def __init__(self, bar: Any, make: Any) -> None:
        self.bar, self.make, self.phase = bar, make, ""

    def __call__(self, phase: str, done: int, total: int, figures: dict[str, Any]) -> None:
        if phase != self.phase:
            self.phase = phase
            if self.make is not None:
                self.close()
                self.bar = self.make(total=total or None, desc=phase)
            else:
                self.bar.reset(total=total or None)
                self.bar.set_description(phase)
        if total:
            self.bar.total = total
        exploitability = figures.get("exploitability_percent")
        if exploitability is not None and hasattr(self.bar, "set_postfix_str"):
            self.bar.set_postfix_str(f"{exploitability:.3f} % of the pot", refresh=False)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.make is not None and self.bar is not None:
            self.bar.close()


@contextmanager
def watched(progress: Progress) -> Iterator[Callback | None]:
    """What the extension calls, for as long as the work goes on."""
    if progress is None or progress is False:
        yield None
        return
    make = None
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise InputError("progress=True needs tqdm: install it, or give a function") from error
        make = tqdm
    elif isinstance(progress, type) and hasattr(progress, "update"):
        make = progress
    if make is None and not hasattr(progress, "update"):
        if not callable(progress):
            raise TypeError("progress: expected a function, a bar such as tqdm(), or True")
        yield progress
        return
    bars = _Bars(None if make is not None else progress, make)
    try:
        yield bars
    finally:
        bars.close()
