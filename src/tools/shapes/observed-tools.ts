import type { JsonObject } from '../../shared/json/json.ts';
import type { Tool } from '../tool.ts';
import { observedShape } from './observed-shapes.ts';
import { readShapeSchema, shapeSchema } from './shape-schema.ts';

/** The shapes of results as JSON Schema, by the names of their tools. */
export type ObservedShapes = Readonly<Record<string, JsonObject>>;

/** The tools of a registry with the shapes that it was given. */
export class ObservedTools {
  /** As they were given, those of tools that do not exist too: a source may bring them later. */
  readonly given: ObservedShapes;
  readonly #schemas: ReadonlyMap<string, JsonObject>;
  /** The same tool each time, so that nothing made of it has to be made again. */
  readonly #made = new WeakMap<object, object>();

  /** @throws PtcError `OPTION_INVALID` for what `observedShapes` did not return. */
  constructor(given: ObservedShapes = {}) {
    this.given = given;
    this.#schemas = new Map(
      Object.entries(given).map(([name, schema]) => [
        name,
        shapeSchema(readShapeSchema(schema, `observedShapes.${name}`)),
      ]),
    );
  }

  /** The tool, with its shape if one was given and it has no output schema. */
  toolOf<Context>(tool: Tool<Context>): Tool<Context> {
    const observedSchema = this.#schemas.get(tool.name);
    if (observedSchema === undefined || tool.outputSchema !== undefined) return tool;
    const made = this.#made.get(tool) ?? Object.freeze({ ...tool, observedSchema });
    this.#made.set(tool, made);
    return made as Tool<Context>;
  }
}

/** What is known of the results of tools without an output schema: what was given, and what was seen. */
export function observedShapesOf(tools: readonly Tool[]): ObservedShapes {
  const known = tools.flatMap((tool) => {
    if (tool.outputSchema !== undefined) return [];
    const seen = observedShape(tool);
    const given = tool.observedSchema;
    if (given === undefined) return seen === undefined ? [] : [[tool.name, shapeSchema(seen)]];
    const all = readShapeSchema(given, `observedShapes.${tool.name}`);
    if (seen !== undefined) all.add(seen);
    return [[tool.name, shapeSchema(all)]];
  });
  return Object.fromEntries(known) as ObservedShapes;
}
