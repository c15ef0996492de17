import { describe, expect, it } from 'vitest';
import type { ModelMessage, UserBlock } from '../../../src/models/language-model.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import { NOT_KNOWN } from '../../../src/orchestrator/call-record.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { JsonObject } from '../../../src/shared/json/json.ts';
import { countingModel } from '../context/counting-model.ts';
import { converseWith, long } from '../context/reading-conversation.ts';
import { texts } from '../store/shop.ts';
import { MemoryStore } from '../store/stores.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

const CODE = `
await gate(name="begin")
await pay(n=1)
await gate(name="end")`;

/** Resolves when the model's second call about its program was stored. */
class WatchedStore extends MemoryStore {
  readonly goesOn = createDeferred<void>();

  override async append(options: Parameters<MemoryStore['append']>[0]): Promise<void> {
    await super.append(options);
    if (JSON.stringify(options.entries).includes('wait_ms')) this.goesOn.resolve();
  }
}

/** Runs a program that pays between the model's first and second call about it. */
async function payBetween() {
  const gates = { begin: createDeferred<void>(), end: createDeferred<void>() };
  const paid = createDeferred<void>();
  const gate = {
    name: 'gate',
    description: 'Waits.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    run: async (input: unknown) => {
      const { name } = input as { readonly name: keyof typeof gates };
      if (name === 'end') paid.resolve();
      return gates[name].promise;
    },
  };
  const pay = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    run: () => 'paid',
  };
  const store = new WatchedStore();
  let asking: readonly ConversationEntry[] = [];
  const prepareTurn: OrchestratorOptions['prepareTurn'] = async ({ turn }) => {
    if (turn !== 2) return;
    gates.begin.resolve();
    await paid.promise;
    asking = structuredClone(store.entries);
  };
  const { orchestrator } = converse(
    [
      runs(CODE),
      ({ messages }) => {
        const [, program = 'none'] = /Program (\w{8}) still/.exec(texts(messages)) ?? [];
        return [uses('execute_code', { program, wait_ms: 300_000 }, 'more')];
      },
    ],
    { store, toolList: [gate, pay], yieldAfterMs: 1, prepareTurn },
  );
  const stop = new AbortController();
  const running = refusalOf(orchestrator.run('Pay.', { signal: stop.signal }));
  await store.goesOn.promise;
  const waiting = structuredClone(store.entries);
  await new Promise((resolve) => setImmediate(resolve));
  const { messages: saved } = orchestrator.toJSON();
  stop.abort();
  await running;
  return { asking, waiting, saved };
}

const user = (block: UserBlock): ModelMessage => ({ role: 'user', content: [block] });

const asks = (tool: string, id: string, input: JsonObject = {}): ModelMessage => ({
  role: 'assistant',
  content: [uses(tool, input, id)],
});

const messages = (from: number, list: readonly ModelMessage[]): ConversationEntry => ({
  type: 'messages',
  runId: 'r',
  from,
  messages: list,
  usage: NO_USAGE,
  hasState: true,
});

/** A run whose program still ran when its first call was answered. */
const STILL_RUNS: readonly ConversationEntry[] = [
  { type: 'run-started', version: 1, runId: 'r', occurredAtMs: 1 },
  messages(0, [
    user({ type: 'text', text: 'Go.' }),
    asks('execute_code', 'program', { code: CODE }),
    user({
      type: 'tool-result',
      toolUseId: 'program',
      text: '[Program 1b9d6bcd still runs, after 1.0 s. Go on with it: {"program":"1b9d6bcd"}]',
      isError: false,
    }),
  ]),
];

const PAYS: ConversationEntry = {
  type: 'tool-call-started',
  runId: 'r',
  toolUseId: 'program',
  callId: '1',
  toolName: 'pay',
  arguments: '{"n":7}',
};

/** A conversation whose process was killed while its program paid. */
const paying = (): MemoryStore => new MemoryStore([...STILL_RUNS, PAYS]);

async function resumed(entries: readonly ConversationEntry[]): Promise<string> {
  const { orchestrator } = converse([], { store: new MemoryStore(entries) });
  await orchestrator.load();
  return texts(orchestrator.messages);
}

describe('of a program that goes on between two calls of the model', () => {
  it('the calls that it made then are known after its process was killed', async () => {
    const { asking } = await payBetween();
    expect(await resumed(asking)).toContain('pay({"n":1}): done, "paid"');
  });

  it('nobody says that it made none if its process is killed, or the conversation saved, during the second', async () => {
    const { waiting, saved } = await payBetween();
    for (const told of [await resumed(waiting), texts(saved)]) {
      expect(told).not.toContain('had made no tool calls');
      expect(told).toContain(
        'It is not known which tool calls the program had made since its last answer.',
      );
    }
  });

  it('a call that it made is known although its run had summed up the conversation before', async () => {
    const summed = user({ type: 'text', text: 'Summed up.' });
    const told = await resumed([
      ...STILL_RUNS,
      messages(0, [summed, asks('lookup', 'other')]),
      PAYS,
    ]);
    expect(told).toContain(`pay({"n":7}): ${NOT_KNOWN}`);
  });

  it('the model is told once that calls are not known which had begun before later messages', async () => {
    const store = new MemoryStore([...STILL_RUNS, PAYS, messages(3, [asks('lookup', 'other')])]);
    const { orchestrator, requests } = converse([says('I see.')], { store });
    await orchestrator.run('And now?');
    const unknown = 'It is not known which tool calls it made after that answer.';
    expect(texts(requests[0]?.messages ?? []).split(unknown)).toHaveLength(2);
    // The next process was killed too, before its run had ended.
    const told = await resumed(store.entries.slice(0, -1));
    expect(told).toContain('I see.');
    expect(told.split(unknown)).toHaveLength(2);
  });

  it('nothing is said of calls that are not known if the model has read its end', async () => {
    const told = await resumed([
      ...STILL_RUNS,
      messages(3, [
        asks('execute_code', 'more', { program: '1b9d6bcd' }),
        user({ type: 'tool-result', toolUseId: 'more', text: 'paid', isError: false }),
        asks('lookup', 'other'),
      ]),
    ]);
    expect(told).not.toContain('not known');
    expect(told).toContain('This call was not made.');
  });

  it('a call that is not known is still named after the conversation was summed up', async () => {
    const model = countingModel(20_000, () => says(long('a')));
    const { run, orchestrator } = converseWith(model, { store: paying() });
    for (let at = 0; at < 14; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(model.requests.filter(({ isSummary }) => isSummary).length).toBeGreaterThan(1);
    expect(texts(orchestrator.messages.slice(0, 1))).toContain(`pay({"n":7}): ${NOT_KNOWN}`);
  });

  it('what is told of it is not taken for the request of the run that is summed up', async () => {
    const model = countingModel(20_000, (_request, before) =>
      before < 14
        ? [...says(long('a')), uses('read', { length: 10 }, `r${before}`)]
        : says('Done.'),
    );
    const { orchestrator } = converseWith(model, { store: paying(), maxTurns: 20 });
    const { messages: kept } = await orchestrator.run('And now?');
    expect(model.requests.some(({ isSummary }) => isSummary)).toBe(true);
    const [first] = kept;
    expect(first?.content.at(-1)).toEqual({ type: 'text', text: 'And now?' });
    expect(texts(kept).split('pay(')).toHaveLength(2);
  });
});
