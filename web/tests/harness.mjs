// A server with a data directory of its own, and a browser.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const lethe = process.env.LETHE ?? join(root, "target/release/lethe");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the server; the data directory is that of LETHE_DATA or an empty one. */
export async function serve(data = mkdtempSync(join(tmpdir(), "lethe-web-"))) {
  const child = spawn(lethe, ["serve", "--port", "0", "--no-open", "--data", data], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const found = text.match(/http:\/\/\S+/);
      if (found) resolve(found[0].replace(/\/$/, ""));
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const end = () =>
    new Promise((resolve) => {
      const begun = Date.now();
      child.removeAllListeners("exit");
      child.on("exit", () => resolve(Date.now() - begun));
      child.kill("SIGINT");
    });
  return { url, data, pid: child.pid, end, remove: () => rmSync(data, { recursive: true, force: true }) };
}

/** Where Chromium is. */
export function executable() {
  const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
  if (!found) throw new Error("no Chromium; set CHROMIUM to its path");
  return found;
}

export async function browse() {
  return chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--font-render-hinting=none",
      "--force-color-profile=srgb",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** A page that notes everything the console and the policy complain about. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 960 }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.setDefaultTimeout(30000);
  return page;
}

/** What axe-core finds on a page. */
export async function axe(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((it) => `${it.id}: ${it.help} (${it.nodes.length}): ${it.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" | ")}`);
}

export function assert(truth, message) {
  if (!truth) throw new Error(message);
}

export const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
