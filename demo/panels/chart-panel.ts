// The chart that draw_chart draws, as SVG; page.
import { chartTicks } from "./chart-ticks.ts";
import { makeElement, makeSvg } from "../make-element.ts";

/** What is drawn. `labels` and `values` are of one length. */
export interface Chart {
  readonly title: string;
  readonly labels: readonly string[];
  readonly values: readonly number[];
  readonly kind: "bar" | "line";
}

/** What the tool may do with it. */
export interface ChartPanel {
  draw(chart: Chart): void;
}

/** Units are the screen's pixels as long as the window keeps its width, so that labels can be read on any. */
const NARROWEST = 260;
const WIDEST = 900;
const HEIGHT = 180;
const MARGIN = { top: 8, right: 6, bottom: 22, left: 46 };
const INNER_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom;
const LABEL_WIDTH = 60;
const LABEL_CHARACTERS = 12;

/** From indexes and values to places. */
interface Scales {
  readonly width: number;
  /** Between two values. */
  readonly step: number;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

/** Shows charts in a `figure`, each in place of the one before. */
export function chartPanel(figure: HTMLElement): ChartPanel {
  return {
    draw(chart) {
      const padding = 28;
      const width = Math.min(WIDEST, Math.max(NARROWEST, figure.clientWidth - padding));
      const caption = makeElement("figcaption", {}, chart.title);
      figure.replaceChildren(caption, drawing(chart, width));
    },
  };
}

function drawing(chart: Chart, width: number): SVGSVGElement {
  const ticks = chartTicks(chart.values, { fromZero: chart.kind === "bar" });
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const step = (width - MARGIN.left - MARGIN.right) / chart.values.length;
  const scales: Scales = {
    width,
    step,
    x: (index) => MARGIN.left + (index + 0.5) * step,
    y: (value) => MARGIN.top + (1 - (value - low) / (high - low)) * INNER_HEIGHT,
  };
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": describe(chart) },
    ...ticks.flatMap((tick) => gridLine(tick, scales)),
    ...(chart.kind === "bar" ? bars(chart, scales) : line(chart, scales)),
    ...labels(chart, scales),
  );
}

function bars({ values }: Chart, { x, y, step }: Scales): SVGElement[] {
  const width = Math.max(0.5, Math.min(56, step * 0.7));
  return values.map((value, index) =>
    makeSvg("rect", {
      class: "chart-bar",
      x: x(index) - width / 2,
      y: Math.min(y(0), y(value)),
      width,
      height: Math.abs(y(0) - y(value)),
      rx: Math.min(3, width / 4),
    }),
  );
}

function line({ values }: Chart, { x, y }: Scales): SVGElement[] {
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  const last = values.length - 1;
  return [
    makeSvg("polyline", { class: "chart-line", points: points.join(" ") }),
    makeSvg("circle", { class: "chart-point", cx: x(last), cy: y(values[last]!), r: 3.5 }),
  ];
}

function labels({ labels: all }: Chart, { x, step }: Scales): SVGElement[] {
  const every = Math.ceil(LABEL_WIDTH / step);
  const shown = all.flatMap((label, index) => (index % every === 0 ? [{ label, index }] : []));
  return shown.map(({ label, index }) =>
    makeSvg(
      "text",
      { class: "chart-label", x: x(index), y: HEIGHT - 6, "text-anchor": "middle" },
      shorten(label),
    ),
  );
}

function gridLine(value: number, { width, y: place }: Scales): SVGElement[] {
  const y = place(value);
  const zero = value === 0 ? "chart-zero" : "chart-grid";
  return [
    makeSvg("line", { class: zero, x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }),
    makeSvg(
      "text",
      { class: "chart-label", x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" },
      Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 }).format(value),
    ),
  ];
}

function describe({ title, labels: names, values, kind }: Chart): string {
  const pairs = values.slice(0, 20).map((value, index) => `${names[index]} ${value}`);
  const rest = values.length > 20 ? `, and ${values.length - 20} more` : "";
  return `${kind === "bar" ? "Bar" : "Line"} chart, ${title}: ${pairs.join(", ")}${rest}`;
}

function shorten(label: string): string {
  return label.length > LABEL_CHARACTERS ? `${label.slice(0, LABEL_CHARACTERS - 1)}…` : label;
}
