/** Marks of what happened, above the line of time: pointed at they say what it was, and lead there. */
import type { App } from "../app";
import { PALETTES } from "../colors";
import { h } from "./dom";

const THUMB = 7.5; // pixels: half of the handle, which does not go further
const NEAR = 7; // pixels
const TOLD = 5; // at once
const HEIGHT = 14;
const EDGE = 6; // pixels between what is told and the edge of the page

export class Marks {
  readonly canvas = h("canvas", { class: "marks", "aria-hidden": "true" });
  readonly label = h("div", { class: "event", role: "status", hidden: true });
  private shown = "";
  private pinned = false;
  private at = 0;

  constructor(private app: App) {
    this.canvas.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") this.point(this.near(event.offsetX)); });
    this.canvas.addEventListener("pointerleave", () => { if (!this.pinned) this.say(""); });
    this.canvas.addEventListener("pointerdown", (event) => {
      const k = this.near(event.offsetX);
      if (k < 0) return;
      app.player.pause();
      app.player.seek(app.first.events.t[k]);
      this.pin(k);
    });
    new ResizeObserver(() => {
      this.say("");
      this.draw();
    }).observe(this.canvas);
  }

  private get width(): number { return Math.max(1, this.canvas.clientWidth - 2 * THUMB); }
  private x(t: number): number {
    const { start, end } = this.app.player;
    return THUMB + ((t - start) / (end - start || 1)) * this.width;
  }

  /** The mark nearest to a place across the strip. */
  private near(x: number): number {
    const { start, end } = this.app.player, { events } = this.app.first, per = (end - start) / this.width, t = start + (x - THUMB) * per;
    const [first, last] = events.between(t - NEAR * per, t + NEAR * per);
    let best = -1;
    for (let k = first; k < last; k++) if (best < 0 || Math.abs(events.t[k] - t) < Math.abs(events.t[best] - t)) best = k;
    return best;
  }

  /** Say what happened at a mark, and where the next ones cannot be told apart from it, there too. */
  point(k: number): void {
    this.canvas.style.cursor = k < 0 ? "" : "pointer";
    this.canvas.title = "";
    if (k < 0) return this.say("");
    const { events } = this.app.first, { start, end } = this.app.player, half = (0.5 * (end - start)) / this.width;
    const [first, last] = events.between(events.t[k] - half, events.t[k] + half), from = Math.max(first, Math.min(k, last - TOLD));
    const lines = Array.from({ length: Math.min(TOLD, last - from) }, (_, i) => `${Number(events.t[from + i].toPrecision(7))} s  ${events.told(from + i)}`);
    const more = last - first - lines.length;
    this.say([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"), this.x(events.t[k]));
  }

  /** The event to which the time was moved. */
  pin(k: number): void {
    this.point(k);
    this.pinned = true;
    this.at = this.app.player.time;
  }

  /** The time goes on: what was pinned is over. */
  passed(): void { if (this.pinned && this.at !== this.app.player.time) this.say(""); }

  private say(text: string, x = 0): void {
    this.pinned = false;
    if (text !== this.shown) this.label.textContent = this.shown = text;
    this.label.hidden = !text;
    if (!text) return;
    this.label.style.left = "50%"; // where it has all the width it may need
    const half = this.label.offsetWidth / 2 + EDGE, across = (this.label.offsetParent as HTMLElement | null)?.clientWidth ?? 0;
    this.label.style.left = `${Math.max(half, Math.min(this.canvas.offsetLeft + x, across - half))}px`;
  }

  draw(): void {
    const { canvas } = this, w = canvas.clientWidth, ratio = Math.min(3, window.devicePixelRatio || 1);
    if (!w || !this.app.runs.length) return;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const c = canvas.getContext("2d")!, { events } = this.app.first, { theme } = this.app.store.now, palette = PALETTES[theme];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, HEIGHT);
    for (const own of [false, true]) { // those of the selected part over the others
      let before = -9;
      c.fillStyle = `#${(own ? palette.select : palette.ink).toString(16).padStart(6, "0")}`;
      for (let k = 0; k < events.count; k++) {
        if ((this.app.selected !== "" && events.item(k) === this.app.selected) !== own) continue;
        const x = Math.round(this.x(events.t[k]) * 2) / 2;
        if (x - before < 1.5) continue;
        before = x;
        c.globalAlpha = own ? 1 : 0.62;
        c.fillRect(x - 0.75, 5, 1.5, HEIGHT - 5);
        c.beginPath();
        c.moveTo(x, 8);
        c.lineTo(x - 3, 2);
        c.lineTo(x + 3, 2);
        c.fill();
      }
    }
  }
}
