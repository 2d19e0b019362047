/** The viewer: runs, stage, panels, and what keys and pointers do. */
import * as THREE from "three";
import { Events } from "./events";
import type { Finding } from "./format";
import { Player } from "./player";
import { RunView } from "./runview";
import { initial, Store, type Settings } from "./settings";
import type { Source } from "./source";
import { Stage, type View } from "./stage";
import { h } from "./ui/dom";
import { helpDialog } from "./ui/help";
import { Inspector } from "./ui/inspector";
import { Outline } from "./ui/outline";
import { Overlay } from "./ui/overlay";
import { Plots } from "./ui/plots";
import { Toolbar } from "./ui/toolbar";
import { Transport } from "./ui/transport";

const LOOKS: (keyof Settings)[] = ["theme", "grid", "world", "frames", "joints", "forces", "traces", "names", "ghost", "edges", "colorBy", "scale", "contacts", "events"];

const MANY = 60; // bodies: beyond, edges are not drawn unless asked for

export class App {
  readonly store = new Store(initial());
  readonly player = new Player(this.store);
  readonly stage: Stage;
  runs: RunView[] = [];
  selected = "";
  readonly plots = new Plots(this);
  readonly script: number[] = []; // milliseconds of script of the last frames
  private readonly outline = new Outline(this);
  private readonly inspector = new Inspector(this);
  private readonly transport = new Transport(this);
  private readonly toolbar = new Toolbar(this);
  private readonly overlay = new Overlay(this);
  private readonly helping = helpDialog();
  private readonly heading = h("h1", { class: "unseen" }, "pliant");
  private readonly caster = new THREE.Raycaster();
  private dirty = true;
  private hovered = 0;
  private readonly followed = new THREE.Vector3();

  constructor(readonly root: HTMLElement) {
    const canvas = h("canvas", { class: "scene", tabindex: 0, role: "img", "aria-label": "The mechanism" });
    const view = h("main", { class: "view" }, this.heading, canvas, this.overlay.element);
    root.replaceChildren(this.toolbar.element, h("div", { class: "middle" }, this.outline.element, view, this.inspector.element), this.transport.element, this.plots.element, this.helping);
    this.stage = new Stage(canvas);
    if (this.stage.flat2d) this.overlay.remark("This browser has no WebGL: the picture is painted without it, slower and plainer. "
      + "Graphics acceleration in the settings of the browser, or another browser, brings it back.");
    this.stage.changed = () => { this.dirty = true; };
    this.player.changed = () => { this.dirty = true; this.transport.state(); this.plots.draw(); };
    this.store.listen((changed) => this.settled(changed));
    new ResizeObserver(() => this.resize()).observe(view);
    this.pointers(canvas);
    document.addEventListener("keydown", (event) => this.key(event));
    if (window.innerWidth < 900) this.outline.element.hidden = true;
  }

  get first(): RunView { return this.runs[0]; }

  /** Open the runs; the first is shown, the others are compared with it. */
  async open(sources: Source[]): Promise<void> {
    const camera = this.runs.length > 0;
    const packages = await Promise.all(sources.map((s) => s.open()));
    for (const run of this.runs) run.dispose();
    this.runs = packages.map((data, k) => new RunView(data, sources[k], k, this.stage.root));
    for (const run of this.runs) {
      run.timeline.refined = () => { this.dirty = true; };
      run.states.loaded = () => { this.dirty = true; };
      if (run.arrows) run.arrows.loaded = () => { this.dirty = true; };
    }
    void this.first.states.ask();
    this.span();
    if (!camera) this.stage.fit(this.first.header);
    if (!camera && this.first.bodies.length > MANY) this.store.set({ edges: false });
    document.title = `${this.first.header.name} – pliant`;
    this.heading.textContent = this.first.header.name;
    for (const part of [this.outline, this.toolbar, this.overlay, this.plots]) part.build();
    const { note, kind } = this.first.header;
    this.overlay.tell(note && kind === "model" ? note : "");
    this.settled(new Set([...LOOKS, "clip"]));
    this.resize();
  }

