/** One run on the stage: everything that belongs to it, moved to a time. */
import * as THREE from "three";
import { Arrows } from "./arrows";
import { BodyView } from "./bodies";
import { Connected } from "./connected";
import { Connectors, Trace } from "./connectors";
import { Events } from "./events";
import type { End, Header, Package } from "./format";
import { vector } from "./geometry";
import { Mark, Poses } from "./poses";
import type { Settings } from "./settings";
import type { Source } from "./source";
import { States } from "./states";
import { Surfaces } from "./surfaces";
import { Symbols } from "./symbols";
import { Timeline } from "./timeline";

const NEAR = 3; // pixels
const SAMPLES = 60; // moments that tell the largest value of a colour scale

export class RunView {
  readonly header: Header;
  readonly timeline: Timeline;
  readonly group = new THREE.Group();
  readonly bodies: BodyView[];
  readonly poses: Poses;
  readonly symbols?: Symbols;
  readonly connectors?: Connectors;
  private readonly connected?: Connected;
  readonly arrows?: Arrows;
  readonly surfaces?: Surfaces;
  readonly states: States;
  events: Events;
  readonly traces = new Map<string, Trace>();
  readonly hidden = new Set<string>();
  private readonly scales = new Map<string, number>();
  private selected = "";
  visible = true;

  constructor(data: Package, readonly source: Source, readonly number: number, root: THREE.Object3D) {
    this.header = data.header;
    const h = this.header;
    this.timeline = new Timeline(h.width, data.arrays.get("t") as Float64Array, data.arrays.get("motion") as Float32Array, h.stride ?? 1, h.rows, source);
    this.events = new Events(h.events, data.arrays);
    this.states = new States(h, source, () => this.events);
    this.poses = new Poses(h.places.length, h.width);
    this.group.matrixWorldAutoUpdate = true;
    root.add(this.group);
    this.bodies = h.bodies.map((body) => new BodyView(body, data, this.group, number > 0));
    if (this.bodies.some((b) => b.skin)) this.connected = new Connected(h);
    for (const body of this.bodies) if (body.hidden) this.hidden.add(body.info.name);
    if (number === 0) {
      this.surfaces = new Surfaces(h, data, this.group);
      this.symbols = new Symbols(h, this.states, this.group);
      this.connectors = new Connectors(h, this.timeline, this.group);
      this.arrows = new Arrows(h, source, this.group, () => this.timeline.total);
      for (const body of h.bodies) for (const name of body.traced) this.trace(name);
    }
  }

  /** Move everything to a time. */
  update(time: number, settings: Settings): void {
    const t = Math.min(Math.max(time, this.timeline.start), this.timeline.end);
    this.timeline.sample(t, this.poses.count, this.poses.state);
    this.poses.update();
    if (settings.scale !== 1) this.connected?.draw(this.poses, settings.scale);
    for (const body of this.bodies) body.update(this.poses, settings);
    this.surfaces?.update(this.poses);
    if (this.states.update(t)) this.recolour(settings);
    this.symbols?.update(this.poses, settings);
    this.connectors?.update(this.poses);
    this.arrows?.update(this.poses, t, settings);
    const index = this.timeline.index(t);
    for (const trace of this.traces.values()) trace.update(index, settings.traces);
  }

  shown(name: string): boolean { return this.visible && !this.hidden.has(name); }

  /** Symbols of joints whose state has changed. */
  private recolour(settings: Settings): void {
    this.symbols?.look(settings, this.selected, (name) => !this.shown(name));
    this.connectors?.look(settings, this.selected, (name) => this.shown(name), this.states);
  }

  /** After settings, selection or visibility changed. */
  look(settings: Settings, selected: string): void {
    this.selected = selected;
    for (const body of this.bodies) {
      body.look(settings, body.info.name === selected, this.shown(body.info.name));
      if (settings.colorBy !== "body") body.largest = this.largest(settings.colorBy);
    }
    this.surfaces?.look(settings, selected, (name) => this.shown(name));
    this.recolour(settings);
    this.arrows?.look(settings);
    this.group.visible = this.visible;
  }

  /** The largest value over the run of what bodies are coloured by. */
  largest(source: string): number {
    const known = this.scales.get(source);
    if (known !== undefined) return known;
    const n = this.timeline.t.length;
    let most = 0;
    for (let k = 0; k < Math.min(SAMPLES, n); k++) most = Math.max(most, this.highest(source, n <= SAMPLES ? k : Math.round((k * (n - 1)) / (SAMPLES - 1))));
    this.scales.set(source, most);
    return most;
  }

  /** The same at one row of the overview. */
  private highest(source: string, row: number): number {
    const state = new Float32Array(this.header.width), n = this.timeline.t.length;
    let most = 0;
    for (const { skin } of this.bodies) {
      if (!skin?.sources().some((s) => s.name === source)) continue;
      for (let c = skin.info.first; c < skin.info.first + skin.info.count; c++) state[c] = this.timeline.columns[c * n + row];
      skin.evaluate(source, state, skin.info.first);
      for (let i = 0; i < skin.count; i++) most = Math.max(most, skin.values[i]);
    }
    return most;
  }

