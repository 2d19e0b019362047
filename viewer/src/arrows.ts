/** Arrows of forces and torques: of joints, springs and bushings from their channels, of loads as they are given, of contacts at the point of contact. */
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { PALETTES } from "./colors";
import type { ArrowInfo, End, Header } from "./format";
import { Mark, type Poses } from "./poses";
import type { Settings } from "./settings";
import type { Source } from "./source";
import { search } from "./timeline";

const LONGEST = 0.22; // of the size of the model
const USUAL = 0.98; // part of the time in which a force is no larger than what has this length,
const TOUCHING = 0.75, SHORTER = 0.6; // and for all contacts together what has this part of it: impacts are larger
const BEYOND = 0.5; // of that length for each power of ten of a larger force
const NUMBERS = 8e6; // of all arrows over time: of longer runs every so many rows are asked for
const SAMPLES = 4000; // rows that tell the scale
const BOLD = 1.5; // arrows of what touches are partly inside bodies
const POINT = 0.3; // of the size of symbols
const PATIENCE = 10; // of a run that goes on: time between two looks at its forces, over that of a look
const P = new THREE.Vector3(), V = new THREE.Vector3(), W = new THREE.Vector3(), Q = new THREE.Quaternion(), S = new THREE.Vector3(), P2 = new THREE.Vector3(), V2 = new THREE.Vector3();
const M = new THREE.Matrix4(), UP = new THREE.Vector3(0, 1, 0), O = new THREE.Vector3();

type Kind = "force" | "torque";
type Group = "forces" | "contacts"; // switched together
interface Arrow { name: string; group: Group; kind: Kind; at?: Mark; other?: Mark; turn?: Mark; info?: ArrowInfo; channels: string[]; constant?: THREE.Vector3; follows?: boolean }
interface Track { t: Float64Array; values: Float64Array; wide: number }

export class Arrows {
  private readonly arrows: Arrow[] = [];
  private readonly mesh: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly seenThrough: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly points: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly tracks = new Map<string, Track>();
  private readonly asked = new Set<Group>();
  private largest = { force: 0, torque: 0 };
  private readonly colors = { force: new THREE.Color(), torque: new THREE.Color(), friction: new THREE.Color() };
  private again = 0; // when it may be asked for what is new
  private waiting = 0;
  /** Called when values have come. */
  loaded: () => void = () => {};

