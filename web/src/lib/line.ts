// Lines: betting and dealt cards, such as `x b94 c / Th x`.

import type { ActionView } from "./api";

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
