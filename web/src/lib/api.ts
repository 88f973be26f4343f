// The API of the server, and its types. Fields are those of `lethe --json`.

export interface Both<T> {
  oop: T;
  ip: T;
}
export type Player = "oop" | "ip";

export interface ActionView {
  action: "fold" | "check" | "call" | "bet" | "raise" | "allin";
  chips?: number;
  pot_fraction?: number;
  text: string;
}
export interface ActionShare extends ActionView {
  frequency: number | null;
  ev?: number;
  ev_bb?: number;
}
export interface Values {
  ev: number | null;
  ev_bb?: number;
  equity: number | null;
  realisation: number | null;
}
export interface HandRow extends Values {
  hand: string;
  made: string;
  draws?: string[];
  weight: number;
  reach: number;
  actions: ActionShare[];
}
export interface CellView {
  class: string;
  possible: number;
  combos: number;
  actions: ActionShare[];
}
export interface GridView {
  player: string;
  actions: ActionView[];
  cells: CellView[];
}
export interface ClassRow extends Values {
  class: string;
  combos: number;
  share: number;
  actions: ActionShare[];
}
export interface RunoutRow {
  card: string;
  ev: Both<number | null>;
  equity: Both<number | null>;
  actions: ActionShare[];
}
export interface NodeView {
  line: string;
  board: string;
  pot: number;
  stacks: Both<number>;
  player: Player | null;
  combos: Both<number>;
  ev: Both<number | null>;
  ev_bb?: Both<number | null>;
  equity: Both<number | null>;
  realisation: Both<number | null>;
  actions: ActionShare[];
  hands?: { player: Player; hands: HandRow[] };
  grid?: GridView;
  classes?: { player: Player; made: ClassRow[]; draws: ClassRow[] };
  runouts?: { cards: RunoutRow[] };
}
export interface SolveView {
  board: string;
  iterations: number;
  seconds: number;
  stopped_by: string;
  limited_by?: string;
  pot: number;
  exploitability: number | null;
  exploitability_percent: number | null;
  ev: Both<number> | null;
  ev_bb?: Both<number>;
  equity: Both<number> | null;
  bracket: [number, number] | null;
  player: Player;
  actions: ActionShare[];
}
export interface Point {
  seconds: number;
  iteration: number;
  exploitability_percent: number;
  bracket: [number, number] | null;
}
export type JobState = "queued" | "running" | "pausing" | "paused" | "done" | "stopped" | "failed";
export interface JobView {
  id: number;
  kind: "solve" | "sweep";
  name: string;
  state: JobState;
  error?: string;
  spot: string;
  locks: string[];
  board: string;
  precision: string;
  target_percent: number | null;
  memory: number;
  iteration: number;
  exploitability_percent: number | null;
  seconds: number;
  seconds_left: number | null;
  sweep?: { id: string; done: number; total: number; flop: string };
  saved: string | null;
  result: SolveView | null;
  points: Point[];
}
export interface SolutionView {
  name: string;
  spot: string;
  locks: string[];
  result: SolveView;
}
export interface SpotItem {
  id: string;
  title: string;
  board: string | null;
  example: boolean;
  modified: number | null;
}
export interface Library {
  server: { program: string; version: string; data: string };
  threads: number;
  free_memory: number | null;
  spots: SpotItem[];
  solutions: { name: string; bytes: number; modified: number | null; board?: string }[];
  runs: {
    name: string;
    bytes: number;
    modified: number | null;
    iterations?: number;
    seconds?: number;
    abstraction?: string | null;
    error?: string;
  }[];
  abstractions: {
    name: string;
    bytes: number;
    buckets?: Record<string, number>;
    method?: string;
    created?: number;
    preset?: string;
    error?: string;
  }[];
  sweeps: { id: string; total: number; done: number; modified: number | null }[];
  jobs: JobView[];
}
export interface RangeView {
  text: string;
  combos: number;
  share: number;
  hands: { hand: string; weight: number }[];
}
export interface SpotCheck {
  tree: {
    nodes: number;
    information_sets: number;
    memory: { f32: number; i16: number };
    hands: Both<number>;
    streets: { street: string; decisions: number; information_sets: number }[];
  } | null;
  problem: string | null;
  free_memory: number | null;
  fits: boolean;
  iterations: number;
  seconds: number | null;
  advice: { change: string; memory: number; fits: boolean; spot: string | null }[];
}
export interface StrategyView {
  blueprint: string;
  iterations: number;
  history: string;
  street: string;
  board: string | null;
  player: "sb" | "bb";
  pot: number;
  to_call: number;
  stacks: { sb: number; bb: number };
  reach: number | null;
  actions: ActionShare[];
  grid?: GridView;
  hands?: {
    hand: string;
    bucket: number;
    key: string;
    reach: number;
    trained: boolean;
    actions: ActionShare[];
  }[];
  buckets?: {
    bucket: number;
    share: number | null;
    equity: number | null;
    trained: boolean;
    frequencies: number[];
  }[];
}
export interface Estimate {
  seconds: number;
  mbb: number;
  interval_mbb?: number;
  flops?: number;
  kind: "exact" | "flops" | "lbr";
}
export interface BlueprintView {
  name: string;
  bytes: number;
  iterations?: number;
  seconds?: number;
  abstraction?: string | null;
  error?: string;
  config: { game: { stack: number; small_blind: number; big_blind: number } } | null;
  history: { best_exploitability: Estimate | null } | null;
  curves: { name: string; unit: string; points: [number, number, number][] }[];
}
export interface StreetOverview {
  method: string;
  situations: number;
  summary: {
    sizes: [number, number, number];
    equities: [number, number];
    spread_within: number;
    spread_between: number;
    coverage: number;
  };
  buckets: number;
  sizes: number[];
  equities: number[];
  spreads: number[];
  centroids: number[][];
  quality: { variance_explained: number; empty_buckets: number };
}
export interface Overview {
  name: string;
  program: string;
  created: number;
  seconds: number;
  bytes: number;
  outdated: boolean;
  streets: Record<string, StreetOverview>;
}
export interface BucketHand {
  hole: string;
  board: string;
  equity: number;
}
export interface BucketView {
  street: string;
  bucket: number;
  buckets: number;
  size: number;
  share: number;
  equity: number;
  spread: number;
  situations: number;
  centroid: number[] | null;
  typical: BucketHand[];
  lowest: BucketHand[];
  highest: BucketHand[];
  neighbours: { bucket: number; size: number; equity: number; spread: number; distance: number }[];
}
export interface BoardView {
  board: string;
  street: string;
  buckets: number;
  distinct: number;
  classes: {
    class: string;
    combos: number;
    equity: number | null;
    bucket: number | null;
    buckets: number[];
  }[];
}
export interface DiffView {
  a: string;
  b: string;
  streets: Record<
    string,
    {
      deals: number;
      adjusted_rand_index: number;
      a: { buckets: number; variance_explained: number; matched: number };
      b: { buckets: number; variance_explained: number; matched: number };
    }
  >;
}
export interface ActionResult {
  action: ActionView["action"];
  chips?: number;
  pot_fraction?: number;
  text: string;
  frequency: number;
}
export interface FlopRow {
  flop: string;
  weight: number;
  iterations: number;
  seconds: number;
  exploitability_percent: number | null;
  ev: [number, number];
  equity: [number, number];
  oop: ActionResult[];
  ip: ActionResult[];
  texture: { pairing: string; suits: string; high: string; connected: boolean };
}
export interface SweepView {
  total: number;
  pot: number;
  target_percent: number;
  spot: string;
  mean: { weight: number; ev: [number, number]; equity: [number, number]; oop: ActionResult[]; ip: ActionResult[] } | null;
  flops: FlopRow[];
}

