/** Symbols of joints and supports, and axes of frames: many at once, one draw for each kind. */
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { PALETTES } from "./colors";
import type { Header, JointInfo } from "./format";
import { quaternion, vector } from "./geometry";
import { Mark, type Poses } from "./poses";
import type { Settings } from "./settings";
import type { State, States } from "./states";

const X90 = Math.PI / 2;

/** Of size one, z along the axis of the joint. */
function symbol(name: string): THREE.BufferGeometry {
  const drum = (r: number, l: number, n = 20): THREE.BufferGeometry => new THREE.CylinderGeometry(r, r, l, n).rotateX(X90);
  const box = (x: number, y: number, z: number): THREE.BufferGeometry => new THREE.BoxGeometry(x, y, z);
  const ring = (r: number, t: number, z: number): THREE.BufferGeometry => new THREE.TorusGeometry(r, t, 8, 22).translate(0, 0, z);
  switch (name) {
    case "revolute": return join(drum(0.55, 1.5), ring(0.6, 0.14, 0.68), ring(0.6, 0.14, -0.68));
    case "spherical": return new THREE.SphereGeometry(0.85, 24, 16);
    case "universal": return join(drum(0.22, 2.2), drum(0.22, 2.2).rotateY(X90), new THREE.SphereGeometry(0.42, 20, 12));
    case "prismatic": return join(box(1.7, 1.7, 0.25).translate(0, 0, 0.95), box(1.7, 1.7, 0.25).translate(0, 0, -0.95),
      ...[[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([x, y]) => box(0.25, 0.25, 2).translate(0.72 * x, 0.72 * y, 0)));
    case "cylindrical": return join(ring(0.8, 0.18, 0.8), ring(0.8, 0.18, -0.8), ring(0.8, 0.12, 0), drum(0.3, 2.4));
    case "sliding_on_beam": return join(ring(0.95, 0.2, 0.7), ring(0.95, 0.2, -0.7), ...[[1, 0], [-1, 0], [0, 1], [0, -1]].map(([x, y]) => box(0.2, 0.2, 1.4).translate(0.95 * x, 0.95 * y, 0)));
    case "screw": return join(drum(0.4, 2.2), ...[-0.8, -0.4, 0, 0.4, 0.8].map((z) => ring(0.5, 0.12, z).rotateX(0.15)));
    case "planar": return join(box(2.2, 2.2, 0.16), drum(0.16, 1.2));
    case "point_on_line": return join(drum(0.14, 3), new THREE.SphereGeometry(0.5, 20, 12));
    case "locked": return join(...[0, X90].map((turn) => new THREE.TorusGeometry(1.5, 0.2, 4, 4).rotateZ(turn / 2).scale(1, 1, 2.2)));
    case "fixed": return box(1.15, 1.15, 1.15);
    case "support": return join(new THREE.ConeGeometry(1.25, 1.5, 4).rotateY(Math.PI / 4).translate(0, -0.95, 0), box(2.6, 0.22, 2.6).translate(0, -1.8, 0));
    case "bushing": return join(ring(0.75, 0.34, 0), drum(0.24, 1.4));
    default: return new THREE.OctahedronGeometry(0.95);
  }
}

function join(...parts: THREE.BufferGeometry[]): THREE.BufferGeometry {
  return mergeGeometries(parts.map((p) => (p.index ? p.toNonIndexed() : p)));
}

interface Placed { name: string; at: Mark; axes: Mark; driven: boolean }

/** All symbols of one kind. */
class Kind {
  readonly mesh: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  constructor(kind: string, readonly items: Placed[], private size: number, root: THREE.Object3D, private states: States, private only?: State) {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.15 });
    this.mesh = new THREE.InstancedMesh(symbol(kind), material, items.length);
    this.mesh.frustumCulled = false;
    this.mesh.userData.items = items.map((i) => i.name);
    this.mesh.renderOrder = 1;
    root.add(this.mesh);
  }
  update(poses: Poses): void {
    for (let k = 0; k < this.items.length; k++) {
      this.items[k].at.position(poses, P);
      this.items[k].axes.rotation(poses, Q);
      this.mesh.setMatrixAt(k, M.compose(P, Q, S.setScalar(this.size * this.part(this.items[k].name))));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }
  /** How large it is: a joint that holds nothing is small, a broken one is not there. */
  private part(name: string): number {
    const state = this.states.of(name);
    if (this.only) return state === this.only ? 1 : 0;
    return state === "broken" ? 0 : state === "off" ? OFF : 1;
  }
  look(settings: Settings, selected: string, hidden: (name: string) => boolean): void {
    const palette = PALETTES[settings.theme];
    this.items.forEach((item, k) => {
      const state = this.states.of(item.name), own = this.only ? palette.locked : state === "off" ? palette.ghost : item.driven ? palette.drive : palette.joint;
      C.setHex(item.name === selected ? palette.select : own);
      this.mesh.setColorAt(k, C);
    });
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    this.mesh.visible = settings.joints && !this.items.every((i) => hidden(i.name));
  }
}