  constructor(private header: Header, private source: Source, root: THREE.Object3D, private rowsOfRun: () => number) {
    const has = new Set(header.channels.map((c) => c.name));
    const add = (name: string, end: End, kind: Kind, other?: End): void => {
      const channel = `${name}.${kind}`;
      if (has.has(channel)) this.arrows.push({ name, group: "forces", at: new Mark(end), other: other && new Mark(other), kind, channels: [channel] });
    };
    for (const j of header.joints) if (j.b) add(j.name, j.b, "force");
    for (const f of header.forces) {
      for (const info of f.arrows ?? []) this.arrows.push({ name: f.name, group: "contacts", kind: info.kind, at: info.at && new Mark(info.at), turn: info.turn && new Mark(info.turn), info, channels: channelsOf(info) });
      if (f.arrows) continue;
      if (f.a && f.b) add(f.name, f.b, "force", f.a);
      const kind = f.symbol === "torque" ? "torque" : "force";
      if (f.channel && f.b) this.arrows.push({ name: f.name, group: "forces", at: new Mark(f.b), kind, channels: [f.channel] });
      else if (f.vector && f.b && f.vector.every((x) => x !== null)) {
        const [x, y, z] = f.vector as number[];
        this.arrows.push({ name: f.name, group: "forces", at: new Mark(f.b), kind, channels: [], constant: new THREE.Vector3(x, y, z), follows: f.axes === "frame" });
      }
    }
    const head = new THREE.ConeGeometry(0.045, 0.16, 16).translate(0, 0.92, 0), shaft = new THREE.CylinderGeometry(0.016, 0.016, 0.86, 10).translate(0, 0.43, 0);
    const n = Math.max(1, this.arrows.length), shape = mergeGeometries([head, shaft]);
    this.mesh = new THREE.InstancedMesh(shape, new THREE.MeshStandardMaterial({ roughness: 0.5 }), n);
    this.seenThrough = new THREE.InstancedMesh(shape, new THREE.MeshStandardMaterial({ roughness: 0.5, transparent: true, opacity: 0.62, depthFunc: THREE.GreaterDepth, depthWrite: false }), n);
    this.points = new THREE.InstancedMesh(new THREE.SphereGeometry(POINT * header.symbol, 10, 6), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }), n);
    for (const mesh of [this.mesh, this.seenThrough, this.points]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = mesh === this.mesh ? 2 : 3;
      root.add(mesh);
    }
    this.mesh.setColorAt(0, this.colors.force); // makes room for all
    this.seenThrough.instanceMatrix = this.mesh.instanceMatrix;
    this.seenThrough.instanceColor = this.mesh.instanceColor;
  }

  count(group: Group): number { return this.arrows.filter((a) => a.group === group).length; }

  /** Fetch what is not there yet; when arrows are shown for the first time. */
  async ask(group: Group): Promise<void> {
    if (this.asked.has(group)) return;
    this.asked.add(group);
    const begun = performance.now(), own = this.arrows.filter((a) => a.group === group), channels = [...new Set(own.flatMap((a) => a.channels))];
    const step = Math.ceil((3 * this.rowsOfRun() * channels.length) / NUMBERS);
    await Promise.all(channels.map(async (channel) => {
      try {
        const got = await this.source.channel(channel, step), shape = got.shapes.get("values")!;
        this.tracks.set(channel, { t: got.arrays.get("t") as Float64Array, values: got.arrays.get("values") as Float64Array, wide: shape.length === 2 ? shape[0] : 1 });
      } catch { /* not in this file: no arrow */ }
    }));
    for (const kind of ["force", "torque"] as const) {
      const sizes = own.filter((a) => a.kind === kind && a.info?.role !== "friction").map((a) => this.sizes(a));
      const found = group === "forces" ? sizes.map((x) => quantile(x, USUAL)) : [quantile(sizes.flat(), TOUCHING) / SHORTER];
      this.largest[kind] = Math.max(this.largest[kind], ...found);
    }
    this.again = performance.now() + PATIENCE * (performance.now() - begun);
    this.loaded();
  }

  /** Rows were added: what is shown is asked for again, now and then. */
  grown(): void {
    this.waiting ||= window.setTimeout(() => {
      this.waiting = 0;
      this.asked.clear();
      this.loaded();
    }, Math.max(0, this.again - performance.now()));
  }

  /** How large it is over time, while it acts. */
  private sizes(a: Arrow): number[] {
    if (a.constant) return [a.constant.length()];
    const n = this.rows(a), step = Math.max(1, Math.floor(n / SAMPLES)), found: number[] = [];
    for (let i = 0; i < n; i += step) {
      const size = this.value(a, i, V) ? V.length() : 0;
      if (size > 0) found.push(size);
    }
    return found;
  }

  private rows(a: Arrow): number { return Math.min(...a.channels.map((c) => this.tracks.get(c)?.t.length ?? 0)); }

  update(poses: Poses, time: number, settings: Settings): void {
    for (const group of ["forces", "contacts"] as const) if (settings[group] && this.count(group)) void this.ask(group);
    if (!this.mesh.visible) return;
    const { size } = this.header;
    let factor = 0, drawn = 0, points = 0; // m per N
    for (const a of this.arrows) {
      const known = settings[a.group] && this.now(a, poses, time), force = V.length(), usual = this.largest[a.kind] || 1;
      if (a.info?.role !== "friction") factor = (LONGEST * size * settings.arrows * (force > usual ? (1 + BEYOND * Math.log10(force / usual)) / force : 1 / usual)); // that of its normal force
      const length = factor * force;
      if (known && a.info?.role === "normal" && a.info.point && length > 0) this.points.setMatrixAt(points++, M.makeTranslation(P));
      if (!known || length < 1e-4 * size) continue;
      Q.setFromUnitVectors(UP, V.normalize());
      const thick = Math.max(length, 0.35 * LONGEST * size) * (a.info ? BOLD : 1);
      this.mesh.setMatrixAt(drawn, M.compose(P, Q, S.set(thick, length, thick)));
      this.mesh.setColorAt(drawn++, this.colors[a.info?.role === "friction" ? "friction" : a.kind]);
    }
    this.mesh.count = this.seenThrough.count = drawn;
    this.points.count = points;
    this.mesh.instanceMatrix.needsUpdate = this.points.instanceMatrix.needsUpdate = this.mesh.instanceColor!.needsUpdate = true;
  }

  /** Where it is, into P, and what it is, into V; false if there is nothing to be drawn. */
  private now(a: Arrow, poses: Poses, time: number): boolean {
    a.at?.position(poses, P);
    if (a.constant) {
      V.copy(a.constant);
      if (a.follows) V.applyQuaternion(a.at!.rotation(poses, Q));
      return true;
    }
    const n = this.rows(a);
    if (!n) return false;
    const { t, wide } = this.tracks.get(a.channels[0])!, i = Math.min(search(t, time), n - 1), j = Math.min(i + 1, n - 1);
    if (a.other && wide === 1) { // along the line; positive pulls b towards a
      V.copy(a.other.position(poses, W)).sub(P).normalize().multiplyScalar(this.tracks.get(a.channels[0])!.values[i]);
      return true;
    }
    if (!this.value(a, i, V)) return false;
    if (a.info?.point) this.place(a.info.point, i, P);
    const s = j > i ? Math.min(1, Math.max(0, (time - t[i]) / (t[j] - t[i] || 1))) : 0;
    if (a.info && s > 0 && V.lengthSq() > 0 && this.value(a, j, V2) && V2.lengthSq() > 0) { // as long as it acts: from row to row, as bodies move
      V.lerp(V2, s);
      if (a.info.point) P.lerp(this.place(a.info.point, j, P2), s);
    }
    if (a.turn) V.applyQuaternion(a.turn.rotation(poses, Q));
    return true;
  }

  private place(channel: string, i: number, out: THREE.Vector3): THREE.Vector3 {
    const { t: { length: n }, values: x } = this.tracks.get(channel)!, [a, b, c] = this.header.origin;
    return out.set(x[i] - a, x[n + i] - b, x[2 * n + i] - c);
  }

  /** Numbers of one row, in the axes in which its channels are. */
  private value(a: Arrow, i: number, out: THREE.Vector3): boolean {
    const { info } = a, parts = info?.turn ? info.channels : [a.channels[0]], tracks = parts.map((c) => this.tracks.get(c));
    if (tracks.some((track) => !track)) return false;
    out.copy(O);
    if (info?.turn || tracks[0]!.wide === 1) tracks.forEach((track, k) => out.setComponent(k + (info?.axis ?? 0), track!.values[i]));
    else for (let k = 0; k < 3; k++) out.setComponent(k, tracks[0]!.values[k * tracks[0]!.t.length + i]);
    const less = info?.minus ? this.tracks.get(info.minus) : undefined;
    if (less) for (let k = 0; k < 3; k++) out.setComponent(k, out.getComponent(k) - less.values[k * less.t.length + i]);
    return Number.isFinite(out.x + out.y + out.z);
  }

  look(settings: Settings): void {
    const seen = this.arrows.some((a) => settings[a.group]), palette = PALETTES[settings.theme];
    for (const mesh of [this.mesh, this.seenThrough, this.points]) mesh.visible = seen;
    for (const kind of ["force", "torque", "friction"] as const) this.colors[kind].setHex(palette[kind]);
    this.points.material.color.setHex(palette.ink);
  }
}

function quantile(x: number[], part: number): number {
  return x.length ? x.sort((a, b) => a - b)[Math.floor(part * (x.length - 1))] : 0;
}

function channelsOf(info: ArrowInfo): string[] {
  return [...info.channels, ...[info.point, info.minus].filter((c) => c !== undefined)];
}
