/** Shapes of bodies as triangles, in body axes. */
import * as THREE from "three";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { array, type Package, type Quat, type Shape, type Vec } from "./format";
import { measured } from "./thin";

const CREASE = 0.6; // rad: sharper edges stay sharp
const UP = new THREE.Vector3(0, 1, 0);

export const vector = (v: Vec): THREE.Vector3 => new THREE.Vector3(v[0], v[1], v[2]);
export const quaternion = (q: Quat): THREE.Quaternion => new THREE.Quaternion(q[1], q[2], q[3], q[0]);

/** All shapes of a body as one geometry. */
export function bodyGeometry(shapes: Shape[], data: Package): THREE.BufferGeometry {
  const parts = shapes.map((shape) => measured(plain(one(shape, data))));
  return parts.length ? mergeGeometries(parts) : new THREE.BufferGeometry();
}

function one(shape: Shape, data: Package): THREE.BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new THREE.BoxGeometry(...shape.size);
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, 32, 20);
    case "ellipsoid": {
      const made = new THREE.SphereGeometry(1, 24, 16);
      return made.applyMatrix4(new THREE.Matrix4().compose(vector(shape.center), quaternion(shape.rotation), vector(shape.half)));
    }
    case "mesh":
      return meshGeometry(data, shape.points, shape.cells);
    case "link":
      return bar(shape.start, shape.end, shape.radius, true);
    case "cylinder": {
      const parts = [bar(shape.start, shape.end, shape.radius, false)];
      if (shape.marked) parts.push(...spokes(shape.start, shape.end, shape.radius));
      return mergeGeometries(parts.map(plain));
    }
  }
}

/** A cylinder between two points, with round ends if it is a link. */
function bar(start: Vec, end: Vec, radius: number, round: boolean): THREE.BufferGeometry {
  const a = vector(start), b = vector(end), d = b.clone().sub(a), length = d.length();
  const made = round ? new THREE.CapsuleGeometry(radius, length, 6, 16) : new THREE.CylinderGeometry(radius, radius, length, 28, 1);
  const turn = new THREE.Quaternion().setFromUnitVectors(UP, d.normalize());
  return made.applyQuaternion(turn).translate((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
}

/** A raised spoke on both faces, so that one sees a drum turn. */
function spokes(start: Vec, end: Vec, radius: number): THREE.BufferGeometry[] {
  const a = vector(start), b = vector(end), n = b.clone().sub(a).normalize();
  const turn = new THREE.Quaternion().setFromUnitVectors(UP, n);
  return [a.clone().addScaledVector(n, -0.02 * radius), b.clone().addScaledVector(n, 0.02 * radius)].map((p) =>
    new THREE.BoxGeometry(radius * 0.86, radius * 0.08, radius * 0.14).translate(radius * 0.48, 0, 0).applyQuaternion(turn).translate(p.x, p.y, p.z));
}

/** A surface from points and triangles, with sharp edges where it bends. */
export function meshGeometry(data: Package, points: string, cells: string): THREE.BufferGeometry {
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(array(data, points) as Float32Array, 3));
  made.setIndex(new THREE.BufferAttribute(array(data, cells) as Uint32Array, 1));
  return toCreasedNormals(made, CREASE);
}

/** Only positions and normals, without an index, so that parts can be joined. */
function plain(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const made = geometry.index ? geometry.toNonIndexed() : geometry;
  for (const name of Object.keys(made.attributes)) if (name !== "position" && name !== "normal") made.deleteAttribute(name);
  return made;
}

/** Edges where a surface bends, as pairs of points. */
export function edges(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return new THREE.EdgesGeometry(geometry, 32);
}
