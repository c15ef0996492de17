import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { elements, flatten } from './json-schema.ts';

/** What a schema says about the arguments of a tool. */
export interface RootProperties {
  readonly properties: ReadonlyMap<string, JsonValue>;
  /** They need not be among the properties. */
  readonly required: ReadonlySet<string>;
}

/** How many properties of branches are looked at: references can make a small schema expand to a huge one. */
const MAXIMUM_PROPERTIES = 10_000;

/**
 * The properties of a tool's arguments. Those that only branches of a union have are among them, and
 * required if each branch requires them.
 */
export function rootPropertiesOf(root: JsonObject): RootProperties {
  const { schema, unions, references } = flatten(root, root);
  const { properties, required } = namesOf(schema);
  let remaining = MAXIMUM_PROPERTIES;
  for (const branches of unions) {
    const added = new Map<string, Set<JsonValue>>();
    let common: Set<string> | undefined;
    for (const branch of branches) {
      if (remaining <= 0) break;
      const part = namesOf(flatten(branch, root, references).schema);
      remaining -= part.properties.size + part.required.size + 1;
      for (const [name, property] of part.properties) {
        if (properties.has(name)) continue;
        const known = added.get(name);
        if (known === undefined) added.set(name, new Set([property]));
        else known.add(property);
      }
      common = new Set([...(common ?? part.required)].filter((name) => part.required.has(name)));
    }
    for (const [name, known] of added) {
      const [first = true, ...others] = known;
      properties.set(name, others.length === 0 ? first : { anyOf: [first, ...others] });
    }
    // Those of branches that were not looked at are unknown.
    if (remaining > 0) for (const name of common ?? []) required.add(name);
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
