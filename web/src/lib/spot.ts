// A spot as the form holds it, and as the text of a file.

export interface PlayerSizes {
  bet: string;
  raise: string;
  donk?: string | null;
}
export interface StreetSizes {
  oop: PlayerSizes;
  ip: PlayerSizes;
  max_raises?: number | null;
}
export type Street = "flop" | "turn" | "river";
export const STREETS: Street[] = ["flop", "turn", "river"];

export interface SpotForm {
  board: string;
  oop_range: string;
  ip_range: string;
  pot: number;
  stack: number;
  big_blind?: number | null;
  bet_sizes: Record<Street, StreetSizes>;
  add_allin_threshold: number;
  force_allin_threshold: number;
  merging_threshold: number;
  rake: { percent: number; cap?: number | null };
  start?: string | null;
  locks: string[];
}

const street = (bet: string, raise: string): StreetSizes => ({ oop: { bet, raise }, ip: { bet, raise } });

/** A spot to begin with. */
export const blank = (): SpotForm => ({
  board: "",
  oop_range: "",
  ip_range: "",
  pot: 100,
  stack: 900,
  bet_sizes: { flop: street("33%, 75%", "60%"), turn: street("75%", "60%"), river: street("75%, a", "60%") },
  add_allin_threshold: 0,
  force_allin_threshold: 0.15,
  merging_threshold: 0.1,
  rake: { percent: 0 },
  locks: [],
});

const quoted = (text: string) => `"${text.replaceAll(/[\\"\r\n]/g, "")}"`;

/** The text of a file, which the server reads. */
export function yamlOf(form: SpotForm): string {
  const lines = [
    `board: ${quoted(form.board)}`,
    `oop_range: ${quoted(form.oop_range)}`,
    `ip_range: ${quoted(form.ip_range)}`,
    `pot: ${form.pot}`,
    `stack: ${form.stack}`,
  ];
  if (form.big_blind) lines.push(`big_blind: ${form.big_blind}`);
  const player = (sizes: PlayerSizes) => {
    const parts: string[] = [];
    if (sizes.bet.trim()) parts.push(`bet: ${quoted(sizes.bet)}`);
    if (sizes.raise.trim()) parts.push(`raise: ${quoted(sizes.raise)}`);
    if (sizes.donk !== undefined && sizes.donk !== null) parts.push(`donk: ${quoted(sizes.donk)}`);
    return parts.join(", ");
  };
  const streets = STREETS.flatMap((name) => {
    const sizes = form.bet_sizes[name];
    const own = (["oop", "ip"] as const)
      .map((side) => [side, player(sizes[side])] as const)
      .filter(([, text]) => text)
      .map(([side, text]) => `    ${side}: {${text}}`);
    if (sizes.max_raises !== undefined && sizes.max_raises !== null) own.push(`    max_raises: ${sizes.max_raises}`);
    return own.length ? [`  ${name}:`, ...own] : [];
  });
  if (streets.length) lines.push("bet_sizes:", ...streets);
  for (const key of ["add_allin_threshold", "force_allin_threshold", "merging_threshold"] as const)
    if (form[key]) lines.push(`${key}: ${form[key]}`);
  if (form.rake.percent) {
    const cap = form.rake.cap === undefined || form.rake.cap === null ? "" : `, cap: ${form.rake.cap}`;
    lines.push(`rake: {percent: ${form.rake.percent}${cap}}`);
  }
  if (form.start) lines.push(`start: ${quoted(form.start)}`);
  if (form.locks.length) lines.push("locks:", ...form.locks.map((lock) => `  - ${quoted(lock)}`));
  return lines.join("\n") + "\n";
}
