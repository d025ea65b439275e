// The tool draw_chart: draws what the guest has computed; page.
import { tool, ToolError } from "sallyport";
import type { ChartPanel } from "../panels/chart-panel.ts";

const MOST_VALUES = 400;
const LARGEST = 1e15;

/** The tool of a chart's panel. */
export function chartTool(chart: ChartPanel) {
  return tool({
    name: "draw_chart",
    description: `Draws a bar or line chart of up to ${MOST_VALUES} values, one label each.`,
    annotations: { title: "draws", idempotentHint: true },
    inputSchema: {
      type: "object",
      properties: {
        title: { type: "string", maxLength: 80 },
        labels: { type: "array", items: { type: "string", maxLength: 40 }, maxItems: MOST_VALUES },
        values: {
          type: "array",
          items: { type: "number", minimum: -LARGEST, maximum: LARGEST },
          minItems: 1,
          maxItems: MOST_VALUES,
        },
        kind: { enum: ["bar", "line"], description: "bar if you do not say" },
      },
      required: ["title", "labels", "values"],
    },
    execute: ({ title, labels, values, kind = "bar" }) => {
      if (labels.length !== values.length) {
        throw new ToolError(
          `there are ${labels.length} labels and ${values.length} values`,
          "invalid_arguments",
        );
      }
      chart.draw({ title, labels, values, kind });
      return { drawn: values.length };
    },
  });
}
