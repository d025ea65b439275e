// The tool schemas that the bench checks arguments against, from small to large, each with arguments that fit; Node and pages.

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;

/** Schemas as authors write them. `additionalProperties` is spelled out, so that ajv means the same. */
export const benchTools = {
  lookup: {
    schema: {
      type: "object",
      properties: { code: string },
      required: ["code"],
      additionalProperties: false,
    },
    args: { code: "EMEA" },
  },
  search: {
    schema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        sort: { enum: ["relevance", "date", "author"] },
        exact: { type: "boolean" },
        since: { anyOf: [string, { type: "null" }] },
      },
      required: ["query"],
      additionalProperties: false,
    },
    args: { query: "sally port", limit: 20, sort: "date", exact: false, since: null },
  },
  note: {
    schema: {
      type: "object",
      properties: {
        title: string,
        text: string,
        tags: { type: "array", items: string, maxItems: 50 },
        place: {
          type: "object",
          properties: { x: { type: "number" }, y: { type: "number" }, label: string },
          required: ["x", "y"],
          additionalProperties: false,
        },
        pinned: { type: "boolean" },
        revision: integer,
      },
      required: ["title", "text"],
      additionalProperties: false,
    },
    args: {
      title: "Groceries",
      text: "Milk, bread",
      tags: ["home", "today", "short"],
      place: { x: 12, y: 40, label: "north wall" },
      pinned: true,
      revision: 3,
    },
  },
  order: {
    schema: {
      type: "object",
      properties: {
        customer: { $ref: "#/$defs/customer" },
        lines: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              sku: { type: "string", maxLength: 32 },
              quantity: { type: "integer", minimum: 1 },
              price: { type: "number", minimum: 0 },
              options: { type: "object", additionalProperties: string },
            },
            required: ["sku", "quantity"],
            additionalProperties: false,
          },
        },
      },
      required: ["customer", "lines"],
      additionalProperties: false,
      $defs: {
        customer: {
          type: "object",
          properties: { id: integer, name: string, email: string },
          required: ["id", "name"],
          additionalProperties: false,
        },
      },
    },
    args: {
      customer: { id: 71, name: "Ada", email: "ada@example.com" },
      lines: Array.from({ length: 20 }, (_, i) => ({
        sku: `A-${i}`,
        quantity: i + 1,
        price: 9.5,
        options: { colour: "red", size: "L" },
      })),
    },
  },
} as const;
