/** Places at one moment: matrices of bodies and nodes, made from the sampled columns. */
import * as THREE from "three";
import type { End } from "./format";
import { quaternion, vector } from "./geometry";

const ONE = new THREE.Vector3(1, 1, 1);

export class Poses {
  readonly state: Float32Array;
  readonly matrices: THREE.Matrix4[];
  private readonly p = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();

  constructor(readonly count: number, width: number) {
    this.state = new Float32Array(width);
    this.matrices = Array.from({ length: count }, () => new THREE.Matrix4());
  }

  /** After `state` was filled. */
  update(): void {
    const s = this.state;
    for (let k = 0, c = 0; k < this.count; k++, c += 7) {
      this.p.set(s[c], s[c + 1], s[c + 2]);
      this.q.set(s[c + 4], s[c + 5], s[c + 6], s[c + 3]);
      this.matrices[k].compose(this.p, this.q, ONE);
    }
  }
}

const IDENTITY = new THREE.Matrix4();

/** A frame on a place (or on the ground): where it is now. */
export class Mark {
  readonly point: THREE.Vector3;
  readonly turn: THREE.Quaternion;
  constructor(readonly end: End, extra?: THREE.Quaternion) {
    this.point = vector(end.point);
    this.turn = quaternion(end.rotation);
    if (extra) this.turn.multiply(extra);
  }
  private base(poses: Poses): THREE.Matrix4 { return this.end.place < 0 ? IDENTITY : poses.matrices[this.end.place]; }
  position(poses: Poses, out: THREE.Vector3): THREE.Vector3 { return out.copy(this.point).applyMatrix4(this.base(poses)); }
  rotation(poses: Poses, out: THREE.Quaternion): THREE.Quaternion {
    return out.setFromRotationMatrix(this.base(poses)).multiply(this.turn);
  }
}
