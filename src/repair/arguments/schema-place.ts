import { isRecord, type JsonSchema } from '../../base/json-schema.ts';

/** Types that a place in a document allows, as bits. `ANY`: unknown. */
export const STRING = 1;
export const NUMBER = 2;
export const INTEGER = 4;
export const BOOLEAN = 8;
export const NULL = 16;
export const LIST = 32;
export const OBJECT = 64;
export const ANY = 127;

/** Knowledge that a schema has of one place in a document. */
export interface SchemaPlace {
  readonly types: number;
  /** Properties that an object in this place must have. */
  readonly required: readonly string[];
  property(name: string): SchemaPlace;
  readonly item: SchemaPlace;
}

/** Returns the place of the whole document. Without a schema nothing is known of it. */
export function schemaPlace(schema: JsonSchema | undefined): SchemaPlace {
  return schema === undefined ? UNKNOWN : new DescribedPlace(new SchemaReader(schema), [schema]);
}

/** Place of which nothing is known. */
export const UNKNOWN: SchemaPlace = {
  types: ANY,
  required: [],
  property: () => UNKNOWN,
  get item() {
    return UNKNOWN;
  },
};

/**
 * Place that one of several schemas describes. It allows every type that one of the schemas allows, so a type is ruled
 * out only if all of them agree.
 */
class DescribedPlace implements SchemaPlace {
  readonly types: number;
  readonly required: readonly string[];
  readonly #reader: SchemaReader;
  readonly #schemas: readonly JsonSchema[];
  readonly #properties = new Map<string, SchemaPlace>();
  #item: SchemaPlace | undefined;

  constructor(reader: SchemaReader, schemas: readonly JsonSchema[]) {
    this.#reader = reader;
    this.#schemas = schemas;
    this.types = schemas.reduce((types, schema) => types | reader.typesOf(schema), 0);
    const [only, ...others] = schemas;
    this.required = only && others.length === 0 ? reader.requiredOf(only) : [];
  }

  property(name: string): SchemaPlace {
    const known = this.#properties.get(name);
    if (known) return known;
    const place = this.#place((schema) => propertySchema(schema, name));
    if (place !== UNKNOWN) this.#properties.set(name, place);
    return place;
  }

  get item(): SchemaPlace {
    this.#item ??= this.#place(itemSchema);
    return this.#item;
  }

  #place(part: (schema: JsonSchema) => unknown): SchemaPlace {
    const schemas = this.#reader.parts(this.#schemas).map(part).filter(isRecord);
    return schemas.length === 0 ? UNKNOWN : new DescribedPlace(this.#reader, [...new Set(schemas)]);
  }
}

function propertySchema({ properties, patternProperties, additionalProperties }: JsonSchema, name: string): unknown {
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return patternProperties === undefined ? additionalProperties : undefined;
}

function itemSchema({ items, prefixItems }: JsonSchema): unknown {
  return prefixItems === undefined ? items : undefined;
}

/** Reads the schemas of one document. Each schema is read once, so that circular references end. */
class SchemaReader {
  readonly #root: JsonSchema;
  readonly #types = new Map<JsonSchema, number>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  typesOf(schema: JsonSchema): number {
    const known = this.#types.get(schema);
    if (known !== undefined) return known;
    this.#types.set(schema, ANY);
    const types = this.#allowed(schema);
    this.#types.set(schema, types);
    return types;
  }

  /** Returns all schemas that describe a document of any of the given ones. */
  parts(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
    const parts = new Set(schemas);
    for (const schema of parts) {
      for (const part of [...this.#conditions(schema), ...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)]) {
        parts.add(part);
      }
    }
    return [...parts];
  }

  requiredOf(schema: JsonSchema): readonly string[] {
    const parts = new Set([schema]);
    for (const part of parts) for (const condition of this.#conditions(part)) parts.add(condition);
    const names = [...parts].flatMap(({ required }) => (Array.isArray(required) ? required : []));
    return [...new Set(names.filter((name) => typeof name === 'string'))];
  }

  #allowed(schema: JsonSchema): number {
    let types = ownTypes(schema);
    for (const condition of this.#conditions(schema)) types &= this.typesOf(condition);
    for (const choices of [schemasIn(schema.anyOf), schemasIn(schema.oneOf)]) {
      if (choices.length > 0) types &= choices.reduce((any, choice) => any | this.typesOf(choice), 0);
    }
    if (schema.nullable === true) types |= NULL;
    return types === 0 ? ANY : types;
  }

  /** Returns the schemas that hold wherever this one does. */
  #conditions({ $ref, allOf }: JsonSchema): readonly JsonSchema[] {
    const target = typeof $ref === 'string' ? this.#find($ref) : undefined;
    return target === undefined ? schemasIn(allOf) : [target, ...schemasIn(allOf)];
  }

  #find(reference: string): JsonSchema | undefined {
    if (!reference.startsWith('#')) return undefined;
    let found: unknown = this.#root;
    for (const step of reference.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return isRecord(found) ? found : undefined;
  }
}

/** Reads a list of schemas. `true`, which allows everything, becomes an empty schema. */
function schemasIn(list: unknown): readonly JsonSchema[] {
  return Array.isArray(list) ? list.map((schema) => (isRecord(schema) ? schema : {})) : [];
}

function ownTypes({ type, const: constant, enum: values, properties, items }: JsonSchema): number {
  if (typeof type === 'string') return typeNamed(type);
  if (Array.isArray(type)) return type.reduce<number>((types, name) => types | typeNamed(name), 0);
  if (constant !== undefined) return typeOf(constant);
  if (Array.isArray(values)) return values.reduce<number>((types, value) => types | typeOf(value), 0);
  if (isRecord(properties)) return OBJECT;
  return isRecord(items) ? LIST : ANY;
}

const TYPES: ReadonlyMap<unknown, number> = new Map([
  ['string', STRING],
  ['number', NUMBER | INTEGER],
  ['integer', INTEGER],
  ['boolean', BOOLEAN],
  ['null', NULL],
  ['array', LIST],
  ['object', OBJECT],
]);

function typeNamed(name: unknown): number {
  return TYPES.get(name) ?? ANY;
}

/** Returns the type of a JSON value, as a bit. */
export function typeOf(value: unknown): number {
  if (value === null) return NULL;
  if (Array.isArray(value)) return LIST;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : NUMBER;
  return typeNamed(typeof value);
}
