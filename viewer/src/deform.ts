/** The skin of a flexible body: points that follow its modes, their normals, and values to colour it by. */
import { array, type FieldInfo, type Package, type SkinInfo } from "./format";

const NEGLIGIBLE = 1e-9; // of the size: modes that move no point farther are left out
const CREASE = 0.6;      // rad

/** Points that share a place but not a normal are separate corners; `points` counts places, `corners` what is drawn. */
export class Skin {
  readonly count: number;
  readonly rest: Float32Array;       // undeformed, points x 3
  readonly psi: Float32Array;        // modes x points x 3
  readonly points: Float32Array;     // deformed, body axes
  readonly cells: Uint32Array;       // triangles between points
  readonly corner: Uint32Array;      // point of each corner
  readonly drawn: Uint32Array;       // triangles between corners
  readonly positions: Float32Array;  // of corners
  readonly normals: Float32Array;
  readonly values: Float32Array;     // of points
  readonly size: number;
  private readonly reach: Float64Array; // largest displacement by mode
  private readonly faceNormals: Float32Array;
  private readonly modes: Float32Array[]; // psi, mode by mode
  private readonly moved: Float32Array;

  constructor(private data: Package, readonly info: SkinInfo) {
    this.rest = array(data, info.points) as Float32Array;
    this.psi = array(data, info.psi) as Float32Array;
    this.cells = array(data, info.cells) as Uint32Array;
    this.count = this.rest.length / 3;
    this.points = this.rest.slice();
    this.values = new Float32Array(this.count);
    this.size = extent(this.rest);
    this.faceNormals = new Float32Array(this.cells.length);
    const n = this.rest.length;
    this.moved = new Float32Array(n);
    this.modes = Array.from({ length: info.count }, (_, k) => this.psi.subarray(k * n, (k + 1) * n));
    this.reach = Float64Array.from(this.modes, (mode) => mode.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
    this.facing(this.rest);
    [this.corner, this.drawn] = this.split();
    this.positions = new Float32Array(3 * this.corner.length);
    this.normals = new Float32Array(3 * this.corner.length);
    this.update(new Float32Array(info.count), 0, 1);
  }

  /** Move the points to the modal coordinates q[first…], the displacements times scale. */
  update(q: Float32Array, first: number, scale: number): void {
    const { points, rest, moved } = this;
    this.displace(q, first);
    for (let i = 0; i < points.length; i++) points[i] = rest[i] + scale * moved[i];
    this.facing(points);
    this.spread();
  }

  /** moved = psi q, four modes in one pass, which is several times quicker than one. */
  private displace(q: Float32Array, first: number): void {
    const least = NEGLIGIBLE * this.size, out = this.moved.fill(0), n = out.length;
    const used: number[] = [];
    for (let k = 0; k < this.info.count; k++) if (Math.abs(q[first + k]) * this.reach[k] >= least) used.push(k);
    let at = 0;
    for (; at + 4 <= used.length; at += 4) {
      const [a, b, c, d] = used.slice(at, at + 4).map((k) => this.modes[k]), [fa, fb, fc, fd] = used.slice(at, at + 4).map((k) => q[first + k]);
      for (let i = 0; i < n; i++) out[i] += fa * a[i] + fb * b[i] + fc * c[i] + fd * d[i];
    }
    for (; at < used.length; at++) {
      const mode = this.modes[used[at]], f = q[first + used[at]];
      for (let i = 0; i < n; i++) out[i] += f * mode[i];
    }
  }

  /** Normals of triangles, twice their area long. */
  private facing(x: Float32Array): void {
    const { cells, faceNormals: out } = this;
    for (let c = 0; c < cells.length; c += 3) {
      const i = 3 * cells[c], j = 3 * cells[c + 1], k = 3 * cells[c + 2];
      const ax = x[j] - x[i], ay = x[j + 1] - x[i + 1], az = x[j + 2] - x[i + 2];
      const bx = x[k] - x[i], by = x[k + 1] - x[i + 1], bz = x[k + 2] - x[i + 2];
      out[c] = ay * bz - az * by;
      out[c + 1] = az * bx - ax * bz;
      out[c + 2] = ax * by - ay * bx;
    }
  }

  /** Positions and normals of corners; the shader makes normals a unit long. */
  private spread(): void {
    const { positions, normals, corner, points, drawn, faceNormals } = this;
    for (let k = 0, to = 0; k < corner.length; k++, to += 3) {
      const from = 3 * corner[k];
      positions[to] = points[from];
      positions[to + 1] = points[from + 1];
      positions[to + 2] = points[from + 2];
    }
    normals.fill(0);
    for (let c = 0; c < drawn.length; c += 3) {
      const nx = faceNormals[c], ny = faceNormals[c + 1], nz = faceNormals[c + 2];
      for (let k = c; k < c + 3; k++) {
        const to = 3 * drawn[k];
        normals[to] += nx;
        normals[to + 1] += ny;
        normals[to + 2] += nz;
      }
    }
  }

  /** Corners: triangles at a point that bend away from each other do not share one. */
  private split(): [Uint32Array, Uint32Array] {
    const { cells, faceNormals: f, count } = this;
    const unit = (c: number): [number, number, number] => {
      const l = Math.hypot(f[c], f[c + 1], f[c + 2]) || 1;
      return [f[c] / l, f[c + 1] / l, f[c + 2] / l];
    };
    const groups: { normal: [number, number, number]; corner: number }[][] = Array.from({ length: count }, () => []);
    const corner: number[] = [], drawn = new Uint32Array(cells.length);
    for (let c = 0; c < cells.length; c += 3) {
      const n = unit(c);
      for (let k = c; k < c + 3; k++) {
        const known = groups[cells[k]];
        let found = known.find((g) => g.normal[0] * n[0] + g.normal[1] * n[1] + g.normal[2] * n[2] > Math.cos(CREASE));
        if (!found) {
          found = { normal: n, corner: corner.length };
          known.push(found);
          corner.push(cells[k]);
        }
        drawn[k] = found.corner;
      }
    }
    return [Uint32Array.from(corner), drawn];
  }

  // -- values to colour by
  /** Names of what there is, with units. */
  sources(): { name: string; unit: string }[] {
    const found = [{ name: "displacement", unit: "m" }];
    for (const field of this.info.fields) {
      found.push({ name: field.name, unit: field.unit });
      if (field.kind === "tensor" && field.E) found.push({ name: "strain energy", unit: "J/m³" });
    }
    return found;
  }

  /** Fill `values` for the coordinates q[first…]; false if there is no such source. `fresh`: these are not those of the last update. */
  evaluate(name: string, q: Float32Array, first: number, fresh = true): boolean {
    if (name === "displacement") {
      this.displacement(q, first, fresh);
      return true;
    }
    const field = this.info.fields.find((f) => f.name === name || (name === "strain energy" && f.kind === "tensor" && f.E));
    if (!field) return false;
    const wide = this.sum(field, q, first);
    if (field.kind === "scalar") this.values.set(wide);
    else if (name === "strain energy") energy(wide, this.values, field.E!, field.nu ?? 0);
    else vonMises(wide, this.values);
    return true;
  }

  private displacement(q: Float32Array, first: number, fresh: boolean): void {
    const { values, count, moved: u } = this;
    if (fresh) this.displace(q, first);
    for (let i = 0, k = 0; i < count; i++, k += 3) values[i] = Math.sqrt(u[k] * u[k] + u[k + 1] * u[k + 1] + u[k + 2] * u[k + 2]);
  }

  private sum(field: FieldInfo, q: Float32Array, first: number): Float32Array {
    const modes = array(this.data, field.modes), n = (field.kind === "tensor" ? 6 : 1) * this.count;
    const out = new Float32Array(n);
    for (let k = 0; k < this.info.count; k++) {
      const factor = q[first + k];
      if (factor !== 0) for (let i = 0, from = k * n; i < n; i++) out[i] += factor * modes[from + i];
    }
    return out;
  }
}

/** Stress components xx yy zz xy yz xz to von Mises. */
function vonMises(s: Float32Array, out: Float32Array): void {
  for (let i = 0, k = 0; i < out.length; i++, k += 6) {
    const a = s[k] - s[k + 1], b = s[k + 1] - s[k + 2], c = s[k + 2] - s[k];
    const shear = s[k + 3] * s[k + 3] + s[k + 4] * s[k + 4] + s[k + 5] * s[k + 5];
    out[i] = Math.sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
  }
}

/** Energy density ((1 + nu) s:s - nu (tr s)^2) / 2E. */
function energy(s: Float32Array, out: Float32Array, E: number, nu: number): void {
  for (let i = 0, k = 0; i < out.length; i++, k += 6) {
    const trace = s[k] + s[k + 1] + s[k + 2];
    const shear = s[k + 3] * s[k + 3] + s[k + 4] * s[k + 4] + s[k + 5] * s[k + 5];
    const square = s[k] * s[k] + s[k + 1] * s[k + 1] + s[k + 2] * s[k + 2] + 2 * shear;
    out[i] = ((1 + nu) * square - nu * trace * trace) / (2 * E);
  }
}

function extent(x: Float32Array): number {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    low[i % 3] = Math.min(low[i % 3], x[i]);
    high[i % 3] = Math.max(high[i % 3], x[i]);
  }
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
}
