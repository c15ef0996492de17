import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { elements, flatten } from './json-schema.ts';

/** What a schema says about the arguments of a tool. */
export interface RootProperties {
  readonly properties: ReadonlyMap<string, JsonValue>;
  /** They need not be among the properties. */
  readonly required: ReadonlySet<string>;
}

/**
 * The properties of a tool's arguments. Those that only branches of a union have are among them, and
 * required if each branch requires them.
 */
export function rootPropertiesOf(root: JsonObject): RootProperties {
  const { schema, unions, references } = flatten(root, root);
  const { properties, required } = namesOf(schema);
  for (const branches of unions) {
    const parts = branches.map((branch) => namesOf(flatten(branch, root, references).schema));
    const added = new Map<string, JsonValue[]>();
    for (const part of parts) {
      for (const [name, property] of part.properties) {
        if (properties.has(name)) continue;
        const known = added.get(name);
        if (known === undefined) added.set(name, [property]);
        else known.push(property);
      }
    }
    for (const [name, [first = true, ...others]] of added) {
      properties.set(name, others.length === 0 ? first : { anyOf: [first, ...others] });
    }
    for (const name of parts[0]?.required ?? []) {
      if (parts.every((part) => part.required.has(name))) required.add(name);
    }
  }
  return { properties, required };
}

function namesOf(schema: JsonObject | boolean): {
  readonly properties: Map<string, JsonValue>;
  readonly required: Set<string>;
} {
  const { properties, required } = typeof schema === 'boolean' ? {} : schema;
  return {
    properties: new Map(isRecord(properties) ? Object.entries(properties) : []),
    required: new Set(elements(required).filter((name) => typeof name === 'string')),
  };
}
