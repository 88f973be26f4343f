// What a node's grid shows.

import type { NodeView } from "./api";
import { CLASSES, placeOf } from "./cards";
import { heat } from "./colors";
import { chips, percent } from "./format";
import type { GridCell } from "./Grid.svelte";

export type Height = "range" | "weight" | "full";
export type Shown = "strategy" | "ev" | "equity";

const RANGE = "#eab308";

export function cellsOf(node: NodeView, colors: string[], height: Height, shown: Shown): GridCell[] {
  const cells = node.grid?.cells ?? [];
  const most = Math.max(1e-9, ...cells.map((cell) => cell.combos / Math.max(cell.possible, 1)));
  const means = shown === "strategy" ? null : meansOf(node, shown);
  return CLASSES.map((name, place) => {
    const cell = cells[place];
    if (!cell || cell.combos <= 0) return { label: `${name}, not here`, bars: [], height: 0, dim: true };
    const part = cell.combos / Math.max(cell.possible, 1);
    const tall = height === "full" ? 1 : height === "weight" ? Math.min(part, 1) : part / most;
    const combos = `${cell.combos.toFixed(2)} combos`;
    if (means) {
      const mean = means[place];
      if (mean === null || mean === undefined) return { label: `${name}, ${combos}`, bars: [], height: 0, dim: true };
      const share = shown === "equity" ? mean : mean / Math.max(node.pot, 1);
      const text = shown === "equity" ? percent(mean, 0) : chips(mean, mean >= 100 ? 0 : 1);
      return { label: `${name}, ${shown} ${text}, ${combos}`, note: text.replace(" %", ""), bars: [{ color: heat(share), share: 1 }], height: tall };
    }
    if (!cell.actions.length) return { label: `${name}, ${combos}`, bars: [{ color: RANGE, share: 1 }], height: tall };
    const mix = cell.actions.map((action) => `${action.text} ${percent(action.frequency, 1)}`).join(", ");
    return {
      label: `${name}, ${combos}: ${mix}`,
      bars: cell.actions.map((action, i) => ({ color: colors[i] ?? RANGE, share: action.frequency ?? 0 })),
      height: tall,
    };
  });
}

/** The mean EV or equity of the hands of each cell, by their reach. */
function meansOf(node: NodeView, of: "ev" | "equity"): (number | null)[] {
  const sums = new Array<number>(169).fill(0);
  const weights = new Array<number>(169).fill(0);
  for (const hand of node.hands?.hands ?? []) {
    const value = hand[of];
    if (value === null || hand.reach <= 0) continue;
    const place = placeOf(hand.hand);
    sums[place]! += hand.reach * value;
    weights[place]! += hand.reach;
  }
  return sums.map((sum, place) => (weights[place]! > 0 ? sum / weights[place]! : null));
}
