/** Where there is no WebGL: the same scene painted on a canvas, triangles from the back to the front. Slower, but everything can be used. */
import * as THREE from "three";

interface Piece { depth: number; points: Float64Array; from: number; count: 2 | 3; color: string; width: number; opacity: number }

const P = new THREE.Vector4(), N = new THREE.Vector3(), A = new THREE.Vector3(), B = new THREE.Vector3(), C = new THREE.Vector3();
const M = new THREE.Matrix4(), WORLD = new THREE.Matrix4(), COLOR = new THREE.Color();
const LIGHT = new THREE.Vector3(-0.35, 0.7, 0.63).normalize(); // in the axes of the camera
const FRONT = 10; // beyond all depths
const SMALL = 2.5; // pixels
const LEAST = 1.2; // pixels: outlines keep thin bodies visible

/** What the stage needs of a renderer. */
export interface Renderer {
  localClippingEnabled: boolean;
  setSize(width: number, height: number, style: boolean): void;
  setPixelRatio(ratio: number): void;
  render(scene: THREE.Scene, camera: THREE.Camera): void;
}

export class FlatRenderer implements Renderer {
  localClippingEnabled = false;
  private readonly context: CanvasRenderingContext2D;
  private ratio = 1;
  private width = 1;
  private height = 1;
  private pieces: Piece[] = [];

  constructor(private canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser can draw neither with WebGL nor on a canvas; the plots below still work.");
    this.context = context;
  }

  setPixelRatio(ratio: number): void { this.ratio = ratio; }

  setSize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  render(scene: THREE.Scene, camera: THREE.Camera): void {
    scene.updateMatrixWorld();
    camera.updateMatrixWorld();
    this.pieces = [];
    scene.traverseVisible((part) => {
      if ((part as THREE.Mesh).isMesh && !(part as { isLineSegments2?: boolean }).isLineSegments2) this.surface(part as THREE.Mesh, camera);
      else if ((part as THREE.LineSegments).isLineSegments || (part as { isLineSegments2?: boolean }).isLineSegments2) this.lines(part as THREE.LineSegments, camera);
    });
    this.pieces.sort((a, b) => b.depth - a.depth);
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.lineJoin = "round";
    for (const { points: x, from, count, color, width, opacity } of this.pieces) {
      c.globalAlpha = opacity;
      c.strokeStyle = c.fillStyle = color;
      c.lineWidth = width;
      c.beginPath();
      c.moveTo(x[from], x[from + 1]);
      for (let k = 1; k < count; k++) c.lineTo(x[from + 3 * k], x[from + 3 * k + 1]);
      if (count === 3) {
        c.closePath();
        c.fill();
      }
      if (count === 2 || opacity === 1) c.stroke(); // what is seen through would show its triangles
    }
    c.globalAlpha = 1;
  }

  /** Pixels and depth of points; what is behind the camera has no number. */
  private project(x: ArrayLike<number>, count: number, matrix: THREE.Matrix4): Float64Array {
    const out = new Float64Array(3 * count);
    for (let i = 0; i < 3 * count; i += 3) {
      P.set(x[i], x[i + 1], x[i + 2], 1).applyMatrix4(matrix);
      if (P.w <= 0) out[i] = NaN;
      else out.set([((P.x / P.w + 1) / 2) * this.width, ((1 - P.y / P.w) / 2) * this.height, P.z / P.w], i);
    }
    return out;
  }

  private surface(mesh: THREE.Mesh, camera: THREE.Camera): void {
    const material = mesh.material as THREE.MeshStandardMaterial, instances = (mesh as THREE.InstancedMesh).isInstancedMesh ? (mesh as THREE.InstancedMesh) : undefined;
    mesh.geometry.boundingSphere ?? mesh.geometry.computeBoundingSphere();
    for (let k = 0; k < (instances?.count ?? 1); k++) {
      WORLD.copy(mesh.matrixWorld);
      COLOR.copy(material.color);
      if (instances) {
        instances.getMatrixAt(k, M);
        if (M.getMaxScaleOnAxis() === 0) continue; // is not shown now
        WORLD.multiply(M);
        if (instances.instanceColor) instances.getColorAt(k, COLOR);
      }
      if (material.emissive) COLOR.lerp(material.emissive, material.emissiveIntensity * (material.emissive.getHex() ? 0.6 : 0));
      if (!this.dot(mesh.geometry.boundingSphere!, camera)) this.triangles(mesh.geometry, material, camera);
    }
  }

