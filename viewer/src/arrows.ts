/** Arrows of forces and torques: of joints, springs and bushings from their channels, of loads as they are given. */
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { PALETTES } from "./colors";
import type { End, Header } from "./format";
import { Mark, type Poses } from "./poses";
import type { Settings } from "./settings";
import type { Source } from "./source";
import { search } from "./timeline";

const LONGEST = 0.22; // of the size of the model
const P = new THREE.Vector3(), V = new THREE.Vector3(), W = new THREE.Vector3(), Q = new THREE.Quaternion(), S = new THREE.Vector3();
const M = new THREE.Matrix4(), UP = new THREE.Vector3(0, 1, 0), NONE = new THREE.Matrix4().makeScale(0, 0, 0);

interface Arrow { name: string; at: Mark; other?: Mark; kind: "force" | "torque"; channel?: string; constant?: THREE.Vector3; follows?: boolean;
  t?: Float64Array; values?: Float64Array; wide: number }

export class Arrows {
  private readonly arrows: Arrow[] = [];
  private readonly mesh: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private largest = { force: 0, torque: 0 };
  private asked = false;
  /** Called when values have come. */
  loaded: () => void = () => {};

  constructor(private header: Header, private source: Source, root: THREE.Object3D) {
    const has = new Set(header.channels.map((c) => c.name));
    const add = (name: string, end: End, kind: "force" | "torque", other?: End): void => {
      const channel = `${name}.${kind}`;
      if (has.has(channel)) this.arrows.push({ name, at: new Mark(end), other: other && new Mark(other), kind, channel, wide: 3 });
    };
    for (const j of header.joints) if (j.b) add(j.name, j.b, "force");
    for (const f of header.forces) {
      if (f.a && f.b) add(f.name, f.b, "force", f.a);
      if (f.channel && f.b) this.arrows.push({ name: f.name, at: new Mark(f.b), kind: f.symbol === "torque" ? "torque" : "force", channel: f.channel, wide: 3 });
      else if (f.vector && f.b && f.vector.every((x) => x !== null)) {
        const [x, y, z] = f.vector as number[];
        this.arrows.push({ name: f.name, at: new Mark(f.b), kind: f.symbol === "torque" ? "torque" : "force", constant: new THREE.Vector3(x, y, z), follows: f.axes === "frame", wide: 3 });
      }
    }
    const head = new THREE.ConeGeometry(0.045, 0.16, 16).translate(0, 0.92, 0), shaft = new THREE.CylinderGeometry(0.016, 0.016, 0.86, 10).translate(0, 0.43, 0);
    this.mesh = new THREE.InstancedMesh(mergeGeometries([head, shaft]), new THREE.MeshStandardMaterial({ roughness: 0.5 }), Math.max(1, this.arrows.length));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
    root.add(this.mesh);
  }

  get count(): number { return this.arrows.length; }

  /** Fetch what is not there yet; when arrows are shown for the first time. */
  async ask(): Promise<void> {
    if (this.asked) return;
    this.asked = true;
    await Promise.all(this.arrows.map(async (arrow) => {
      if (!arrow.channel) return;
      try {
        const got = await this.source.channel(arrow.channel);
        arrow.t = got.arrays.get("t") as Float64Array;
        arrow.values = got.arrays.get("values") as Float64Array;
        arrow.wide = got.shapes.get("values")!.length === 2 ? got.shapes.get("values")![0] : 1;
      } catch { /* not in this file: no arrow */ }
    }));
    for (const a of this.arrows) {
      let most = a.constant?.length() ?? 0;
      if (a.values && a.t) for (let i = 0; i < a.t.length; i++) most = Math.max(most, this.size(a, i));
      this.largest[a.kind] = Math.max(this.largest[a.kind], most);
    }
    this.loaded();
  }

  private size(a: Arrow, i: number): number {
    const n = a.t!.length;
    return a.wide === 1 ? Math.abs(a.values![i]) : Math.hypot(a.values![i], a.values![n + i], a.values![2 * n + i]);
  }

  update(poses: Poses, time: number, settings: Settings): void {
    if (!settings.forces) return;
    void this.ask();
    this.arrows.forEach((a, k) => {
      a.at.position(poses, P);
      const known = this.vector(a, poses, time);
      const full = LONGEST * this.header.size * settings.arrows / (this.largest[a.kind] || 1), length = V.length() * full;
      if (!known || length < 1e-4 * this.header.size) this.mesh.setMatrixAt(k, NONE);
      else {
        Q.setFromUnitVectors(UP, V.normalize());
        const thick = Math.max(length, 0.35 * LONGEST * this.header.size);
        this.mesh.setMatrixAt(k, M.compose(P, Q, S.set(thick, length, thick)));
      }
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  private vector(a: Arrow, poses: Poses, time: number): boolean {
    if (a.constant) {
      V.copy(a.constant);
      if (a.follows) V.applyQuaternion(a.at.rotation(poses, Q));
      return true;
    }
    if (!a.t || !a.values) return false;
    const i = search(a.t, time), n = a.t.length;
    if (a.wide === 1 && a.other) { // along the line; positive pulls b towards a
      V.copy(a.other.position(poses, W)).sub(P).normalize().multiplyScalar(a.values[i]);
    } else V.set(a.values[i], a.values[n + i], a.values[2 * n + i]);
    return true;
  }

  look(settings: Settings): void {
    this.mesh.visible = settings.forces && this.arrows.length > 0;
    const palette = PALETTES[settings.theme], c = new THREE.Color();
    this.arrows.forEach((a, k) => this.mesh.setColorAt(k, c.setHex(a.kind === "force" ? palette.force : palette.torque)));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
