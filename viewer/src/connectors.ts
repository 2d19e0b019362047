/** What is stretched between two frames: springs, distance joints, lines of slides; and paths of points. */
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { PALETTES } from "./colors";
import type { End, Header } from "./format";
import { Mark, Poses } from "./poses";
import type { Settings } from "./settings";
import type { States } from "./states";
import { measured, visible } from "./thin";
import type { Timeline } from "./timeline";

const A = new THREE.Vector3(), B = new THREE.Vector3(), D = new THREE.Vector3(), Z = new THREE.Vector3(0, 0, 1);
const Q = new THREE.Quaternion(), S = new THREE.Vector3();
const COILS = 9;

class Coil extends THREE.Curve<THREE.Vector3> {
  constructor(private radius: number) { super(); }
  override getPoint(s: number, out = new THREE.Vector3()): THREE.Vector3 {
    const inner = Math.min(1, Math.max(0, (s - 0.12) / 0.76)), r = this.radius * Math.min(1, 12 * inner, 12 * (1 - inner));
    const angle = 2 * Math.PI * COILS * inner;
    return out.set(r * Math.cos(angle), r * Math.sin(angle), s);
  }
}

/** A shape one long in z, stretched from a to b. */
class Stretched {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  constructor(name: string, geometry: THREE.BufferGeometry, private a: Mark, private b: Mark, root: THREE.Object3D) {
    this.mesh = new THREE.Mesh(measured(geometry), visible(new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.3 })));
    this.mesh.userData.item = name;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.frustumCulled = false;
    root.add(this.mesh);
  }
  update(poses: Poses): void {
    this.a.position(poses, A);
    D.copy(this.b.position(poses, B)).sub(A);
    const length = D.length() || 1e-12;
    Q.setFromUnitVectors(Z, D.divideScalar(length));
    this.mesh.matrix.compose(A, Q, S.set(1, 1, length));
  }
}

export class Connectors {
  readonly items: Stretched[] = [];
  private readonly guides: THREE.LineSegments[] = [];

  constructor(header: Header, timeline: Timeline, root: THREE.Object3D) {
    const s = header.symbol;
    const add = (name: string, a: End, b: End, geometry: (length: number) => THREE.BufferGeometry, poses: Poses): void => {
      const ends = [new Mark(a), new Mark(b)];
      const length = ends[0].position(poses, A).distanceTo(ends[1].position(poses, B)) || 1;
      this.items.push(new Stretched(name, geometry(length), ends[0], ends[1], root));
    };
    const start = firstPoses(header, timeline);
    for (const f of [...header.forces, ...header.joints]) {
      if (f.symbol === "spring" && f.a && f.b) add(f.name, f.a, f.b, (l) => spring(0.75 * s, 0.13 * s, l), start);
    }
    for (const j of [...header.forces, ...header.joints]) {
      if (j.symbol === "rod" && j.a && j.b) add(j.name, j.a, j.b, () => new THREE.CylinderGeometry(0.2 * s, 0.2 * s, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), start);
    }
    for (const j of header.joints) if (j.guide === "line" && j.a && j.b) this.guide(j.a, j.b, j.axes!, header, timeline, root);
  }

