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

const WIDTH = 540;
const HEIGHT = 180;
const MARGIN = { top: 8, right: 6, bottom: 22, left: 46 };
const INNER_WIDTH = WIDTH - MARGIN.left - MARGIN.right;
const INNER_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom;
const MOST_LABELS = 8;
const LABEL_CHARACTERS = 12;

/** Shows charts in a `figure`, each in place of the one before. */
export function chartPanel(figure: HTMLElement): ChartPanel {
  return {
    draw(chart) {
      const caption = makeElement("figcaption", {}, chart.title);
      figure.replaceChildren(caption, drawing(chart));
    },
  };
}

function drawing(chart: Chart): SVGSVGElement {
  const ticks = chartTicks(chart.values, { fromZero: chart.kind === "bar" });
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const y = (value: number): number =>
    MARGIN.top + (1 - (value - low) / (high - low)) * INNER_HEIGHT;
  const step = INNER_WIDTH / chart.values.length;
  const x = (index: number): number => MARGIN.left + (index + 0.5) * step;
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": describe(chart) },
    ...ticks.flatMap((tick) => gridLine(tick, y(tick))),
    ...(chart.kind === "bar" ? bars(chart, x, y, step, low) : line(chart, x, y)),
    ...labels(chart, x),
  );
}

function bars(
  { values }: Chart,
  x: (index: number) => number,
  y: (value: number) => number,
  step: number,
  low: number,
): SVGElement[] {
  const width = Math.max(0.5, Math.min(56, step * 0.7));
  const base = y(Math.max(0, low));
  return values.map((value, index) =>
    makeSvg("rect", {
      class: "chart-bar",
      x: x(index) - width / 2,
      y: Math.min(base, y(value)),
      width,
      height: Math.abs(base - y(value)),
      rx: Math.min(3, width / 4),
    }),
  );
}

function line(
  { values }: Chart,
  x: (index: number) => number,
  y: (value: number) => number,
): SVGElement[] {
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  const last = values.length - 1;
  return [
    makeSvg("polyline", { class: "chart-line", points: points.join(" ") }),
    makeSvg("circle", { class: "chart-point", cx: x(last), cy: y(values[last]!), r: 3.5 }),
  ];
}

function labels({ labels: all }: Chart, x: (index: number) => number): SVGElement[] {
  const every = Math.ceil(all.length / MOST_LABELS);
  return all.flatMap((label, index) =>
    index % every === 0
      ? [
          makeSvg(
            "text",
            { class: "chart-label", x: x(index), y: HEIGHT - 6, "text-anchor": "middle" },
            shorten(label),
          ),
        ]
      : [],
  );
}

function gridLine(value: number, y: number): SVGElement[] {
  const zero = value === 0 ? "chart-zero" : "chart-grid";
  return [
    makeSvg("line", { class: zero, x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y, y2: y }),
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
