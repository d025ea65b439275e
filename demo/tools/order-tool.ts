// The tool place_order: it would cost money, so it stands behind the gate; page.
import { tool } from "sallyport";

const PRICE = 12.5;
let lastOrder = 1000;

/** The tool. `destructiveHint` is what the playground's gate looks at. */
export const orderTool = tool({
  name: "place_order",
  description: "Places an order. The page asks you first.",
  annotations: { title: "asks first", destructiveHint: true },
  inputSchema: {
    type: "object",
    properties: {
      item: { type: "string", minLength: 1, maxLength: 80 },
      quantity: { type: "integer", minimum: 1, maximum: 99 },
    },
    required: ["item", "quantity"],
  },
  execute: ({ item, quantity }) => ({
    order: ++lastOrder,
    item,
    quantity,
    total: quantity * PRICE,
  }),
});
