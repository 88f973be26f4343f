// The API of the server. Its types are in types.ts.

export type * from "./types";
import type {
  BlueprintView,
  BoardView,
  BucketView,
  DiffView,
  FinishedView,
  JobState,
  JobView,
  Library,
  NodeView,
  Overview,
  Player,
  PlayView,
  RangeView,
  SolutionView,
  SpotCheck,
  StrategyView,
  SweepView,
  TableList,
} from "./types";

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
  blueprintNode: (name: string, line: string, signal?: AbortSignal) =>
    call<StrategyView>("GET", `/blueprints/${id(name)}/node${query({ line, hands: true })}`, undefined, signal),
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
  tables: () => call<TableList>("GET", "/play"),
  newTable: (body: Record<string, unknown>) => call<PlayView>("POST", "/play", body),
  table: (number: string) => call<PlayView>("GET", `/play/${id(number)}`),
  closeTable: (number: string | number) => call<void>("DELETE", `/play/${number}`),
  act: (number: string, action: string) => call<PlayView>("POST", `/play/${id(number)}/act`, { action }),
  atTable: (number: string, what: "deal" | "hint" | "values" | "stop" | "resume") =>
    call<PlayView>("POST", `/play/${id(number)}/${what}`),
  finishedHand: (number: string, hand: number) => call<FinishedView>("GET", `/play/${id(number)}/hands/${hand}`),
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

/** Follows a table; returns what ends that. */
export function followTable(number: number, onNews: (news: PlayView) => void): () => void {
  const events = new EventSource(`/api/v1/play/${number}/events`);
  events.addEventListener("table", (event) => onNews(JSON.parse((event as MessageEvent<string>).data) as PlayView));
  return () => events.close();
}
