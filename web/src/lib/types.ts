// What the server answers: the fields of `lethe --json`. The schemas of the API are made from this file.

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
  ev_interval?: number;
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
  ev?: number;
  ev_bb?: number;
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
  best_response: Both<number> | null;
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
export interface SolutionSpot {
  text: string;
}
export interface Saved {
  solution: string;
}
export interface SubgameView {
  text: string;
  line: string;
}
export interface SpotText {
  id: string;
  text: string;
}
export interface SpotItem {
  id: string;
  title: string;
  board: string | null;
  example: boolean;
  modified: number | null;
}
export interface ServerView {
  program: string;
  version: string;
  process: number;
  data: string;
}
/** A run; where its checkpoint does not open, only the error is known. */
export interface RunItem {
  name: string;
  path: string;
  bytes: number;
  iterations?: number;
  seconds?: number;
  abstraction?: string | null;
  resumable?: boolean;
  program?: string;
  trainer?: number;
  outdated?: boolean;
  error?: string;
}
export interface DatedRun extends RunItem {
  modified: number | null;
}
export interface Library {
  server: ServerView;
  threads: number;
  free_memory: number | null;
  spots: SpotItem[];
  solutions: { name: string; path: string; bytes: number; modified: number | null; board?: string }[];
  runs: DatedRun[];
  abstractions: {
    name: string;
    path: string;
    bytes: number;
    buckets?: Record<string, number>;
    method?: string;
    algorithm?: number;
    outdated?: boolean;
    created?: number;
    seconds?: number;
    equity_tables?: boolean;
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
  form: unknown;
  tree: {
    board: string;
    pot: number;
    stack: number;
    big_blind?: number;
    outline: unknown[];
    nodes: number;
    information_sets: number;
    memory: { f32: number; i16: number };
    hands: Both<number>;
    streets: { street: string; decisions: number; actions: number; terminals: number; information_sets: number }[];
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
  game_hash: string;
  node: number;
  values?: { flops: number; exact: boolean };
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
    ev?: number;
    ev_bb?: number;
    ev_interval?: number;
    actions: ActionShare[];
  }[];
  buckets?: {
    bucket: number;
    key?: string;
    share: number | null;
    equity: number | null;
    ev?: number;
    ev_bb?: number;
    ev_weight?: number;
    trained: boolean;
    frequencies: number[];
  }[];
}
export interface HandConfig {
  stack: number;
  small_blind: number;
  big_blind: number;
  ante: number;
  bet_sizes: unknown;
  add_allin_threshold: number;
  force_allin_threshold: number;
  merging_threshold: number;
  rake: unknown;
}
export interface Estimate {
  seconds: number;
  mbb: number;
  interval_mbb?: number;
  flops?: number;
  optimistic_mbb?: number;
  preflop?: unknown;
  kind: "exact" | "flops" | "lbr";
}
export interface BlueprintView extends RunItem {
  config: { game: HandConfig; abstraction?: string; training: unknown } | null;
  history: { run: string; points: unknown[]; best_exploitability: Estimate | null } | null;
  curves: { name: string; unit: string; points: [number, number, number][] }[];
}
export interface StreetOverview {
  street: string;
  slots: number;
  distinct: number;
  iterations: number;
  converged: boolean;
  inertia: number;
  fitted_on: number | null;
  seconds: number;
  bucket_equity_table: boolean;
  clusters: unknown[];
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
  quality: {
    variance_explained: number;
    empty_buckets: number;
    mean_spread: number;
    asymmetric_slots: number;
    histogram_mass: number | null;
    fallback: number;
  };
}
export interface Overview {
  path: string;
  format: number;
  algorithm: number;
  threads: number;
  plan: unknown;
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
  cluster: number | null;
  distinct: number;
  classes: {
    class: string;
    combos: number;
    equity: number | null;
    bucket: number | null;
    buckets: number[];
  }[];
}
export interface DiffSide {
  method: string;
  buckets: number;
  sizes: [number, number, number];
  spread_within: number;
  variance_explained: number;
  matched: number;
  most_different: unknown[];
}
export interface DiffView {
  a: string;
  b: string;
  streets: Record<
    string,
    {
      deals: number;
      adjusted_rand_index: number;
      a: DiffSide;
      b: DiffSide;
    }
  >;
}
export interface ActionResult {
  action: "fold" | "check" | "call" | "bet" | "raise" | "allin";
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
export type Who = "you" | "agent";
export interface Seated {
  you: number;
  agent: number;
}
export interface ActedView extends ActionView {
  by: Who;
  street: string;
}
export interface Legal {
  fold: boolean;
  check: boolean;
  call: number | null;
  least: number | null;
  most: number | null;
  bet: boolean;
}
export interface TableView {
  number: number;
  seat: "sb" | "bb";
  hole: string;
  agents_hole: string | null;
  street: string;
  board: string;
  pot: number;
  stacks: Seated;
  bets: Seated;
  to_act: Who | null;
  legal: Legal | null;
  actions: ActedView[];
  result: {
    won: number;
    won_bb: number;
    folded: Who | null;
    your_hand: string | null;
    agents_hand: string | null;
  } | null;
}
export interface AdviceView {
  hand: string;
  seat: "sb" | "bb";
  street: string;
  board: string;
  pot: number;
  to_call: number;
  stack: number;
  frequencies: ActionShare[];
  action: string;
  source: "blueprint" | "search";
  iterations: number;
  seconds: number;
}
export interface JudgedView {
  place: number;
  done: ActionView;
  frequency: number;
  ev: number | null;
  loss: number | null;
  loss_bb: number | null;
  off_tree: boolean;
  advice: AdviceView;
}
export interface Rate {
  bb100: number;
  interval_bb100: number | null;
}
export interface HandItem {
  number: number;
  seat: "sb" | "bb";
  hole: string;
  board: string;
  won_bb: number;
  loss_bb: number | null;
  judged: boolean;
}
export interface FinishedView extends HandItem {
  agents_hole: string;
  showdown: boolean;
  actions: ActedView[];
  review: JudgedView[] | null;
}
export interface PlayView {
  id: number;
  run: string;
  seat: "sb" | "bb" | "both";
  seed: number;
  search: "none" | "river" | "turn";
  iterations: number;
  big_blind: number;
  task: {
    kind: "open" | "decide" | "hint" | "values" | "score" | "review";
    seconds: number;
    share: number | null;
  } | null;
  busy: boolean;
  stopped: boolean;
  error: string | null;
  has_values: boolean;
  table: TableView | null;
  hint: AdviceView | null;
  score: {
    hands: number;
    won_bb: number;
    raw: Rate | null;
    luck_removed: Rate | null;
    shrink: number | null;
  };
  given_up: { decisions: number; hands: number; bb: number; bb100: number | null };
  hands: HandItem[];
}
export interface TableList {
  tables: PlayView[];
}
