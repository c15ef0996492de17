import { messageOf } from '../../../shared/errors.ts';
import { readAnnotations } from '../../../tools/annotations.ts';
import type { TimeLimits } from '../../../tools/limits/call-deadline.ts';
import { toTool } from '../../../tools/define-tool.ts';
import { checkToolName, toIdentifier } from '../../../tools/names.ts';
import { resolveOutputSchema } from '../../../tools/schema/schema.ts';
import type { Tool, ToolContext, Validation } from '../../../tools/tool.ts';
import type { ReceivedTool } from './list-tools.ts';
import type { ListedTool } from '../mcp-client.ts';
import { digestOf } from '../pin/digest.ts';
import type { Pins, UnacceptedTool } from '../pin/pins.ts';
import type { LeftOutTool } from './warn-of-left-out.ts';

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
  /** The tools that programs cannot have. */
  readonly leftOut: readonly LeftOutTool[];
}

interface KnownTool {
  readonly definition: ListedTool;
  readonly text: string;
  readonly tool: Tool<unknown>;
}

/**
 * Makes tools of what a server lists. A definition that has not changed stays the same tool. If one
 * has changed that is pinned, the tool stays as it was, but must not be called.
 */
export class ListedTools {
  readonly #call: CallListedTool;
  readonly #limits: TimeLimits;
  readonly #pins: Pins | undefined;
  #listed: readonly ReceivedTool[] = [];
  #known: ReadonlyMap<string, KnownTool> = new Map();
  #unaccepted: ReadonlyMap<string, UnacceptedTool> = new Map();

  constructor(call: CallListedTool, limits: TimeLimits, pins: Pins | undefined) {
    this.#call = call;
    this.#limits = limits;
    this.#pins = pins;
  }

  /** The tools whose definitions wait to be accepted, in the order of the server. */
  get unaccepted(): readonly UnacceptedTool[] {
    return [...this.#unaccepted.values()];
  }

  /** Whether a tool can be called: the server still lists it as it was accepted. */
  canCall(name: string): boolean {
    if (this.#pins === undefined) return true;
    return this.#known.has(name) && !this.#unaccepted.has(name);
  }

  /**
   * Accepts definitions, if the server still lists them.
   * @returns the list of the server, to be read again, and whether all were accepted.
   */
  accept(tools: readonly Pick<UnacceptedTool, 'name' | 'digest'>[]): {
    readonly listed: readonly ReceivedTool[];
    readonly areAll: boolean;
  } {
    const found = tools.filter(({ name, digest }) => this.#unaccepted.get(name)?.digest === digest);
    for (const { name, digest } of found) this.#pins?.set(name, digest);
    return { listed: this.#listed, areAll: found.length === tools.length };
  }

  read(listed: readonly ReceivedTool[]): ReadTools {
    const known = new Map<string, KnownTool>();
    const unaccepted = new Map<string, UnacceptedTool>();
    const identifiers = new Set<string>();
    const leftOut: LeftOutTool[] = [];
    for (const definition of listed) {
      const { name } = definition;
      try {
        if (definition.fault !== undefined) throw new Error(definition.fault);
        if (definition.execution?.taskSupport === 'required') {
          throw new Error('it can only run as a task');
        }
        // Nobody could accept it, and warnings remember names.
        checkToolName(name);
        if (name.includes(':')) throw new Error('its name contains a colon');
        const identifier = toIdentifier(name);
        if (identifiers.has(identifier)) throw new Error(`another tool is ${identifier} too`);
        const made = this.#make(definition, unaccepted);
        if (made === undefined) continue;
        known.set(name, made);
        identifiers.add(identifier);
      } catch (error) {
        leftOut.push({ name, reason: messageOf(error) });
      }
    }
    this.#listed = listed;
    this.#known = known;
    this.#unaccepted = unaccepted;
    return { tools: [...known.values()].map(({ tool }) => tool), leftOut };
  }

  /**
   * The tool of a definition. Of one that is not accepted, it is the tool from before, or undefined
   * if there is none.
   */
  #make(definition: ListedTool, unaccepted: Map<string, UnacceptedTool>): KnownTool | undefined {
    const { name } = definition;
    const text = JSON.stringify(definition);
    const before = this.#known.get(name);
    if (before?.text === text) return before;
    if (this.#pins === undefined) return { definition, text, tool: this.#toolOf(definition) };
    const digest = digestOf(definition);
    if (!this.#pins.accepts(name, digest)) {
      unaccepted.set(name, { name, digest, definition, accepted: before?.definition });
      return before;
    }
    const made = { definition, text, tool: this.#toolOf(definition) };
    // Not before: a definition that cannot be used must not have one refused that can.
    this.#pins.set(name, digest);
    return made;
  }

  /** @throws PtcError `TOOL_INVALID` */
  #toolOf(definition: ListedTool): Tool<unknown> {
    const { name, title, description, inputSchema, outputSchema } = definition;
    // Compiled with the first result. Its patterns are matched in linear time or within a time limit.
    const validate = outputSchema && resolveOutputSchema(outputSchema, 'first call').validate;
    return toTool<unknown>(
      {
        name,
        description: [description, title].find((text) => text?.trim()) ?? 'No description.',
        inputSchema,
        ...(outputSchema && { outputSchema }),
        annotations: readAnnotations(definition.annotations),
        ...this.#limits,
        run: (input, context) => this.#call(definition, input as never, context, validate),
      },
      'first call',
    );
  }
}
