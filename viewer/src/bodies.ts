/** One body on the stage: its surface, its edges, and for flexible ones the skin that deforms. */
import * as THREE from "three";
import { paint, PALETTES } from "./colors";
import { Skin } from "./deform";
import type { BodyInfo, Package } from "./format";
import { bodyGeometry, edges } from "./geometry";
import type { Poses } from "./poses";
import type { Settings } from "./settings";
import { halfThickness, visible } from "./thin";

export class BodyView {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private lines?: THREE.LineSegments;
  private edged = false;
  readonly ghost?: THREE.Mesh;
  readonly skin?: Skin;
  private readonly colors?: THREE.BufferAttribute;
  private readonly base: THREE.Color;
  private readonly faded: number;
  largest = 0; // of the values it is coloured by, over the run
  hidden = false;

  constructor(readonly info: BodyInfo, data: Package, root: THREE.Object3D, compared: boolean) {
    this.base = new THREE.Color(info.color);
    this.faded = (info.opacity ?? 1) * (compared ? 0.35 : 1);
    this.hidden = info.hidden ?? false;
    const material = visible(new THREE.MeshStandardMaterial({ color: this.base, roughness: 0.58, metalness: 0.08, transparent: this.faded < 1, opacity: this.faded, depthWrite: this.faded > 0.5 }));
    if (info.skin) {
      this.skin = new Skin(data, info.skin);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", dynamic(this.skin.positions));
      geometry.setAttribute("normal", dynamic(this.skin.normals));
      this.colors = dynamic(new Float32Array(this.skin.positions.length));
      geometry.setAttribute("color", this.colors);
      const slim = new Float32Array(this.skin.corner.length).fill(halfThickness(this.skin.rest, this.skin.cells));
      geometry.setAttribute("slim", new THREE.BufferAttribute(slim, 1));
      geometry.setIndex(new THREE.BufferAttribute(this.skin.drawn, 1));
      geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e9); // it deforms
      this.mesh = new THREE.Mesh(geometry, material);
      this.mesh.frustumCulled = false;
      this.ghost = this.ghostOf();
    } else {
      this.mesh = new THREE.Mesh(bodyGeometry(info.shapes ?? [], data), material);
      this.edged = !compared;
    }
    for (const part of this.parts()) this.put(part, root);
    this.mesh.userData.item = info.name;
  }

  private put(part: THREE.Object3D, root: THREE.Object3D): void {
    part.matrixAutoUpdate = false;
    part.matrixWorldAutoUpdate = false;
    root.add(part);
  }

  /** Edges are made when they are first seen. */
  private edge(): void {
    this.lines = new THREE.LineSegments(edges(this.mesh.geometry), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.28 }));
    this.lines.matrixWorld.copy(this.mesh.matrixWorld);
    this.put(this.lines, this.mesh.parent!);
  }

  private ghostOf(): THREE.Mesh {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.skin!.positions.slice(), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(this.skin!.normals.slice(), 3));
    geometry.setIndex(new THREE.BufferAttribute(this.skin!.drawn, 1));
    const look = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    return new THREE.Mesh(geometry, look);
  }

  parts(): THREE.Object3D[] {
    return [this.mesh, this.lines, this.ghost].filter((part): part is THREE.Mesh => part !== undefined);
  }

  /** Move to a moment, deform and colour. */
  update(poses: Poses, settings: Settings): void {
    for (const part of this.parts()) part.matrixWorld.copy(poses.matrices[this.info.place]);
    const { skin } = this;
    if (!skin || !this.mesh.visible) return;
    skin.update(poses.state, skin.info.first, settings.scale);
    this.mesh.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.attributes.normal.needsUpdate = true;
    if (settings.colorBy !== "body" && skin.evaluate(settings.colorBy, poses.state, skin.info.first, false)) {
      paint(skin.values, skin.corner, this.largest, this.colors!.array as Float32Array);
      this.colors!.needsUpdate = true;
    }
  }

  /** After settings, selection or visibility changed. */
  look(settings: Settings, selected: boolean, shown: boolean): void {
    const palette = PALETTES[settings.theme], material = this.mesh.material;
    const byValue = settings.colorBy !== "body";
    const painted = byValue && !!this.skin?.sources().some((s) => s.name === settings.colorBy);
    if (material.vertexColors !== painted) {
      material.vertexColors = painted;
      material.needsUpdate = true;
    }
    if (painted) material.color.set(0xffffff);
    else if (byValue) material.color.setHex(palette.neutral);
    else material.color.copy(this.base);
    material.emissive.setHex(selected ? palette.select : 0x000000);
    material.emissiveIntensity = selected ? (painted ? 0.12 : 0.55) : 0; // values stay readable
    this.mesh.visible = shown;
    if (this.edged && settings.edges && shown && !this.lines) this.edge();
    if (this.lines) {
      this.lines.visible = shown && settings.edges;
      (this.lines.material as THREE.LineBasicMaterial).color.setHex(palette.edge);
    }
    if (this.ghost) {
      this.ghost.visible = shown && settings.ghost;
      (this.ghost.material as THREE.MeshBasicMaterial).color.setHex(palette.ghost);
    }
  }

  clip(planes: THREE.Plane[]): void {
    for (const part of this.parts()) {
      const material = (part as THREE.Mesh).material as THREE.Material;
      material.clippingPlanes = planes;
      material.side = planes.length ? THREE.DoubleSide : THREE.FrontSide;
      material.needsUpdate = true;
    }
  }

  /** The points of the skin in the world now, relative to the origin of the data; for checks. */
  world(): Float64Array {
    const x = this.skin?.points ?? (this.mesh.geometry.attributes.position.array as Float32Array), m = this.mesh.matrixWorld.elements;
    const out = new Float64Array(x.length);
    for (let i = 0; i < x.length; i += 3) {
      for (let r = 0; r < 3; r++) out[i + r] = m[r] * x[i] + m[4 + r] * x[i + 1] + m[8 + r] * x[i + 2] + m[12 + r];
    }
    return out;
  }
}

function dynamic(values: Float32Array): THREE.BufferAttribute {
  return new THREE.BufferAttribute(values, 3).setUsage(THREE.DynamicDrawUsage);
}
