/** Deformation that is drawn larger than it is: bodies follow what they are jointed to, so that joints stay together.
 *  As src/pliant/plot/connected.py does it, where it is explained. */
import * as THREE from "three";
import type { End, Header, Held, Quat } from "./format";
import { quaternion, vector } from "./geometry";
import type { Poses } from "./poses";

const ITERATIONS = 8;
const CLOSED = 1e-7; // of the size: poses come in single precision
const ONE = new THREE.Vector3(1, 1, 1);
const GROUND = -1;

interface Side { body: number; node: number; local: THREE.Matrix4 } // places; node: -1 where it is fixed in the body
interface Link { sides: [Side, Side]; held?: Held }
interface Node { place: number; body: number; point: THREE.Vector3; turn: THREE.Quaternion }
interface Row { bodies: number[]; parts: number[][]; open: number }

export class Connected {
  private readonly links: Link[] = [];
  private readonly nodes: Node[] = [];
  private readonly tree: { link: Link; child: 0 | 1 }[] = [];
  private readonly bodies: number[];
  private readonly loops: boolean;
  private readonly size: number;

  constructor(header: Header) {
    this.size = header.size;
    this.bodies = header.bodies.map((b) => b.place);
    for (const body of header.bodies) {
      for (const [name, place] of Object.entries(body.nodes ?? {})) {
        const rest = body.frames[name];
        if (rest) this.nodes.push({ place, body: body.place, point: vector(rest.point), turn: quaternion(rest.rotation) });
      }
    }
    const add = (a: End, b: End, axes: Quat, held?: Held): void => {
      const sides: [Side, Side] = [this.side(a, axes), this.side(b, [1, 0, 0, 0])];
      if (sides[0].body !== sides[1].body) this.links.push({ sides, held });
    };
    for (const j of header.joints) if (j.a && j.b) add(j.a, j.b, j.axes ?? [1, 0, 0, 0], j.held);
    for (const f of header.forces) if (f.a && f.b && f.symbol !== "spring") add(f.a, f.b, [1, 0, 0, 0]);
    this.links.sort((a, b) => Number(!a.held) - Number(!b.held));
    this.grow();
    const carried = new Set(this.tree.map((t) => t.link));
    this.loops = this.links.some((l) => l.held && !carried.has(l));
  }

  private side(end: End, axes: Quat): Side {
    const node = this.nodes.find((n) => n.place === end.place);
    return { body: node ? node.body : end.place, node: node ? node.place : -1, local: pose(vector(end.point), quaternion(end.rotation).multiply(quaternion(axes))) };
  }

  /** The tree of the joints, from the ground on. */
  private grow(): void {
    const reached = new Set<number>([GROUND]);
    const carries = (link: Link): boolean => link.held !== undefined
      || !this.links.some((o) => o.held && o.sides.some((s) => !reached.has(s.body) && link.sides.some((t) => t.body === s.body)));
    for (const root of [GROUND, ...this.bodies]) {
      if (root !== GROUND && reached.has(root)) continue;
      reached.add(root);
      for (const rest = [root]; rest.length;) {
        const body = rest.shift()!;
        for (const link of this.links) {
          const at = link.sides.findIndex((s) => s.body === body);
          if (at < 0) continue;
          const child = (1 - at) as 0 | 1, other = link.sides[child].body;
          if (reached.has(other) || !carries(link)) continue;
          this.tree.push({ link, child });
          reached.add(other);
          rest.push(other);
        }
      }
    }
  }

  /** Move the poses of a moment to where they are drawn, the deformation `scale` times. */
  draw(poses: Poses, scale: number): void {
    const now = new Map<number, THREE.Matrix4>([[GROUND, new THREE.Matrix4()]]), local = new Map<number, THREE.Matrix4>();
    for (const place of this.bodies) now.set(place, poses.matrices[place].clone());
    for (const node of this.nodes) local.set(node.place, scaled(node, now.get(node.body)!.clone().invert().multiply(poses.matrices[node.place]), scale));
    const relative = new Map(this.links.map((l) => {
      const [a, b] = l.sides.map((s) => at(s, s.node < 0 ? now.get(s.body)! : poses.matrices[s.node]));
      return [l, a.invert().multiply(b)];
    }));
    const drawn = (s: Side): THREE.Matrix4 => (s.node < 0 ? s.local.clone() : local.get(s.node)!.clone().multiply(s.local)); // in its body
    for (const { link, child } of this.tree) {
      const [parent, moved] = [link.sides[1 - child], link.sides[child]], G = relative.get(link)!.clone();
      if (child === 0) G.invert();
      now.set(moved.body, now.get(parent.body)!.clone().multiply(drawn(parent)).multiply(G).multiply(drawn(moved).invert()));
    }
    if (this.loops) this.close(now, drawn, relative);
    for (const place of this.bodies) poses.matrices[place].copy(now.get(place)!);
    for (const node of this.nodes) poses.matrices[node.place].multiplyMatrices(now.get(node.body)!, local.get(node.place)!);
  }

  private close(now: Map<number, THREE.Matrix4>, drawn: (s: Side) => THREE.Matrix4, relative: Map<Link, THREE.Matrix4>): void {
    for (let k = 0; k < ITERATIONS; k++) {
      const rows = this.links.flatMap((link) => (link.held ? this.open(link, now, drawn, relative.get(link)!) : []));
      if (rows.every((row) => Math.abs(row.open) < CLOSED * this.size)) return;
      const step = least(rows);
      for (const place of this.bodies) {
        const s = step.get(place);
        if (!s) continue;
        const T = now.get(place)!, turn = new THREE.Vector3(s[3], s[4], s[5]).divideScalar(this.size), angle = turn.length();
        const p = new THREE.Vector3(), q = new THREE.Quaternion();
        T.decompose(p, q, new THREE.Vector3());
        if (angle > 0) q.premultiply(new THREE.Quaternion().setFromAxisAngle(turn.divideScalar(angle), angle));
        T.compose(p.add(new THREE.Vector3(s[0], s[1], s[2])), q.normalize(), ONE);
      }
    }
  }