  /** What is as small as a few pixels is one dot. */
  private dot(sphere: THREE.Sphere, camera: THREE.Camera): boolean {
    P.set(sphere.center.x, sphere.center.y, sphere.center.z, 1).applyMatrix4(WORLD).applyMatrix4(camera.matrixWorldInverse).applyMatrix4(camera.projectionMatrix);
    const radius = (sphere.radius * WORLD.getMaxScaleOnAxis() * camera.projectionMatrix.elements[5] * this.height) / (2 * P.w);
    if (P.w <= 0 || !(radius < SMALL)) return false;
    const x = ((P.x / P.w + 1) / 2) * this.width, y = ((1 - P.y / P.w) / 2) * this.height, width = Math.max(LEAST, radius);
    this.pieces.push({ depth: P.z / P.w, points: Float64Array.of(x - width / 2, y, 0, x + width / 2, y, 0), from: 0, count: 2, color: css(COLOR, 0.8), width, opacity: 1 });
    return true;
  }

  /** Triangles of a surface at WORLD, of COLOR or with colours of their own. */
  private triangles(geometry: THREE.BufferGeometry, material: THREE.MeshStandardMaterial, camera: THREE.Camera): void {
    const x = geometry.attributes.position, index = geometry.index?.array, painted = material.vertexColors ? geometry.attributes.color?.array : undefined;
    if (!x) return;
    const toView = M.multiplyMatrices(camera.matrixWorldInverse, WORLD).clone(), view = new Float64Array(3 * x.count);
    for (let i = 0; i < x.count; i++) A.fromBufferAttribute(x, i).applyMatrix4(toView).toArray(view, 3 * i);
    const screen = this.project(view, x.count, camera.projectionMatrix), n = index ? index.length : x.count, planes = this.localClippingEnabled ? material.clippingPlanes ?? [] : [];
    const before = material.depthFunc === THREE.GreaterDepth || !material.depthTest ? FRONT : 0; // shows through what is before it
    const base = COLOR.clone(), flatlit = !material.emissive, opacity = material.transparent ? material.opacity : 1;
    for (let k = 0; k + 2 < n; k += 3) {
      const [i, j, l] = index ? [index[k], index[k + 1], index[k + 2]] : [k, k + 1, k + 2];
      if (Number.isNaN(screen[3 * i] + screen[3 * j] + screen[3 * l])) continue;
      const turned = (screen[3 * j] - screen[3 * i]) * (screen[3 * l + 1] - screen[3 * i + 1]) - (screen[3 * j + 1] - screen[3 * i + 1]) * (screen[3 * l] - screen[3 * i]);
      if (turned > 0 && material.side !== THREE.DoubleSide) continue; // seen from behind
      A.fromArray(view, 3 * i);
      B.fromArray(view, 3 * j);
      C.fromArray(view, 3 * l);
      if (planes.length) {
        N.copy(A).add(B).add(C).divideScalar(3).applyMatrix4(camera.matrixWorld);
        if (planes.some((p) => p.distanceToPoint(N) < 0)) continue;
      }
      N.crossVectors(B.clone().sub(A), C.clone().sub(A)).normalize();
      const shade = flatlit ? 1 : 0.42 + 0.62 * Math.abs(N.dot(LIGHT));
      if (painted) COLOR.setRGB(painted[3 * i], painted[3 * i + 1], painted[3 * i + 2]);
      else COLOR.copy(base);
      const points = new Float64Array(9);
      [i, j, l].forEach((p, at) => points.set(screen.subarray(3 * p, 3 * p + 3), 3 * at));
      this.pieces.push({ depth: (points[2] + points[5] + points[8]) / 3 - before, points, from: 0, count: 3, color: css(COLOR, shade), width: LEAST, opacity });
    }
  }

  private lines(part: THREE.LineSegments, camera: THREE.Camera): void {
    const material = part.material as THREE.LineBasicMaterial & { linewidth: number }, starts = part.geometry.attributes.instanceStart as THREE.InterleavedBufferAttribute | undefined;
    const x = starts ? (starts.data.array as Float32Array) : (part.geometry.attributes.position?.array as Float32Array | undefined);
    if (!x) return;
    const own = part.geometry.attributes.color?.array, matrix = M.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(part.matrixWorld);
    const drawn = Math.min((part.geometry as THREE.InstancedBufferGeometry).instanceCount ?? Infinity, x.length / 6);
    const points = this.project(x, x.length / 3, matrix);
    for (let k = 0; k < drawn; k++) {
      if (Number.isNaN(points[6 * k] + points[6 * k + 3])) continue;
      if (own) COLOR.setRGB(own[6 * k], own[6 * k + 1], own[6 * k + 2]);
      else COLOR.copy(material.color);
      const depth = part.parent?.userData.behind ? Infinity : material.depthTest ? (points[6 * k + 2] + points[6 * k + 5]) / 2 : -Infinity;
      this.pieces.push({ depth, points, from: 6 * k, count: 2, color: css(COLOR, 1), width: material.linewidth || 1, opacity: material.transparent ? material.opacity : 1 });
    }
  }
}

function css(color: THREE.Color, shade: number): string {
  return COLOR.copy(color).multiplyScalar(shade).getStyle();
}
