// How fast the explorer is, measured in the browser: on two idle cores the figures must hold.
//
//   npm run perf            prints them
//   npm run perf -- --check fails where one is above its limit

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { browse, open, quantile, root, serve } from "./harness.mjs";

const checks = process.argv.includes("--check");
let failed = false;
function report(name, value, limit, unit) {
  const over = value > limit;
  failed ||= over;
  console.log(`${over ? "OVER" : "ok  "} ${name}: ${value.toFixed(1)} ${unit} (limit ${limit})`);
}

const dist = `${root}/crates/server/dist`;
const size = ["index.html", "app.js", "app.css", "icon.svg"].reduce((sum, name) => sum + gzipSync(readFileSync(`${dist}/${name}`), { level: 9 }).length, 0);
report("bundle, compressed", size / 1000, 120, "kB");

// The limits are those of an idle machine.
const load = () => readFileSync("/proc/stat", "utf8").split("\n")[0].split(/\s+/).slice(1).map(Number);
const [from, to] = [load(), await new Promise((resolve) => setTimeout(() => resolve(load()), 1000))];
const spent = to.map((ticks, i) => ticks - from[i]);
const busy = 1 - (spent[3] + spent[4]) / spent.reduce((a, b) => a + b);
if (busy > 0.1) console.log(`note other programs use ${(100 * busy).toFixed(0)} % of the processors; the limits are for an idle machine`);

const server = await serve();
const api = async (path, body) => (await fetch(`${server.url}/api/v1${path}`, body ? { method: "POST", body: JSON.stringify(body) } : {})).json();
const over = async (id) => {
  for (;;) {
    const job = await api(`/jobs/${id}`);
    if (["done", "stopped", "failed"].includes(job.state)) return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const browser = await browse();

const paints = [];
for (let i = 0; i < 5; i++) {
  const page = await open(browser);
  await page.goto(server.url);
  await page.getByText("Example spots").waitFor();
  paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  await page.context().close();
}
report("first contentful paint, median of five loads", quantile(paints, 0.5), 400, "ms");

/** From a click on an action to the frame that shows it, over walks through a solution: of positions that the page
 * has shown before, and of new ones. */
async function clicks(id, walks) {
  const page = await open(browser);
  const [times, first] = [[], []];
  const seen = new Set();
  const grids = [];
  for (const walk of walks) {
    await page.goto(`${server.url}/browse/job/${id}${walk.start ? `?line=${encodeURIComponent(walk.start)}` : ""}`);
    await page.locator(".history .now").waitFor();
    seen.add(new URL(page.url()).search);
    for (let i = 0; i < walk.count; i++) {
      const time = await page.evaluate(async (back) => {
        const before = location.search;
        const buttons = [...document.querySelectorAll(".history .now li button")];
        const begun = performance.now();
        if (back || !buttons.length) history.back();
        else buttons[Math.floor(Math.random() * buttons.length)].click();
        for (;;) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          const line = new URLSearchParams(location.search).get("line") ?? "";
          // The numbers on screen are those of the address, and the address is another one.
          const settled = document.querySelector(".summary:not(.busy)")?.dataset.line === line && document.title.includes(line);
          if ((location.search !== before && settled) || performance.now() - begun > 5000) break;
        }
        // We are in the callback of a frame that will show them: a timer fires once it has been painted.
        await new Promise((resolve) => setTimeout(resolve));
        return performance.now() - begun;
      }, i % 2 === 1);
      const at = new URL(page.url()).search;
      (seen.has(at) ? times : first).push(time);
      seen.add(at);
    }
    grids.push(...(await page.evaluate(() => performance.getEntriesByName("grid").map((entry) => entry.duration))));
  }
  await page.context().close();
  return { times, first, grids };
}

const turn = await api("/jobs", { library: "@srp-turn", target: 1 });
await over(turn.id);
const river = await api("/jobs", { library: "@river-srp", target: 1 });
await over(river.id);
const seen = await clicks(turn.id, [{ count: 100 }, { start: "x x / 8h", count: 100 }]);
report("click to paint on the turn and river, 95 %", quantile(seen.times, 0.95), 50, "ms");
const rivers = await clicks(river.id, [{ count: 100 }]);
report("click to paint on a river spot, 95 %", quantile(rivers.times, 0.95), 50, "ms");
console.log(`     first visits there: ${quantile([...seen.first, ...rivers.first], 0.5).toFixed(1)} ms, median of ${seen.first.length + rivers.first.length}`);
report("grid redraw, 95 %", quantile([...seen.grids, ...rivers.grids], 0.95), 8, "ms");

if (!process.argv.includes("--quick")) {
  const flop = await api("/jobs", { library: "@4bet-flop", target: 3 });
  await over(flop.id);
  const first = await clicks(flop.id, [{ count: 2 }]);
  report("first visit to a flop node", Math.max(...first.first), 300, "ms");
  const again = await clicks(flop.id, [{ count: 100 }]);
  report("click to paint on the flop, 95 %", quantile(again.times, 0.95), 50, "ms");
}

// What the server adds to a solve: the time of its own threads beside those that solve.
const ticks = () => {
  const tasks = `/proc/${server.pid}/task`;
  let [all, own] = [0, 0];
  for (const task of readdirSync(tasks)) {
    const stat = readFileSync(`${tasks}/${task}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const time = Number(fields[11]) + Number(fields[12]);
    all += time;
    if (name.startsWith("tokio") || Number(task) === server.pid) own += time;
  }
  return [all, own];
};
const page = await open(browser);
const long = await api("/jobs", { library: "@srp-turn", iterations: 1000000 });
await page.goto(`${server.url}/job/${long.id}`);
await page.getByText("Bracket of the value").waitFor();
const before = ticks();
await new Promise((resolve) => setTimeout(resolve, 8000));
const after = ticks();
await api(`/jobs/${long.id}/stop`, {});
report("the server beside a solve, of the processor time", (100 * (after[1] - before[1])) / (after[0] - before[0]), 3, "%");

await browser.close();
await server.end();
server.remove();
process.exit(checks && failed ? 1 : 0);