/** What the server says when it cannot do what was asked. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { method, signal: signal ?? null };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, init);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer. Is `lethe serve` still running?");
  }
  if (response.status === 204) return undefined as T;
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  let problem: { error?: string; line?: number; column?: number } = {};
  try {
    problem = JSON.parse(text);
  } catch {
    problem = { error: text };
  }
  throw new ApiError(response.status, problem.error ?? response.statusText, problem.line, problem.column);
}

/** The query of an address, without what is undefined, false or empty. */
export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "");
  const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
  return text ? `?${text}` : "";
}

const id = encodeURIComponent;

export interface NodeRequest {
  line?: string;
  player?: Player | undefined;
  hands?: string;
  grid?: boolean;
  classes?: boolean;
  runouts?: boolean;
}

export const api = {
  library: () => call<Library>("GET", "/library"),
  parseRange: (text: string, signal?: AbortSignal) => call<RangeView>("POST", "/range/parse", { text }, signal),
  checkSpot: (text: string, precision: string, target: number | null, signal?: AbortSignal) =>
    call<SpotCheck>("POST", "/spots/check", { text, precision, target }, signal),
  spot: (name: string) => call<{ id: string; text: string }>("GET", `/spots/${id(name)}`),
  keepSpot: (name: string, text: string) => call<{ id: string }>("PUT", `/spots/${id(name)}`, { text }),
  dropSpot: (name: string) => call<void>("DELETE", `/spots/${id(name)}`),
  newJob: (body: Record<string, unknown>) => call<JobView>("POST", "/jobs", body),
  job: (number: string | number) => call<JobView>("GET", `/jobs/${number}`),
  dropJob: (number: string | number) => call<void>("DELETE", `/jobs/${number}`),
  pause: (number: string | number) => call<JobView>("POST", `/jobs/${number}/pause`),
  resume: (number: string | number) => call<JobView>("POST", `/jobs/${number}/resume`),
  stop: (number: string | number) => call<JobView>("POST", `/jobs/${number}/stop`),
  save: (number: string | number, name: string, replace = false) =>
    call<{ solution: string }>("POST", `/jobs/${number}/save`, { name, replace }),
  solution: (name: string) => call<SolutionView>("GET", `/solutions/${id(name)}`),
  solutionSpot: (name: string) => call<{ text: string }>("GET", `/solutions/${id(name)}/spot`),
  node: (base: string, request: NodeRequest, signal?: AbortSignal) =>
    call<NodeView>("GET", `${base}/node${query({ ...request })}`, undefined, signal),
  blueprint: (name: string) => call<BlueprintView>("GET", `/blueprints/${id(name)}`),
  blueprintNode: (name: string, line: string, hands: boolean, signal?: AbortSignal) =>
    call<StrategyView>("GET", `/blueprints/${id(name)}/node${query({ line, hands })}`, undefined, signal),
  blueprintSpot: (name: string, line: string) =>
    call<{ text: string; line: string }>("GET", `/blueprints/${id(name)}/spot${query({ line })}`),
  abstraction: (name: string) => call<Overview>("GET", `/abstractions/${id(name)}`),
  bucket: (name: string, street: string, bucket: number, signal?: AbortSignal) =>
    call<BucketView>("GET", `/abstractions/${id(name)}/buckets/${street}/${bucket}`, undefined, signal),
  board: (name: string, board: string, signal?: AbortSignal) =>
    call<BoardView>("GET", `/abstractions/${id(name)}/boards/${id(board)}`, undefined, signal),
  diff: (a: string, b: string, street: string) =>
    call<DiffView>("GET", `/abstractions/${id(a)}/diff/${id(b)}${query({ street })}`),
  sweep: (name: string) => call<SweepView>("GET", `/sweeps/${id(name)}`),
};

/** The address of what a node belongs to. */
export const sourceBase = (kind: string, name: string) => (kind === "job" ? `/jobs/${id(name)}` : `/solutions/${id(name)}`);

/** Follows a job until it is over; returns what ends it. */
export function follow(number: number, points: number, onNews: (news: JobView) => void): () => void {
  const events = new EventSource(`/api/v1/jobs/${number}/events?points=${points}`);
  events.addEventListener("job", (event) => {
    const news = JSON.parse((event as MessageEvent<string>).data) as JobView;
    onNews(news);
    if (isOver(news.state)) events.close();
  });
  return () => events.close();
}

export const isOver = (state: JobState) => state === "done" || state === "stopped" || state === "failed";
