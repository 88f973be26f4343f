// Cards, the 13 by 13 grid and ranges in the hand of the page.

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
export const SUIT_SIGNS: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };
export const SUIT_NAMES: Record<string, string> = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

/** The cards of a text such as `QsJh2h`. */
export const cardsOf = (text: string): string[] => text.match(/[2-9TJQKA][shdc]/g) ?? [];

/** The starting hand of a place in the grid: pairs on the diagonal, suited hands above it. */
export function classAt(row: number, column: number): string {
  const a = RANKS[Math.min(row, column)]!;
  const b = RANKS[Math.max(row, column)]!;
  return row === column ? a + a : a + b + (row < column ? "s" : "o");
}
export const CLASSES: string[] = Array.from({ length: 169 }, (_, place) => classAt(Math.floor(place / 13), place % 13));

/** The place in the grid of a hand such as `AhKd`. */
export function placeOf(hand: string): number {
  const a = RANKS.indexOf(hand[0]!);
  const b = RANKS.indexOf(hand[2]!);
  const [high, low] = a <= b ? [a, b] : [b, a];
  return hand[1] === hand[3] ? high * 13 + low : low * 13 + high;
}

/** The two cards of a hand in one order, so that it can be a key. */
export function handKey(hand: string): string {
  const [a, b] = [hand.slice(0, 2), hand.slice(2, 4)];
  const order = (card: string) => RANKS.indexOf(card[0]!) * 4 + SUITS.indexOf(card[1]!);
  return order(a) <= order(b) ? a + b : b + a;
}

/** The hands of a starting hand. */
export function combosOf(name: string): string[] {
  const [a, b, kind] = [name[0]!, name[1]!, name[2]];
  const hands: string[] = [];
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
      const fits = a === b ? i < j : kind === "s" ? i === j : i !== j;
      if (fits) hands.push(handKey(a + SUITS[i] + b + SUITS[j]));
    }
  }
  return hands;
}
export const COMBOS: string[][] = CLASSES.map(combosOf);

/** A range: the weight of every hand that has one. */
export type Weights = Map<string, number>;

/** A text that the server reads as these weights. */
export function rangeText(weights: Weights): string {
  const entries: string[] = [];
  const weight = (hand: string) => weights.get(hand) ?? 0;
  const written = (name: string, w: number) => (w === 1 ? name : `${name}:${Number(w.toFixed(6))}`);
  CLASSES.forEach((name, place) => {
    const hands = COMBOS[place]!;
    const first = weight(hands[0]!);
    if (hands.every((hand) => weight(hand) === first)) {
      if (first > 0) entries.push(written(name, first));
    } else {
      for (const hand of hands) if (weight(hand) > 0) entries.push(written(hand, weight(hand)));
    }
  });
  return entries.join(",") || "random:0";
}
