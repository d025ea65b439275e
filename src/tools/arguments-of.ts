// The TypeScript type of a tool's arguments, read off the literal type of its schema; compile time only.

/* oxlint-disable typescript/no-explicit-any -- where a schema says nothing, the author knows more than the compiler */

/** The type of a value that fits a schema; `any` where the schema's type does not say. */
export type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? OfType<Type, Schema>
      : any;

type OfType<Type, Schema> = Type extends "string"
  ? Schema extends { readonly contentEncoding: "base64" }
    ? Uint8Array | string
    : string
  : Type extends "integer" | "number"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? Schema extends { readonly items: infer Items }
            ? ValueOf<Items>[]
            : any[]
          : Type extends "object"
            ? OfObject<Schema>
            : any;

type OfObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [
          Name in keyof Properties as Name extends RequiredOf<Schema> ? Name : never
        ]: ValueOf<Properties[Name]>;
      } & {
        -readonly [
          Name in keyof Properties as Name extends RequiredOf<Schema> ? never : Name
        ]?: ValueOf<Properties[Name]>;
      }
    >
  : Record<string, any>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;
type Flat<T> = { [K in keyof T]: T[K] };

/**
 * The arguments of a tool with this schema. An integer beyond 2^53 - 1 arrives as a bigint, which this type leaves out.
 *
 * @example
 * type A = ArgumentsOf<{ type: "object"; properties: { code: { type: "string" } }; required: ["code"] }>;
 * // { code: string }
 */
export type ArgumentsOf<Schema> = Schema extends { readonly type: "object" }
  ? ValueOf<Schema>
  : Record<string, any>;
