/** The bar on top: the runs, views, what is displayed, theme and help. */
import type { App } from "../app";
import type { Settings } from "../settings";
import type { View } from "../stage";
import { button, h, pressed } from "./dom";

type Switch = "grid" | "world" | "frames" | "joints" | "forces" | "contacts" | "events" | "traces" | "names" | "edges" | "ghost" | "perspective";
const SWITCHES: [Switch, string, string][] = [
  ["joints", "Joint symbols", "J"], ["forces", "Force arrows", "F"], ["contacts", "Contact arrows", "X"], ["events", "Event marks", "M"], ["traces", "Traces", "T"], ["names", "Names", "N"], ["frames", "Joint frames", "K"],
  ["world", "World axes", "W"], ["grid", "Grid", "G"], ["edges", "Edges", "E"], ["ghost", "Undeformed shape", "U"], ["perspective", "Perspective", "P"]];
const VIEWS: [View, string, string][] = [["home", "Home", "0"], ["front", "Front", "1"], ["right", "Right", "2"], ["top", "Top", "3"], ["iso", "Isometric", "4"], ["back", "Back", ""], ["left", "Left", ""], ["bottom", "Bottom", ""]];

export class Toolbar {
  readonly element: HTMLElement;
  private readonly runs = h("div", { class: "runs" });
  private readonly switches = new Map<Switch, HTMLInputElement>();
  private readonly color = h("select", { "aria-label": "Colour by", change: () => this.app.store.set({ colorBy: this.color.value }) });
  private readonly scale = h("input", { type: "range", min: 0, max: 3, step: 0.05, value: 0, "aria-label": "Deformation scale", input: () => this.app.store.set({ scale: Number((10 ** Number(this.scale.value)).toPrecision(2)) }) });
  private readonly scaleShown = h("output", {}, "1×");
  private readonly section = h("select", { "aria-label": "Section across", change: () => this.cut() },
    ...["no section", "across x", "across y", "across z"].map((label, k) => h("option", { value: k }, label)));
  private readonly cutAt = h("input", { type: "range", min: 0, max: 1, step: 0.005, value: 0.5, "aria-label": "Place of the section", input: () => this.cut() });
  private readonly flip = h("input", { type: "checkbox", "aria-label": "Other side of the section", change: () => this.cut() });
  private readonly flexible: HTMLElement;
  private readonly display: HTMLDetailsElement;

  constructor(private app: App) {
    this.flexible = h("div", { class: "group" }, h("h3", {}, "Flexible bodies"), h("label", { class: "line" }, "Colour by", this.color),
      h("label", { class: "line" }, "Deformation", this.scale, this.scaleShown));
    this.display = h("details", { class: "menu" }, h("summary", { title: "Display", "aria-label": "Display" }, h("span", { class: "wide" }, "Display")),
      h("div", { class: "sheet" }, h("div", { class: "group switches" }, ...SWITCHES.map(([key, label, letter]) => this.toggle(key, label, letter))), this.flexible,
        h("div", { class: "group" }, h("h3", {}, "Section"), h("label", { class: "line" }, this.section, this.cutAt), h("label", { class: "line tight" }, this.flip, "other side"))));
    const views = h("details", { class: "menu" }, h("summary", { title: "Views", "aria-label": "Views" }, h("span", { class: "wide" }, "View")),
      h("div", { class: "sheet narrow" }, ...VIEWS.map(([view, label, key]) => h("button", { type: "button", class: "item", click: () => { app.stage.look(view); views.open = false; } }, label, h("kbd", {}, key)))));
    this.element = h("header", { class: "bar" }, button("list", "Parts (B)", () => app.panel("outline"), "small"), this.runs, h("span", { class: "space" }),
      views, this.display, button("plot", "Plots (C)", () => app.panel("plots"), "small"), button("sun", "Light or dark (D)", () => app.theme(), "small"), button("help", "Help (?)", () => app.help(), "small"));
    document.addEventListener("pointerdown", (event) => {
      for (const menu of [views, this.display]) if (menu.open && !menu.contains(event.target as Node)) menu.open = false;
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") for (const menu of [views, this.display]) if (menu.open) { menu.open = false; menu.querySelector("summary")!.focus(); }
    });
  }

  private toggle(key: Switch, label: string, letter: string): HTMLElement {
    const box = h("input", { type: "checkbox", change: () => this.app.store.set({ [key]: box.checked } as Partial<Settings>) });
    this.switches.set(key, box);
    return h("label", { class: "line tight" }, box, label, h("kbd", {}, letter));
  }

  private cut(): void {
    const axis = Number(this.section.value) - 1;
    this.app.store.set({ clip: axis < 0 ? null : { axis: axis as 0 | 1 | 2, at: Number(this.cutAt.value), flip: this.flip.checked } });
  }

  /** The runs that are open, and what bodies can be coloured by. */
  build(): void {
    this.runs.replaceChildren(...this.app.runs.map((run, k) => {
      const name = run.header.label || run.header.name;
      const state = run.header.kind === "model" ? "model" : run.header.live ? "running" : run.header.complete ? "" : "incomplete";
      const inner = [h("b", {}, name), ...(state ? [h("span", { class: `state ${state}` }, state)] : [])];
      if (k === 0) return h("button", { type: "button", class: "run first", title: "Facts of the run", click: () => this.app.inspectRun() }, ...inner);
      const made = h("button", { type: "button", class: "run", title: "Show or hide this run", click: () => { run.visible = !run.visible; pressed(made, run.visible); this.app.refresh(); } }, ...inner);
      pressed(made, run.visible);
      return made;
    }));
    const sources = this.app.first.colorings();
    this.flexible.hidden = !sources.length;
    this.color.replaceChildren(h("option", { value: "body" }, "body"), ...sources.map((s) => h("option", { value: s.name }, s.name === "stress" ? "stress (von Mises)" : s.name)));
    this.update();
  }

  update(): void {
    const now = this.app.store.now;
    for (const [key, box] of this.switches) box.checked = now[key];
    this.color.value = now.colorBy;
    this.scaleShown.textContent = `${now.scale}×`;
    this.scale.value = String(Math.log10(now.scale));
    this.cutAt.disabled = this.flip.disabled = !now.clip;
    this.section.value = String(now.clip ? now.clip.axis + 1 : 0);
  }
}
