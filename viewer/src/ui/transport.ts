/** Play, pause, scrub, speed, loop, single frame. */
import type { App } from "../app";
import { button, h, icon, pressed } from "./dom";
import { Marks } from "./marks";

const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly clock: HTMLElement;
  private readonly loop: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly marks: Marks;
  private readonly jumps: HTMLElement[];
  private digits = 3;
  private shown = "";

  constructor(private app: App) {
    this.play = button("play", "Play (space)", () => app.player.toggle(), "main");
    this.scrub = h("input", { type: "range", class: "scrub", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time",
      input: () => { app.player.pause(); app.player.seek(Number(this.scrub.value)); } });
    this.clock = h("output", { class: "clock" }, "0 s");
    this.loop = button("loop", "Loop (L)", () => app.store.toggle("loop"));
    this.speed = h("select", { class: "speed", "aria-label": "Speed", title: "Speed (< slower, > faster)", change: () => app.store.set({ speed: Number(this.speed.value) }) },
      ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${s}×`)));
    this.marks = new Marks(app);
    this.jumps = [button("earlier", "Event before ([)", () => app.jump(-1), "small"), button("later", "Event after (])", () => app.jump(1), "small")];
    const line = h("div", { class: "time" }, this.jumps[0], h("div", { class: "track" }, this.marks.canvas, this.scrub), this.jumps[1]);
    this.element = h("section", { class: "transport", "aria-label": "Playback" },
      this.play, button("previous", "Previous row (,)", () => app.step(-1), "small"), button("next", "Next row (.)", () => app.step(1), "small"),
      line, this.clock, this.speed, this.loop, this.marks.label);
  }

  /** Say what happened at an event. */
  tell(k: number): void { if (this.app.store.now.events) this.marks.pin(k); }

  /** Marks are drawn anew: of another run, after it has grown, or in other colours. */
  mark(): void {
    const seen = this.app.runs.length > 0 && this.app.first.events.count > 0 && this.app.store.now.events;
    for (const part of [this.marks.canvas, ...this.jumps]) part.hidden = !seen;
    if (seen) this.marks.draw();
  }

  /** The span of time has changed. */
  span(): void {
    const { start, end } = this.app.player;
    this.scrub.min = String(start);
    this.scrub.max = String(end);
    const length = end - start;
    this.digits = length > 0 ? Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(length)))) : 3;
    this.element.classList.toggle("still", length <= 0);
    this.rate();
    this.mark();
    this.shown = "";
  }

  private rate(): void {
    const { natural } = this.app.player;
    for (const option of this.speed.options) {
      const rate = Number(option.value) * natural;
      option.textContent = natural === 1 ? `${option.value}×` : `${Number(rate.toPrecision(2))}×`;
    }
    this.speed.value = String(this.app.store.now.speed);
  }

  state(): void {
    const { playing } = this.app.player;
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.play.title = playing ? "Pause (space)" : "Play (space)";
    pressed(this.loop, this.app.store.now.loop);
    this.speed.value = String(this.app.store.now.speed);
    this.update();
  }

  faster(way: 1 | -1): void {
    const k = SPEEDS.indexOf(this.app.store.now.speed) + way;
    if (SPEEDS[k]) this.app.store.set({ speed: SPEEDS[k] });
  }

  update(): void {
    const { time, end } = this.app.player;
    const text = `${time.toFixed(this.digits)} / ${Number(end.toFixed(this.digits))} s`;
    this.marks.passed();
    if (text === this.shown) return;
    this.shown = text;
    this.clock.textContent = text;
    this.scrub.value = String(time);
    const share = end > this.app.player.start ? (time - this.app.player.start) / (end - this.app.player.start) : 0;
    this.scrub.style.setProperty("--done", `${100 * share}%`);
    this.scrub.setAttribute("aria-valuetext", `${time.toFixed(this.digits)} seconds`);
  }
}
