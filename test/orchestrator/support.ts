import { onTestFinished } from 'vitest';
import type {
  AssistantBlock,
  LanguageModel,
  ModelRequest,
} from '../../src/models/language-model.ts';
import { scriptedModel, type ScriptedTurn } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { OrchestratorOptions } from '../../src/orchestrator/orchestrator-options.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { isExecutor } from '../../src/sessions/executor.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';

/** An answer of the model in words. */
export function says(text: string): AssistantBlock[] {
  return [{ type: 'text', text }];
}

/** A tool use of the model; its id is the tool's name where none is given. */
export function uses(
  name: string,
  input: Extract<AssistantBlock, { type: 'tool-use' }>['input'],
  id: string = name,
): AssistantBlock {
  return { type: 'tool-use', id, name, input };
}

/** A program of the model. */
export function runs(code: string, id = 'program'): AssistantBlock[] {
  return [uses('execute_code', { code }, id)];
}

/** The error of what must fail. */
export async function refusalOf(pending: Promise<unknown>): Promise<PtcError> {
  const error = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (PtcError.isInstance(error)) return error;
  throw new Error(`expected a PtcError, got ${String(error)}`);
}

/** A conversation with a scripted model over real sandboxes, and the requests that the model got. */
export interface Conversation {
  readonly orchestrator: ProgrammaticToolOrchestrator;
  readonly requests: ModelRequest[];
  readonly provider: RecordingProvider;
  /** The text of the tool results in the last message of a request, and whether each is an error. */
  readonly results: (request: number) => { readonly text: string; readonly isError: boolean }[];
}

/** Starts a conversation that is closed after the test. */
export function converse(
  turns: readonly ScriptedTurn[],
  options: Partial<OrchestratorOptions> & { readonly toolList?: readonly ToolDefinition[] } = {},
): Conversation {
  const { toolList = [], executor = {}, ...rest } = options;
  const requests: ModelRequest[] = [];
  const provider = new RecordingProvider(unisolatedLocalProvider());
  const orchestrator = new ProgrammaticToolOrchestrator({
    model: recorded(scriptedModel(turns), requests),
    tools: toolList,
    ...rest,
    executor: isExecutor(executor) ? executor : { provider, ...executor },
  });
  onTestFinished(async () => orchestrator.close());
  return {
    orchestrator,
    requests,
    provider,
    results: (request) =>
      (requests[request]?.messages.at(-1)?.content ?? []).flatMap((block) =>
        block.type === 'tool-result' ? [{ text: block.text, isError: block.isError }] : [],
      ),
  };
}

function recorded(model: LanguageModel, requests: ModelRequest[]): LanguageModel {
  return {
    id: model.id,
    stream: (request) => {
      requests.push(request);
      return model.stream(request);
    },
  };
}
