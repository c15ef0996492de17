import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { converse, type Conversation } from '../support.ts';
import type { CountingModel } from './counting-model.ts';

/** A conversation whose tool `read` gives as many characters as it is asked for. */
export function converseWith(
  model: CountingModel,
  options: Partial<OrchestratorOptions> = {},
): Conversation & {
  readonly events: RunEvent[];
  readonly onEvent: (event: RunEvent) => void;
  readonly run: (input: string) => Promise<string>;
} {
  const conversation = converse([], {
    model,
    mode: 'direct',
    maxTokens: 500,
    toolList: [
      {
        name: 'read',
        description: 'Reads.',
        allowedCallers: ['direct'],
        inputSchema: { type: 'object', properties: { length: { type: 'number' } } },
        run: (input) => `<${'r'.repeat((input as { length: number }).length)}>`,
      },
    ],
    ...options,
  });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const run = async (input: string): Promise<string> =>
    (await conversation.orchestrator.run(input, { onEvent })).text;
  return { ...conversation, events, onEvent, run };
}

/** The events that tell of it. */
export function compactions(
  events: readonly RunEvent[],
): Extract<RunEvent, { type: 'context-compacted' }>[] {
  return events.flatMap((one) => (one.type === 'context-compacted' ? [one] : []));
}

/** A text of 4,000 characters. */
export const long = (character: string): string => character.repeat(4000);
