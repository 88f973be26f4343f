"""Card abstraction and strategy computation for no-limit hold'em.

Cards are the integers ``4 * rank + suit``, from 0 (``2c``) to 51 (``As``); wherever one card, hole, board or range is
asked for, text does as well. Arrays go in and out, and long work leaves the interpreter free, reports progress and
stops on Ctrl-C.

==================  ==============================================================================================
cards               `cards`, `cards_text`, `evaluate`, `describe`, `equity`, `equity_rows`, `Range`
indices             `canonical`, `situation_index`, `board_index`, `canonical_boards`, `row_holes`, `hole_index`
abstractions        `build`, `Abstraction`, `lab`
postflop spots      `solve`, `Solution`, `tree`
whole games         `train`, `Blueprint`, `Agent`
other libraries     `lethe.openspiel`, `lethe.pokerkit`
==================  ==============================================================================================

>>> import lethe
>>> print(lethe.equity("AsKs", "Th9h8c"))
0.433479
"""

from lethe._abstraction import Abstraction, build
from lethe._agent import Agent, Decision
from lethe._blueprint import Blueprint, BlueprintNode, Exploitability, History, train
from lethe._cards import (
    Equity,
    board_index,
    board_multiplicity,
    canonical,
    canonical_boards,
    cards,
    cards_text,
    describe,
    equity,
    equity_rows,
    evaluate,
    hole_index,
    row_holes,
    situation_index,
)
from lethe._errors import ClosedError, Error, InputError, NotFoundError
from lethe._lab import Lab, lab
from lethe._lethe import Range, Table, __version__
from lethe._plot import Plot
from lethe._solve import Node, Solution, solve, tree

__all__ = [
    "Abstraction",
    "Agent",
    "Blueprint",
    "BlueprintNode",
    "ClosedError",
    "Decision",
    "Equity",
    "Error",
    "Exploitability",
    "History",
    "InputError",
    "Lab",
    "Node",
    "NotFoundError",
    "Plot",
    "Range",
    "Solution",
    "Table",
    "__version__",
    "board_index",
    "board_multiplicity",
    "build",
    "canonical",
    "canonical_boards",
    "cards",
    "cards_text",
    "describe",
    "equity",
    "equity_rows",
    "evaluate",
    "hole_index",
    "lab",
    "row_holes",
    "situation_index",
    "solve",
    "train",
    "tree",
]
