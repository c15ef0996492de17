import { escapeControls } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { readAnnotations } from '../../tools/annotations.ts';
import { toTool } from '../../tools/define-tool.ts';
import { toIdentifier } from '../../tools/names.ts';
import { resolveOutputSchema } from '../../tools/schema/schema.ts';
import type { Tool, ToolContext, Validation } from '../../tools/tool.ts';
import type { ListedTool } from './mcp-client.ts';

/** Calls a tool of a server. */
export type CallListedTool = (
  tool: ListedTool,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
  validate: ((value: unknown) => Validation) | undefined,
) => Promise<unknown>;

/** What became of the list of a server. */
export interface ReadTools {
  readonly tools: readonly Tool<unknown>[];
  /** The tools that programs cannot have, each as a phrase with the reason. */
  readonly leftOut: readonly string[];
}

/** Makes tools of what a server lists. A definition that has not changed stays the same tool. */
export class ListedTools {
  readonly #call: CallListedTool;
  #known: ReadonlyMap<string, { readonly text: string; readonly tool: Tool<unknown> }> = new Map();

  constructor(call: CallListedTool) {
    this.#call = call;
  }

  read(listed: readonly ListedTool[]): ReadTools {
    const known = new Map<string, { readonly text: string; readonly tool: Tool<unknown> }>();
    const identifiers = new Set<string>();
    const leftOut: string[] = [];
    for (const definition of listed) {
      const { name } = definition;
      try {
        if (definition.execution?.taskSupport === 'required') {
          throw new Error('it can only run as a task');
        }
        if (name.includes(':')) throw new Error('its name contains a colon');
        const identifier = toIdentifier(name);
        if (identifiers.has(identifier)) throw new Error(`another tool is ${identifier} too`);
        const text = JSON.stringify(definition);
        const before = this.#known.get(name);
        const tool = before?.text === text ? before.tool : this.#toolOf(definition);
        known.set(name, { text, tool });
        identifiers.add(identifier);
      } catch (error) {
        leftOut.push(`${JSON.stringify(name.slice(0, 100))} (${messageOf(error).slice(0, 200)})`);
      }
    }
    this.#known = known;
    return { tools: [...known.values()].map(({ tool }) => tool), leftOut };
  }

  /** @throws PtcError `TOOL_INVALID` */
  #toolOf(definition: ListedTool): Tool<unknown> {
    const { name, title, description, inputSchema } = definition;
    const outputSchema = definition.outputSchema && withSafeTexts(definition.outputSchema);
    // Compiled with the first result. Its patterns are matched in linear time or within a time limit.
    const validate = outputSchema && resolveOutputSchema(outputSchema, 'first call').validate;
    return toTool<unknown>(
      {
        name,
        description: [description, title].find((text) => text?.trim()) ?? 'No description.',
        inputSchema: withSafeTexts(inputSchema),
        ...(outputSchema && { outputSchema }),
        annotations: readAnnotations(definition.annotations),
        run: (input, context) => this.#call(definition, input as never, context, validate),
      },
      'first call',
    );
  }
}

/** A copy of a schema whose texts for the model contain no control characters. */
function withSafeTexts<Schema extends object>(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    typeof value === 'string' && (key === 'description' || key === 'title')
      ? escapeControls(value)
      : value,
  );
  const copy: unknown = JSON.parse(text);
  if (!isRecord(copy)) throw new Error('its schema is not an object');
  return copy as Schema;
}
