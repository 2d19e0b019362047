/** What lies over the picture: names, findings, the legend, axes in the corner, hints and messages. */
import * as THREE from "three";
import type { App } from "../app";
import { shown, viridis } from "../colors";
import type { Mark } from "../poses";
import { AXIS_COLORS } from "../symbols";
import { h } from "./dom";

const MOST = 80; // names at once
const P = new THREE.Vector3();

interface Label { element: HTMLElement; mark: Mark; kind: "name" | "finding"; item: string }

export class Overlay {
  readonly element: HTMLElement;
  private readonly hint = h("div", { class: "hint", role: "status", hidden: true });
  private readonly legend = h("div", { class: "legend", role: "img", hidden: true });
  private readonly message = h("div", { class: "message", role: "alert", hidden: true });
  private readonly notice = h("div", { class: "notice", role: "note", hidden: true });
  private readonly corner = h("canvas", { class: "corner", width: 144, height: 144, "aria-hidden": "true" });
  private readonly names = h("div", { class: "names", "aria-hidden": "true" });
  private labels: Label[] = [];

  constructor(private app: App) {
    this.element = h("div", { class: "overlay" }, this.names, this.legend, this.corner, this.hint, this.message, this.notice);
  }

  /** Names and badges of the first run. */
  build(): void {
    const { header } = this.app.first;
    this.labels = [];
    for (const item of [...header.bodies, ...header.joints.filter((j) => j.b)].slice(0, MOST)) {
      const mark = this.app.first.mark(item.name);
      if (mark) this.labels.push({ element: h("span", { class: "label" }, item.name), mark, kind: "name", item: item.name });
    }
    const badged = new Set<string>();
    for (const finding of (header.findings ?? []).filter((f) => f.severity !== "note")) {
      for (const item of finding.items) {
        const mark = badged.has(item) ? undefined : this.app.first.mark(item);
        badged.add(item);
        if (mark) this.labels.push({ element: h("button", { type: "button", class: `badge ${finding.severity}`, title: finding.message, "aria-label": `${finding.severity} at ${item}`, click: () => this.app.select(item) }, "!"), mark, kind: "finding", item });
      }
    }
    this.names.replaceChildren(...this.labels.map((l) => l.element));
    if (badged.size) this.names.removeAttribute("aria-hidden");
    else this.names.setAttribute("aria-hidden", "true");
  }

  /** Every frame that is drawn. */
  update(): void {
    const { stage, store, first } = this.app, { clientWidth: w, clientHeight: hgt } = stage.canvas;
    for (const { element, mark, kind, item } of this.labels) {
      const visible = (kind === "finding" || store.now.names) && first.shown(item);
      if (visible) {
        mark.position(first.poses, P).project(stage.camera);
        element.style.transform = `translate(${((P.x + 1) / 2) * w}px, ${((1 - P.y) / 2) * hgt}px)`;
      }
      element.style.display = visible && Math.abs(P.z) < 1 ? "" : "none";
    }
    this.axes();
  }

  /** The directions of the world, in the corner. */
  private axes(): void {
    const context = this.corner.getContext("2d")!, ink = this.app.store.now.theme === "dark" ? "#e7ebf0" : "#1c232b";
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, 72, 72);
    const inverse = this.app.stage.camera.quaternion.clone().invert();
    const ends = [0, 1, 2].map((k) => ({ k, at: new THREE.Vector3().setComponent(k, 1).applyQuaternion(inverse) })).sort((a, b) => a.at.z - b.at.z);
    context.lineWidth = 2;
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { k, at } of ends) {
      context.strokeStyle = context.fillStyle = `#${AXIS_COLORS[k].toString(16)}`;
      context.beginPath();
      context.moveTo(36, 36);
      context.lineTo(36 + 22 * at.x, 36 - 22 * at.y);
      context.stroke();
      context.fillStyle = ink;
      context.fillText("xyz"[k], 36 + 30 * at.x, 36 - 30 * at.y);
    }
  }

  /** The scale of colours. */
  scale(): void {
    const { colorBy } = this.app.store.now, source = this.app.first.colorings().find((s) => s.name === colorBy);
    this.legend.hidden = !source;
    if (!source) return;
    const most = this.app.first.largest(colorBy);
    const stops = Array.from({ length: 11 }, (_, k) => `rgb(${viridis(k / 10).map(Math.round).join(" ")})`);
    const name = colorBy === "stress" ? "von Mises stress" : colorBy;
    this.legend.replaceChildren(h("b", {}, `${name} [${source.unit}]`), h("div", { class: "ramp", style: `background:linear-gradient(to right, ${stops.join(",")})` }),
      h("div", { class: "ends" }, h("span", {}, "0"), h("span", {}, shown(most / 2, 3)), h("span", {}, shown(most, 3))));
    this.legend.setAttribute("aria-label", `${name} from 0 to ${shown(most, 3)} ${source.unit}`);
  }

  /** The name of what is under the pointer. */
  point(text: string, x = 0, y = 0): void {
    this.hint.hidden = !text;
    this.hint.textContent = text;
    this.hint.style.transform = `translate(${x + 14}px, ${y + 14}px)`;
  }

  /** What stays on the page. */
  remark(text: string): void {
    this.notice.hidden = !text;
    this.notice.textContent = text;
  }

  tell(text: string): void {
    this.message.hidden = !text;
    this.message.textContent = text;
  }
}
