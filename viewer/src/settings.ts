/** What the user chose; listeners hear of changes. */

export type Theme = "light" | "dark";
export interface Clip { axis: 0 | 1 | 2; at: number; flip: boolean } // at: from 0 to 1 across the motion
export interface Settings {
  speed: number; loop: boolean; grid: boolean; world: boolean; frames: boolean; joints: boolean; forces: boolean; traces: boolean;
  names: boolean; ghost: boolean; edges: boolean; scale: number; colorBy: string; theme: Theme; clip: Clip | null; follow: string;
  perspective: boolean; arrows: number; contacts: boolean; events: boolean;
}

type Listener = (changed: Set<keyof Settings>) => void;

export class Store {
  private listeners: Listener[] = [];
  constructor(readonly now: Settings) {}
  set(change: Partial<Settings>): void {
    const changed = new Set<keyof Settings>();
    for (const key of Object.keys(change) as (keyof Settings)[]) {
      if (this.now[key] !== change[key]) {
        (this.now as unknown as Record<string, unknown>)[key] = change[key];
        changed.add(key);
      }
    }
    if (changed.size) for (const listener of this.listeners) listener(changed);
  }
  toggle(key: "loop" | "grid" | "world" | "frames" | "joints" | "forces" | "traces" | "names" | "ghost" | "edges" | "perspective" | "contacts" | "events"): void {
    this.set({ [key]: !this.now[key] });
  }
  listen(listener: Listener): void { this.listeners.push(listener); }
}

export function initial(): Settings {
  const dark = window.matchMedia?.("(prefers-color-scheme: dark)").matches;
  return {
    speed: 1, loop: true, grid: true, world: false, frames: false, joints: true, forces: false, traces: true, names: false, ghost: false,
    edges: true, scale: 1, colorBy: "body", theme: dark ? "dark" : "light", clip: null, follow: "", perspective: true, arrows: 1, contacts: false, events: true,
  };
}