  /** The line of a slide on the ground, as far as it is used. */
  private guide(a: End, b: End, axes: readonly number[], header: Header, timeline: Timeline, root: THREE.Object3D): void {
    if (a.place >= 0 && b.place >= 0) return;
    const fixed = a.place < 0 ? a : b, moving = a.place < 0 ? b : a;
    const mark = new Mark(fixed, new THREE.Quaternion(axes[1], axes[2], axes[3], axes[0]));
    const poses = new Poses(header.places.length, header.width);
    const origin = mark.position(poses, new THREE.Vector3()), axis = Z.clone().applyQuaternion(mark.rotation(poses, new THREE.Quaternion()));
    const other = new Mark(moving);
    let low = 0, high = 0;
    for (let k = 0, n = Math.min(100, timeline.t.length); k < n; k++) {
      timeline.sample(timeline.t[Math.floor((k * (timeline.t.length - 1)) / Math.max(1, n - 1))], header.places.length, poses.state);
      poses.update();
      const s = other.position(poses, A).sub(origin).dot(axis);
      low = Math.min(low, s);
      high = Math.max(high, s);
    }
    const more = 0.06 * header.size;
    const ends = [origin.clone().addScaledVector(axis, low - more), origin.clone().addScaledVector(axis, high + more)];
    const line = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(ends), new THREE.LineDashedMaterial({ dashSize: 0.02 * header.size, gapSize: 0.012 * header.size }));
    line.computeLineDistances();
    root.add(line);
    this.guides.push(line);
  }

  update(poses: Poses): void { for (const item of this.items) item.update(poses); }

  look(settings: Settings, selected: string, shown: (name: string) => boolean, states: States): void {
    const palette = PALETTES[settings.theme];
    for (const { mesh } of this.items) {
      const name = mesh.userData.item as string, state = states.of(name);
      mesh.visible = shown(name) && state !== "off" && state !== "broken";
      mesh.material.color.setHex(palette.spring);
      mesh.material.emissive.setHex(name === selected ? palette.select : 0);
      mesh.material.emissiveIntensity = name === selected ? 0.7 : 0;
    }
    for (const guide of this.guides) {
      (guide.material as THREE.LineDashedMaterial).color.setHex(palette.ghost);
      guide.visible = settings.joints;
    }
  }
}

function spring(radius: number, wire: number, length: number): THREE.BufferGeometry {
  const made = new THREE.TubeGeometry(new Coil(radius), 30 * COILS, wire, 7);
  const x = made.attributes.position.array as Float32Array; // round wires at the first length: their thickness along z is given back
  const curve = new Coil(radius), centre = new THREE.Vector3(), rings = 30 * COILS + 1;
  for (let i = 0; i < rings; i++) {
    curve.getPointAt(i / (rings - 1), centre);
    for (let k = 0; k < 8; k++) {
      const at = 3 * (8 * i + k) + 2;
      x[at] = centre.z + (x[at] - centre.z) / length;
    }
  }
  return made;
}


function firstPoses(header: Header, timeline: Timeline): Poses {
  const poses = new Poses(header.places.length, header.width);
  timeline.sample(timeline.start, header.places.length, poses.state);
  poses.update();
  return poses;
}

/** The path of a point: all of it faint, and what has passed strong. */
export class Trace {
  private readonly whole: Line2;
  private readonly passed: Line2;
  private rows = 0;
  constructor(readonly name: string, private mark: Mark, color: string, root: THREE.Object3D) {
    this.whole = line(color, 0.28);
    this.passed = line(color, 0.95);
    root.add(this.whole, this.passed);
  }

  build(header: Header, timeline: Timeline): void {
    const n = timeline.t.length, points = new Float32Array(3 * n), poses = new Poses(header.places.length, header.width);
    const c = 7 * this.mark.end.place;
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < 7; k++) poses.state[c + k] = timeline.columns[(c + k) * n + i];
      A.set(poses.state[c], poses.state[c + 1], poses.state[c + 2]);
      Q.set(poses.state[c + 4], poses.state[c + 5], poses.state[c + 6], poses.state[c + 3]);
      B.copy(this.mark.point).applyQuaternion(Q).add(A);
      points.set([B.x, B.y, B.z], 3 * i);
    }
    this.rows = n;
    for (const l of [this.whole, this.passed]) {
      l.geometry.dispose();
      l.geometry = new LineGeometry().setPositions(points);
      l.visible = n > 1;
    }
  }

  update(index: number, visible: boolean): void {
    this.whole.visible = this.passed.visible = visible && this.rows > 1;
    this.passed.geometry.instanceCount = Math.max(0, Math.min(index, this.rows - 1));
  }

  resize(width: number, height: number): void {
    for (const l of [this.whole, this.passed]) l.material.resolution.set(width, height);
  }

  remove(): void {
    for (const l of [this.whole, this.passed]) {
      l.removeFromParent();
      l.geometry.dispose();
      l.material.dispose();
    }
  }
}

function line(color: string, opacity: number): Line2 {
  const made = new Line2(new LineGeometry(), new LineMaterial({ color: new THREE.Color(color).getHex(), linewidth: 2, transparent: true, opacity }));
  made.frustumCulled = false;
  made.visible = false;
  return made;
}
