/** The part of JSON Schema that tool parameters use. Others' schemas may hold more; it passes through untouched. */
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

/** The TypeScript type of what a schema literal (`as const`) accepts. */
export type Infer<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { type: 'string' }
    ? string
    : S extends { type: 'number' | 'integer' }
      ? number
      : S extends { type: 'boolean' }
        ? boolean
        : S extends { type: 'array'; items: infer I }
          ? Infer<I>[]
          : S extends { type: 'object'; properties: infer P }
            ? InferObject<P, S extends { required: readonly (infer R)[] } ? R : never>
            : unknown;

type InferObject<P, R> = { [K in keyof P as K extends R ? K : never]: Infer<P[K]> } & {
  [K in keyof P as K extends R ? never : K]?: Infer<P[K]>;
};

/** What is wrong with a value, in words for the model, or undefined. Unknown properties are no fault. */
export function schemaFault(schema: JsonSchema, value: unknown, path = ''): string | undefined {
  if (schema.enum && !schema.enum.includes(value)) {
    return `invalid value${at(path)}: expected one of ${schema.enum.map((v) => `\`${String(v)}\``).join(', ')}, got ${kindOf(value)}`;
  }
  if (typeof schema.type === 'string' && !hasType(schema.type, value)) {
    return `invalid type${at(path)}: expected ${schema.type}, got ${kindOf(value)}`;
  }
  if (schema.items && Array.isArray(value)) {
    const { items } = schema;
    return first(value, (item, i) => schemaFault(items, item, `${path}[${i}]`));
  }
  if (schema.properties && isRecord(value)) return propertiesFault(schema, value, path);
  return undefined;
}

function propertiesFault(schema: JsonSchema, value: Record<string, unknown>, path: string): string | undefined {
  const missing = schema.required?.find((name) => value[name] === undefined || value[name] === null);
  if (missing !== undefined) return `missing field \`${join(path, missing)}\``;
  return first(Object.entries(schema.properties ?? {}), ([name, property]) =>
    // An optional field that is null is an absent one: many models write every parameter out.
    value[name] === undefined || value[name] === null
      ? undefined
      : schemaFault(property, value[name], join(path, name)),
  );
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isRecord(value);
  return kindOf(value) === type;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const at = (path: string) => (path === '' ? '' : ` for \`${path}\``);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function first<T>(list: readonly T[], fault: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of list.entries()) {
    const found = fault(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
