/** Colours of the two themes, and the map from values to colours. */
import type { Theme } from "./settings";

export interface Palette { background: string; top: string; grid: number; gridMajor: number; ink: number; joint: number; drive: number; edge: number; select: number; force: number; torque: number; friction: number; locked: number; spring: number; ghost: number; neutral: number }
export const PALETTES: Record<Theme, Palette> = {
  light: { background: "#e9edf2", top: "#fbfcfd", grid: 0xcfd6de, gridMajor: 0xb3bdc8, ink: 0x2a3038, joint: 0x4a525d, drive: 0xe07a1f, edge: 0x1b2026,
    select: 0x0b6bcb, force: 0xc81e4a, torque: 0x8a3ffc, friction: 0x00796b, locked: 0xb8002e, spring: 0x5c6773, ghost: 0x7d8896, neutral: 0xaab2bc },
  dark: { background: "#15181d", top: "#262c35", grid: 0x363e49, gridMajor: 0x4a5563, ink: 0xe4e8ed, joint: 0xb4bdc9, drive: 0xffa14d, edge: 0x0b0d10,
    select: 0x58b0ff, force: 0xff5d7d, torque: 0xbe95ff, friction: 0x3fe0c5, locked: 0xff6b7d, spring: 0xa7b1bd, ghost: 0x9aa5b3, neutral: 0x77818d },
};

/** Lines of plots, by run and series; readable on both backgrounds. */
export const LINES: Record<Theme, string[]> = {
  light: ["#1665b3", "#c9520a", "#17804a", "#a3128c", "#7a5c00", "#0c7f93", "#b00f1f", "#5a3d91"],
  dark: ["#6cb6ff", "#ff9a52", "#5fd38f", "#f08ae0", "#e0c050", "#5ad1e6", "#ff7b86", "#b79cff"],
};

// Points of viridis (Smith, van der Walt), linear between them
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37]];

/** 256 colours, linear RGB from 0 to 1 as the renderer wants them. */
export const MAP = (() => {
  const out = new Float32Array(3 * 256);
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = viridis(i / 255);
    out.set([r, g, b].map((c) => linear(c / 255)), 3 * i);
  }
  return out;
})();

export function viridis(s: number): [number, number, number] {
  const x = Math.min(0.99999, Math.max(0, s)) * (VIRIDIS.length - 1), i = Math.floor(x), f = x - i;
  const mix = (k: number): number => VIRIDIS[i][k] + f * (VIRIDIS[i + 1][k] - VIRIDIS[i][k]);
  return [mix(0), mix(1), mix(2)];
}

function linear(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

/** Colours of corners from values of points. */
export function paint(values: Float32Array, corner: Uint32Array, largest: number, out: Float32Array): void {
  const factor = largest > 0 ? 255 / largest : 0;
  for (let k = 0, to = 0; k < corner.length; k++, to += 3) {
    const i = 3 * Math.min(255, Math.max(0, Math.round(values[corner[k]] * factor)));
    out[to] = MAP[i];
    out[to + 1] = MAP[i + 1];
    out[to + 2] = MAP[i + 2];
  }
}

/** A number as people read it. */
export function shown(x: number, digits = 4): string {
  if (x === 0 || !Number.isFinite(x)) return x === 0 ? "0" : "–";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}
