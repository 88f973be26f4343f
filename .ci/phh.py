"""Plays hand histories with PokerKit and compares what was won with `finishing_stacks`."""

import sys
import tomllib

from pokerkit import HandHistory

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        raw = tomllib.load(file)
    finished = open_hands = 0
    for name, fields in raw.items():
        history = HandHistory(**HandHistory._filter_non_fields(**fields))
        state = None
        for state in history:
            pass
        stacks = fields.get("finishing_stacks")
        if stacks is None:
            assert state.status, f"{path}: hand {name} is over for PokerKit"
            open_hands += 1
            continue
        assert not state.status, f"{path}: hand {name} is not over for PokerKit"
        assert list(state.stacks) == stacks, f"{path}: hand {name}: {state.stacks}, written {stacks}"
        finished += 1
    print(f"{path}: {finished:,} finished hands with the same stacks, {open_hands:,} that are not over")
