/** Keys and gestures. */
import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["space", "play, pause"], [", .", "row before, row after"], ["[ ]", "event before, event after"], ["← →", "a fiftieth of the time"], ["Home End", "start, end"], ["< >", "slower, faster"], ["L", "loop"],
  ["0 1 2 3 4", "views: home, front, right, top, isometric"], ["P", "perspective"], ["O", "follow the selected body"], ["G W K", "grid, world axes, joint frames"],
  ["J F X M T N", "joints, arrows of forces, of contacts, event marks, traces, names"], ["E U", "edges, undeformed shape"], ["H I A", "hide, isolate, show all"], ["B C D", "parts, plots, light or dark"], ["Esc", "deselect"]];

export function helpDialog(): HTMLDialogElement {
  const made: HTMLDialogElement = h("dialog", { class: "help", "aria-label": "Help" }, h("div", { class: "panel-head" }, h("h2", {}, "Keys"), button("close", "Close help", () => made.close(), "small")),
    h("dl", {}, ...KEYS.flatMap(([keys, what]) => [h("dt", {}, ...keys.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, what)])),
    h("p", {}, "Drag to turn, drag with the right button or two fingers to move, wheel or pinch to zoom. Click a part to see its data and its channels. In plots drag moves the time, wheel or pinch zooms, double-click shows all."));
  made.addEventListener("click", (event) => { if (event.target === made) made.close(); });
  return made;
}
