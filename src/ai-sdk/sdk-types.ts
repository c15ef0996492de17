// The part of the AI SDK's types that is used. They are interfaces of this package because those of
// versions 6 and 7 differ.

/** A tool of the AI SDK 6 or 7. */
export interface AiSdkTool {
  readonly type?: string | undefined;
  /** A text; in version 7 also a function that returns one. */
  readonly description?: unknown;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly inputExamples?: readonly { readonly input: unknown }[] | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** Tools of the AI SDK 6 or 7 by their names. */
export type AiSdkToolSet = Readonly<Record<string, AiSdkTool>>;

/** What the AI SDK passes to the `execute` of a tool, beside the input. */
export interface AiSdkCall {
  readonly toolCallId: string;
  /** The messages before the answer with the call, in the form of the AI SDK. */
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
  /** In version 7, what `toolsContext` has for the tool. */
  readonly context?: unknown;
  /** In version 6, the `experimental_context` of the request. */
  readonly experimental_context?: unknown;
}

/** The context of a call, whichever version of the AI SDK makes it. */
export function contextOf({ context, experimental_context }: Partial<AiSdkCall>): unknown {
  return context ?? experimental_context;
}
