import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { ToolSource } from '../../src/tools/registry/tool-source.ts';

/** A source whose tools a test changes. */
export class SourceOfTest implements ToolSource {
  readonly name: string;
  #tools: readonly ToolDefinition[];
  readonly #listeners: Set<() => void> = new Set();

  constructor(name: string, tools: readonly ToolDefinition[]) {
    this.name = name;
    this.#tools = tools;
  }

  /** How many registries follow it. */
  get followers(): number {
    return this.#listeners.size;
  }

  tools(): readonly ToolDefinition[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(tools: readonly ToolDefinition[]): void {
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }
}
