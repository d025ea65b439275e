// The types of generate-config-validators.mjs for the tests that import it; Node.

/** The schemas of our fixed shapes, by the name of their check. */
export const schemas: Readonly<Record<string, object>>;
/** The whole text of src/mcp/config-validators.generated.ts. */
export function generate(): Promise<string>;
