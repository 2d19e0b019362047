/** One run on the stage: everything that belongs to it, moved to a time. */
import * as THREE from "three";
import { Arrows } from "./arrows";
import { BodyView } from "./bodies";
import { Connectors, Trace } from "./connectors";
import type { End, Header, Package } from "./format";
import { Mark, Poses } from "./poses";
import type { Settings } from "./settings";
import type { Source } from "./source";
import { Symbols } from "./symbols";
import { Timeline } from "./timeline";

const SAMPLES = 60; // moments that tell the largest value of a colour scale

export class RunView {
  readonly header: Header;
  readonly timeline: Timeline;
  readonly group = new THREE.Group();
  readonly bodies: BodyView[];
  readonly poses: Poses;
  readonly symbols?: Symbols;
  readonly connectors?: Connectors;
  readonly arrows?: Arrows;
  readonly traces = new Map<string, Trace>();
  readonly hidden = new Set<string>();
  private readonly scales = new Map<string, number>();
  visible = true;

  constructor(data: Package, readonly source: Source, readonly number: number, root: THREE.Object3D) {
    this.header = data.header;
    const h = this.header;
    this.timeline = new Timeline(h.width, data.arrays.get("t") as Float64Array, data.arrays.get("motion") as Float32Array, h.stride ?? 1, h.rows, source);
    this.poses = new Poses(h.places.length, h.width);
    this.group.matrixWorldAutoUpdate = true;
    root.add(this.group);
    this.bodies = h.bodies.map((body) => new BodyView(body, data, this.group, number > 0));
    for (const body of this.bodies) if (body.hidden) this.hidden.add(body.info.name);
    if (number === 0) {
      this.symbols = new Symbols(h, this.group);
      this.connectors = new Connectors(h, this.timeline, this.group);
      this.arrows = new Arrows(h, source, this.group);
      for (const body of h.bodies) for (const name of body.traced) this.trace(name);
    }
  }

  /** Move everything to a time. */
  update(time: number, settings: Settings): void {
    const t = Math.min(Math.max(time, this.timeline.start), this.timeline.end);
    this.timeline.sample(t, this.poses.count, this.poses.state);
    this.poses.update();
    for (const body of this.bodies) body.update(this.poses, settings);
    this.symbols?.update(this.poses, settings);
    this.connectors?.update(this.poses);
    this.arrows?.update(this.poses, t, settings);
    const index = this.timeline.index(t);
    for (const trace of this.traces.values()) trace.update(index, settings.traces);
  }

  shown(name: string): boolean { return this.visible && !this.hidden.has(name); }

  /** After settings, selection or visibility changed. */
  look(settings: Settings, selected: string): void {
    for (const body of this.bodies) {
      body.look(settings, body.info.name === selected, this.shown(body.info.name));
      if (settings.colorBy !== "body") body.largest = this.largest(settings.colorBy);
    }
    this.symbols?.look(settings, selected, (name) => !this.shown(name));
    this.connectors?.look(settings, selected, (name) => this.shown(name));
    this.arrows?.look(settings);
    this.group.visible = this.visible;
  }

  /** The largest value over the run of what bodies are coloured by. */
  largest(source: string): number {
    const known = this.scales.get(source);
    if (known !== undefined) return known;
    let most = 0;
    const state = new Float32Array(this.header.width), n = this.timeline.t.length;
    for (const { skin } of this.bodies) {
      if (!skin?.sources().some((s) => s.name === source)) continue;
      for (let k = 0; k < Math.min(SAMPLES, n); k++) {
        const row = n <= SAMPLES ? k : Math.round((k * (n - 1)) / (SAMPLES - 1));
        for (let c = skin.info.first; c < skin.info.first + skin.info.count; c++) state[c] = this.timeline.columns[c * n + row];
        skin.evaluate(source, state, skin.info.first);
        for (let i = 0; i < skin.count; i++) most = Math.max(most, skin.values[i]);
      }
    }
    this.scales.set(source, most);
    return most;
  }

  /** What flexible bodies can be coloured by. */
  colorings(): { name: string; unit: string }[] {
    const all = this.bodies.flatMap((b) => b.skin?.sources() ?? []);
    return all.filter((s, k) => all.findIndex((o) => o.name === s.name) === k);
  }

  /** A frame, body or joint by name: a mark that moves with it. */
  mark(name: string): Mark | undefined {
    const joint = [...this.header.joints, ...this.header.forces].find((j) => j.name === name);
    if (joint?.b) return new Mark(joint.b);
    const [bodyName, frame] = name.split(".");
    const body = this.header.bodies.find((b) => b.name === bodyName);
    if (!body) return undefined;
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
    const mark = this.mark(name), color = this.header.bodies.find((b) => b.name === name.split(".")[0])?.color;
    if (!mark || !color || mark.end.place < 0) return false;
    const made = new Trace(name, mark, color, this.group);
    made.build(this.header, this.timeline);
    this.traces.set(name, made);
    return true;
  }

  /** Rows were added. */
  grown(): void { for (const trace of this.traces.values()) trace.build(this.header, this.timeline); }

  targets(): THREE.Object3D[] {
    const springs = this.connectors?.items.map((i) => i.mesh).filter((m) => m.visible) ?? [];
    return [...this.bodies.map((b) => b.mesh).filter((m) => m.visible), ...springs, ...(this.symbols?.targets() ?? [])];
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