const P = new THREE.Vector3(), Q = new THREE.Quaternion(), S = new THREE.Vector3(), M = new THREE.Matrix4(), C = new THREE.Color();
const OFF = 0.5; // of its size
const STRETCHED = new Set(["spring", "rod"]); // drawn by connectors

export class Symbols {
  readonly kinds: Kind[] = [];
  private readonly supports?: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly triads: THREE.LineSegments;
  private readonly marks: Mark[];

  constructor(private header: Header, states: States, root: THREE.Object3D) {
    const groups = new Map<string, Placed[]>();
    const add = (kind: string, placed: Placed): void => void groups.set(kind, [...(groups.get(kind) ?? []), placed]);
    for (const joint of header.joints) if (joint.a && joint.b && !STRETCHED.has(joint.symbol)) add(joint.symbol, placedJoint(joint));
    for (const force of header.forces) {
      if (force.a && force.symbol && !STRETCHED.has(force.symbol)) add(force.symbol, { name: force.name, at: new Mark(force.a), axes: new Mark(force.a), driven: false });
    }
    for (const [kind, items] of groups) this.kinds.push(new Kind(kind, items, header.symbol, root, states));
    const lockable = header.joints.filter((j) => j.locked && j.a && j.b).map(placedJoint);
    if (lockable.length) this.kinds.push(new Kind("locked", lockable, header.symbol, root, states, "locked"));
    this.marks = header.joints.flatMap((j) => (j.a && j.b ? [new Mark(j.a, quaternion(j.axes ?? [1, 0, 0, 0]))] : []));
    this.triads = triads(this.marks.length);
    root.add(this.triads);
    this.supports = supports(header, root);
  }

  update(poses: Poses, settings: Settings): void {
    if (settings.joints) for (const kind of this.kinds) kind.update(poses);
    if (settings.frames) this.axes(poses);
  }

  look(settings: Settings, selected: string, hidden: (name: string) => boolean): void {
    for (const kind of this.kinds) kind.look(settings, selected, hidden);
    this.triads.visible = settings.frames;
    if (this.supports) {
      this.supports.visible = settings.joints;
      this.supports.material.color.setHex(PALETTES[settings.theme].ghost);
    }
  }

  targets(): THREE.Object3D[] { return this.kinds.map((k) => k.mesh).filter((m) => m.visible); }

  /** Axes of the joints: x red, y green, z blue. */
  private axes(poses: Poses): void {
    const x = this.triads.geometry.attributes.position.array as Float32Array, length = 3 * this.header.symbol;
    this.marks.forEach((mark, k) => {
      mark.position(poses, P);
      mark.rotation(poses, Q);
      for (let axis = 0; axis < 3; axis++) {
        S.set(axis === 0 ? length : 0, axis === 1 ? length : 0, axis === 2 ? length : 0).applyQuaternion(Q).add(P);
        x.set([P.x, P.y, P.z, S.x, S.y, S.z], 18 * k + 6 * axis);
      }
    });
    this.triads.geometry.attributes.position.needsUpdate = true;
  }
}

function placedJoint(joint: JointInfo): Placed {
  return { name: joint.name, at: new Mark(joint.b!), axes: new Mark(joint.a!, quaternion(joint.axes ?? [1, 0, 0, 0])), driven: (joint.drives?.length ?? 0) > 0 };
}

export const AXIS_COLORS = [0xe5484d, 0x30a46c, 0x3e7bfa];

/** Room for the axes of n frames. */
export function triads(n: number): THREE.LineSegments {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(18 * n), 3));
  const colors = new Float32Array(18 * n);
  for (let k = 0; k < 3 * n; k++) {
    const c = new THREE.Color(AXIS_COLORS[k % 3]);
    colors.set([c.r, c.g, c.b, c.r, c.g, c.b], 6 * k);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  const made = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
  made.frustumCulled = false;
  made.renderOrder = 3;
  return made;
}

/** What holds the mechanism: a foot under every point of the ground. */
function supports(header: Header, root: THREE.Object3D): THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> | undefined {
  const guided = header.joints.filter((j) => j.guide).flatMap((j) => [j.a, j.b]).filter((e) => e && e.place < 0).map((e) => String(e!.point));
  const held = header.joints.flatMap((j) => [j.a, j.b]).filter((e) => e && e.place < 0 && !guided.includes(String(e.point))).map((e) => e!.point);
  const points = held.filter((p, k) => held.findIndex((q) => String(q) === String(p)) === k);
  if (!points.length) return undefined;
  const made = new THREE.InstancedMesh(symbol("support"), new THREE.MeshStandardMaterial({ roughness: 0.8 }), points.length);
  Q.setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(header.up));
  points.forEach((p, k) => made.setMatrixAt(k, M.compose(vector(p), Q, S.setScalar(header.symbol))));
  made.frustumCulled = false;
  root.add(made);
  return made;
}
