import type { CodeAnswer } from '../../orchestrator/code/code-answer.ts';
import { CodeTool } from '../../orchestrator/code/code-tool.ts';
import { EXECUTE_CODE } from '../../orchestrator/code/code-tool-definition.ts';
import type { CodeEvent } from '../../orchestrator/code/code-event.ts';
import { checkKeyText } from '../../sessions/options/keys-and-labels.ts';
import { isRecord } from '../../shared/guards.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../tools/registry/registry.ts';
import { LateInput } from '../../tools/late-input.ts';
import { withNeedsApproval } from '../../tools/needs-approval.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { contextOf, type AiSdkCall, type AiSdkTool } from '../sdk-types.ts';
import { callOf, convertTool, type ConvertedTool } from '../tools/convert-tool.ts';
import type { LongCodeTools } from './long-code-tools.ts';
import type { ExecuteCodeToolOptions } from './options.ts';
import { OutputSoFar } from './output-so-far.ts';
import {
  hostErrorOutput,
  toModelOutput,
  type ExecuteCodeInput,
  type ExecuteCodeOutput,
  type ExecuteCodeTool,
} from './tool.ts';

/**
 * Runs the programs of one set of tools. It has no state of its own: each call gets a `CodeTool`
 * with the key of its session, because one tool can serve any number of chats. Those whose programs
 * still run are kept in `LongCodeTools`.
 */
export class ProgramTool {
  readonly #options: ExecuteCodeToolOptions;
  readonly #converted: readonly ConvertedTool[];
  /** The names of the executor's tools when this was made, which the model knows. */
  readonly #own: readonly string[];
  /** Undefined if each call waits until its program has ended. */
  readonly #long: LongCodeTools | undefined;

  constructor(
    options: ExecuteCodeToolOptions,
    tools: readonly (readonly [name: string, tool: AiSdkTool])[],
    long: LongCodeTools | undefined,
  ) {
    this.#options = options;
    this.#long = long;
    this.#converted = tools.map(([name, tool]) => convertTool(name, tool));
    this.#own = options.executor.tools.list().map(({ name }) => name);
  }

  asTool(): ExecuteCodeTool {
    // Also checks the options, and that no two tools have one name.
    const codeTool = this.#codeTool(NO_CALL, 'none', this.#toolsFor(NO_CALL));
    const { description, inputSchema, systemPrompt } = codeTool;
    const copy = (): Record<string, unknown> => structuredClone({ ...inputSchema });
    return {
      description: `${description}\n\n${systemPrompt}`,
      inputSchema: {
        '~standard': {
          version: 1,
          vendor: 'sandboxed-ptc',
          // The code tool says what is wrong with an input, in words for the model.
          validate: (value) => ({ value: value as ExecuteCodeInput }),
          jsonSchema: { input: copy, output: copy },
        },
      },
      execute: (input, call) => this.#execute(input, call),
      toModelOutput,
    };
  }

