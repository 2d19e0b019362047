/** Start: find the runs that the page was made for, show them, and keep up with those that go on. */
import { App } from "./app";
import { sources, type Source, type Status } from "./source";
import "./style.css";

const EVERY = 700; // ms between two looks at a run that may change

const app = new App(document.getElementById("app")!);

async function start(): Promise<void> {
  const found = sources();
  if (!found.length) throw new Error("This page holds no run. Make one with sol.to_html(…), or open it with 'pliant view'.");
  await app.open(found);
  app.draw();
  document.documentElement.dataset.first = String(Math.round(performance.now())); // ms from the call of the page to its first picture
  app.run();
  document.documentElement.dataset.ready = "yes";
  if (app.player.live) app.player.seek(app.player.end); // a run that goes on is followed
  else if (document.documentElement.dataset.autoplay !== "no" && !window.matchMedia?.("(prefers-reduced-motion: reduce)").matches) app.player.play();
  if (found.some((s) => s.status)) void watch(found);
}

/** Ask the server what is new. */
async function watch(found: Source[]): Promise<void> {
  let lost = 0;
  for (;;) {
    await new Promise((done) => setTimeout(done, document.hidden ? 4 * EVERY : EVERY));
    try {
      for (const [k, source] of found.entries()) await follow(found, k, await source.status!());
      if (lost) app.tell("");
      lost = 0;
    } catch (error) {
      if (++lost === 2) app.tell(error instanceof TypeError ? "The server has ended; what is loaded can still be seen." : String((error as Error).message));
      if (lost > 5 && error instanceof TypeError) return;
    }
  }
}

async function follow(found: Source[], k: number, status: Status): Promise<void> {
  const run = app.runs[k];
  if (status.message) app.tell(status.message);
  app.stated(run, status.live);
  if (status.version !== run.header.version) {
    const { playing } = app.player; // the clock keeps its time, or follows the end
    await app.open(found);
    if (playing) app.player.play();
    await app.plots.reload();
  } else if (status.rows > run.timeline.total) {
    await app.grown(run, status.rows);
    if (!app.plots.empty) await app.plots.reload();
  }
}

start().catch((error: Error) => {
  app.tell(error.message);
  document.documentElement.dataset.ready = "failed";
});

/** For scripts, notebooks and tests. */
declare global { interface Window { pliant: object } }
window.pliant = {
  app,
  play: () => app.player.play(), pause: () => app.player.pause(),
  seek(time: number) { app.player.pause(); app.player.seek(time); app.draw(); },
  /** Points of a body in the world at the time that is shown. */
  points: (name: string) => {
    const body = app.first.bodies.find((b) => b.info.name === name), o = app.first.header.origin;
    return body ? Array.from(body.world(), (x, i) => x + o[i % 3]) : null;
  },
  /** Milliseconds of script for each of the last frames. */
  script: () => [...app.script],
};