  /** Whether a run still goes on. */
  stated(run: RunView, live: boolean): void {
    if (run.header.live === live) return;
    run.header.live = live;
    this.player.live = this.runs.some((r) => r.header.live);
    this.toolbar.build();
  }

  private span(): void {
    this.player.live = this.runs.some((r) => r.header.live);
    this.player.span(Math.min(...this.runs.map((r) => r.timeline.start)), Math.max(...this.runs.map((r) => r.timeline.end)));
    this.transport.span();
    this.transport.state();
  }

  /** Draw frames for as long as the page is open. */
  run(): void {
    const frame = (now: number): void => {
      requestAnimationFrame(frame);
      this.stage.controls.update();
      this.player.tick(now);
      if (this.player.playing || this.dirty) this.draw();
    };
    requestAnimationFrame(frame);
  }

  /** One frame; its script time is kept. */
  draw(): void {
    if (!this.runs.length) return;
    const start = performance.now();
    this.dirty = false;
    for (const run of this.runs) if (run.visible) run.update(this.player.time, this.store.now);
    this.chase();
    this.stage.draw();
    this.overlay.update();
    this.inspector.update();
    this.transport.update();
    if (this.player.playing) this.plots.draw();
    this.script.push(performance.now() - start);
    if (this.script.length > 600) this.script.shift();
  }

  // -- what the user does
  step(way: 1 | -1): void {
    this.player.pause();
    this.player.seek(this.first.timeline.neighbour(this.player.time, way));
  }

  /** To the next instant at which something happened, or the one before. */
  jump(way: 1 | -1): void {
    const k = this.first.events.neighbour(this.player.time, way);
    if (k < 0) return;
    this.player.pause();
    this.player.seek(this.first.events.t[k]);
    this.transport.tell(k);
  }

  select(name: string, finding?: Finding): void {
    this.selected = name;
    this.inspector.show(name, finding);
    this.refresh();
  }

  inspectRun(): void { this.inspector.run(); }

  hide(name: string): void {
    const { hidden } = this.first;
    if (hidden.has(name)) hidden.delete(name);
    else hidden.add(name);
    this.refresh();
  }

  isolate(name: string): void {
    const others = this.first.header.bodies.map((b) => b.name).filter((n) => n !== name), { hidden } = this.first;
    const alone = !hidden.has(name) && others.every((n) => hidden.has(n));
    hidden.clear();
    if (!alone) for (const other of others) hidden.add(other);
    this.refresh();
  }

  showAll(): void {
    this.first.hidden.clear();
    this.refresh();
  }

  trace(name: string): void {
    this.first.trace(name);
    this.store.set({ traces: true });
    this.resize();
  }

  follow(name: string): void {
    this.store.set({ follow: this.store.now.follow === name ? "" : name });
    this.first.mark(this.store.now.follow)?.position(this.first.poses, this.followed);
  }

  private chase(): void {
    const mark = this.store.now.follow ? this.first.mark(this.store.now.follow) : undefined;
    if (!mark) return;
    const now = mark.position(this.first.poses, new THREE.Vector3());
    this.stage.shift(now.clone().sub(this.followed));
    this.followed.copy(now);
  }

  async plot(channel: string): Promise<void> {
    this.panel("plots", true);
    await this.plots.toggle(channel);
  }

  panel(name: "outline" | "plots", open?: boolean): void {
    const { element } = name === "outline" ? this.outline : this.plots;
    element.hidden = open === undefined ? !element.hidden : !open;
    if (name === "plots") this.plots.draw();
  }

  theme(): void { this.store.set({ theme: this.store.now.theme === "dark" ? "light" : "dark" }); }
  help(): void { this.helping.open ? this.helping.close() : this.helping.showModal(); }
  tell(text: string): void { this.overlay.tell(text); }

  /** Rows were added to a run. */
  async grown(run: RunView, total: number): Promise<void> {
    await run.timeline.grow(total);
    run.grown();
    this.span();
    this.overlay.scale();
    this.dirty = true;
    const got = run === this.first ? await run.source.events?.() : undefined;
    if (!got) return;
    run.events = new Events(got.header, got.arrays);
    this.refresh();
  }

