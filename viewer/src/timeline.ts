/** Rows of a run over time: an overview of the whole, finer blocks around the moment that is shown, and states between rows. */
import type { Package } from "./format";
import type { RowsHeader, Source } from "./source";

const BLOCK_BYTES = 1 << 20;
const KEPT = 24; // blocks

interface Track { t: Float64Array; columns: Float32Array; used: number }

export class Timeline {
  t: Float64Array;
  columns: Float32Array; // width x rows, column by column
  private readonly blocks = new Map<number, Track | "asked">();
  private readonly blockRows: number;
  private clock = 0;
  /** Called when finer rows have come. */
  refined: () => void = () => {};

  constructor(readonly width: number, t: Float64Array, columns: Float32Array, public stride: number, public total: number,
              private source: Source) {
    this.t = t;
    this.columns = columns;
    this.blockRows = Math.max(2 * stride, Math.floor(BLOCK_BYTES / (4 * Math.max(1, width))));
  }

  get start(): number { return this.t.length ? this.t[0] : 0; }
  get end(): number { return this.t.length ? this.t[this.t.length - 1] : 0; }

  /** Number of the row at or before a time, of the overview. */
  index(time: number): number { return search(this.t, time); }

  /** The state at a time, between rows by interpolation, into out (width). */
  sample(time: number, places: number, out: Float32Array): void {
    const fine = this.stride > 1 ? this.fine(time) : undefined;
    const track = fine ?? { t: this.t, columns: this.columns, used: 0 };
    interpolate(track, this.width, places, time, out);
  }

  /** The time of the row before or after, for single frames. */
  neighbour(time: number, way: 1 | -1): number {
    const t = (this.stride > 1 ? this.fine(time)?.t : undefined) ?? this.t;
    const i = search(t, time);
    const next = way > 0 ? i + 1 : t[i] < time ? i : i - 1;
    return t[Math.min(Math.max(next, 0), t.length - 1)];
  }

  private fine(time: number): Track | undefined {
    const first = this.index(time) * this.stride;
    const number = Math.floor(first / this.blockRows);
    const found = this.blocks.get(number);
    if (found === undefined) void this.ask(number);
    if (found === undefined || found === "asked") return undefined;
    found.used = ++this.clock;
    const last = found.t[found.t.length - 1];
    return time >= found.t[0] && time <= last ? found : undefined;
  }

  private async ask(number: number): Promise<void> {
    this.blocks.set(number, "asked");
    try {
      const first = number * this.blockRows;
      const got = await this.source.rows(first, Math.min(first + this.blockRows + this.stride + 1, this.total));
      this.blocks.set(number, { ...track(got), used: ++this.clock });
      this.forget();
      this.refined();
    } catch (error) {
      console.warn(String(error)); // the overview goes on
    }
  }

  private forget(): void {
    const held = [...this.blocks].filter((b): b is [number, Track] => b[1] !== "asked").sort((a, b) => a[1].used - b[1].used);
    for (const [number] of held.slice(0, Math.max(0, held.length - KEPT))) this.blocks.delete(number);
  }

  /** Rows that were added to a run that goes on. */
  async grow(total: number): Promise<void> {
    if (total <= this.total || this.stride !== 1) return;
    const got = track(await this.source.rows(this.total, total));
    const before = this.t.length, n = before + got.t.length;
    const t = new Float64Array(n), columns = new Float32Array(n * this.width);
    t.set(this.t);
    t.set(got.t, before);
    for (let c = 0; c < this.width; c++) {
      columns.set(this.columns.subarray(c * before, (c + 1) * before), c * n);
      columns.set(got.columns.subarray(c * got.t.length, (c + 1) * got.t.length), c * n + before);
    }
    this.t = t;
    this.columns = columns;
    this.total = total;
  }

  /** One column of the overview. */
  column(c: number): Float32Array { return this.columns.subarray(c * this.t.length, (c + 1) * this.t.length); }
}

function track(p: Package<RowsHeader>): { t: Float64Array; columns: Float32Array } {
  return { t: p.arrays.get("t") as Float64Array, columns: p.arrays.get("motion") as Float32Array };
}

/** Largest i with t[i] <= time, at least 0. */
export function search(t: Float64Array, time: number): number {
  let low = 0, high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

function interpolate({ t, columns }: Track, width: number, places: number, time: number, out: Float32Array): void {
  const n = t.length;
  if (!n) return;
  const i = search(t, time), j = Math.min(i + 1, n - 1);
  const s = j > i ? Math.min(1, Math.max(0, (time - t[i]) / (t[j] - t[i] || 1))) : 0;
  for (let c = 0, k = i; c < width; c++, k += n) out[c] = s === 0 ? columns[k] : columns[k] + s * (columns[k + j - i] - columns[k]);
  if (s === 0) return;
  for (let p = 0; p < places; p++) { // quaternions: of equal sign, and of length one
    const c = 7 * p + 3;
    let dot = 0;
    for (let k = c; k < c + 4; k++) dot += columns[k * n + i] * columns[k * n + j];
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let k = c; k < c + 4; k++) {
      out[k] = (1 - s) * columns[k * n + i] + s * sign * columns[k * n + j];
      length += out[k] * out[k];
    }
    for (let k = c, f = 1 / Math.sqrt(length || 1); k < c + 4; k++) out[k] *= f;
  }
}
