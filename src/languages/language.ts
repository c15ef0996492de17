import type { LanguageName, ToolStub } from '../protocol/messages.ts';
import type { Tool } from '../tools/tool.ts';

/** What the host knows of a guest language. Pure: nothing here runs code. */
export interface Language {
  readonly name: LanguageName;
  /** Its name for people and models, such as `Python`. */
  readonly title: string;
  /** How the runner makes functions of the tools. The same object means that nothing has changed. */
  readonly stubs: (tools: readonly Tool[]) => readonly ToolStub[];
  /** The tools' signatures and docs, for a system prompt: the same text for the same tools, so that it can be cached. */
  readonly documentation: (tools: readonly Tool[]) => string;
  /** The description of the `execute_code` tool. */
  readonly executeCodeDescription: string;
  /** The program inside what the model wrote: without a Markdown fence around all of it. */
  program(code: string): string;
}
