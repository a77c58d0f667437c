/**
 * The part of JSON Schema that tool parameters use. Schemas of others may have more fields, which pass through
 * unchanged.
 */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** The TypeScript type of the values that a schema literal (`as const`) accepts. */
export type Infer<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { const: infer C }
    ? C
    : S extends { anyOf: readonly (infer B)[] }
      ? Infer<B>
      : S extends { type: readonly (infer T)[] }
        ? T extends string
          ? InferType<S, T>
          : unknown
        : S extends { type: infer T extends string }
          ? InferType<S, T>
          : unknown;

type InferType<S, T extends string> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? InferArray<S>
          : T extends 'object'
            ? InferProperties<S>
            : unknown;

type InferArray<S> = S extends { items: infer I } ? Infer<I>[] : unknown[];

type InferProperties<S> = S extends { properties: infer P }
  ? InferObject<P, S extends { required: readonly (infer R)[] } ? R : never>
  : Record<string, unknown>;

type InferObject<P, R> = { [K in keyof P as K extends R ? K : never]: Infer<P[K]> } & {
  [K in keyof P as K extends R ? never : K]?: Infer<P[K]>;
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
