// Numbers as people read them. What the command prints to a hundredth is shown to a hundredth.

export const percent = (share: number | null | undefined, digits = 2) =>
  share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;

export const chips = (amount: number | null | undefined, digits = 2) =>
  amount === null || amount === undefined ? "–" : (amount + 0).toFixed(digits).replace(/^-0(\.0*)?$/, "0$1");

export const thousands = (number: number) => Math.round(number).toLocaleString("en-US");

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? count : count.toFixed(count < 10 ? 1 : 0)} ${units[unit]}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.max(seconds, 0).toFixed(1)} s`;
  if (seconds < 120) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

export function date(seconds: number | null | undefined): string {
  if (!seconds) return "";
  return new Date(1000 * seconds).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