  /** By how much a joint is open in what it holds, and how that changes with small motions of its bodies; angles in sizes. */
  private open(link: Link, now: Map<number, THREE.Matrix4>, drawn: (s: Side) => THREE.Matrix4, relative: THREE.Matrix4): Row[] {
    const [a, b] = link.sides, held = link.held!, A = now.get(a.body)!.clone().multiply(drawn(a)), B = now.get(b.body)!.clone().multiply(drawn(b));
    const G = A.clone().invert().multiply(B), p = new THREE.Vector3().setFromMatrixPosition(G), due = new THREE.Vector3().setFromMatrixPosition(relative);
    const x = new THREE.Vector3().setFromMatrixPosition(B), axes = [0, 1, 2].map((k) => new THREE.Vector3().setFromMatrixColumn(A, k));
    const row = (direction: THREE.Vector3, turning: boolean, open: number): Row => {
      const bodies = [a.body, b.body].filter((body) => body !== GROUND);
      const parts = bodies.map((body) => {
        const sign = body === a.body ? -1 : 1, d = direction.clone().multiplyScalar(sign);
        if (turning) return [0, 0, 0, d.x, d.y, d.z];
        const arm = x.clone().sub(new THREE.Vector3().setFromMatrixPosition(now.get(body)!)).cross(d).divideScalar(this.size);
        return [d.x, d.y, d.z, arm.x, arm.y, arm.z];
      });
      return { bodies, parts, open };
    };
    if (held.distance) return [row(x.clone().sub(new THREE.Vector3().setFromMatrixPosition(A)).normalize(), false, p.length() - due.length())];
    const turn = rotationVector(turnOf(G).multiply(turnOf(relative).invert())), way = p.sub(due);
    return [...[0, 1, 2].filter((k) => held.slides[k]).map((k) => row(axes[k], false, way.getComponent(k))),
      ...[0, 1, 2].filter((k) => held.turns[k]).map((k) => row(axes[k], true, this.size * turn.getComponent(k)))];
  }
}

/** The smallest motions that close the rows: x = J' y with J J' y = -open, by conjugate gradients. */
function least(rows: Row[]): Map<number, number[]> {
  const spread = (y: Float64Array): Map<number, number[]> => {
    const out = new Map<number, number[]>();
    rows.forEach((row, i) => row.bodies.forEach((body, k) => {
      const sum = out.get(body) ?? out.set(body, [0, 0, 0, 0, 0, 0]).get(body)!;
      for (let c = 0; c < 6; c++) sum[c] += row.parts[k][c] * y[i];
    }));
    return out;
  };
  const gather = (x: Map<number, number[]>, y: Float64Array): Float64Array => // and a little of y, for rows that depend on each other
    Float64Array.from(rows, (row, i) => row.bodies.reduce((sum, body, k) => sum + row.parts[k].reduce((s, v, c) => s + v * x.get(body)![c], 0), 1e-10 * y[i]));
  const y = new Float64Array(rows.length), r = Float64Array.from(rows, (row) => -row.open), d = r.slice();
  const dot = (u: Float64Array, v: Float64Array): number => u.reduce((sum, e, i) => sum + e * v[i], 0);
  let square = dot(r, r);
  const enough = 1e-16 * square;
  for (let k = 0; k < 4 * rows.length && square > enough; k++) {
    const q = gather(spread(d), d), alpha = square / (dot(d, q) || 1);
    for (let i = 0; i < y.length; i++) {
      y[i] += alpha * d[i];
      r[i] -= alpha * q[i];
    }
    const next = dot(r, r), beta = next / square;
    for (let i = 0; i < y.length; i++) d[i] = r[i] + beta * d[i];
    square = next;
  }
  return spread(y);
}

function at(side: Side, frame: THREE.Matrix4): THREE.Matrix4 { return frame.clone().multiply(side.local); }

function pose(p: THREE.Vector3, q: THREE.Quaternion): THREE.Matrix4 { return new THREE.Matrix4().compose(p, q, ONE); }

function turnOf(m: THREE.Matrix4): THREE.Quaternion { return new THREE.Quaternion().setFromRotationMatrix(m).normalize(); }

function rotationVector(q: THREE.Quaternion): THREE.Vector3 {
  const sign = q.w < 0 ? -1 : 1, v = new THREE.Vector3(q.x, q.y, q.z).multiplyScalar(sign), length = v.length();
  return length > 1e-12 ? v.multiplyScalar((2 * Math.atan2(length, sign * q.w)) / length) : v.multiplyScalar(2);
}

/** A node in its body, displacement and rotation from rest times a factor. */
function scaled(node: Node, now: THREE.Matrix4, factor: number): THREE.Matrix4 {
  const way = new THREE.Vector3().setFromMatrixPosition(now).sub(node.point).multiplyScalar(factor).add(node.point);
  const turn = rotationVector(node.turn.clone().invert().multiply(turnOf(now))).multiplyScalar(factor), angle = turn.length();
  const q = node.turn.clone();
  if (angle > 0) q.multiply(new THREE.Quaternion().setFromAxisAngle(turn.divideScalar(angle), angle));
  return pose(way, q);
}
