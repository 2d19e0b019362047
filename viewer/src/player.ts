/** The clock: plays, loops, steps. */
import type { Store } from "./settings";

export class Player {
  time = 0;
  playing = false;
  following = false; // stays at the end, of a run that goes on
  live = false;      // rows may be added
  start = 0;
  end = 0;
  /** Seconds of the run per second of ours at speed 1. */
  natural = 1;
  private before = 0;
  changed: () => void = () => {};

  constructor(private store: Store) {}

  span(start: number, end: number): void {
    this.start = start;
    this.end = end;
    if (this.following) this.time = end;
    else if (this.time < start || this.time > end) this.time = start;
    const length = end - start; // short motions are slowed down, so that one sees them; long ones take half a minute
    this.natural = length <= 0 ? 1 : length < 2 ? length / niceSeconds(length) : Math.max(1, length / 30);
  }

  toggle(): void { this.playing ? this.pause() : this.play(); }
  play(): void {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.following = false;
    this.before = performance.now();
    this.changed();
  }
  pause(): void {
    this.playing = false;
    this.changed();
  }
  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.following = this.time >= this.end && this.end > this.start;
    this.changed();
  }

  /** Seconds of the run per second of ours. */
  get rate(): number { return this.natural * this.store.now.speed; }

  /** Go on to now. */
  tick(now: number): void {
    if (!this.playing) return;
    const passed = Math.min(0.25, Math.max(0, (now - this.before) / 1000));
    this.before = now;
    this.time += passed * this.rate;
    if (this.time < this.end) return;
    if (this.store.now.loop && !this.live) this.time = this.start + ((this.time - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.playing = false;
      this.following = true;
      this.changed();
    }
  }
}

/** How long a short motion is shown: four to eight seconds, at a rate of 1, 2 or 5 times a power of ten. */
function niceSeconds(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length / 4)), rate = [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (Math.abs(length / b - 5) < Math.abs(length / a - 5) ? b : a));
  return length / rate;
}
