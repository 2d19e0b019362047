/** The stage: renderer, light, grid, camera and its controls. It draws when something has changed. */
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { PALETTES } from "./colors";
import { FlatRenderer, type Renderer } from "./flat";
import type { Header, Vec } from "./format";
import { vector } from "./geometry";
import type { Clip, Settings } from "./settings";
import { AXIS_COLORS } from "./symbols";
import { pictureHeight } from "./thin";

export type View = "home" | "front" | "back" | "left" | "right" | "top" | "bottom" | "iso";

export class Stage {
  readonly scene = new THREE.Scene();
  readonly root = new THREE.Group();
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  controls: OrbitControls;
  readonly renderer: Renderer;
  readonly flat2d: boolean; // there is no WebGL
  private readonly eye = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 1000);
  private readonly lights = new THREE.Group();
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8c0cc, 1.5);
  private grid?: THREE.Group;
  private world?: THREE.LineSegments;
  private size = 1;
  private center = new THREE.Vector3();
  private half = new THREE.Vector3(1, 1, 1); // of the box of the motion
  private up = new THREE.Vector3(0, 1, 0);
  private side = new THREE.Vector3(0, 0, 1); // where the front view looks from
  private plane = "3d";
  private view?: View; // as long as the user has not moved the camera
  /** Something must be drawn again. */
  changed: () => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("webgl2", { alpha: true, antialias: true, depth: true, stencil: false });
    this.flat2d = context === null;
    this.renderer = context ? shaded(canvas, context) : new FlatRenderer(canvas);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.scene.add(this.root, this.sky, this.lights);
    const sun = new THREE.DirectionalLight(0xffffff, 2.1), fill = new THREE.DirectionalLight(0xffffff, 0.7);
    sun.position.set(-0.5, 1, 0.9);
    fill.position.set(1, -0.2, 0.6);
    this.lights.add(sun, fill);
    this.camera = this.eye;
    this.controls = this.control(this.eye);
  }

  private control(camera: THREE.Camera): OrbitControls {
    const made = new OrbitControls(camera, this.canvas);
    made.enableDamping = true;
    made.dampingFactor = 0.18;
    made.zoomToCursor = true;
    made.addEventListener("change", () => this.changed());
    made.addEventListener("start", () => { this.view = undefined; });
    return made;
  }

  /** Prepare for a run: how large it is and which way is up. */
  fit(header: Header): void {
    const low = vector(header.low), high = vector(header.high);
    this.center.addVectors(low, high).multiplyScalar(0.5);
    this.size = header.size + 6 * header.symbol;
    this.half.subVectors(high, low).multiplyScalar(0.5).addScalar(2 * header.symbol);
    this.up = vector(header.up).normalize();
    this.plane = header.plane;
    const across: Record<string, Vec> = { xy: [0, 0, 1], xz: [0, -1, 0], yz: [1, 0, 0] };
    const side: Vec = across[header.plane] ?? (Math.abs(this.up.z) > 0.5 ? [0, -1, 0] : [0, 0, 1]);
    this.side = vector(side);
    if (Math.abs(this.side.dot(this.up)) > 0.9) this.up = new THREE.Vector3(0, 1, 0);
    for (const camera of [this.eye, this.flat]) {
      camera.up.copy(this.up);
      camera.near = this.size / 500;
      camera.far = this.size * 60;
    }
    this.controls.dispose();
    this.controls = this.control(this.camera);
    this.lay(header);
    this.look("home");
  }

  /** A view by name. */
  look(view: View): void {
    const right = new THREE.Vector3().crossVectors(this.up, this.side).normalize();
    const front = this.side.clone(), d = new THREE.Vector3();
    const iso = front.clone().addScaledVector(right, 0.75).addScaledVector(this.up, 0.55);
    const home = this.plane === "3d" ? iso : front.clone().addScaledVector(right, 0.22).addScaledVector(this.up, 0.16);
    const ways: Record<View, THREE.Vector3> = {
      home, iso, front, back: front.clone().negate(), right, left: right.clone().negate(),
      top: this.up.clone().addScaledVector(front, 1e-3), bottom: this.up.clone().negate().addScaledVector(front, 1e-3),
    };
    d.copy(ways[view]).normalize();
    const distance = this.distance(d);
    this.view = view;
    this.controls.target.copy(this.center);
    this.camera.position.copy(this.center).addScaledVector(d, distance);
    if (this.camera === this.flat) this.frame(distance);
    this.controls.update();
    this.changed();
  }

  /** How far away the camera sees the whole box of the motion from direction d. */
  private distance(d: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.up, d).normalize(), above = new THREE.Vector3().crossVectors(d, right);
    const tan = Math.tan(THREE.MathUtils.degToRad(this.eye.fov / 2)), p = new THREE.Vector3();
    let most = 0;
    for (let k = 0; k < 8; k++) {
      p.set(k & 1 ? this.half.x : -this.half.x, k & 2 ? this.half.y : -this.half.y, k & 4 ? this.half.z : -this.half.z);
      most = Math.max(most, Math.abs(p.dot(right)) / (tan * this.eye.aspect) + p.dot(d), Math.abs(p.dot(above)) / tan + p.dot(d));
    }
    return 1.05 * most;
  }

  private frame(distance: number): void {
    const h = distance * Math.tan(THREE.MathUtils.degToRad(this.eye.fov / 2)), aspect = this.eye.aspect;
    Object.assign(this.flat, { left: -h * aspect, right: h * aspect, top: h, bottom: -h, zoom: 1 });
    this.flat.updateProjectionMatrix();
  }

  /** With or without perspective, from the same place. */
  project(perspective: boolean): void {
    const next = perspective ? this.eye : this.flat;
    if (next === this.camera) return;
    const target = this.controls.target.clone(), from = this.camera;
    let distance = from.position.distanceTo(target);
    if (perspective) distance /= this.flat.zoom;
    next.position.copy(target).addScaledVector(from.position.clone().sub(target).normalize(), distance);
    next.quaternion.copy(from.quaternion);
    this.camera = next;
    if (!perspective) this.frame(distance);
    this.controls.dispose();
    this.controls = this.control(next);
    this.controls.target.copy(target);
    this.controls.update();
    this.changed();
  }

  /** Move camera and target together, to follow something. */
  shift(by: THREE.Vector3): void {
    this.view = undefined;
    this.camera.position.add(by);
    this.controls.target.add(by);
  }

  resize(): { width: number; height: number } {
    const width = Math.max(1, this.canvas.clientWidth), height = Math.max(1, this.canvas.clientHeight);
    this.renderer.setSize(width, height, false);
    pictureHeight(height);
    this.eye.aspect = width / height;
    this.eye.updateProjectionMatrix();
    const h = this.flat.top;
    Object.assign(this.flat, { left: -h * this.eye.aspect, right: h * this.eye.aspect });
    this.flat.updateProjectionMatrix();
    if (this.view) this.look(this.view);
    this.changed();
    return { width, height };
  }

  draw(): void {
    this.lights.quaternion.copy(this.camera.quaternion); // light comes from behind the viewer
    this.renderer.render(this.scene, this.camera);
  }

  theme(settings: Settings): void {
    const palette = PALETTES[settings.theme];
    this.sky.groundColor.set(settings.theme === "dark" ? 0x3a424d : 0xb8c0cc);
    this.sky.intensity = settings.theme === "dark" ? 1.15 : 1.5;
    this.grid?.children.forEach((line, k) => ((line as THREE.LineSegments).material as THREE.LineBasicMaterial).color.setHex(k ? palette.gridMajor : palette.grid));
    if (this.grid) this.grid.visible = settings.grid;
    if (this.world) this.world.visible = settings.world;
    this.changed();
  }

  /** Planes that cut the bodies. */
  planes(clip: Clip | null, header: Header): THREE.Plane[] {
    this.renderer.localClippingEnabled = clip !== null;
    if (!clip) return [];
    const normal = new THREE.Vector3().setComponent(clip.axis, clip.flip ? 1 : -1);
    const margin = 0.05 * header.size, low = header.low[clip.axis] - margin, high = header.high[clip.axis] + margin;
    const at = low + clip.at * (high - low);
    return [new THREE.Plane(normal, clip.flip ? -at : at)];
  }

  /** The grid: under the mechanism, or behind one that moves in a plane; squares of 1, 2 or 5 of a power of ten. */
  private lay(header: Header): void {
    this.grid?.removeFromParent();
    this.world?.removeFromParent();
    const normal = this.plane === "3d" ? this.up : this.side;
    const reach = 1.5 * this.size, step = nice(this.size / 12);
    const n = Math.ceil(reach / step), low = vector(header.low), high = vector(header.high);
    const depth = Math.min(low.dot(normal), high.dot(normal)) - (this.plane === "3d" ? 2.2 : 3) * header.symbol;
    const u = new THREE.Vector3().crossVectors(normal, Math.abs(normal.y) < 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0)).normalize();
    const v = new THREE.Vector3().crossVectors(normal, u), middle = this.center.clone().addScaledVector(normal, depth - this.center.dot(normal));
    middle.addScaledVector(u, Math.round(middle.dot(u) / step) * step - middle.dot(u)).addScaledVector(v, Math.round(middle.dot(v) / step) * step - middle.dot(v));
    const lines: THREE.Vector3[][] = [[], []];
    for (let k = -n; k <= n; k++) {
      for (const [a, b] of [[u, v], [v, u]]) {
        const offset = Math.round(middle.dot(a) / step) + k, to = lines[offset % 5 === 0 ? 1 : 0];
        const p = middle.clone().addScaledVector(a, k * step);
        to.push(p.clone().addScaledVector(b, -n * step), p.clone().addScaledVector(b, n * step));
      }
    }
    this.grid = new THREE.Group();
    this.grid.userData.behind = true;
    lines.forEach((points, k) => this.grid!.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ transparent: true, opacity: k ? 0.75 : 0.55 }))));
    this.scene.add(this.grid);
    this.world = axes(vector(header.origin).negate(), 0.18 * header.size);
    this.scene.add(this.world);
  }
}

function shaded(canvas: HTMLCanvasElement, context: WebGL2RenderingContext): Renderer {
  const made = new THREE.WebGLRenderer({ canvas, context });
  made.debug.checkShaderErrors = false; // to ask for them waits for the driver
  return made;
}

function axes(at: THREE.Vector3, length: number): THREE.LineSegments {
  const points: THREE.Vector3[] = [], colors: number[] = [];
  for (let k = 0; k < 3; k++) {
    points.push(at.clone(), at.clone().add(new THREE.Vector3().setComponent(k, length)));
    const c = new THREE.Color(AXIS_COLORS[k]);
    colors.push(c.r, c.g, c.b, c.r, c.g, c.b);
  }
  const geometry = new THREE.BufferGeometry().setFromPoints(points);
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
}

/** 1, 2 or 5 times a power of ten, near to x. */
export function nice(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x)), f = x / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}
