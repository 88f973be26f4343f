import { describe, expect, it } from "vitest";
import { CLASSES, COMBOS, combosOf, handKey, placeOf, rangeText } from "./cards";
import { actionColors } from "./colors";
import { bytes, chips, duration, percent } from "./format";
import { cards, steps } from "./line";
import { amount, choice, signed, sizes, words } from "./play";
import type { TableView } from "./types";
import { blank, yamlOf } from "./spot";

describe("cards", () => {
  it("puts every hand into the cell of its starting hand", () => {
    expect(COMBOS.flat().length).toBe(1326);
    expect(new Set(COMBOS.flat()).size).toBe(1326);
    COMBOS.forEach((hands, place) => hands.forEach((hand) => expect(placeOf(hand)).toBe(place)));
    expect([CLASSES[0], CLASSES[1], CLASSES[13]]).toEqual(["AA", "AKs", "AKo"]);
  });
  it("has one key for a hand, however it is written", () => {
    expect(handKey("KhAh")).toBe(handKey("AhKh"));
    expect(combosOf("AKs")).toContain("AhKh");
  });
  it("writes a range class by class, and hand by hand where suits differ", () => {
    const weights = new Map(combosOf("AA").map((hand) => [hand, 0.5]));
    weights.set(handKey("AhKh"), 1);
    expect(rangeText(weights)).toBe("AA:0.5,AhKh");
    expect(rangeText(new Map())).toBe("random:0");
  });
});

describe("lines", () => {
  it("keeps a card with its slash", () => {
    expect(steps("x b94 c / Th x")).toEqual(["x", "b94", "c", "/ Th", "x"]);
    expect(steps("")).toEqual([]);
  });
  it("writes actions as lines do", () => {
    const word = (action: "bet" | "check" | "allin", chips?: number) => cards.word({ action, text: "", ...(chips ? { chips } : {}) });
    expect([word("check"), word("bet", 36), word("allin", 900)]).toEqual(["x", "b36", "a"]);
  });
});

describe("numbers", () => {
  it("shows what is unknown as a dash and never a negative zero", () => {
    expect([percent(null), chips(undefined), chips(-0.001)]).toEqual(["–", "–", "0.00"]);
    expect([percent(0.12345), chips(12.345, 1)]).toEqual(["12.35 %", "12.3"]);
  });
  it("chooses units", () => {
    expect([bytes(512), bytes(5 << 20), duration(0.25), duration(90), duration(600)]).toEqual(["512 B", "5.0 MiB", "0.3 s", "90 s", "10 min"]);
  });
});

describe("spots", () => {
  it("become a file in which a text cannot break out of its quotes", () => {
    const form = { ...blank(), board: 'Ks7h2d"\nx', oop_range: "AA", ip_range: "KK", locks: ["x=check"] };
    const text = yamlOf(form);
    expect(text).toContain('oop_range: "AA"');
    expect(text).toContain('  - "x=check"');
    expect(text.split("\n").filter((line) => line.startsWith("x"))).toEqual([]);
  });
});

describe("colours", () => {
  it("tell actions apart", () => {
    const action = (action: "fold" | "call" | "raise" | "allin", text: string) => ({ action, text });
    const colors = actionColors([action("fold", "fold"), action("call", "call"), action("raise", "raise 9"), action("raise", "raise 20"), action("allin", "all-in")]);
    expect(new Set(colors).size).toBe(5);
  });
});

describe("a table", () => {
  const table = (change: Partial<TableView>): TableView => ({
    number: 1,
    seat: "sb",
    hole: "AhKd",
    agents_hole: null,
    street: "preflop",
    board: "",
    pot: 150,
    stacks: { you: 1950, agent: 1900 },
    bets: { you: 50, agent: 100 },
    to_act: "you",
    legal: { fold: true, check: false, call: 50, least: 200, most: 2000, bet: false },
    actions: [],
    result: null,
    ...change,
  });
  it("offers multiples before the flop and parts of the pot after it", () => {
    expect(sizes(table({}), 100).map((size) => [size.name, size.to])).toEqual([["2×", 200], ["2.5×", 250], ["3×", 300], ["4×", 400], ["all-in", 2000]]);
    const legal = { fold: false, check: true, call: null, least: 100, most: 900, bet: true };
    const flop = table({ street: "flop", pot: 500, bets: { you: 0, agent: 0 }, legal });
    expect(sizes(flop, 100).map((size) => size.to)).toEqual([125, 165, 250, 375, 500, 750, 900]);
    expect([words(legal, 250), words(legal, 900)]).toEqual(["b 250", "allin"]);
  });
  it("raises by parts of the pot after a call", () => {
    const legal = { fold: true, check: false, call: 250, least: 500, most: 5000, bet: false };
    const facing = table({ street: "turn", pot: 750, bets: { you: 0, agent: 250 }, legal });
    // 250 to call makes the pot 1000; half of it on top of the bet.
    expect(sizes(facing, 100).map((size) => size.to)).toEqual([500, 750, 1000, 1250, 5000]);
    expect(sizes(table({ legal: { ...legal, least: null, most: null } }), 100)).toEqual([]);
  });
  it("writes chips and big blinds", () => {
    expect([amount(250, 100, "bb"), amount(12345, 100, "chips")]).toEqual(["2.5 bb", "12,345"]);
    expect([signed(1.25, 2), signed(-0.5), signed(0.001)]).toEqual(["+1.25", "−0.5", "0.0"]);
    expect(choice({ action: "raise", chips: 250, text: "raise 250" }, 100, "bb")).toBe("raise to 2.5 bb");
  });
});
