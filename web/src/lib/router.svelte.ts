// Addresses: every state of the page is one, and back and forward work.

class Router {
  path = $state(location.pathname);
  search = $state(location.search);
  hash = $state(location.hash);

  constructor() {
    addEventListener("popstate", () => this.#read());
    document.addEventListener("click", (event) => {
      const link = (event.target as Element).closest?.("a[href]") as HTMLAnchorElement | null;
      const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (!link || !plain || event.defaultPrevented) return;
      if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
      if (link.pathname.startsWith("/api/") || link.getAttribute("href")!.startsWith("#")) return;
      event.preventDefault();
      this.go(link.pathname + link.search + link.hash);
    });
  }

  #read() {
    this.path = location.pathname;
    this.search = location.search;
    this.hash = location.hash;
  }

  /** Shows an address; replaces the current one where that is not worth coming back to. */
  go(address: string, replace = false) {
    if (address === location.pathname + location.search + location.hash) return;
    const other = new URL(address, location.href).pathname !== location.pathname;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#read();
    if (other) scrollTo(0, 0);
  }

  /** The parts of the path. */
  get parts(): string[] {
    return this.path.split("/").filter(Boolean).map(decodeURIComponent);
  }

  get params(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  /** The same page with other parameters; an empty one is left out. */
  with(changes: Record<string, string | null | undefined>): string {
    const params = this.params;
    for (const [key, value] of Object.entries(changes)) {
      if (value) params.set(key, value);
      else params.delete(key);
    }
    const text = params.toString();
    return this.path + (text ? `?${text}` : "");
  }
}

export const router = new Router();
