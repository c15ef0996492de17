import type { ToolOrDefinition } from '../define-tool.ts';

/**
 * Tools that come together and can change, such as those of a server. `ToolRegistry.addSource` adds
 * them.
 * @typeParam Context - The type of the `context` that its tools need.
 */
export interface ToolSource<Context = never> {
  /**
   * The name space of its tools: the tool `create_issue` of the source `github` is
   * `github:create_issue`, which programs call as `github.create_issue(…)`. Up to 64 letters, digits
   * and underscores, beginning with a letter, and not a name with a meaning in Python or JavaScript.
   */
  readonly name: string;
  /**
   * Whether the model finds the tools by search instead of in its prompt, if there is search. A tool
   * that says so itself decides for itself. @default true
   */
  readonly defer?: boolean;
  /**
   * Returns the tools as they are now, with names that are unique in this source and have no `:`.
   * Called when the source is added and after each change. An object that is returned again stands
   * for the same tool, and must not have changed.
   */
  tools(): Iterable<ToolOrDefinition<Context>>;
  /**
   * Registers a function to call after each change of the tools. Without this method, the tools never
   * change.
   * @param listener - Never throws. If the new tools cannot be used, the registry keeps those that it
   *   has, and the process gets a warning with the code `PTC_TOOL_SOURCE`.
   * @returns a function that ends this. It is called when the source is removed, or the conversation
   * to which it was added is closed.
   */
  onChange?(listener: () => void): () => void;
}
