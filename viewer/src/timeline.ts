/** Rows of a run over time: an overview of the whole, finer blocks around the moment that is shown, and states between rows. */
import type { Package } from "./format";
import type { RowsHeader, Source } from "./source";

const BLOCK_BYTES = 1 << 20;
const KEPT = 24; // blocks
const OVERVIEW_BYTES = 8 << 20; // of a run that goes on: beyond, every second row is left out

interface Track { t: Float64Array; columns: Float32Array; used: number }
interface Block extends Track { last: number } // the row after its last one

/** The overview has the rows 0, stride, 2 stride … and always the last one, which is the end of the time. */
export class Timeline {
  t: Float64Array;
  columns: Float32Array; // width x rows, column by column
  private readonly blocks = new Map<number, Block | "asked">();
  private blockRows: number;
  private clock = 0;
  private readonly most: number; // rows of the overview
  /** Called when finer rows have come. */
  refined: () => void = () => {};

  constructor(readonly width: number, t: Float64Array, columns: Float32Array, public stride: number, public total: number,
              private source: Source) {
    this.t = t;
    this.columns = columns;
    this.blockRows = this.roomy();
    this.most = Math.max(64, Math.floor(OVERVIEW_BYTES / (4 * Math.max(1, width))));
  }

  private roomy(): number { return Math.max(2 * this.stride, Math.floor(BLOCK_BYTES / (4 * Math.max(1, this.width)))); }

  get start(): number { return this.t.length ? this.t[0] : 0; }
  get end(): number { return this.t.length ? this.t[this.t.length - 1] : 0; }

  /** Number of the row at or before a time, of the overview. */
  index(time: number): number { return search(this.t, time); }

  /** The state at a time, between rows by interpolation, into out (width). */
  sample(time: number, places: number, out: Float32Array): void {
    const fine = this.stride > 1 && time < this.end ? this.fine(time) : undefined; // the overview has the last row
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
    const number = Math.floor(Math.min(this.index(time) * this.stride, this.total - 1) / this.blockRows), found = this.blocks.get(number);
    if (found === undefined) void this.ask(number);
    if (found === undefined || found === "asked") return undefined;
    found.used = ++this.clock;
    if (time <= found.t[found.t.length - 1]) return time >= found.t[0] ? found : undefined;
    if (found.last < this.rowsOf(number)[1]) void this.ask(number); // the run has grown since
    return undefined;
  }

  /** First row of a block, and the one after its last. */
  private rowsOf(number: number): [number, number] {
    const first = number * this.blockRows;
    return [first, Math.min(first + this.blockRows + this.stride + 1, this.total)];
  }

  private async ask(number: number): Promise<void> {
    this.blocks.set(number, "asked");
    try {
      const [first, last] = this.rowsOf(number), stride = this.stride;
      const got = await this.source.rows(first, last, 1);
      if (stride !== this.stride) return; // the overview was thinned meanwhile, and its blocks are others
      this.blocks.set(number, { ...track(got), used: ++this.clock, last });
      this.forget();
      this.refined();
    } catch (error) {
      console.warn(String(error)); // the overview goes on
    }
  }

  private forget(): void {
    const held = [...this.blocks].filter((b): b is [number, Block] => b[1] !== "asked").sort((a, b) => a[1].used - b[1].used);
    for (const [number] of held.slice(0, Math.max(0, held.length - KEPT))) this.blocks.delete(number);
  }

  /** Rows that were added to a run that goes on: the overview goes on to the new end, thinner if it would be too large. */
  async grow(total: number): Promise<void> {
    if (total <= this.total) return;
    let stride = this.stride;
    while (Math.ceil(total / stride) > this.most) stride *= 2;
    const kept = Math.ceil(Math.ceil(this.total / this.stride) / (stride / this.stride)), first = kept * stride; // without an end off the stride
    const next = first < total ? track(await this.source.rows(first, total, stride)) : undefined;
    const off = (total - 1) % stride ? track(await this.source.rows(total - 1, total, 1)) : undefined;
    this.t = this.join((part) => part.t, kept, stride / this.stride, [next, off], 1) as Float64Array;
    this.columns = this.join((part) => part.columns, kept, stride / this.stride, [next, off], this.width) as Float32Array;
    this.total = total;
    if (stride === this.stride) return;
    this.stride = stride;
    this.blockRows = this.roomy();
    this.blocks.clear();
  }

  /** Every so many of the rows kept, and further rows: times, or columns one by one. */
  private join(of: (part: { t: Float64Array; columns: Float32Array }) => Float64Array | Float32Array, kept: number, every: number,
               further: ({ t: Float64Array; columns: Float32Array } | undefined)[], width: number): Float64Array | Float32Array {
    const old = of(this), n = old.length / width, parts = further.filter((p) => p !== undefined);
    const rows = kept + parts.reduce((sum, p) => sum + p.t.length, 0);
    const out = old instanceof Float64Array ? new Float64Array(rows * width) : new Float32Array(rows * width);
    for (let c = 0; c < width; c++) {
      for (let k = 0; k < kept; k++) out[c * rows + k] = old[c * n + k * every];
      let at = c * rows + kept;
      for (const part of parts) {
        out.set(of(part).subarray(c * part.t.length, (c + 1) * part.t.length), at);
        at += part.t.length;
      }
    }
    return out;
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
