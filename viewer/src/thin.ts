/** Bodies thinner than a pixel or two are drawn as thick as that, wherever the camera is. */
import * as THREE from "three";

const LEAST = 1.1; // pixels: half of the least thickness
const height = { value: 600 }; // of the picture, in pixels of the page

/** The picture has another height now. */
export function pictureHeight(pixels: number): void { height.value = pixels; }

/** Half of the thickness of a closed surface, as of a long rod: 2 V / A. */
export function halfThickness(x: ArrayLike<number>, cells?: ArrayLike<number>): number {
  const a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3(), n = new THREE.Vector3();
  const o = new THREE.Vector3(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0), count = cells ? cells.length : x.length / 3;
  const corner = (out: THREE.Vector3, k: number): THREE.Vector3 => {
    const i = 3 * (cells ? cells[k] : k);
    return out.set(x[i], x[i + 1], x[i + 2]).sub(o);
  };
  let volume = 0, area = 0;
  for (let k = 0; k + 2 < count; k += 3) {
    corner(a, k);
    n.subVectors(corner(b, k + 1), a).cross(corner(c, k + 2).sub(a));
    volume += a.dot(n) / 6;
    area += n.length() / 2;
  }
  return area > 0 ? (2 * Math.abs(volume)) / area : 0;
}

/** Give a geometry its half thickness, the same for all its corners. */
export function measured(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const { position } = geometry.attributes;
  const values = new Float32Array(position.count).fill(halfThickness(position.array, geometry.index?.array));
  return geometry.setAttribute("slim", new THREE.BufferAttribute(values, 1));
}

/** A material whose surface is moved outwards where it is too thin to be seen; its geometry is `measured`. */
export function visible<M extends THREE.MeshStandardMaterial>(material: M): M {
  material.onBeforeCompile = widen;
  return material;
}

function widen(shader: { uniforms: Record<string, object>; vertexShader: string }): void {
  shader.uniforms.pictureHeight = height;
  shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nattribute float slim;\nuniform float pictureHeight;")
    .replace("#include <project_vertex>", `#include <project_vertex>
  float pixel = 2.0 * gl_Position.w / (projectionMatrix[1][1] * pictureHeight);
  mvPosition.xyz += normalize(transformedNormal) * max(0.0, ${LEAST} * pixel - slim);
  gl_Position = projectionMatrix * mvPosition;`);
}
