import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
} from '../../src/models/language-model.ts';
import { PtcError } from '../../src/shared/errors.ts';

export const question: ModelMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'Which orders are the largest?' }],
};

/** A request with everything in it, `changes` aside. */
export function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Answer briefly.',
    messages: [question],
    tools: [
      {
        name: 'execute_code',
        description: 'Runs Python.',
        inputSchema: {
          type: 'object',
          properties: { code: { type: 'string' } },
          required: ['code'],
        },
      },
    ],
    maxTokens: 1024,
    ...changes,
  };
}

/** All parts of an answer. */
export async function ask(
  model: LanguageModel,
  changes: Partial<ModelRequest> = {},
): Promise<ModelStreamPart[]> {
  const parts: ModelStreamPart[] = [];
  for await (const part of model.stream(request(changes))) parts.push(part);
  return parts;
}

/** The last part, which must be the end. */
export function endOf(parts: readonly ModelStreamPart[]): ModelStreamEnd {
  const last = parts.at(-1);
  if (last?.type !== 'answer-ended')
    throw new Error(`The stream ended with ${last?.type ?? 'nothing'}.`);
  return last;
}

/** What a model that must fail gave before it failed, and the error. */
export async function failureOf(
  model: LanguageModel,
  changes: Partial<ModelRequest> = {},
): Promise<{ readonly parts: readonly ModelStreamPart[]; readonly error: PtcError }> {
  const parts: ModelStreamPart[] = [];
  try {
    for await (const part of model.stream(request(changes))) parts.push(part);
  } catch (error) {
    if (PtcError.isInstance(error)) return { parts, error };
    throw error;
  }
  throw new Error('The request succeeded.');
}

/** As `failureOf`, of a request that is aborted at the first word of a tool call. */
export async function failureInMidStream(model: LanguageModel): Promise<
  Awaited<ReturnType<typeof failureOf>> & {
    readonly reason: Error;
  }
> {
  const controller = new AbortController();
  const reason = new Error('The user left.');
  const watched: LanguageModel = {
    id: 'watched',
    async *stream(asked) {
      for await (const part of model.stream(asked)) {
        yield part;
        if (part.type === 'tool-use-started') controller.abort(reason);
      }
    },
  };
  return { ...(await failureOf(watched, { signal: controller.signal })), reason };
}
