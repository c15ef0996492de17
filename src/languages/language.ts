import type { LanguageName, ToolStub } from '../protocol/messages.ts';
import type { Tool } from '../tools/tool.ts';

/** What the host knows about a language of programs. Nothing here runs code. */
export interface Language {
  readonly name: LanguageName;
  /** The name for people and models, such as `Python`. */
  readonly title: string;
  /**
   * What the runner needs to make functions of the tools. The same object means that nothing has
   * changed.
   */
  readonly stubs: (tools: readonly Tool[]) => readonly ToolStub[];
  /**
   * The same stubs with documentation, for a session from the first program on that seems to read
   * it. Undefined if programs of this language cannot read documentation.
   */
  readonly documented?: {
    /** Whether a program contains words with which documentation is read. */
    readonly isRead: (code: string) => boolean;
    readonly stubs: (tools: readonly Tool[]) => readonly ToolStub[];
  };
  /**
   * The tools' signatures and documentation, for a system prompt. The same tools give the same
   * text, so that it can be cached.
   * @param all - All tools of the program, which decide how each is called. @default `tools`
   */
  readonly documentation: (tools: readonly Tool[], all?: readonly Tool[]) => string;
  /** The description of the `execute_code` tool. */
  readonly executeCodeDescription: string;
  /** How a program reads the path of the directory for the user's files. */
  readonly outputDirectory: string;
  /**
   * Extracts the program from what the model wrote: removes a Markdown fence around the whole text.
   */
  program(code: string): string;
}
