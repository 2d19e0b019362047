/** Elements in one line. */
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value as unknown as EventListener);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

const PATHS: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z", pause: "M6 4.5h4.5v15H6zM13.5 4.5H18v15h-4.5z", next: "M5 5l8 7-8 7zM15 5h3v14h-3z", previous: "M19 5l-8 7 8 7zM6 5h3v14H6z",
  earlier: "M18 5l-7 7 7 7zM6 7l4 5-4 5-4-5z", later: "M6 5l7 7-7 7zM18 7l4 5-4 5-4-5z",
  loop: "M17 3l4 4-4 4V8H8a4 4 0 0 0-4 4H2a6 6 0 0 1 6-6h9zM7 21l-4-4 4-4v3h9a4 4 0 0 0 4-4h2a6 6 0 0 1-6 6H7z",
  eye: "M12 5c5 0 9 4.5 10 7-1 2.5-5 7-10 7S3 14.500 2 12c1-2.500 5-7 10-7zm0 3.200a3.800 3.800 0 1 0 0 7.600 3.800 3.800 0 0 0 0-7.600z",
  hidden: "M3 4.300L4.300 3 21 19.700 19.700 21l-3.400-3.400A10.500 10.500 0 0 1 12 19c-5 0-9-4.500-10-7 .5-1.300 1.800-3.200 3.700-4.700zM12 5c5 0 9 4.500 10 7a13 13 0 0 1-3 4L8.700 5.700A10 10 0 0 1 12 5z",
  isolate: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4zM9 9h6v6H9z",
  sliders: "M4 6h9v2H4zm13 0h3v2h-3zM13 4h3v6h-3zM4 11h3v2H4zm7 0h9v2h-9zM7 9h3v6H7zM4 16h9v2H4zm13 0h3v2h-3zM13 14h3v6h-3z",
  list: "M4 5h3v3H4zm5 .5h11v2H9zM4 10.500h3v3H4zm5 .5h11v2H9zM4 16h3v3H4zm5 .5h11v2H9z", plot: "M3 3h2v16h16v2H3zm4 12l4-6 4 3 5-7 1.600 1.200-6.100 8.600-4-3-3.300 5z",
  sun: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM4.200 5.600l1.400-1.400 2.800 2.800L7 8.400zM15.600 17l1.400-1.400 2.800 2.800-1.400 1.400zM4.200 18.400L7 15.600 8.400 17l-2.800 2.800zM15.600 7l2.800-2.800 1.400 1.400L17 8.400z",
  help: "M11 17h2v2h-2zM12 5a4 4 0 0 0-4 4h2a2 2 0 1 1 3.400 1.400C12.300 11.500 11 12.400 11 15h2c0-1.700.8-2.400 1.900-3.500A4 4 0 0 0 12 5z",
  cube: "M12 2l9 5v10l-9 5-9-5V7zm0 2.300L6 7.600l6 3.300 6-3.300zM5 9.300v6.500l6 3.300v-6.500zm14 0l-6 3.300v6.500l6-3.300z", close: "M5.300 4l6.700 6.700L18.700 4 20 5.300 13.300 12l6.700 6.700-1.300 1.300-6.700-6.700L5.300 20 4 18.700l6.700-6.700L4 5.300z",
  follow: "M11 2h2v3.100A7 7 0 0 1 18.900 11H22v2h-3.100A7 7 0 0 1 13 18.900V22h-2v-3.100A7 7 0 0 1 5.100 13H2v-2h3.100A7 7 0 0 1 11 5.100zM12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zm0 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  path: "M3 19c3 0 4-2 5-6s2.500-8 7-8c3 0 5 2 6 4l-1.800.9C18.500 8.300 17 7 15 7c-3 0-4 3-5 6.500S8 21 3 21z", plus: "M11 4h2v7h7v2h-7v7h-2v-7H4v-2h7z", reset: "M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",
};

export function icon(name: string): SVGSVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name] ?? "");
  path.setAttribute("fill-rule", "evenodd");
  made.append(path);
  return made;
}

/** A button with an icon; `label` is read out and shown as a hint. */
export function button(name: string, label: string, press: () => void, className = ""): HTMLButtonElement {
  return h("button", { type: "button", class: `icon ${className}`, title: label, "aria-label": label.replace(/ \(.*\)$/, ""), click: press }, icon(name));
}

export function pressed(element: HTMLElement, on: boolean): void { element.setAttribute("aria-pressed", String(on)); }

/** Offer data as a file. */
export function download(name: string, data: Blob): void {
  const link = h("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
