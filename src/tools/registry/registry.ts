import { EventEmitter } from 'node:events';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { warn } from '../../shared/process-warning.ts';
import { showValue } from '../../shared/show-value.ts';
import { isTool, toTool, type ToolOrDefinition } from '../define-tool.ts';
import { ObservedTools, observedShapesOf, type ObservedShapes } from '../shapes/observed-tools.ts';
import type { Tool, ToolCaller } from '../tool.ts';
import { clash, nameSpaceClash } from './name-clash.ts';
import { SourceTools } from './source-tools.ts';
import { frozenToolSet, isToolSet, type ToolSet } from './tool-set.ts';
import type { ToolSource } from './tool-source.ts';

export interface ToolRegistryOptions {
  /**
   * What `observedShapes` of an earlier process returned. Models are shown these shapes as the
   * results of tools without an output schema, marked as observed. @default none
   */
  readonly observedShapes?: ObservedShapes;
}

export const TOOL_REGISTRY: OptionsObject<ToolRegistryOptions> = {
  of: 'ToolRegistry',
  names: { observedShapes: 'plain' },
  page: 'docs/tools.md',
  otherWords: { shapes: 'observedShapes' },
};

/** A source of a registry, and its tools there. */
interface RegisteredSource<Context> {
  readonly source: ToolSource<Context>;
  readonly made: SourceTools<Context>;
  tools: readonly Tool<Context>[];
  /** Ends its subscription. */
  unsubscribe?: (() => void) | undefined;
}

/**
 * Ends the subscriptions of a registry to its sources, and makes no new ones. It keeps their tools as
 * they are now. Only for registries that nobody else uses.
 */
export let stopFollowing: (registry: ToolRegistry) => void;

/**
 * Tools by name. Tools and sources of tools can be added and removed. Programs and runs that have
 * begun keep the tools with which they began; the next ones have the new tools.
 * @typeParam Context - The type of the `context` that the tools need, inferred from the tools that
 * are passed. If they need different parts of one context, name its type: `new
 * ToolRegistry<App>([…])`. `ToolRegistry` without it stands for any registry.
 * @typeParam Each - The type of the tools that the constructor gets, for `RuleFor`.
 */
export class ToolRegistry<Context = never, Each = unknown> implements ToolSet<Context> {
  /** The tools that were registered one by one, by name. */
  readonly #own: Map<string, Tool<Context>> = new Map();
  readonly #sources: Map<string, RegisteredSource<Context>> = new Map();
  /** All tools, by the name of their function: two names may become the same function. */
  readonly #byIdentifier: Map<string, Tool<Context>> = new Map();
  /** The set that this registry extends. */
  readonly #base: ToolSet<Context> | undefined;
  readonly #observed: ObservedTools;
  readonly #changes: EventEmitter = new EventEmitter().setMaxListeners(0);
  #isFollowing = true;
  /**
   * Made when it is asked for, so that adding tools one by one takes time in proportion to them. It
   * is made again if the base has changed.
   */
  #current:
    | { readonly base: ToolSet<Context> | undefined; readonly set: ToolSet<Context> }
    | undefined;

  static {
    stopFollowing = (registry) => registry.#stopFollowing();
  }

  /**
   * @param tools - Tools to register, or a set that this registry extends: it also has the tools that
   *   are added to the set later, and what is added here is not in the set.
   * @throws PtcError as `register`, and `OPTION_INVALID` for options that cannot be used.
   */
  constructor(
    tools: ToolSet<Context> | (Iterable<ToolOrDefinition<Context>> & Iterable<Each>) = [],
    options: ToolRegistryOptions = {},
  ) {
    checkOptionNames(options, TOOL_REGISTRY);
    this.#observed = new ObservedTools(options.observedShapes);
    if (isToolSet(tools)) {
      this.#base = tools;
      return;
    }
    if (typeof Object(tools)[Symbol.iterator] !== 'function' || typeof tools === 'string') {
      const message = `The tools of a ToolRegistry must be an array or a ToolRegistry, not ${showValue(tools)}.`;
      throw new PtcError('TOOL_INVALID', message);
    }
    for (const tool of tools) this.register(tool);
  }

