// A form made from a tool's input schema: a field for each property, JSON for what no field can hold; page.
import type { PackageTool } from "sallyport/package";
import { makeElement } from "../make-element.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A labelled field, and its value as it is sent; undefined leaves the property out. */
interface Field {
  readonly label: HTMLElement;
  readonly value: () => unknown;
}

/** Calls `call` with the tool's name and what was filled in. */
export function toolForm(
  { name, description, inputSchema, outputSchema }: PackageTool,
  call: (name: string, args: Record<string, unknown>) => void,
): HTMLElement {
  const properties = Object.entries(objectOf(inputSchema["properties"]));
  const required = new Set(arrayOf(inputSchema["required"]));
  const fields = properties.map(
    ([key, schema]) => [key, fieldOf(key, objectOf(schema), required.has(key))] as const,
  );
  const problem = makeElement("p", { class: "bad", role: "alert", hidden: true });
  const form = makeElement(
    "form",
    { class: "tool", "aria-label": name },
    makeElement("h3", {}, makeElement("code", {}, name)),
    ...(description === "" ? [] : [makeElement("p", { class: "soft" }, description)]),
    ...fields.map(([, { label }]) => label),
    problem,
    makeElement(
      "div",
      { class: "row" },
      makeElement("button", { class: "button primary" }, "Call"),
    ),
    schemas(inputSchema, outputSchema),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      const given = fields.map(([key, field]) => [key, field.value()] as const);
      problem.hidden = true;
      call(name, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
    } catch (error) {
      problem.textContent = (error as Error).message;
      problem.hidden = false;
    }
  });
  return form;
}

function fieldOf(key: string, schema: Schema, required: boolean): Field {
  const { control, value } = controlOf(key, schema, required);
  const about = typeof schema["description"] === "string" ? schema["description"] : "";
  const label = makeElement(
    "label",
    { class: "field" },
    makeElement("span", { class: "name" }, required ? `${key} *` : key),
    control,
    ...(about === "" ? [] : [makeElement("span", { class: "soft" }, about)]),
  );
  return { label, value };
}

function controlOf(
  key: string,
  schema: Schema,
  required: boolean,
): { control: HTMLElement; value: () => unknown } {
  const { type, enum: choices } = schema;
  if (Array.isArray(choices)) return choice(choices, required);
  if (type === "boolean") {
    const box = makeElement("input", { type: "checkbox", name: key });
    return { control: box, value: () => (box.checked || required ? box.checked : undefined) };
  }
  if (type === "integer" || type === "number") {
    const step = type === "integer" ? 1 : "any";
    const input = makeElement("input", { type: "number", step, name: key, required });
    return { control: input, value: () => (input.value === "" ? undefined : Number(input.value)) };
  }
  if (type === "string") {
    // No `required`: an empty text is a text, and what the tool says to it is worth seeing.
    const input = makeElement("input", { type: "text", name: key, autocomplete: "off" });
    return {
      control: input,
      value: () => (input.value === "" && !required ? undefined : input.value),
    };
  }
  return json(key, required);
}

function choice(choices: readonly unknown[], required: boolean) {
  const texts = choices.map((one) => JSON.stringify(one));
  const options = [...(required ? [] : [""]), ...texts].map((text) =>
    makeElement("option", { value: text }, text),
  );
  const menu = makeElement("select", { class: "select" }, ...options);
  return {
    control: menu,
    value: (): unknown => (menu.value === "" ? undefined : JSON.parse(menu.value)),
  };
}

function json(key: string, required: boolean) {
  const area = makeElement("textarea", {
    name: key,
    placeholder: "JSON",
    spellcheck: "false",
    required,
  });
  return {
    control: area,
    value: (): unknown => {
      if (area.value.trim() === "") return undefined;
      try {
        return JSON.parse(area.value);
      } catch {
        throw new Error(`${key} is not JSON`);
      }
    },
  };
}

function schemas(input: Schema, output: Schema | undefined): HTMLElement {
  const pretty = (schema: Schema): string => JSON.stringify(schema, undefined, 2);
  return makeElement(
    "details",
    {},
    makeElement("summary", {}, "Schema"),
    makeElement(
      "pre",
      {},
      output ? `${pretty(input)}\n\nanswers\n${pretty(output)}` : pretty(input),
    ),
  );
}

function objectOf(value: unknown): Schema {
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
