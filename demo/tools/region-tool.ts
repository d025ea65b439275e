// The tool lookup_region: an async function that takes its time, like one that asks a server; page.
import { tool, ToolError } from "sallyport";

const REGIONS: ReadonlyMap<string, { name: string; offices: number }> = new Map([
  ["EMEA", { name: "Europe, Middle East and Africa", offices: 14 }],
  ["APAC", { name: "Asia and the Pacific", offices: 9 }],
  ["LATAM", { name: "Latin America", offices: 5 }],
  ["NA", { name: "North America", offices: 11 }],
]);
const LOOKUP_MS = 400;

/** The tool. Its answer takes a while on purpose, so that the waiting can be seen. */
export const regionTool = tool({
  name: "lookup_region",
  description: "Name and number of offices of a region: EMEA, APAC, LATAM or NA.",
  annotations: { title: "async", readOnlyHint: true },
  inputSchema: {
    type: "object",
    properties: { code: { type: "string", maxLength: 16, description: "The region's code" } },
    required: ["code"],
  },
  execute: async ({ code }, { signal }) => {
    await pause(LOOKUP_MS, signal);
    const region = REGIONS.get(code.toUpperCase());
    if (region) return region;
    throw new ToolError(
      `no region has the code ${code}; there are ${[...REGIONS.keys()].join(", ")}`,
    );
  },
});

/** Ends early, with the signal's reason, when the run is stopped meanwhile. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
