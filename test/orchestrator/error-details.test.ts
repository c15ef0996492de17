import { describe, expect, it } from 'vitest';
import type { LanguageModel, StopReason } from '../../src/models/language-model.ts';
import type { OrchestratorOptions } from '../../src/orchestrator/orchestrator-options.ts';
import type { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import { PtcError, type PtcErrorCode } from '../../src/shared/errors.ts';
import { useExecutors } from '../sessions/support.ts';
import type {
  StoreHoldOptions,
  StoredEntry,
} from '../../src/orchestrator/store/conversation-store.ts';
import { MemoryStore } from './store/stores.ts';
import { converse, refusalOf, runs, says, uses } from './support.ts';

const makeExecutor = useExecutors();

/** A run that ends with an error of some code. */
interface Way extends Partial<OrchestratorOptions> {
  readonly turns?: Parameters<typeof converse>[0];
  readonly signal?: AbortSignal;
  /** Is called with the first event, `run-started`. */
  readonly onStart?: (orchestrator: ProgrammaticToolOrchestrator) => unknown;
}

const note = {
  name: 'note',
  description: 'Notes.',
  allowedCallers: ['direct'] as const,
  run: () => 'noted',
};
const notes = [uses('note', {})];

/** By whom an error of a code comes into a run that has begun; `nobody` if it comes before, or elsewhere. */
const WAYS: Readonly<Record<PtcErrorCode, 'model' | 'executor' | 'nobody' | (() => Way)>> = {
  TOOL_INVALID: 'nobody',
  TOOL_NAME_CLASH: 'nobody',
  MCP_CLIENT_MISSING: 'nobody',
  MCP_SERVER_FAILED: 'nobody',
  MCP_LOGIN_REQUIRED: 'nobody',
  MCP_SERVER_MISSING: 'nobody',
  INPUT_INVALID: 'nobody',
  VALUE_NOT_JSON: 'executor',
  PROTOCOL_VIOLATION: 'executor',
  SANDBOX_UNAVAILABLE: 'executor',
  SANDBOX_START_FAILED: 'executor',
  INSTALLATION_INCOMPLETE: 'executor',
  IMAGE_UNAVAILABLE: 'executor',
  SANDBOX_LOST: 'executor',
  CALL_NOT_OPEN: 'nobody',
  APPROVAL_NOT_OPEN: 'nobody',
  NEXT_PENDING: 'nobody',
  FILE_FAILED: 'nobody',
  SESSION_NOT_FOUND: 'executor',
  TYPE_CHECKER_MISSING: 'executor',
  LANGUAGE_UNSUPPORTED: 'executor',
  PERSISTENCE_UNSUPPORTED: 'executor',
  SESSION_EXPIRED: 'executor',
  SESSION_HELD: 'executor',
  NAMES_UNAVAILABLE: 'executor',
  SANDBOX_LIMIT: 'executor',
  QUOTA_EXCEEDED: 'executor',
  AUDIT_LOG_UNAVAILABLE: 'executor',
  AUDIT_LOG_INVALID: 'executor',
  MODEL_AUTHENTICATION_FAILED: 'model',
  MODEL_OVERLOADED: 'model',
  MODEL_REQUEST_FAILED: 'model',
  MODEL_ANSWER_INVALID: 'model',
  MODEL_STREAM_CUT: 'model',
  MODEL_INPUT_UNSUPPORTED: () => ({
    model: {
      ...failing('MODEL_REQUEST_FAILED'),
      check() {
        throw new PtcError('MODEL_INPUT_UNSUPPORTED', 'The service takes no images.');
      },
    },
  }),
  MODEL_REFUSED: () => stopping('refusal'),
  MODEL_STOP_UNKNOWN: () => stopping('unknown'),
  MODEL_OUTPUT_LIMIT: () => stopping('max-tokens'),
  MODEL_CONTEXT_EXCEEDED: () => stopping('context-window-exceeded'),
  OUTPUT_INVALID: () => ({ turns: [says('One.'), says('Two.')] }),
  TURN_LIMIT: () => ({ turns: [notes], maxTurns: 1 }),
  RUN_LIMIT: () => ({ turns: [notes], maxTotalTokens: 1 }),
  RUN_TIMEOUT: () => ({ store: new WaitingStore(), runTimeoutMs: 1 }),
  ABORTED: () => {
    const caller = new AbortController();
    return {
      store: new WaitingStore(),
      signal: caller.signal,
      onStart: () => caller.abort(),
    };
  },
  CLOSED: () => ({
    store: new WaitingStore(),
    onStart: async (orchestrator) => orchestrator.close(),
  }),
  OPTION_INVALID: () => ({ turns: [notes], stopWhen: () => 5 as unknown as boolean }),
  RUN_FAILED: () => ({
    prepareTurn() {
      throw new Error('A bug.');
    },
  }),
  CONVERSATION_BUSY: 'nobody',
  CONVERSATION_INVALID: () => ({
    store: storeWith('load', async () => JSON.parse('[5]') as StoredEntry[]),
  }),
  CONVERSATION_CONFLICT: () => ({
    store: storeWith('append', () => fail('CONVERSATION_CONFLICT')),
  }),
  STORE_FAILED: () => ({
    store: storeWith('load', async () => Promise.reject(new Error('The disk is gone.'))),
  }),
};

/** Another run has its conversation for ever. */
class WaitingStore extends MemoryStore {
  async hold({ signal }: StoreHoldOptions): Promise<never> {
    signal.throwIfAborted();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }
}

function storeWith<Method extends 'load' | 'append'>(
  method: Method,
  does: MemoryStore[Method],
): MemoryStore {
  return Object.assign(new MemoryStore(), { [method]: does });
}

async function fail(code: PtcErrorCode): Promise<never> {
  throw new PtcError(code, 'It failed.');
}

function failing(code: PtcErrorCode): LanguageModel {
  return {
    id: 'failing',
    // oxlint-disable-next-line require-yield -- it fails before its first part
    async *stream() {
      await fail(code);
    },
  };
}

function stopping(stopReason: StopReason): Way {
  return { turns: [{ content: says('So'), stopReason }] };
}

function wayOf(code: PtcErrorCode): Way {
  const way = WAYS[code];
  if (typeof way === 'function') return way();
  if (way === 'model') return { model: failing(code) };
  const { executor } = makeExecutor();
  return {
    turns: [runs('print(1)')],
    executor: Object.assign(executor, { acquire: async () => fail(code) }),
  };
}

const codes = (Object.keys(WAYS) as PtcErrorCode[]).filter((code) => WAYS[code] !== 'nobody');

describe('the error of a run that has begun', () => {
  it.each(codes)('has the conversation and the usage: %s', async (code) => {
    const { turns = [], signal, onStart, ...options } = wayOf(code);
    const { orchestrator } = converse(turns, { maxRetries: 0, toolList: [note], ...options });
    const types: string[] = [];
    const onEvent = ({ type }: RunEvent): void => {
      types.push(type);
      if (types.length === 1) void onStart?.(orchestrator);
    };
    const output = code === 'OUTPUT_INVALID' && { output: { type: 'object' } };
    const running = orchestrator.run('Go.', { onEvent, ...(signal && { signal }), ...output });
    expect(await refusalOf(running)).toMatchObject({
      code,
      details: {
        transcript: expect.any(Array),
        usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      },
    });
    expect([types[0], types.at(-1)]).toEqual(['run-started', 'run-failed']);
    const programs = WAYS[code] === 'executor' ? ['program-started', 'program-ended'] : [];
    expect(types.filter((type) => type.startsWith('program-'))).toEqual(programs);
  });

  it('has the conversation as it was if the run could not begin', async () => {
    const { orchestrator } = converse([says('Hello.')], { store: new MemoryStore() });
    await orchestrator.run('Hi.');
    const before = orchestrator.messages;
    const store = new WaitingStore();
    const conversation = orchestrator.toJSON();
    const waiting = converse([], { conversation, store }).orchestrator;
    const error = await refusalOf(waiting.run('Go.', { runTimeoutMs: 1 }));
    expect(error).toMatchObject({ code: 'RUN_TIMEOUT', details: { transcript: before } });
    expect(error.details['usage']).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('is not the one of a store that cannot let go of the conversation', async () => {
    const store = Object.assign(new MemoryStore(), {
      hold: async () => ({ release: () => fail('STORE_FAILED') }),
    });
    const { orchestrator } = converse([says('Hello.'), notes], { store, maxTurns: 1 });
    expect((await orchestrator.run('Hi.')).text).toBe('Hello.');
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({ code: 'TURN_LIMIT' });
  });
});

describe('the error of a run that has not begun', () => {
  it('has no conversation', async () => {
    const { orchestrator } = converse([says('Never.')]);
    const types: string[] = [];
    const onEvent = ({ type }: RunEvent): void => void types.push(type);
    const errors = [
      await refusalOf(orchestrator.run([], { onEvent })),
      await refusalOf(orchestrator.run('Go.', { onEvent, maxTurns: 0 })),
      await refusalOf(orchestrator.run('Go.', { onEvent, signal: AbortSignal.abort() })),
    ];
    expect(errors.map(({ code }) => code)).toEqual(['INPUT_INVALID', 'OPTION_INVALID', 'ABORTED']);
    expect(errors.some(({ details }) => 'transcript' in details)).toBe(false);
    expect(types).toEqual([]);
  });
});
