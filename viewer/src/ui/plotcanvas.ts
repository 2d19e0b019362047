/** Lines over time on a canvas: axes, a cursor that is the time of the scene, zoom. */
import { LINES, shown } from "../colors";
import type { Theme } from "../settings";
import { nice } from "../stage";
import { search } from "../timeline";

export interface Series { label: string; channel: string; run: number; t: Float64Array; y: Float64Array; color: number }
export interface Range { from: number; to: number }
const CROWDED = 9; // pixels between marks, at least
const LEFT = 64, RIGHT = 12, TOP = 8, BOTTOM = 24;

export class PlotCanvas {
  readonly canvas = document.createElement("canvas");
  private lowest = 0;
  private highest = 1;

  constructor(readonly unit: string) {
    this.canvas.className = "plot";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
  }

  /** Time at a place across the canvas. */
  timeAt(x: number, range: Range): number {
    const width = this.canvas.clientWidth - LEFT - RIGHT;
    return range.from + (Math.min(width, Math.max(0, x - LEFT)) / width) * (range.to - range.from);
  }

  draw(series: Series[], range: Range, time: number, theme: Theme, ratio: number, events: readonly number[]): void {
    const { canvas } = this, w = canvas.clientWidth, hgt = canvas.clientHeight;
    if (!w || !hgt) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(hgt * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(hgt * ratio);
    }
    const c = canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = theme === "dark" ? "#1b1f26" : "#ffffff";
    c.fillRect(0, 0, w, hgt);
    this.limits(series, range);
    this.axes(c, w, hgt, range, theme);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP, w - LEFT - RIGHT, hgt - TOP - BOTTOM);
    c.clip();
    this.marks(c, events, w, hgt, range, theme);
    for (const s of series) this.line(c, s, w, hgt, range, theme);
    this.cursor(c, series, w, hgt, range, time, theme);
    c.restore();
    canvas.setAttribute("aria-label", `Plot of ${series.map((s) => s.label).join(", ")} over time`);
  }

  private x(t: number, w: number, r: Range): number { return LEFT + ((t - r.from) / (r.to - r.from || 1)) * (w - LEFT - RIGHT); }
  private y(v: number, hgt: number): number { return TOP + (1 - (v - this.lowest) / (this.highest - this.lowest)) * (hgt - TOP - BOTTOM); }

  private limits(series: Series[], range: Range): void {
    let low = Infinity, high = -Infinity;
    for (const { t, y } of series) {
      const first = search(t, range.from), last = Math.min(t.length - 1, search(t, range.to) + 1);
      for (let i = first; i <= last; i++) if (Number.isFinite(y[i])) {
        if (y[i] < low) low = y[i];
        if (y[i] > high) high = y[i];
      }
    }
    if (low > high) [low, high] = [0, 1];
    const most = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-12 * Math.max(1e-300, most)) { // a constant with rounding errors
      const middle = (low + high) / 2;
      [low, high] = [middle - (Math.abs(middle) || 1) / 10, middle + (Math.abs(middle) || 1) / 10];
    }
    const margin = 0.06 * (high - low);
    [this.lowest, this.highest] = [low - margin, high + margin];
  }

  private axes(c: CanvasRenderingContext2D, w: number, hgt: number, range: Range, theme: Theme): void {
    const faint = theme === "dark" ? "#2c333d" : "#e6eaef", ink = theme === "dark" ? "#aeb8c4" : "#55606d";
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.fillStyle = ink;
    const tick = (step: number, low: number, high: number, place: (v: number) => void): void => {
      for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) + 1e-300; k++) place(k * step);
    };
    const vertical = nice((this.highest - this.lowest) / Math.max(2, (hgt - TOP - BOTTOM) / 34));
    c.textAlign = "right";
    c.textBaseline = "middle";
    tick(vertical, this.lowest, this.highest, (v) => {
      const y = Math.round(this.y(v, hgt)) + 0.5;
      c.strokeStyle = faint;
      c.beginPath();
      c.moveTo(LEFT, y);
      c.lineTo(w - RIGHT, y);
      c.stroke();
      c.fillText(ticked(v, vertical), LEFT - 6, y);
    });
    const step = nice((range.to - range.from) / Math.max(2, (w - LEFT - RIGHT) / 90));
    c.textAlign = "center";
    c.textBaseline = "top";
    tick(step, range.from, range.to, (v) => {
      const x = Math.round(this.x(v, w, range)) + 0.5;
      c.strokeStyle = faint;
      c.beginPath();
      c.moveTo(x, TOP);
      c.lineTo(x, hgt - BOTTOM);
      c.stroke();
      if (x < w - 40) c.fillText(ticked(v, step), x, hgt - BOTTOM + 6);
    });
    c.textAlign = "right";
    c.fillText("t [s]", w - RIGHT, hgt - BOTTOM + 6);
    c.save();
    c.translate(11, TOP + (hgt - TOP - BOTTOM) / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(this.unit ? `[${this.unit}]` : "1", 0, 0);
    c.restore();
  }

  /** Instants at which something happened; where they are many, at the edge only. */
  private marks(c: CanvasRenderingContext2D, events: readonly number[], w: number, hgt: number, range: Range, theme: Theme): void {
    const places = [...new Set(events.map((t) => Math.round(this.x(t, w, range))))], crowded = places.length > (w - LEFT - RIGHT) / CROWDED;
    c.fillStyle = theme === "dark" ? "#5f6a78" : "#a3acb7";
    for (const x of places) c.fillRect(x, crowded ? hgt - BOTTOM - 7 : TOP, 1, crowded ? 7 : hgt - BOTTOM - TOP);
  }

  /** Where there are more rows than pixels, the lowest and highest of each pixel. */
  private line(c: CanvasRenderingContext2D, s: Series, w: number, hgt: number, range: Range, theme: Theme): void {
    const { t, y } = s, first = search(t, range.from), last = Math.min(t.length - 1, search(t, range.to) + 1);
    c.strokeStyle = LINES[theme][s.color % LINES[theme].length];
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.setLineDash(s.run ? [[7, 4], [2, 3], [9, 3, 2, 3]][(s.run - 1) % 3] : []);
    c.beginPath();
    if (last - first < 3 * w) {
      for (let i = first; i <= last; i++) c.lineTo(this.x(t[i], w, range), this.y(y[i], hgt));
    } else {
      for (let i = first; i <= last;) {
        const x = Math.floor(this.x(t[i], w, range));
        let low = y[i], high = y[i];
        for (; i <= last && Math.floor(this.x(t[i], w, range)) === x; i++) {
          if (y[i] < low) low = y[i];
          if (y[i] > high) high = y[i];
        }
        c.lineTo(x, this.y(low, hgt));
        c.lineTo(x, this.y(high, hgt));
      }
    }
    c.stroke();
    c.setLineDash([]);
  }

  private cursor(c: CanvasRenderingContext2D, series: Series[], w: number, hgt: number, range: Range, time: number, theme: Theme): void {
    if (time < range.from || time > range.to) return;
    const x = this.x(time, w, range);
    c.strokeStyle = theme === "dark" ? "#e4e8ed" : "#2a3038";
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x, TOP);
    c.lineTo(x, hgt - BOTTOM);
    c.stroke();
    for (const s of series) {
      c.fillStyle = LINES[theme][s.color % LINES[theme].length];
      c.beginPath();
      c.arc(x, this.y(valueAt(s, time), hgt), 3.5, 0, 2 * Math.PI);
      c.fill();
    }
  }
}

export function valueAt(s: Series, time: number): number {
  const i = search(s.t, time), j = Math.min(i + 1, s.t.length - 1);
  const f = j > i ? Math.min(1, Math.max(0, (time - s.t[i]) / (s.t[j] - s.t[i] || 1))) : 0;
  return s.y[i] + f * (s.y[j] - s.y[i]);
}

function ticked(v: number, step: number): string {
  if (Math.abs(v) < step * 1e-9) return "0";
  const size = Math.max(Math.abs(v), step);
  if (size >= 1e5 || step < 1e-4) return shown(v, Math.max(3, Math.ceil(Math.log10(Math.abs(v) / step)) + 1));
  return v.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}
