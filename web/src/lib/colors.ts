import type { ActionView } from "./api";

const BETS = ["#f59e0b", "#f97316", "#ef4444", "#ec4899", "#d946ef", "#a855f7", "#8b5cf6"];
const FOLD = "#3b82f6";
const CALL = "#22c55e";

/** The colours of actions: fold blue, check and call green, bets from amber over red to violet. */
export function actionColors(actions: ActionView[]): string[] {
  const bets = actions.filter((action) => !["fold", "check", "call"].includes(action.action)).length;
  let bet = 0;
  return actions.map((action) => {
    if (action.action === "fold") return FOLD;
    if (action.action === "check" || action.action === "call") return CALL;
    const place = bets <= 1 ? 2 : Math.round((bet * (BETS.length - 1)) / Math.max(bets - 1, 4));
    bet += 1;
    return BETS[Math.min(place, BETS.length - 1)]!;
  });
}

/** A colour from red over yellow to green for a share from 0 to 1. */
export const heat = (share: number) => `hsl(${Math.round(130 * Math.min(Math.max(share, 0), 1))} 65% 48%)`;

/** A colour for a number, different from those of its neighbours. */
export const distinct = (number: number) => `hsl(${(number * 137.508) % 360} 58% ${44 + (number % 3) * 8}%)`;
