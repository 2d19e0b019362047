/** Plots below the scene: any channels, one plot for each unit, all runs overlaid, one cursor. */
import type { App } from "../app";
import { LINES, shown } from "../colors";
import { button, download, h } from "./dom";
import { PlotCanvas, valueAt, type Range, type Series } from "./plotcanvas";

const SUGGESTED = 200; // channels listed at once

export class Plots {
  readonly element: HTMLElement;
  private series: Series[] = [];
  private readonly canvases = new Map<string, PlotCanvas>();
  private readonly area = h("div", { class: "plot-area" });
  private readonly legend = h("div", { class: "plot-legend" });
  private readonly said = h("span", { class: "said", role: "status" });
  private readonly add: HTMLInputElement;
  private readonly known = h("datalist", { id: "channels" });
  private range: Range | null = null;
  private values: { series: Series; output: HTMLElement }[] = [];
  private colors = 0;
  private names: string[] = [];

  constructor(private app: App) {
    this.add = h("input", { type: "search", list: "channels", placeholder: "Add a channel", "aria-label": "Add a channel to the plots",
      input: () => this.suggest(),
      change: () => { const name = this.add.value.trim(); if (name) void app.plot(name).then(() => { this.add.value = ""; }); } });
    this.element = h("section", { class: "plots", "aria-label": "Plots", hidden: true }, h("div", { class: "plot-head" }, this.add, this.known, this.said, h("span", { class: "space" }),
      button("reset", "Whole time (double-click)", () => this.zoom(null), "small"), h("button", { type: "button", class: "text", click: () => void this.copyCsv() }, "Copy CSV"),
      h("button", { type: "button", class: "text", click: () => void this.copyPng() }, "Copy PNG"), button("close", "Close plots", () => app.panel("plots", false), "small")), this.legend, this.area);
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  build(): void {
    this.names = this.app.first.header.channels.flatMap((c) => (c.parts.length ? [c.name, ...c.parts.map((p) => `${c.name}.${p}`)] : [c.name]));
    this.suggest();
  }

  /** Channels with all the words typed so far. */
  private suggest(): void {
    const words = this.add.value.toLowerCase().split(/\s+/);
    const found = this.names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    this.known.replaceChildren(...found.slice(0, SUGGESTED).map((name) => h("option", { value: name })));
  }

  has(channel: string): boolean { return this.series.some((s) => s.channel === channel); }
  get empty(): boolean { return !this.series.length; }

  /** Add a channel of all runs that have it, or take it away. */
  async toggle(channel: string): Promise<void> {
    if (this.has(channel)) {
      this.series = this.series.filter((s) => s.channel !== channel);
    } else {
      const found: Series[] = [];
      let trouble = "";
      const color = this.colors;
      for (const run of this.app.runs) {
        try {
          found.push(...(await this.load(run.number, channel)).map((s, k) => ({ ...s, color: color + k })));
        } catch (error) {
          trouble ||= error instanceof Error ? error.message : String(error);
        }
      }
      if (!found.length) this.say(trouble);
      else this.colors += found.filter((s) => s.run === found[0].run).length;
      this.series.push(...found);
    }
    this.arrange();
  }

  private async load(number: number, channel: string): Promise<Omit<Series, "color">[]> {
    const run = this.app.runs[number], { channels } = run.header;
    const whole = channels.find((c) => c.name === channel) ?? channels.find((c) => channel === `${c.name}.${channel.split(".").pop()}`);
    if (!whole) throw new Error(`There is no channel ${channel}.`);
    const got = await run.source.channel(whole.name);
    const t = got.arrays.get("t") as Float64Array, values = got.arrays.get("values") as Float64Array;
    const label = (name: string): string => (this.app.runs.length > 1 ? `${name} · ${run.header.label || run.header.name}` : name);
    if (!whole.parts.length) return [{ label: label(channel), channel, run: number, t, y: values }];
    const part = channel === whole.name ? "" : channel.split(".").pop()!;
    return whole.parts.flatMap((p, k) => (part && p !== part ? [] : [{ label: label(`${whole.name}.${p}`), channel, run: number, t, y: values.subarray(k * t.length, (k + 1) * t.length) }]));
  }

  private unit(s: Series): string {
    const { channels } = this.app.runs[s.run].header;
    return (channels.find((c) => c.name === s.channel) ?? channels.find((c) => s.channel.startsWith(`${c.name}.`)))?.unit ?? "";
  }

  /** One canvas for each unit, and the legend. */
  private arrange(): void {
    if (!this.series.length) this.colors = 0;
    const units = [...new Set(this.series.map((s) => this.unit(s)))];
    for (const unit of [...this.canvases.keys()]) if (!units.includes(unit)) this.canvases.delete(unit);
    for (const unit of units) if (!this.canvases.has(unit)) this.canvases.set(unit, this.canvas(unit));
    this.area.replaceChildren(...units.map((unit) => this.canvases.get(unit)!.canvas));
    this.area.dataset.count = String(units.length);
    this.values = this.series.map((series) => ({ series, output: h("output", {}) }));
    this.legend.replaceChildren(...this.values.map(({ series, output }) => h("span", { class: "series" }, h("i", { "data-color": series.color, class: series.run ? "dashed" : "" }), series.label, output,
      button("close", `Remove ${series.channel}`, () => void this.app.plot(series.channel), "tiny"))));
    this.legend.hidden = !this.series.length;
    this.draw();
  }

  private canvas(unit: string): PlotCanvas {
    const made = new PlotCanvas(unit), { canvas } = made, touching = new Map<number, number>();
    const seek = (event: PointerEvent): void => { this.app.player.pause(); this.app.player.seek(made.timeAt(event.offsetX, this.shownRange())); };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); touching.set(event.pointerId, event.offsetX); if (touching.size === 1) seek(event); });
    canvas.addEventListener("pointermove", (event) => {
      if (!touching.has(event.pointerId)) return;
      if (touching.size === 1) seek(event);
      else {
        const before = [...touching.values()];
        touching.set(event.pointerId, event.offsetX);
        const after = [...touching.values()];
        this.stretch(made, Math.abs(before[0] - before[1]) / Math.max(1, Math.abs(after[0] - after[1])), (after[0] + after[1]) / 2);
      }
      touching.set(event.pointerId, event.offsetX);
    });
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => void touching.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.stretch(made, Math.exp(0.0015 * event.deltaY), event.offsetX); }, { passive: false });
    canvas.addEventListener("dblclick", () => this.zoom(null));
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "+" || event.key === "-") this.stretch(made, event.key === "+" ? 0.7 : 1 / 0.7, canvas.clientWidth / 2);
    });
    return made;
  }

  private shownRange(): Range { return this.range ?? { from: this.app.player.start, to: this.app.player.end }; }

  private stretch(plot: PlotCanvas, factor: number, x: number): void {
    const { from, to } = this.shownRange(), at = plot.timeAt(x, { from, to }), { start, end } = this.app.player;
    const next = { from: Math.max(start, at + factor * (from - at)), to: Math.min(end, at + factor * (to - at)) };
    if (next.to - next.from < 1e-6 * (end - start)) return;
    this.zoom(next.from <= start && next.to >= end ? null : next);
  }

  zoom(range: Range | null): void {
    this.range = range;
    this.draw();
  }

  draw(): void {
    if (this.element.hidden) return;
    const { theme } = this.app.store.now, range = this.shownRange(), ratio = Math.min(3, window.devicePixelRatio || 1);
    const list = [...this.canvases];
    for (const [unit, plot] of list) {
      const own = this.series.filter((s) => this.unit(s) === unit);
      plot.draw(own, range, this.app.player.time, theme, ratio, this.events(own, range));
    }
    for (const { series, output } of this.values) output.textContent = shown(valueAt(series, this.app.player.time), 5);
    for (const mark of this.legend.querySelectorAll<HTMLElement>("i")) mark.style.borderColor = LINES[theme][Number(mark.dataset.color) % LINES[theme].length];
  }

  /** When something happened to what is plotted; if that is nothing, to anything. */
  private events(series: Series[], { from, to }: Range): number[] {
    if (!this.app.runs.length || !this.app.store.now.events) return [];
    const { events } = this.app.first, [first, last] = events.between(from, to), all = Array.from({ length: last - first }, (_, k) => first + k);
    const items = new Set(events.kinds.map(([item]) => item).filter((item) => series.some((s) => s.channel.startsWith(`${item}.`))));
    return (items.size ? all.filter((k) => items.has(events.item(k))) : all).map((k) => events.t[k]);
  }

  /** Load everything again, of a run that has grown. */
  async reload(): Promise<void> {
    const again = new Map<string, Series[]>();
    for (const channel of new Set(this.series.map((s) => s.channel))) {
      const loaded = await Promise.all(this.app.runs.map((r) => this.load(r.number, channel).catch(() => [])));
      again.set(channel, loaded.flat().map((s, k) => ({ ...s, color: this.series.filter((o) => o.channel === channel)[k]?.color ?? 0 })));
    }
    this.series = this.series.length ? [...again.values()].flat() : [];
    this.arrange();
  }

  // -- copies
  /** The rows that are seen, as text. */
  csv(): string {
    const { from, to } = this.shownRange();
    const groups = [...new Set(this.series.map((s) => s.t))];
    return groups.map((t) => {
      const own = this.series.filter((s) => s.t === t);
      const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const lines = [["t [s]", ...own.map((s) => quoted(`${s.label}${this.unit(s) ? ` [${this.unit(s)}]` : ""}`))].join(",")];
      for (let i = 0; i < t.length; i++) if (t[i] >= from && t[i] <= to) lines.push([t[i], ...own.map((s) => s.y[i])].join(","));
      return lines.join("\n");
    }).join("\n\n") + "\n";
  }

  private async copyCsv(): Promise<void> {
    if (this.empty) return this.say("Plot a channel first.");
    const text = this.csv();
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied.");
    } catch {
      download(`${this.app.first.header.name}.csv`, new Blob([text], { type: "text/csv" }));
      this.say("Saved as a file.");
    }
  }

  /** All plots as one picture. */
  picture(): HTMLCanvasElement {
    const parts = [...this.canvases.values()].map((p) => p.canvas), ratio = Math.min(3, window.devicePixelRatio || 1), made = document.createElement("canvas");
    const { theme } = this.app.store.now, line = 18 * ratio, head = line * this.series.length + 8 * ratio;
    made.width = Math.max(...parts.map((p) => p.width));
    made.height = head + parts.reduce((sum, p) => sum + p.height, 0);
    const c = made.getContext("2d")!;
    c.fillStyle = theme === "dark" ? "#1b1f26" : "#ffffff";
    c.fillRect(0, 0, made.width, made.height);
    c.font = `${12 * ratio}px system-ui, sans-serif`;
    this.series.forEach((s, k) => {
      c.fillStyle = LINES[theme][s.color % LINES[theme].length];
      c.fillRect(64 * ratio, 8 * ratio + k * line + 4 * ratio, 18 * ratio, 3 * ratio);
      c.fillText(s.label, 90 * ratio, 8 * ratio + k * line + 9 * ratio);
    });
    let y = head;
    for (const part of parts) {
      c.drawImage(part, 0, y);
      y += part.height;
    }
    return made;
  }

  private async copyPng(): Promise<void> {
    if (this.empty) return this.say("Plot a channel first.");
    const blob = await new Promise<Blob | null>((resolve) => this.picture().toBlob(resolve, "image/png"));
    if (!blob) return;
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      this.say("Copied.");
    } catch {
      download(`${this.app.first.header.name}.png`, blob);
      this.say("Saved as a file.");
    }
  }

  private say(text: string): void { this.said.textContent = text; }
}