  /** Another registry with the same tools and sources, which extends the same set. */
  copy(): ToolRegistry<Context> {
    const { given } = this.#observed;
    const copy = new ToolRegistry<Context>(this.#base ?? [], { observedShapes: given });
    for (const tool of this.#own.values()) copy.register(tool);
    try {
      for (const { source } of this.#sources.values()) copy.addSource(source);
    } catch (error) {
      copy.#stopFollowing();
      throw error;
    }
    return copy;
  }

  /**
   * Adds a tool, or the definition of one, and returns the tool.
   * @throws PtcError `TOOL_INVALID`, or `TOOL_NAME_CLASH` if its name or its function name is in
   * use.
   */
  register(toolOrDefinition: ToolOrDefinition<Context>): Tool<Context> {
    const tool = isTool(toolOrDefinition) ? toolOrDefinition : toTool(toolOrDefinition);
    this.#replace([], [tool]);
    this.#own.set(tool.name, tool);
    this.#changes.emit('change');
    return tool;
  }

  /**
   * Removes a tool that was added by `register`. Returns false if there is none of this name.
   * @throws PtcError `TOOL_INVALID` for a tool of a source, which decides what its tools are.
   */
  remove(name: string): boolean {
    const tool = this.#own.get(name);
    if (tool !== undefined) {
      this.#replace([tool], []);
      this.#own.delete(name);
      this.#changes.emit('change');
      return true;
    }
    const [source = ''] = name.split(':');
    const isOfSource = this.#sources.get(source)?.tools.some((other) => other.name === name);
    if (isOfSource !== true) return false;
    throw new PtcError(
      'TOOL_INVALID',
      `The tool ${JSON.stringify(name)} belongs to the source ${source}. Change the tools of the source, or remove it with removeSource.`,
    );
  }

  /**
   * Adds the tools of a source, under names that begin with that of the source, and follows its
   * changes until `removeSource`.
   * @throws PtcError `TOOL_INVALID` for a source or a tool that cannot be used, `TOOL_NAME_CLASH` if
   * the name of the source, or that of one of its functions, is in use. Nothing is added then.
   */
  addSource(source: ToolSource<Context>): void {
    const made = new SourceTools(source);
    const { name } = source;
    if (this.#sources.has(name)) throw nameSpaceClash(name);
    const inBase = this.#base?.list().find(({ identifier }) => identifier === name);
    const sameName = this.#byIdentifier.get(name) ?? inBase;
    if (sameName !== undefined) throw nameSpaceClash(name, sameName);
    const registered: RegisteredSource<Context> = { source, made, tools: [] };
    this.#update(registered);
    this.#sources.set(name, registered);
    try {
      if (this.#isFollowing) {
        registered.unsubscribe = source.onChange?.(() => this.#follow(name, registered));
      }
    } catch (error) {
      this.removeSource(name);
      throw error;
    }
    this.#changes.emit('change');
  }

  /** Removes a source and its tools. Returns false if there is none of this name. */
  removeSource(name: string): boolean {
    const registered = this.#sources.get(name);
    if (registered === undefined) return false;
    this.#sources.delete(name);
    this.#replace(registered.tools, []);
    registered.unsubscribe?.();
    this.#changes.emit('change');
    return true;
  }

  /** As `ToolSet.onChange`, also for changes of the set that this registry extends. */
  onChange(listener: () => void): () => void {
    this.#changes.on('change', listener);
    const unsubscribe = this.#base?.onChange?.(listener);
    return () => {
      this.#changes.off('change', listener);
      unsubscribe?.();
    };
  }

  /**
   * The shapes of the results that programs got from the tools without an output schema, by their
   * names, as JSON Schema. They have types and keys, and no values. Pass them to the registry of the
   * next process, which adds what it sees.
   */
  observedShapes(): ObservedShapes {
    return observedShapesOf(this.list());
  }

  get(name: string): Tool<Context> | undefined {
    return this.snapshot().get(name);
  }

  list(): readonly Tool<Context>[] {
    return this.snapshot().list();
  }

  forCaller(caller: ToolCaller): readonly Tool<Context>[] {
    return this.snapshot().forCaller(caller);
  }

  /** @throws PtcError `TOOL_NAME_CLASH` if a tool was added to the base whose name is in use here. */
  snapshot(): ToolSet<Context> {
    const base = this.#base?.snapshot();
    if (this.#current === undefined || this.#current.base !== base) {
      this.#current = { base, set: this.#merge(base) };
    }
    return this.#current.set;
  }

  #merge(base: ToolSet<Context> | undefined): ToolSet<Context> {
    const inherited = base?.list() ?? [];
    for (const tool of inherited) this.#assertFree(tool);
    const ofSources = [...this.#sources.values()].flatMap(({ tools }) => tools);
    const own = [...this.#own.values(), ...ofSources].map((tool) => this.#observed.toolOf(tool));
    return frozenToolSet([...inherited, ...own]);
  }

  /** @throws PtcError `TOOL_NAME_CLASH` */
  #assertFree(tool: Tool<Context>): void {
    const other = this.#byIdentifier.get(tool.identifier);
    if (other !== undefined) throw clash(tool, other);
    if (this.#sources.has(tool.identifier)) throw nameSpaceClash(tool.identifier, tool);
  }

  /** A source has changed. It may be remote, so its mistakes must not end this process. */
  #follow(name: string, registered: RegisteredSource<Context>): void {
    // It may still call after it was removed.
    if (!this.#isFollowing || this.#sources.get(name) !== registered) return;
    try {
      this.#update(registered);
      this.#changes.emit('change');
    } catch (error) {
      warn(
        `The source ${name} has changed, but its new tools cannot be used, so those from before stay: ${messageOf(error)}`,
        'PTC_TOOL_SOURCE',
      );
    }
  }

  #stopFollowing(): void {
    this.#isFollowing = false;
    for (const registered of this.#sources.values()) {
      registered.unsubscribe?.();
      registered.unsubscribe = undefined;
    }
  }

  /** @throws PtcError `TOOL_INVALID` or `TOOL_NAME_CLASH`. Nothing has changed then. */
  #update(registered: RegisteredSource<Context>): void {
    const tools = registered.made.read();
    this.#replace(registered.tools, tools);
    registered.tools = tools;
  }

  /** @throws PtcError `TOOL_NAME_CLASH`. Nothing has changed then. */
  #replace(old: readonly Tool<Context>[], added: readonly Tool<Context>[]): void {
    const known = this.#byIdentifier;
    for (const tool of old) known.delete(tool.identifier);
    const done: Tool<Context>[] = [];
    try {
      for (const tool of added) {
        this.#assertFree(tool);
        known.set(tool.identifier, tool);
        done.push(tool);
      }
      if (done.length > 0) for (const tool of this.#base?.list() ?? []) this.#assertFree(tool);
    } catch (error) {
      for (const tool of done) known.delete(tool.identifier);
      for (const tool of old) known.set(tool.identifier, tool);
      throw error;
    }
    this.#current = undefined;
  }
}
