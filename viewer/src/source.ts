/** Where a run comes from: the page itself, the server of `pliant view`, or a notebook around this frame. */
import { decode, parse, type EventsHeader, type Package } from "./format";

export interface RowsHeader { first: number; stride: number; total: number }
export interface ChannelHeader { name: string; unit: string }
export interface Status { rows: number; live: boolean; version: number; message: string }

export interface Source {
  /** Header, arrays that do not change, and the motion over some or all rows. */
  open(): Promise<Package>;
  /** Every `step`-th row from first to before last. */
  rows(first: number, last: number, step: number): Promise<Package<RowsHeader>>;
  /** A channel over time; of very long ones the extremes of equal pieces, or every `step`-th row. */
  channel(name: string, step?: number): Promise<Package<ChannelHeader>>;
  /** What happened so far, of a run that goes on; what had happened as it was opened is in its header. */
  events?(): Promise<Package<EventsHeader>>;
  /** What is new, of sources that may change. */
  status?(): Promise<Status>;
}

/** Everything is in the page: works from a file, without a network. */
class Embedded implements Source {
  private whole?: Promise<Package>;
  constructor(private text: string) {}
  open(): Promise<Package> {
    return (this.whole ??= decode(this.text).then((data) => parse(data)));
  }
  async rows(): Promise<never> {
    throw new Error("all rows are in the page");
  }
  async channel(name: string): Promise<Package<ChannelHeader>> {
    const whole = await this.open();
    const values = whole.arrays.get(`channel:${name}`), t = whole.arrays.get("t");
    if (!values || !t) throw new Error(`${name} was not put into this file; save it with to_html(…, channels=["${name}"])`);
    const unit = whole.header.channels.find((c) => c.name === name)?.unit ?? "";
    return {
      header: { name, unit }, arrays: new Map([["t", t], ["values", values]]),
      shapes: new Map([["t", [t.length]], ["values", whole.shapes.get(`channel:${name}`)!]]),
    };
  }
}

/** The server of `pliant view`, on this machine. */
class Served implements Source {
  constructor(private number: number) {}
  open(): Promise<Package> { return this.get("scene"); }
  rows(first: number, last: number, step: number): Promise<Package<RowsHeader>> { return this.get(`rows?first=${first}&last=${last}&step=${step}`); }
  channel(name: string, step = 0): Promise<Package<ChannelHeader>> { return this.get(`channel?name=${encodeURIComponent(name)}&step=${step}`); }
  events(): Promise<Package<EventsHeader>> { return this.get("events"); }
  async status(): Promise<Status> {
    const answer = await fetch(`api/${this.number}/status`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }
  private async get<H>(what: string): Promise<Package<H>> {
    const answer = await fetch(`api/${this.number}/${what}`);
    if (!answer.ok) throw new Error((await answer.text()) || `the server says ${answer.status}`);
    return parse<H>(await answer.arrayBuffer());
  }
}

/** A notebook: the page is a frame in its output, and asks what is around it. */
class Framed implements Source {
  private waiting = new Map<number, { resolve: (data: ArrayBuffer) => void; reject: (error: Error) => void }>();
  private next = 1;
  constructor(private number: number) {
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent || event.data?.pliant !== "answer") return;
      const asked = this.waiting.get(event.data.id);
      this.waiting.delete(event.data.id);
      if (event.data.error) asked?.reject(new Error(event.data.error));
      else asked?.resolve(event.data.data);
    });
  }
  open(): Promise<Package> { return this.ask({ what: "scene" }); }
  rows(first: number, last: number, step: number): Promise<Package<RowsHeader>> { return this.ask({ what: "rows", first, last, step }); }
  channel(name: string, step = 0): Promise<Package<ChannelHeader>> { return this.ask({ what: "channel", name, step }); }
  private ask<H>(question: object): Promise<Package<H>> {
    const id = this.number * 1e6 + this.next++;
    return new Promise<ArrayBuffer>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      window.parent.postMessage({ pliant: "ask", id, run: this.number, ...question }, "*");
    }).then((data) => parse<H>(data));
  }
}

/** The sources that the page was made for. */
export function sources(): Source[] {
  const own = [...document.querySelectorAll<HTMLScriptElement>("script.pliant-run")];
  if (own.length) {
    return own.map((element) => new Embedded(element.textContent ?? ""));
  }
  const way = document.querySelector<HTMLMetaElement>("meta[name=pliant-runs]");
  const count = Number(way?.content ?? 0);
  const Kind = way?.dataset.way === "frame" ? Framed : Served;
  return Array.from({ length: count }, (_, k) => new Kind(k));
}
