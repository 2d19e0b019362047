/** What is known of the part that was clicked: its data, its findings, and its channels to plot. */
import type { App } from "../app";
import { shown } from "../colors";
import type { BodyInfo, Finding } from "../format";
import { button, h, pressed } from "./dom";

export class Inspector {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "list" });
  private readonly title = h("h2", {}, "");
  private now?: { body: BodyInfo; output: HTMLElement }; // where the selected body is

  constructor(private app: App) {
    this.element = h("aside", { class: "panel inspector", "aria-label": "Selected part", hidden: true },
      h("div", { class: "panel-head" }, this.title, button("close", "Close", () => app.select(""), "small")), this.body);
  }

  show(name: string, finding?: Finding): void {
    this.element.hidden = !name && !finding;
    this.now = undefined;
    if (this.element.hidden) return;
    const { header } = this.app.first;
    const item = [...header.bodies, ...header.joints, ...header.forces].find((i) => i.name === name);
    this.title.textContent = name || finding!.code.replaceAll("-", " ");
    const findings = finding ? [finding] : (header.findings ?? []).filter((f) => f.items.includes(name));
    this.body.replaceChildren(
      ...findings.map((f) => h("div", { class: `finding ${f.severity}` }, h("b", {}, `${f.severity}: ${f.code.replaceAll("-", " ")}`), h("p", {}, f.message), h("p", { class: "remedy" }, f.remedy))),
      ...(item ? [this.facts(item.facts, header.bodies.find((b) => b === item)), ...this.actions(name), ...this.channels(name)] : []));
  }

  /** Facts of the whole run. */
  run(): void {
    const { header } = this.app.first;
    this.element.hidden = false;
    this.now = undefined;
    this.title.textContent = header.name;
    this.body.replaceChildren(this.facts(header.facts), ...(header.note ? [h("p", { class: "remark" }, header.note)] : []));
  }

  private facts(facts: [string, string][], body?: BodyInfo): HTMLElement {
    const rows = facts.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)]);
    if (!body) return h("dl", {}, ...rows);
    this.now = { body, output: h("dd", { class: "now" }) };
    this.update();
    return h("dl", {}, h("dt", {}, "position"), this.now.output, ...rows);
  }

  /** Every frame that is drawn: where the body is at the time that is shown, however its deformation is scaled. */
  update(): void {
    if (!this.now || this.element.hidden) return;
    const { header, poses } = this.app.first, least = 1e-7 * header.size, { output, body } = this.now;
    const at = header.origin.map((o, k) => o + poses.state[7 * body.place + k]).map((x) => shown(Math.abs(x) < least ? 0 : x, 5));
    const text = `${at.join(", ")} m`;
    if (output.textContent !== text) output.textContent = text;
  }

  private actions(name: string): HTMLElement[] {
    const body = this.app.first.header.bodies.find((b) => b.name === name);
    if (!body) return [];
    const follow = h("button", { type: "button", class: "text", click: () => { this.app.follow(name); pressed(follow, this.app.store.now.follow === name); } }, "Follow");
    pressed(follow, this.app.store.now.follow === name);
    const names = [name, ...Object.keys(body.frames).map((f) => `${name}.${f}`)];
    const traces = names.map((n) => {
      const made = h("button", { type: "button", class: "chip", click: () => { this.app.trace(n); pressed(made, this.app.first.traces.has(n)); } }, n === name ? "centre" : n.slice(name.length + 1));
      pressed(made, this.app.first.traces.has(n));
      return made;
    });
    return [h("div", { class: "row" }, follow,
      h("button", { type: "button", class: "text", click: () => this.app.isolate(name) }, "Isolate"), h("button", { type: "button", class: "text", click: () => this.app.hide(name) }, "Hide")),
    h("h3", {}, "Trace of"), h("div", { class: "chips" }, ...traces)];
  }

  private channels(name: string): HTMLElement[] {
    const own = this.app.first.header.channels.filter((c) => c.name.startsWith(`${name}.`));
    if (!own.length || this.app.first.header.kind === "model") return [];
    return [h("h3", {}, "Plot"), h("ul", { class: "channels", role: "list" }, ...own.map((c) => {
      const short = c.name.slice(name.length + 1);
      const parts = c.parts.length ? c.parts.map((p) => this.chip(`${c.name}.${p}`, p)) : [];
      return h("li", {}, this.chip(c.name, `${short}${c.unit ? ` [${c.unit}]` : ""}`), ...parts);
    }))];
  }

  private chip(channel: string, label: string): HTMLElement {
    const made = h("button", { type: "button", class: "chip", "aria-label": `Plot ${channel}`, click: () => { void this.app.plot(channel).then(() => pressed(made, this.app.plots.has(channel))); } }, label);
    pressed(made, this.app.plots.has(channel));
    return made;
  }
}
