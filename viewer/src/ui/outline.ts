/** The list of bodies, joints and forces: find, select, hide, isolate. */
import type { App } from "../app";
import { button, h, icon, pressed } from "./dom";

interface Row { name: string; kind: string; row: HTMLElement; eye?: HTMLButtonElement; label: HTMLButtonElement }

export class Outline {
  readonly element: HTMLElement;
  private readonly rows: Row[] = [];
  private readonly list = h("div", { class: "list" });
  private readonly find: HTMLInputElement;

  constructor(private app: App) {
    this.find = h("input", { type: "search", class: "find", placeholder: "Find", "aria-label": "Find a part", input: () => this.filter() });
    this.element = h("aside", { class: "panel outline", "aria-label": "Parts" }, h("div", { class: "panel-head" }, h("h2", {}, "Parts"),
      button("eye", "Show all (A)", () => app.showAll(), "small"), button("close", "Close parts", () => app.panel("outline", false), "small phone")), this.find, this.list);
  }

  build(): void {
    this.rows.length = 0;
    const { header } = this.app.first;
    const group = (title: string, items: { name: string; kind: string; color?: string }[], hides: boolean): HTMLElement[] =>
      items.length ? [h("h3", {}, `${title} `, h("span", { class: "count" }, String(items.length))), h("ul", { role: "list" }, ...items.map((i) => this.row(i, hides)))] : [];
    const findings = header.findings ?? [];
    this.list.replaceChildren(
      ...(findings.length ? [h("h3", {}, "Findings ", h("span", { class: "count" }, String(findings.length))), h("ul", { role: "list" }, ...findings.map((f) =>
        h("li", { class: `finding ${f.severity}` }, h("button", { type: "button", click: () => this.app.select(f.items[0] ?? "", f) }, h("b", {}, f.severity), ` ${f.code.replaceAll("-", " ")}`, h("small", {}, f.items.join(", "))))))] : []),
      ...group("Bodies", header.bodies, true), ...group("Joints", header.joints, false), ...group("Forces", header.forces, true));
    this.update();
  }

  private row(item: { name: string; kind: string; color?: string }, hides: boolean): HTMLElement {
    const label = h("button", { type: "button", class: "name", click: () => this.app.select(item.name) },
      h("span", { class: "dot", style: item.color ? `background:${item.color}` : "" }), item.name, h("small", {}, item.kind.replaceAll("_", " ")));
    const eye = hides ? button("eye", `Hide ${item.name}`, () => this.app.hide(item.name), "tiny") : undefined;
    const alone = item.color ? [button("isolate", `Show ${item.name} alone`, () => this.app.isolate(item.name), "tiny")] : [];
    const row = h("li", {}, label, ...alone, ...(eye ? [eye] : []));
    this.rows.push({ name: item.name, kind: item.kind, row, eye, label });
    return row;
  }

  private filter(): void {
    const word = this.find.value.trim().toLowerCase();
    for (const { name, kind, row } of this.rows) row.hidden = !!word && !name.toLowerCase().includes(word) && !kind.includes(word);
  }

  /** Selection or visibility has changed. */
  update(): void {
    for (const { name, row, eye, label } of this.rows) {
      const hidden = this.app.first.hidden.has(name), selected = this.app.selected === name;
      row.classList.toggle("off", hidden);
      row.classList.toggle("selected", selected);
      label.setAttribute("aria-current", String(selected));
      if (eye) {
        eye.replaceChildren(icon(hidden ? "hidden" : "eye"));
        eye.setAttribute("aria-label", `${hidden ? "Show" : "Hide"} ${name}`);
        pressed(eye, hidden);
      }
    }
  }
}
