import type { ImageMediaType } from '../../models/language-model.ts';
import type { AiSdkCall, AiSdkToolSet } from '../sdk-types.ts';

/** What the model writes. */
export interface ExecuteCodeInput {
  /** The program. Left out if it goes on with one that still runs (`yieldAfterMs`). */
  readonly code?: string;
  /** Only if there are several. */
  readonly language?: string;
  /** The id of a program that still runs. */
  readonly program?: string;
  /** With `program`: how long to wait for its end. */
  readonly wait_ms?: number;
  /** With `program`: whether to stop it. */
  readonly stop?: boolean;
}

/** The result of a program, or while it runs, its output so far. */
export interface ExecuteCodeOutput {
  /** What the model gets, such as what the program printed. */
  readonly text: string;
  /** Whether the program failed, or could not be run. */
  readonly isError: boolean;
  /** The images that the program showed. Absent without them, or if `showImages` is not set. */
  readonly images?: readonly ExecuteCodeImage[];
  /** The id of the program, if it still runs after the call (`yieldAfterMs`). */
  readonly program?: string;
}

/** An image that a program showed. */
export interface ExecuteCodeImage {
  readonly mediaType: ImageMediaType;
  /** The bytes in base64. */
  readonly data: string;
}

/** A result in the form in which the model gets it. */
export type ModelOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: ModelOutputPart[] };

/** A part of a result with images. */
export type ModelOutputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image-data'; readonly mediaType: string; readonly data: string };

/** The schema of the input, as a schema of Standard Schema and Standard JSON Schema. */
export interface ExecuteCodeSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: ExecuteCodeInput; readonly output: ExecuteCodeInput };
    readonly validate: (value: unknown) => { readonly value: ExecuteCodeInput };
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** `execute_code` as a tool of the AI SDK. */
export interface ExecuteCodeTool {
  /** How programs are written, the limits, and the tools that programs can call. */
  readonly description: string;
  readonly inputSchema: ExecuteCodeSchema;
  /** Runs a program. Yields its output so far, and at last what the model gets. */
  readonly execute: (
    input: ExecuteCodeInput,
    call: AiSdkCall,
  ) => AsyncGenerator<ExecuteCodeOutput, void>;
  /** @throws the error of the host that kept the program from running. This ends the request. */
  readonly toModelOutput: (result: { readonly output: ExecuteCodeOutput }) => ModelOutput;
}

/** `execute_code` as a tool caller of the AI SDK 7. */
export interface ExecuteCodeToolCaller extends ExecuteCodeTool {
  /** Absent in version 6. */
  readonly experimental_toolCaller: {
    readonly type: 'local';
    /** The tool with which programs can call these tools too. */
    readonly bind: (tools: AiSdkToolSet) => ExecuteCodeTool;
  };
}

/** The errors of the host, by the results that stand for them. */
const hostErrors = new WeakMap<ExecuteCodeOutput, { readonly error: unknown }>();

/**
 * A result that stands for an error of the host. The AI SDK gives the model what `execute` throws, but not
 * what `toModelOutput` throws: that ends the request. The text is for a browser, and for the model
 * of a later request.
 */
export function hostErrorOutput(error: unknown): ExecuteCodeOutput {
  const output = { text: 'The host could not run the program.', isError: true };
  hostErrors.set(output, { error });
  return output;
}

/** @throws the error of the host for which a result stands. */
export function toModelOutput({ output }: { readonly output: ExecuteCodeOutput }): ModelOutput {
  const failure = hostErrors.get(output);
  if (failure !== undefined) throw failure.error;
  const { text, isError, images = [] } = output;
  if (images.length === 0) return { type: isError ? 'error-text' : 'text', value: text };
  const shown = images.map(({ mediaType, data }) => ({
    type: 'image-data' as const,
    mediaType,
    data,
  }));
  return { type: 'content', value: [{ type: 'text', text }, ...shown] };
}
