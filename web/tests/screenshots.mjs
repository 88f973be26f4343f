// The pictures of docs/explorer.md. LETHE_DATA may name a data directory with a blueprint and
// abstractions; without one their pages are left out.

import { mkdirSync } from "node:fs";
import { browse, open, root, serve } from "./harness.mjs";

const out = `${root}/docs/explorer`;
mkdirSync(out, { recursive: true });
const given = process.env.LETHE_DATA;
const server = await serve(given);
const api = async (path, body) => (await fetch(`${server.url}/api/v1${path}`, body ? { method: "POST", body: JSON.stringify(body) } : {})).json();
const over = async (id) => {
  for (;;) {
    const job = await api(`/jobs/${id}`);
    if (["done", "stopped", "failed"].includes(job.state)) return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const turn = await api("/jobs", { library: "@srp-turn", name: "Single-raised pot, turn", target: 0.2 });
await over(turn.id);
const sweep = await api("/jobs", { kind: "sweep", library: "@4bet-flop", flops: "40", target: 3, name: "four-bet-pots" });
await over(sweep.id);
/** Some hands against a run, and the flop of the next with a hint. */
async function play(run) {
  const { id } = await api("/play", { run, seed: 8, iterations: 200 });
  const now = async () => {
    for (;;) {
      const view = await api(`/play/${id}`);
      if (!view.busy) return view;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  for (let hand = 1; ; ) {
    const { table } = await now();
    if (hand > 12 && table.street === "flop" && table.to_act === "you") break;
    if (table.result) {
      await api(`/play/${id}/deal`, {});
      hand += 1;
    } else await api(`/play/${id}/act`, { action: table.legal.call > 600 ? "f" : table.actions.length < 2 && hand % 2 ? "r 2.5x" : "c" });
  }
  await api(`/play/${id}/hint`, {});
  await now();
  return id;
}
const library = await api("/library");
const browser = await browse();
const shots = [
  ["home", "/", "Example spots", "light"],
  ["spot", "/spot?id=%40srp-turn", "Time, about", "light"],
  ["solve", `/job/${turn.id}`, "Bracket of the value", "light"],
  ["browse", `/browse/job/${turn.id}?line=x`, "to act", "dark"],
  ["runouts", `/browse/job/${turn.id}?line=x%20x`, "Equity OOP", "light"],
  ["lock", `/browse/job/${turn.id}?line=x&tab=lock`, "Lock and solve again", "light"],
];
const run = library.runs.find((it) => !it.error);
if (run) {
  shots.push(["blueprint", `/blueprint/${encodeURIComponent(run.name)}`, "to act", "light"]);
  const table = await play(run.name);
  shots.push(["play", `/play/${table}`, "Lethe does", "light"], ["review", `/play/${table}?hand=1`, "Lethe does so", "dark"]);
}
const cards = library.abstractions.find((it) => !it.error);
if (cards) {
  shots.push(["buckets", `/buckets/${encodeURIComponent(cards.name)}?street=flop&bucket=${Math.floor(cards.buckets.flop / 2)}`, "Nearest buckets", "light"]);
  shots.push(["board", `/buckets/${encodeURIComponent(cards.name)}?tab=board&board=Ks7h2d`, "buckets on this board", "light"]);
}
const report = library.sweeps.find((it) => it.done === it.total);
if (report) shots.push(["flop-report", `/flops/${encodeURIComponent(report.id)}?group=high`, "By texture", "light"]);
for (const [name, path, text, colorScheme] of shots) {
  const page = await open(browser, { colorScheme, viewport: { width: 1360, height: 900 } });
  await page.goto(server.url + path);
  await page.getByText(text).first().waitFor({ timeout: 120000 });
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${out}/${name}.png` });
  console.log(`docs/explorer/${name}.png`);
  await page.context().close();
}
await browser.close();
await server.end();
if (!given) server.remove();
