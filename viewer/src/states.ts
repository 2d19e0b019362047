/** Which joints hold, and which are locked, at one moment; of runs whose structure changes. */
import type { Events } from "./events";
import type { Header } from "./format";
import type { Source } from "./source";
import { search } from "./timeline";

interface Level { t: Float64Array; values: Float64Array }
export type State = "holds" | "off" | "broken" | "locked";

export class States {
  private readonly levels = new Map<string, Level>(); // by channel
  private readonly now = new Map<string, State>();
  private busy = false;
  /** Called when values have come. */
  loaded: () => void = () => {};

  constructor(private header: Header, private source: Source, private events: () => Events) {}

  /** Whether any joint can change. */
  get any(): boolean { return this.header.joints.some((j) => j.state || j.locked); }

  async ask(): Promise<void> {
    if (!this.any || this.busy) return;
    this.busy = true;
    for (const channel of this.header.joints.flatMap((j) => [j.state, j.locked])) {
      if (!channel) continue;
      try {
        const { arrays } = await this.source.channel(channel, 1);
        this.levels.set(channel, { t: arrays.get("t") as Float64Array, values: arrays.get("values") as Float64Array });
      } catch { /* not in this file: the joint is drawn as it is modelled */ }
    }
    this.busy = false;
    this.loaded();
  }

  /** Go to a time; tells whether something has changed. */
  update(time: number): boolean {
    let changed = false;
    for (const joint of this.header.joints) {
      if (!joint.state && !joint.locked) continue;
      const level = this.at(joint.state, joint.name, time, 1), locked = this.at(joint.locked, joint.name, time, 0) > 0;
      const state = level < 0 ? "broken" : level === 0 ? "off" : locked ? "locked" : "holds";
      changed ||= state !== this.of(joint.name);
      this.now.set(joint.name, state);
    }
    return changed;
  }

  /** Of the row at or before a time; of the next one if something has happened to the joint since. */
  private at(channel: string | undefined, joint: string, time: number, otherwise: number): number {
    const level = channel ? this.levels.get(channel) : undefined, events = this.events();
    if (!level?.t.length) return otherwise;
    const i = search(level.t, time), [first, last] = events.between(level.t[i], time);
    let changed = false;
    for (let k = first; k < last; k++) changed ||= events.item(k) === joint;
    return level.values[Math.min(changed ? i + 1 : i, level.t.length - 1)];
  }

  of(joint: string): State { return this.now.get(joint) ?? "holds"; }
}
