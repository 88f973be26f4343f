// Light, dark, or what the system says.

const NAMES = ["auto", "light", "dark"] as const;
type Name = (typeof NAMES)[number];

class Theme {
  name = $state<Name>("auto");
  #system = $state(false);

  constructor() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.#system = dark.matches;
    dark.addEventListener("change", () => (this.#system = dark.matches));
    const kept = localStorage.getItem("theme") as Name | null;
    if (kept && NAMES.includes(kept)) this.set(kept);
  }

  set(name: Name) {
    this.name = name;
    localStorage.setItem("theme", name);
    if (name === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = name;
  }

  next() {
    this.set(NAMES[(NAMES.indexOf(this.name) + 1) % NAMES.length]!);
  }

  /** Whether dark colours are shown. */
  get isDark(): boolean {
    return this.name === "dark" || (this.name === "auto" && this.#system);
  }
}

export const theme = new Theme();