  async *#execute(
    input: ExecuteCodeInput,
    call: AiSdkCall,
  ): AsyncGenerator<ExecuteCodeOutput, void> {
    const stop = new AbortController();
    const either = new AnySignal(call.abortSignal, stop.signal);
    const output = new OutputSoFar();
    let hasStarted = false;
    const onEvent = (event: CodeEvent): void => {
      if (event.type === 'output-delta') output.add(event.text);
      if (event.type === 'program-started') hasStarted = true;
      // The program may have outlasted this call.
      if (event.type === 'program-ended') either[Symbol.dispose]();
    };
    const running = this.#run(input, call, { signal: either.signal, onEvent });
    let end: ExecuteCodeOutput | undefined;
    try {
      do {
        end = await Promise.race([running, output.due]);
        yield end ?? { text: output.take(), isError: false };
      } while (end === undefined);
    } finally {
      // The reader may have stopped before the end.
      if (end === undefined) stop.abort();
      await running.catch(() => {});
      // A call about a program that an earlier one started is not told when that ends.
      if (!hasStarted || end?.program === undefined) either[Symbol.dispose]();
    }
  }

  /** @throws only if the caller aborted the call. */
  async #run(
    input: ExecuteCodeInput,
    call: AiSdkCall,
    options: { readonly signal: AbortSignal; readonly onEvent: (event: CodeEvent) => void },
  ): Promise<ExecuteCodeOutput> {
    try {
      const key = this.#keyOf(call);
      const tools = this.#toolsFor(call);
      const context = contextOf(call);
      const create = (): CodeTool => this.#codeTool(call, key, tools);
      const run = async (
        codeTool: CodeTool,
        see?: (event: CodeEvent) => void,
      ): Promise<CodeAnswer> => {
        const onEvent = (event: CodeEvent): void => {
          options.onEvent(event);
          see?.(event);
        };
        return codeTool.execute(input, { ...options, ...tools, onEvent, context });
      };
      const answer = await (this.#long?.use(key, create, run) ?? run(create()));
      if (answer.files.length > 0) await this.#options.onFiles?.(answer.files, call);
      return outputOf(answer, this.#options.showImages === true);
    } catch (error) {
      if (call.abortSignal?.aborted === true) throw error;
      return hostErrorOutput(error);
    }
  }

  /** @throws PtcError `OPTION_INVALID`: without a key, chats could not be told apart. */
  #keyOf(call: AiSdkCall): string {
    const { sessionKey } = this.#options;
    if (typeof sessionKey !== 'function') return sessionKey;
    const key = sessionKey(call);
    checkKeyText('sessionKey(call)', key);
    return key;
  }

  #codeTool(call: AiSdkCall, sessionKey: string, tools: CallTools): CodeTool {
    const { showImages: _showImages, onFiles: _onFiles, ...options } = this.#options;
    const state = { hasState: call.messages.some(hasProgram) };
    return new CodeTool({ ...options, sessionKey, ...tools, state });
  }

  /** The tools of a call, and what decides on their calls. */
  #toolsFor(call: AiSdkCall): CallTools {
    const { policy, executor } = this.#options;
    // One that was removed since then is gone, and one that has changed is as it is now.
    const own = this.#own.flatMap((name) => executor.tools.get(name) ?? []);
    const routed = this.#converted.map((one) => routedTool(one, call));
    const tools = new ToolRegistry<never>([...own, ...routed]);
    const isGuarded = this.#converted.some(({ needsApproval }) => needsApproval !== undefined);
    // Without any policy, nothing would ask what needs approval.
    const needsPolicy = isGuarded && policy === undefined && executor.policy === undefined;
    return { tools, ...(needsPolicy && { policy: { rules: [] } }) };
  }
}

/** What may differ between the calls of a chat. */
interface CallTools {
  readonly tools: ToolRegistry;
  readonly policy?: PolicyOptions;
}

/** A tool that gets what the AI SDK passes with a call of `execute_code`. */
function routedTool(
  { tool, execute, needsApproval }: ConvertedTool,
  call: AiSdkCall,
): Tool<unknown> {
  const run = async (input: unknown, context: ToolContext): Promise<unknown> =>
    execute(input, callOf(context, call.messages));
  const routed = { ...tool, run };
  if (needsApproval === undefined) return routed;
  return withNeedsApproval(routed, async (input, callId) => {
    // Its tool fails with what is wrong with the input.
    if (!(await LateInput.isValid(input))) return false;
    return needsApproval(input, { ...call, toolCallId: callId });
  });
}

function outputOf(answer: CodeAnswer, showsImages: boolean): ExecuteCodeOutput {
  const { text, images, isError, program } = answer;
  if (images.length === 0) return { text, isError, ...(program !== undefined && { program }) };
  return showsImages
    ? { text, isError, images: images.map(({ mediaType, data }) => ({ mediaType, data })) }
    : { text: `${text}\n[You cannot see images here.]`, isError };
}

const NO_CALL: AiSdkCall = { toolCallId: '', messages: [] };

/** Whether a message has a call of `execute_code`, so that the model may expect variables. */
function hasProgram(message: unknown): boolean {
  const content = isRecord(message) && message['role'] === 'assistant' && message['content'];
  return (
    Array.isArray(content) &&
    content.some(
      (part: unknown) =>
        isRecord(part) && part['type'] === 'tool-call' && part['toolName'] === EXECUTE_CODE,
    )
  );
}
