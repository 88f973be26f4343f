// Chips, sizes and words at a table.

import type { ActionView, Legal, TableView } from "./api";

export type Unit = "bb" | "chips";

/** An amount of chips in the unit that is shown. */
export function amount(chips: number, bigBlind: number, unit: Unit): string {
  if (unit === "chips") return Math.round(chips).toLocaleString("en-US");
  return `${Number((chips / bigBlind).toFixed(2))} bb`;
}

/** Big blinds with a sign. */
export function signed(bb: number, digits = 1): string {
  const text = Math.abs(bb).toFixed(digits);
  return `${Number(text) === 0 ? "" : bb > 0 ? "+" : "−"}${text}`;
}

/** What somebody did, such as `raises to 2.5 bb`. */
export function deed(action: ActionView, bigBlind: number, unit: Unit, first = false): string {
  const s = first ? "" : "s";
  const to = amount(action.chips ?? 0, bigBlind, unit);
  switch (action.action) {
    case "fold":
      return `fold${s}`;
    case "check":
      return `check${s}`;
    case "call":
      return `call${s}`;
    case "bet":
      return `bet${s} ${to}`;
    case "raise":
      return `raise${s} to ${to}`;
    case "allin":
      return first ? `go all-in, ${to}` : `is all-in, ${to}`;
  }
}

/** The name of an action, such as `raise to 2.5 bb`. */
export function choice(action: ActionView, bigBlind: number, unit: Unit): string {
  return action.action === "allin" ? `all-in ${amount(action.chips ?? 0, bigBlind, unit)}` : deed(action, bigBlind, unit, true);
}

export interface Size {
  name: string;
  /** The total chips on the street. */
  to: number;
}

const PARTS = [25, 33, 50, 75, 100, 150];
const RAISES = [50, 75, 100];

/** The sizes on the buttons: parts of the pot, before the flop multiples of the last bet. */
export function sizes(table: TableView, bigBlind: number): Size[] {
  const legal = table.legal;
  if (!legal || legal.least === null || legal.most === null) return [];
  const bet = Math.max(table.bets.you, table.bets.agent);
  // The pot after a call.
  const pot = table.pot + (legal.call ?? 0);
  const part = (percent: number): Size => ({ name: `${percent} %`, to: bet + Math.round((percent / 100) * pot) });
  const times = (factor: number): Size => ({ name: `${factor}×`, to: Math.round(factor * bet) });
  let offered: Size[];
  if (table.street === "preflop") offered = (bet <= bigBlind ? [2, 2.5, 3, 4] : [2.5, 3, 4]).map(times);
  else if (legal.bet) offered = PARTS.map(part);
  else offered = [{ name: "min", to: legal.least }, ...RAISES.map(part)];
  const { least, most } = legal;
  const fits = offered.filter((size, i) => size.to >= least && size.to < most && offered.findIndex((it) => it.to === size.to) === i);
  return [...fits, { name: "all-in", to: most }];
}

/** What the server is told. */
export const words = (legal: Legal, to: number) => (to === legal.most ? "allin" : `${legal.bet ? "b" : "r"} ${to}`);
