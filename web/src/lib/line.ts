// Lines: betting and dealt cards, such as `x b94 c / Th x`.

import type { ActionView, Player } from "./api";
import { cardsOf } from "./cards";

/** The steps of a line: actions, and a slash with its card as one. */
export function steps(line: string): string[] {
  const words = line.split(/\s+/).filter(Boolean);
  const out: string[] = [];
  for (const word of words) {
    if (out.length && out.at(-1) === "/") out[out.length - 1] = `/ ${word}`;
    else out.push(word);
  }
  return out;
}

/** The word of an action in a line. */
function word(action: ActionView): string {
  switch (action.action) {
    case "fold":
      return "f";
    case "check":
      return "x";
    case "call":
      return "c";
    case "bet":
      return `b${action.chips}`;
    case "raise":
      return `r${action.chips}`;
    case "allin":
      return "a";
  }
}

export const cards = { word };

/** The line after an action. */
export const after = (line: string, action: ActionView) => [line, word(action)].filter(Boolean).join(" ");

/** Whether the hand is over after an action. */
export function ends(at: { board: string; player: Player | string | null }, { action }: ActionView): boolean {
  const river = cardsOf(at.board).length === 5;
  return action === "fold" || (river && (action === "call" || (action === "check" && at.player === "ip")));
}
