import { onTestFinished } from 'vitest';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { OrchestratorOptions } from '../../src/orchestrator/orchestrator-options.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import type { Answer, Part, Refusal, Sent, Service } from './model-service.ts';

/** A conversation with a model behind a real client, and what came of it. */
export interface FaultyConversation {
  readonly orchestrator: ProgrammaticToolOrchestrator;
  readonly provider: RecordingProvider;
  readonly requests: readonly { readonly body: unknown }[];
  /** What the service answers; may be added to. */
  readonly replies: (Answer | Refusal)[];
  /** The calls of the tool `pay`, by their ids. */
  readonly paid: string[];
  /** The messages of a request. */
  readonly sent: (request: number) => Sent[];
  /** The results that a request ends with. */
  readonly results: (request: number) => Sent['results'];
}

type FaultyOptions = Partial<Omit<OrchestratorOptions, 'executor'>> & {
  readonly executor?: SandboxExecutorOptions;
};

/** Starts a conversation whose tool `pay` both code and the model may call; it is closed after the test. */
export async function converseWith(
  service: Service,
  replies: readonly (Answer | Refusal)[],
  { executor, ...options }: FaultyOptions = {},
): Promise<FaultyConversation> {
  const list = [...replies];
  const running = await service.start(list);
  const provider = new RecordingProvider(unisolatedLocalProvider());
  const paid: string[] = [];
  const pay: ToolDefinition = {
    name: 'pay',
    description: 'Pays.',
    allowedCallers: ['code', 'direct'],
    run: (_input, { callId }) => {
      paid.push(callId);
      return 'paid';
    },
  };
  const { model, requests } = running;
  const orchestrator = new ProgrammaticToolOrchestrator({
    model,
    ...options,
    executor: { provider, ...executor },
    tools: [pay],
  });
  onTestFinished(async () => {
    await orchestrator.close();
    await running[Symbol.asyncDispose]();
  });
  const sent = (request: number): Sent[] => service.sent(requests[request]?.body);
  return {
    orchestrator,
    provider,
    requests,
    replies: list,
    paid,
    sent,
    results: (request) => {
      const messages = sent(request);
      const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
      return messages.slice(from).flatMap(({ results }) => results);
    },
  };
}

/** An answer in words. */
export function says(text: string): Answer {
  return { parts: [{ text }], stop: 'end' };
}

/** A call of a program. */
export function program(code: string, id: string = 'p1'): Part {
  return { id, name: 'execute_code', json: JSON.stringify({ code }) };
}

/** An answer with calls. */
export function calls(...parts: readonly Part[]): Answer {
  return { parts, stop: 'tool' };
}
