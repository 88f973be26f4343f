import { describe, expect, it } from "vitest";
import type { JobView, NodeRequest, NodeView } from "./api";
import { FollowedJob } from "./job.svelte";
import { after, ends } from "./line";
import { Nodes } from "./nodes";

/** A server whose answers wait until they are let go, and carry the number of their request. */
function server() {
  const sent: { request: NodeRequest; answer: () => void; fail: () => void }[] = [];
  const ask = (request: NodeRequest, signal?: AbortSignal) =>
    new Promise<NodeView>((resolve, reject) => {
      const pot = sent.length;
      signal?.addEventListener("abort", () => reject(new DOMException("gone", "AbortError")));
      sent.push({ request, answer: () => resolve({ line: request.line ?? "", pot } as NodeView), fail: () => reject(new Error("no")) });
    });
  return { sent, nodes: new Nodes(ask, 3) };
}

describe("positions", () => {
  it("are asked for once when they stay as they are", async () => {
    const { sent, nodes } = server();
    nodes.reset(true);
    const [first, second] = [nodes.get({ line: "x" }), nodes.get({ line: "x" })];
    sent[0]!.answer();
    expect(await first).toBe(await second);
    expect(await nodes.get({ line: "x" })).toBe(nodes.known({ line: "x" }));
    expect(sent.length).toBe(1);
  });
  it("differ by player and by what is shown of them", () => {
    const { sent, nodes } = server();
    nodes.reset(true);
    for (const request of [{ line: "x" }, { line: "x", player: "ip" as const }, { line: "x", hands: "all" }, { line: "x", runouts: true }, { line: "x x" }]) void nodes.get(request);
    expect(sent.length).toBe(5);
  });
  it("are never kept while a solve runs", async () => {
    const { sent, nodes } = server();
    nodes.reset(false);
    for (const number of [0, 1]) {
      const found = nodes.get({ line: "x" });
      sent[number]!.answer();
      expect((await found).pot).toBe(number);
      expect(nodes.known({ line: "x" })).toBeUndefined();
    }
  });
  it("that were asked for before the end of a solve are not kept after it", async () => {
    const { sent, nodes } = server();
    nodes.reset(false);
    const running = nodes.get({ line: "x" });
    nodes.reset(true);
    sent[0]!.answer();
    await running;
    expect(nodes.known({ line: "x" })).toBeUndefined();
    const old = nodes.get({ line: "x" });
    nodes.reset(true);
    const fresh = nodes.get({ line: "x" });
    expect(sent.length).toBe(3);
    sent[2]!.answer();
    await fresh;
    sent[1]!.answer();
    await old;
    expect(nodes.known({ line: "x" })?.pot).toBe(2);
  });
  it("are asked for again where the first who asked has gone", async () => {
    const { sent, nodes } = server();
    nodes.reset(true);
    const sender = new AbortController();
    const gone = nodes.get({ line: "x" }, sender.signal).catch((error: Error) => error.name);
    const here = nodes.get({ line: "x" });
    sender.abort();
    expect(await gone).toBe("AbortError");
    await Promise.resolve();
    sent[1]!.answer();
    expect((await here).pot).toBe(1);
  });
  it("that were not used for long are forgotten first", async () => {
    const { sent, nodes } = server();
    nodes.reset(true);
    for (const line of ["a", "b", "c", "a", "d"]) {
      const found = nodes.get({ line });
      sent.at(-1)!.answer();
      await found;
    }
    expect(["a", "b", "c", "d"].map((line) => nodes.known({ line }) !== undefined)).toEqual([true, false, true, true]);
  });
  it("are asked for ahead one at a time, until the page goes elsewhere", async () => {
    const { sent, nodes } = server();
    const pause = () => new Promise((resolve) => setTimeout(resolve, 150));
    nodes.reset(true);
    void nodes.ahead([{ line: "a" }, { line: "b" }, { line: "c" }]);
    await pause();
    expect(sent.map(({ request }) => request.line)).toEqual(["a"]);
    sent[0]!.fail();
    await pause();
    expect(sent.map(({ request }) => request.line)).toEqual(["a", "b"]);
    nodes.reset(false);
    sent[1]!.answer();
    await pause();
    expect(sent.length).toBe(2);
    await nodes.ahead([{ line: "d" }]);
    expect(sent.length).toBe(2);
  });
});

describe("lines", () => {
  it("go on after an action, where the hand is not over", () => {
    const action = (action: "fold" | "check" | "call" | "bet", chips?: number) => ({ action, text: "", ...(chips ? { chips } : {}) });
    expect([after("", action("check")), after("x", action("bet", 36))]).toEqual(["x", "x b36"]);
    const [turn, river] = ["Ks7h2d5c", "Ks7h2d5cAh"];
    expect(ends({ board: turn, player: "oop" }, action("fold"))).toBe(true);
    expect(ends({ board: turn, player: "ip" }, action("call"))).toBe(false);
    expect(ends({ board: river, player: "ip" }, action("check"))).toBe(true);
    expect(ends({ board: river, player: "oop" }, action("check"))).toBe(false);
  });
});

describe("a followed job", () => {
  const view = (state: string, iteration: number, points: number[]) =>
    ({ id: 1, kind: "solve", state, iteration, spot: "", points: points.map((at) => ({ iteration: at })) }) as unknown as JobView;
  it("never goes back to an older state, and has each point once", () => {
    const job = new FollowedJob("1");
    job.set(view("running", 10, [5, 10]));
    job.take(view("running", 20, [20]));
    // The answer to a request that is older than the news.
    job.set(view("running", 15, [5, 10]));
    expect([job.view!.iteration, job.view!.points.map((point) => point.iteration)]).toEqual([20, [5, 10, 20]]);
    job.set(view("pausing", 25, [5, 10, 20, 25]));
    job.take(view("paused", 25, [25]));
    expect([job.view!.state, job.view!.points.length]).toEqual(["paused", 4]);
    job.take(view("done", 30, [30]));
    job.set(view("pausing", 30, [5, 10, 20, 25, 30]));
    expect([job.view!.state, job.view!.points.length]).toEqual(["done", 5]);
  });
});
