"""Pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Union


class Plot:
    """A picture: SVG that a notebook shows and `save` writes.

    >>> import lethe
    >>> plot = lethe.equity("AsKs", "Th9h8c").plot()
    >>> plot.svg.startswith("<svg")
    True
    """

    def __init__(self, svg: str | Sequence[str]) -> None:
        self._parts = [svg] if isinstance(svg, str) else list(svg)

    @property
    def svg(self) -> str:
        """The text of the picture; the first, if there are several."""
        return self._parts[0] if self._parts else "<svg xmlns='http://www.w3.org/2000/svg'/>"

    @property
    def parts(self) -> list[str]:
        """The texts of all pictures."""
        return list(self._parts)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_html_(self) -> str:
        return "\n".join(f"<div style='max-width:760px'>{part}</div>" for part in self._parts)

    def __repr__(self) -> str:
        return f"<lethe.Plot of {len(self._parts)}>"