  /** Looks have changed. */
  refresh(): void {
    for (const run of this.runs) run.look(this.store.now, this.selected);
    this.outline.update();
    this.transport.mark();
    this.dirty = true;
  }

  private settled(changed: Set<keyof Settings>): void {
    const now = this.store.now;
    document.documentElement.dataset.theme = now.theme;
    if (!this.runs.length) return;
    if (changed.has("perspective")) this.stage.project(now.perspective);
    if (changed.has("clip")) for (const part of this.runs.flatMap((r) => [...r.bodies, ...(r.surfaces ? [r.surfaces] : [])])) part.clip(this.stage.planes(now.clip, this.first.header));
    if (changed.has("colorBy")) this.overlay.scale();
    this.stage.theme(now);
    this.toolbar.update();
    this.transport.state();
    this.plots.draw();
    this.refresh();
  }

  private resize(): void {
    const { width, height } = this.stage.resize();
    for (const run of this.runs) for (const trace of run.traces.values()) trace.resize(width, height);
    this.plots.draw();
  }

  // -- pointers and keys
  private pointers(canvas: HTMLCanvasElement): void {
    let down = { x: 0, y: 0 };
    canvas.addEventListener("pointerdown", (event) => { down = { x: event.clientX, y: event.clientY }; this.overlay.point(""); });
    canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5 && event.button === 0) this.select(this.pick(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons || event.pointerType === "touch" || performance.now() - this.hovered < 50) return;
      this.hovered = performance.now();
      const name = this.pick(event);
      canvas.style.cursor = name ? "pointer" : "";
      this.overlay.point(name, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerleave", () => this.overlay.point(""));
  }

  private pick(event: PointerEvent): string {
    if (!this.runs.length) return "";
    const { canvas, camera } = this.stage;
    const at = new THREE.Vector2((2 * event.offsetX) / canvas.clientWidth - 1, 1 - (2 * event.offsetY) / canvas.clientHeight);
    this.caster.setFromCamera(at, camera);
    const cut = this.stage.planes(this.store.now.clip, this.first.header);
    const hit = this.caster.intersectObjects(this.first.targets(), false).find((h) => cut.every((p) => p.distanceToPoint(h.point) >= 0));
    if (!hit) return this.first.near(event.offsetX, event.offsetY, canvas, camera);
    const { items, item } = hit.object.userData as { items?: string[]; item?: string };
    return item ?? items?.[hit.instanceId ?? 0] ?? "";
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || !this.runs.length) return;
    if (this.helping.open && event.key !== "?") return; // Escape closes it
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !(target instanceof HTMLInputElement && target.type === "checkbox")) return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName)) return; // presses it
    const { player, store } = this, views: Record<string, View> = { "0": "home", "1": "front", "2": "right", "3": "top", "4": "iso" };
    const nudge = (way: number): void => { player.pause(); player.seek(player.time + (way * (player.end - player.start)) / 50); };
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(), ",": () => this.step(-1), ".": () => this.step(1), ArrowLeft: () => nudge(-1), ArrowRight: () => nudge(1),
      Home: () => player.seek(player.start), End: () => player.seek(player.end), "<": () => this.transport.faster(-1), ">": () => this.transport.faster(1),
      l: () => store.toggle("loop"), g: () => store.toggle("grid"), w: () => store.toggle("world"), k: () => store.toggle("frames"), j: () => store.toggle("joints"),
      f: () => store.toggle("forces"), x: () => store.toggle("contacts"), m: () => store.toggle("events"), "[": () => this.jump(-1), "]": () => this.jump(1), t: () => store.toggle("traces"), n: () => store.toggle("names"), e: () => store.toggle("edges"), u: () => store.toggle("ghost"),
      p: () => store.toggle("perspective"), h: () => this.selected && this.hide(this.selected), i: () => this.selected && this.isolate(this.selected), a: () => this.showAll(),
      o: () => this.selected && this.follow(this.selected), b: () => this.panel("outline"), c: () => this.panel("plots"), d: () => this.theme(), "?": () => this.help(),
      Escape: () => this.select(""),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? (views[event.key] && (() => this.stage.look(views[event.key])));
    if (!action) return;
    event.preventDefault();
    action();
  }
}
