/** What happened in a run: instants in order of time, and how they are told. */
import { shown } from "./colors";
import type { EventsHeader, Numbers } from "./format";
import { search } from "./timeline";

const SAME = 1e-9; // of the time: instants this near are one

export class Events {
  readonly t: Float64Array;
  private readonly kind: Numbers;
  private readonly x: Numbers;
  private readonly y: Numbers;
  readonly kinds: [string, string, boolean][];
  readonly total: number;

  constructor(header: EventsHeader | undefined, arrays: Map<string, Numbers>) {
    const values = (name: string): Numbers => arrays.get(`events:${name}`) ?? new Float64Array(0);
    this.t = values("t") as Float64Array;
    [this.kind, this.x, this.y] = [values("kind"), values("x"), values("y")];
    this.kinds = header?.kinds ?? [];
    this.total = header?.total ?? this.t.length;
  }

  get count(): number { return this.t.length; }
  item(i: number): string { return this.kinds[this.kind[i]][0]; }

  /** The first of those at one instant after a time, or before it; -1 if there is none. */
  neighbour(time: number, way: 1 | -1): number {
    const { t } = this, near = SAME * Math.max(Math.abs(time), 1e-3);
    if (!t.length) return -1;
    let i = search(t, time - near); // the last one that is clearly before
    if (t[i] >= time - near) i = -1;
    if (way < 0) return i < 0 ? -1 : this.first(i);
    do i++; while (i < t.length && t[i] <= time + near);
    return i < t.length ? i : -1;
  }

  private first(i: number): number {
    while (i > 0 && this.t[i] - this.t[i - 1] <= SAME * Math.max(Math.abs(this.t[i]), 1e-3)) i--;
    return i;
  }

  /** Those from one time to another: the first, and the one after the last. */
  between(from: number, to: number): [number, number] {
    const { t } = this;
    let i = t.length ? search(t, from) : 0, j = i;
    if (t[i] < from) i++;
    for (j = Math.max(j, i); j < t.length && t[j] <= to; j++);
    return [i, j];
  }

  /** What is told of one. */
  told(i: number): string {
    const [item, what, impact] = this.kinds[this.kind[i]], x = this.x[i], y = this.y[i];
    if (!impact) return `${item} ${what}${Number.isFinite(x) && x !== 0 ? ` (${shown(x)})` : ""}`;
    const numbers = [Number.isFinite(x) ? `impulse ${shown(x, 3)}` : "", Number.isFinite(y) ? `energy lost ${shown(y, 3)} J` : ""].filter(Boolean);
    return `${item} ${what}${numbers.length ? ` (${numbers.join(", ")})` : ""}`;
  }
}