  /** What flexible bodies can be coloured by. */
  colorings(): { name: string; unit: string }[] {
    const all = this.bodies.flatMap((b) => b.skin?.sources() ?? []);
    return all.filter((s, k) => all.findIndex((o) => o.name === s.name) === k);
  }

  /** The body that a name is, or is a frame of; names of bodies may have points in them. */
  bodyOf(name: string) {
    return this.header.bodies.find((b) => b.name === name) ?? this.header.bodies.find((b) => name.startsWith(`${b.name}.`));
  }

  /** A frame, body or joint by name: a mark that moves with it. */
  mark(name: string): Mark | undefined {
    const joint = [...this.header.joints, ...this.header.forces].find((j) => j.name === name);
    if (joint?.b) return new Mark(joint.b);
    const body = this.bodyOf(name);
    if (!body) return undefined;
    const frame = name.slice(body.name.length + 1);
    const end: End = { body: body.name, place: body.place, point: [0, 0, 0], rotation: [1, 0, 0, 0], name };
    if (!frame) return new Mark({ ...end, point: middle(this.bodies.find((b) => b.info === body)!) });
    if (body.nodes && frame in body.nodes) return new Mark({ ...end, place: body.nodes[frame] });
    const place = body.frames[frame];
    return place && new Mark({ ...end, point: place.point, rotation: place.rotation });
  }

  /** Draw the path of a point, or stop to. */
  trace(name: string): boolean {
    const known = this.traces.get(name);
    if (known) {
      known.remove();
      this.traces.delete(name);
      return false;
    }
    const mark = this.mark(name), color = this.bodyOf(name)?.color;
    if (!mark || !color || mark.end.place < 0) return false;
    const made = new Trace(name, mark, color, this.group);
    made.build(this.header, this.timeline);
    this.traces.set(name, made);
    return true;
  }

  /** Rows were added: paths go on, and scales of colours hold the new end. */
  grown(): void {
    this.arrows?.grown();
    void this.states.ask();
    for (const trace of this.traces.values()) trace.build(this.header, this.timeline);
    for (const [source, most] of this.scales) {
      const now = Math.max(most, this.highest(source, this.timeline.t.length - 1));
      this.scales.set(source, now);
      for (const body of this.bodies) body.largest = Math.max(body.largest, now);
    }
  }

  targets(): THREE.Object3D[] {
    const springs = this.connectors?.items.map((i) => i.mesh).filter((m) => m.visible) ?? [];
    return [...this.bodies.map((b) => b.mesh).filter((m) => m.visible), ...springs, ...(this.symbols?.targets() ?? []), ...(this.surfaces?.targets() ?? [])];
  }

  /** The slender body whose middle line passes near a place on the screen: bodies thinner than a pixel can be clicked too. */
  near(x: number, y: number, canvas: HTMLCanvasElement, camera: THREE.Camera): string {
    const seen = (p: THREE.Vector3): [number, number] => {
      p.project(camera);
      return [((p.x + 1) / 2) * canvas.clientWidth, ((1 - p.y) / 2) * canvas.clientHeight];
    };
    for (const { info, mesh } of this.bodies) {
      for (const shape of mesh.visible ? info.shapes ?? [] : []) {
        if (shape.kind !== "link" && shape.kind !== "cylinder") continue;
        const [p, q] = [shape.start, shape.end].map((v) => seen(vector(v).applyMatrix4(mesh.matrixWorld)));
        const dx = q[0] - p[0], dy = q[1] - p[1], s = Math.min(1, Math.max(0, ((x - p[0]) * dx + (y - p[1]) * dy) / (dx * dx + dy * dy || 1)));
        if (Math.hypot(x - p[0] - s * dx, y - p[1] - s * dy) < NEAR) return info.name;
      }
    }
    return "";
  }

  dispose(): void {
    this.group.traverse((part) => {
      const mesh = part as THREE.Mesh;
      mesh.geometry?.dispose?.();
      if (mesh.material) (Array.isArray(mesh.material) ? mesh.material : [mesh.material]).forEach((m) => m.dispose());
    });
    this.group.removeFromParent();
  }
}

function middle(body: BodyView): [number, number, number] {
  if (body.skin) {
    const x = body.skin.rest, sum = [0, 0, 0];
    for (let i = 0; i < x.length; i++) sum[i % 3] += x[i];
    return sum.map((s) => (3 * s) / Math.max(1, x.length)) as [number, number, number];
  }
  body.mesh.geometry.computeBoundingBox();
  const c = body.mesh.geometry.boundingBox?.getCenter(new THREE.Vector3()) ?? new THREE.Vector3();
  return Number.isFinite(c.x) ? [c.x, c.y, c.z] : [0, 0, 0];
}
