// The rows of a long table, as elements that are used again and again.

import { SUIT_SIGNS } from "./cards";

export interface Column {
  key: string;
  name: string;
  /** What it is sorted by. */
  value: (place: number) => number | string | null;
  text: (place: number) => string;
  /** A bar below the number: its share and colour. */
  bar?: (place: number) => { share: number; color: string } | null;
  left?: boolean;
  cards?: boolean;
}

/** A cell with what it shows, so that only what differs is written. */
interface Cell {
  element: HTMLTableCellElement;
  text: string;
  suits: HTMLElement[] | null;
  kind: string;
  image: string;
  size: string;
}

/**
 * The visible rows of a table.
 *
 * Another position changes nearly every number of some hundred cells. Writing into elements that are
 * there takes a fraction of the time of making them.
 */
export class Rows {
  #rows: { element: HTMLTableRowElement; cells: Cell[] }[] = [];
  #places: number[] = [];

  constructor(readonly body: HTMLTableSectionElement) {}

  /** Shows these places; `first` is the number of rows above them. */
  draw(columns: Column[], places: number[], first: number, faint: ((place: number) => boolean) | undefined) {
    this.#places = places;
    for (const gone of this.#rows.splice(places.length)) gone.element.remove();
    while (this.#rows.length < places.length) this.#rows.push({ element: this.body.insertRow(), cells: [] });
    this.#rows.forEach(({ element, cells }, at) => {
      const place = places[at]!;
      // The head is the first row.
      const number = String(first + at + 2);
      if (element.ariaRowIndex !== number) element.ariaRowIndex = number;
      element.classList.toggle("faint", faint?.(place) ?? false);
      for (const gone of cells.splice(columns.length)) gone.element.remove();
      while (cells.length < columns.length) cells.push({ element: element.insertCell(), text: "", suits: null, kind: "", image: "", size: "" });
      columns.forEach((column, i) => put(cells[i]!, column, place));
    });
  }

  /** The place that an element shows. */
  placeOf(element: EventTarget | null): number | undefined {
    const row = (element as Element | null)?.closest("tr");
    return this.#places[this.#rows.findIndex((it) => it.element === row)];
  }
}

function put(cell: Cell, column: Column, place: number) {
  const { element } = cell;
  const kind = column.left ? "" : "right";
  if (cell.kind !== kind) element.className = cell.kind = kind;
  const text = column.text(place);
  if (Boolean(column.cards) !== Boolean(cell.suits)) {
    cell.suits = column.cards ? [document.createElement("b"), document.createElement("b")] : null;
    element.replaceChildren(...(cell.suits ?? []));
    cell.text = "";
  }
  if (cell.text !== text) {
    cell.text = text;
    if (cell.suits) {
      cell.suits.forEach((suit, i) => {
        const card = text.slice(2 * i, 2 * i + 2);
        suit.className = `suit-${card[1]}`;
        suit.textContent = `${card[0]}${SUIT_SIGNS[card[1]!]}`;
      });
    } else if (element.firstChild) (element.firstChild as Text).data = text;
    else element.textContent = text;
  }
  const bar = column.bar?.(place);
  const shown = bar && bar.share > 0;
  const image = shown ? `linear-gradient(${bar.color}, ${bar.color})` : "";
  const size = shown ? `${(100 * Math.min(bar.share, 1)).toFixed(1)}% 3px` : "";
  if (cell.image !== image) element.style.backgroundImage = cell.image = image;
  if (cell.size !== size) element.style.backgroundSize = cell.size = size;
}
