/** Surfaces that touch and belong to no shape of a body: of the ground, and of nodes of flexible bodies. */
import * as THREE from "three";
import { PALETTES } from "./colors";
import type { Header, Package } from "./format";
import { meshGeometry } from "./geometry";
import { Mark, type Poses } from "./poses";
import type { Settings } from "./settings";

const P = new THREE.Vector3(), Q = new THREE.Quaternion(), ONE = new THREE.Vector3(1, 1, 1);

export class Surfaces {
  private readonly items: { mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>; mark: Mark }[] = [];

  constructor(header: Header, data: Package, root: THREE.Object3D) {
    for (const { name, end, points, cells } of header.surfaces ?? []) {
      const look = new THREE.MeshStandardMaterial({ roughness: 0.9, transparent: true, opacity: 0.4, depthWrite: false, side: THREE.DoubleSide });
      const mesh = new THREE.Mesh(meshGeometry(data, points, cells), look);
      mesh.userData.item = name;
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = -1; // before all other things that are seen through
      root.add(mesh);
      this.items.push({ mesh, mark: new Mark(end) });
    }
  }

  update(poses: Poses): void {
    for (const { mesh, mark } of this.items) mesh.matrix.compose(mark.position(poses, P), mark.rotation(poses, Q), ONE);
  }

  look(settings: Settings, selected: string, shown: (name: string) => boolean): void {
    const palette = PALETTES[settings.theme];
    for (const { mesh, mark } of this.items) {
      mesh.visible = shown(mark.end.body) && shown(mesh.userData.item as string);
      mesh.material.color.setHex(mesh.userData.item === selected ? palette.select : palette.neutral);
    }
  }

  targets(): THREE.Object3D[] { return this.items.map((i) => i.mesh).filter((m) => m.visible); }

  clip(planes: THREE.Plane[]): void { for (const { mesh } of this.items) mesh.material.clippingPlanes = planes; }
}
