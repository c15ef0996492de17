import { CODE_TOOL, type CodeToolOptions } from '../../orchestrator/code/code-tool-options.ts';
import type { OutputFile } from '../../execution/files/output-files.ts';
import type { OptionsObject } from '../../shared/options/option-names.ts';
import type { AiSdkCall, AiSdkToolSet } from '../sdk-types.ts';

/** Options of `executeCodeTool`. Those without a description are as for `codeTool`. */
export interface ExecuteCodeToolOptions extends Pick<
  CodeToolOptions,
  | 'executor'
  | 'catalog'
  | 'languages'
  | 'persistent'
  | 'sessionWaitMs'
  | 'labels'
  | 'policy'
  | 'programTimeoutMs'
  | 'yieldAfterMs'
  | 'maxResultBytes'
  | 'hints'
> {
  /**
   * The key of the session whose variables the programs share, such as the id of a chat. A function
   * gets what the AI SDK passes with each call, such as its context, and returns the key: an agent
   * that serves several chats needs one.
   */
  readonly sessionKey: string | ((call: AiSdkCall) => string);
  /**
   * Tools of the AI SDK that programs may call, beside those of the executor and those that
   * `experimental_toolCallers` routes to this one.
   * @default none
   */
  readonly tools?: AiSdkToolSet;
  /**
   * Whether the model gets the images that programs show, as parts of the result. Set it only if the
   * provider of the model takes images there: others write them into the request as text, which
   * takes very many tokens.
   * @default false: the model is told how many there are
   */
  readonly showImages?: boolean;
  /**
   * Gets the files that a program left in `$OUTPUT_DIR`, for the user, and what the AI SDK passes with
   * the call. The result of the tool waits for it. If it throws, that ends the request.
   * @default they are dropped
   */
  readonly onFiles?: (files: readonly OutputFile[], call: AiSdkCall) => unknown;
}

const {
  executor,
  catalog,
  languages,
  persistent,
  sessionWaitMs,
  labels,
  policy,
  programTimeoutMs,
  yieldAfterMs,
  maxResultBytes,
  hints,
} = CODE_TOOL.names;

export const EXECUTE_CODE_TOOL: OptionsObject<ExecuteCodeToolOptions> = {
  of: 'executeCodeTool',
  names: {
    executor,
    sessionKey: true,
    tools: 'plain',
    catalog,
    languages,
    persistent,
    sessionWaitMs,
    labels,
    policy,
    programTimeoutMs,
    yieldAfterMs,
    maxResultBytes,
    hints,
    showImages: 'boolean',
    onFiles: 'function',
  },
  page: 'docs/ai-sdk.md',
  required: ['executor', 'sessionKey'],
  otherWords: { session: 'sessionKey', key: 'sessionKey', timeoutMs: 'programTimeoutMs' },
};
