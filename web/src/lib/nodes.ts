// Positions as they were answered, kept as long as they cannot change.

import type { NodeRequest, NodeView } from "./api";

type Ask = (request: NodeRequest, signal?: AbortSignal) => Promise<NodeView>;

/** The key of a request: two that ask for the same have the same. */
const keyOf = ({ line = "", player, hands, grid, classes, runouts }: NodeRequest) =>
  [line, player, hands, grid, classes, runouts].map((part) => part || "").join("|");

/**
 * The positions of one solve or solution.
 *
 * While a solve runs its positions change: nothing is kept, every request is sent. Once it is over
 * nothing changes any more: each position is asked for once. What was asked for before that moment
 * is never kept, even where the answer comes after it.
 */
export class Nodes {
  /** The one that was used last is the last. */
  #kept = new Map<string, NodeView>();
  #asked = new Map<string, Promise<NodeView>>();
  #fixed = false;
  #ahead = 0;

  constructor(
    readonly ask: Ask,
    readonly most = 80,
  ) {}

  /** Forgets everything; from now on positions stay as they are, or they change. */
  reset(fixed: boolean) {
    this.#kept.clear();
    this.#asked = new Map();
    this.#fixed = fixed;
    this.#ahead += 1;
  }

  /** A position that is known. */
  known(request: NodeRequest): NodeView | undefined {
    const key = keyOf(request);
    const found = this.#kept.get(key);
    if (found) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
    }
    return found;
  }

  /** A position, from memory or from the server. */
  async get(request: NodeRequest, signal?: AbortSignal): Promise<NodeView> {
    if (!this.#fixed) return this.ask(request, signal);
    const found = this.known(request);
    if (found) return found;
    const key = keyOf(request);
    const asked = this.#asked.get(key);
    // Whoever asked first may have lost interest since.
    if (asked) return asked.catch(() => this.#send(key, request, signal));
    return this.#send(key, request, signal);
  }

  #send(key: string, request: NodeRequest, signal?: AbortSignal): Promise<NodeView> {
    const asked = this.#asked;
    const kept = this.ask(request, signal)
      .then((found) => {
        // A reset has replaced the map: the answer is of a time before it.
        if (asked === this.#asked) this.#keep(key, found);
        return found;
      })
      .finally(() => asked.delete(key));
    asked.set(key, kept);
    return kept;
  }

  #keep(key: string, found: NodeView) {
    this.#kept.set(key, found);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.most) break;
      this.#kept.delete(oldest);
    }
  }

  /**
   * Asks for positions that may be looked at next, one after the other while the page is idle, until
   * it is called again. What goes wrong shows when they are looked at.
   */
  async ahead(requests: NodeRequest[]) {
    const number = ++this.#ahead;
    for (const request of requests) {
      await idle();
      if (!this.#fixed || number !== this.#ahead) return;
      if (this.known(request)) continue;
      await this.get(request).catch(() => undefined);
    }
  }
}

const idle = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 1000 });
    else setTimeout(resolve, 100);
  });
