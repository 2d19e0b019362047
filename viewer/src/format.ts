/** Packages of data from Python: a JSON header and little-endian arrays (src/pliant/view/packing.py). */

export type Numbers = Float32Array | Float64Array | Uint32Array;
export type Vec = [number, number, number];
export type Quat = [number, number, number, number]; // w first
export type Facts = [string, string][];

export interface End { body: string; place: number; point: Vec; rotation: Quat; name: string }
export type Shape =
  | { kind: "cylinder"; start: Vec; end: Vec; radius: number; marked: boolean }
  | { kind: "link"; start: Vec; end: Vec; radius: number }
  | { kind: "box"; size: Vec }
  | { kind: "sphere"; radius: number }
  | { kind: "ellipsoid"; center: Vec; half: Vec; rotation: Quat }
  | { kind: "mesh"; points: string; cells: string };
export interface FieldInfo { name: string; unit: string; kind: "tensor" | "scalar"; modes: string; E?: number; nu?: number }
export interface SkinInfo {
  points: string; cells: string; psi: string; first: number; count: number; names: string[]; fields: FieldInfo[];
}
export interface BodyInfo {
  name: string; kind: string; place: number; facts: Facts; color: string; opacity?: number; hidden?: boolean;
  shapes?: Shape[]; skin?: SkinInfo; nodes?: Record<string, number>; traced: string[];
  frames: Record<string, { point: Vec; rotation: Quat }>;
}
export interface JointInfo {
  name: string; kind: string; symbol: string; guide?: "" | "line" | "plane"; facts: Facts; a?: End; b?: End; axes?: Quat; drives?: string[];
  couples?: [string, string]; held?: Held; state?: string; locked?: string;
}
/** Which relative motions a joint holds, in its axes on a: slides and turns, or a distance alone. */
export interface Held { slides: boolean[]; turns: boolean[]; distance: boolean }
export interface ForceInfo {
  name: string; kind: string; symbol: string; facts: Facts; a?: End; b?: End; vector?: (number | null)[]; axes?: string; joint?: string; channel?: string | null;
  arrows?: ArrowInfo[];
}
/** What touches: where (a channel, or a frame) and what it exerts, see src/pliant/view/touching.py. */
export interface ArrowInfo {
  role: "normal" | "friction"; kind: "force" | "torque"; point?: string; at?: End; channels: string[]; minus?: string; turn?: End; axis?: number;
}
/** A surface that belongs to no shape of a body. */
export interface SurfaceInfo { name: string; end: End; points: string; cells: string }
/** Item, what happened to it, and whether that is an impact. */
export interface EventsHeader { kinds: [string, string, boolean][]; total: number }
export interface Finding { code: string; severity: "error" | "warning" | "note"; items: string[]; message: string; remedy: string }
export interface ChannelInfo { name: string; unit: string; parts: string[] }
export interface Header {
  format: number; kind: "run" | "model"; name: string; rows: number; width: number; time: [number, number]; complete: boolean;
  live: boolean; note: string; version: number; origin: Vec; low: Vec; high: Vec; size: number; plane: string; up: Vec; symbol: number;
  places: string[]; bodies: BodyInfo[]; joints: JointInfo[]; forces: ForceInfo[]; ground: Vec[]; surfaces?: SurfaceInfo[]; events?: EventsHeader; findings: Finding[] | null;
  facts: Facts; channels: ChannelInfo[]; stride?: number; label?: string; error?: string;
}
export interface Package<H = Header> { header: H; arrays: Map<string, Numbers>; shapes: Map<string, number[]> }

interface Listed { name: string; dtype: "float32" | "float64" | "uint32"; shape: number[]; start: number; shuffled: boolean }
const KINDS = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array };

export function parse<H = Header>(data: ArrayBuffer): Package<H> {
  const view = new DataView(data);
  if (data.byteLength < 8 || view.getUint32(0, true) !== 0x31564c50) throw new Error("these are not data of the viewer");
  const first = 8 + view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, first - 8)));
  const arrays = new Map<string, Numbers>(), shapes = new Map<string, number[]>();
  for (const a of header.arrays as Listed[]) {
    const Kind = KINDS[a.dtype];
    const count = a.shape.reduce((x, y) => x * y, 1);
    const bytes = new Uint8Array(data, first + a.start, count * Kind.BYTES_PER_ELEMENT);
    arrays.set(a.name, a.shuffled ? new Kind(unshuffled(bytes, Kind.BYTES_PER_ELEMENT)) : new Kind(data, first + a.start, count));
    shapes.set(a.name, a.shape);
  }
  return { header, arrays, shapes };
}

function unshuffled(bytes: Uint8Array, width: number): ArrayBuffer {
  const out = new Uint8Array(bytes.length), count = bytes.length / width;
  for (let b = 0; b < width; b++) {
    for (let i = 0, from = b * count, to = b; i < count; i++, from++, to += width) out[to] = bytes[from];
  }
  return out.buffer;
}

/** The package in a script element of the page: gzip, as base64. */
export async function decode(text: string): Promise<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Response(bytes).body!.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export function array(p: Package<unknown>, name: string): Numbers {
  const found = p.arrays.get(name);
  if (!found) throw new Error(`the data hold no array ${name}`);
  return found;
}
