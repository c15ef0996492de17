import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FileInput } from '../../../src/orchestrator/files/input-file.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import type { ConversationStore } from '../../../src/orchestrator/store/conversation-store.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, runs, says } from '../support.ts';
import { ended, NEVER, STORES, useDirectories } from '../store/stores.ts';
import { file } from './sandbox-cases.ts';

const makeDirectory = useDirectories();
const makeExecutor = useExecutors();
const data = Buffer.from('given');
const sha256 = createHash('sha256').update(data).digest('hex');

/** Files of tests: programs of these run without a sandbox, so each has a name of its own. */
function unique(text: string): FileInput & { readonly name: string } {
  const name = `${randomUUID()}.txt`;
  onTestFinished(async () => rm(`/tmp/inputs/${name}`, { force: true }));
  return file(name, text);
}

describe.each(STORES)('files in $name', ({ open }) => {
  it('are kept for their conversation, also for one that is opened later, until they are removed', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const key = 'a';
    await store.saveFile({ key, sha256, data });
    await store.saveFile({ key, sha256, data });
    const later = open(directory);
    expect(Buffer.from((await later.loadFile({ key, sha256 })) ?? [])).toEqual(data);
    expect(await later.loadFile({ key: 'b', sha256 })).toBeUndefined();
    const other = '0'.repeat(64);
    await later.saveFile({ key, sha256: other, data: new Uint8Array() });
    await later.keepFiles({ key, kept: [sha256] });
    expect(await store.loadFile({ key, sha256: other })).toBeUndefined();
    expect(await store.loadFile({ key, sha256 })).toBeDefined();
    await store.remove(key);
    expect(await later.loadFile({ key, sha256 })).toBeUndefined();
    await store.remove(key);
    await store.keepFiles({ key, kept: [sha256] });
  });

  it('are there again in another process, and deleted when they are replaced or the conversation is', async () => {
    const directory = await makeDirectory();
    const sessionKey = randomUUID();
    const stored = async (text: string): Promise<boolean> => {
      const digest = createHash('sha256').update(text).digest('hex');
      return (await open(directory).loadFile({ key: sessionKey, sha256: digest })) !== undefined;
    };
    const given = unique('old');
    const first = converse([says('1'), says('2')], { sessionKey, store: open(directory) });
    await first.orchestrator.run([given, unique('other')]);
    await first.orchestrator.run([{ ...given, data: Buffer.from('new'), path: undefined }]);
    expect([await stored('old'), await stored('new'), await stored('other')]).toEqual([
      false,
      true,
      true,
    ]);
    const code = `import os\nprint(open("/tmp/inputs/${given.name}").read())\nos.remove("/tmp/inputs/${given.name}")`;
    const later = converse([runs(code), says('3')], { sessionKey, store: open(directory) });
    await later.orchestrator.run('Look.');
    expect(later.results(1)[0]?.text).toBe('new');
    await later.orchestrator.resetConversation();
    expect(later.orchestrator.toJSON().files).toBeUndefined();
    expect([await stored('new'), await stored('other')]).toEqual([false, false]);
  });

  it('are copied for a fork, which has them although its origin was deleted', async () => {
    const directory = await makeDirectory();
    const given = unique('given');
    const code = `import os\nprint(open("/tmp/inputs/${given.name}").read())\nos.remove("/tmp/inputs/${given.name}")`;
    const store = open(directory);
    const { orchestrator } = converse([says('1'), says('2')], { store, sessionKey: randomUUID() });
    await orchestrator.run([given]);
    const sessionKey = randomUUID();
    const fork = orchestrator.fork({ sessionKey });
    await fork.run('Go on.');
    await orchestrator.resetConversation();
    const later = converse([runs(code), says('3')], { sessionKey, store: open(directory) });
    await later.orchestrator.run('Look.');
    expect(later.results(1)[0]?.text).toBe('given');
    await fork.close();
  });

  it.each(['replaces', 'deletes'])(
    'are there for a fork, and for a fork of it, before whose first run their origin %s them',
    async (change) => {
      const given = unique('old');
      const code = `import os\nprint(open("/tmp/inputs/${given.name}").read())\nos.remove("/tmp/inputs/${given.name}")`;
      const more = change === 'replaces' ? [says('2')] : [];
      const { orchestrator, requests, results } = converse(
        [says('1'), ...more, runs(code), says('3'), runs(code), says('4')],
        { store: open(await makeDirectory()), sessionKey: randomUUID() },
      );
      await orchestrator.run([given]);
      const fork = orchestrator.fork({ sessionKey: randomUUID() });
      const forkOfFork = fork.fork({ sessionKey: randomUUID() });
      if (change === 'replaces') await orchestrator.run([file(given.name, 'new')]);
      else await orchestrator.resetConversation();
      for (const each of [forkOfFork, fork]) {
        await each.run('Look.');
        expect(results(requests.length - 1)[0]?.text).toBe('old');
        await each.close();
      }
    },
  );
});

describe('the files of fileStore', () => {
  it('are for their user alone, and lead nowhere else', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.saveFile({ key: 'a', sha256, data });
    const [name = ''] = await readdir(directory);
    expect((await stat(path.join(directory, name))).mode & 0o777).toBe(0o700);
    const where = path.join(directory, name, sha256);
    expect((await stat(where)).mode & 0o777).toBe(0o600);
    await expect(store.loadFile({ key: 'a', sha256: '../../x' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    const other = '1'.repeat(64);
    await symlink(where, path.join(directory, name, other));
    await expect(store.loadFile({ key: 'a', sha256: other })).rejects.toMatchObject({
      code: 'ELOOP',
    });
    await store.saveFile({ key: 'a', sha256: other, data: Buffer.from('own') });
    expect(await readFile(where, 'utf8')).toBe('given');
  });

  it('that were changed, or are gone, are not given to programs, and the model is told once [host/input-files-digest]', async () => {
    const directory = await makeDirectory();
    const sessionKey = randomUUID();
    const store = fileStore({ directory });
    const [changed, gone] = [unique('given'), unique('gone')];
    const first = converse([says('1')], { sessionKey, store });
    await first.orchestrator.run([changed, gone]);
    const names = await readdir(directory);
    const files = path.join(directory, names.find((name) => name.endsWith('.files')) ?? '');
    for (const name of await readdir(files)) {
      if (name === sha256) await writeFile(path.join(files, name), 'evil!');
    }
    await store.keepFiles({ key: sessionKey, kept: [sha256] });
    const code = 'print(1)';
    const turns = [runs(code), runs(code, 'again'), says('2'), says('3')];
    const later = converse(turns, { sessionKey, store: fileStore({ directory }) });
    await later.orchestrator.run('Look.');
    expect(later.results(1)[0]?.text).toBe(
      [changed, gone]
        .map(
          ({ name }) =>
            `[The file "/tmp/inputs/${name}" is gone. Ask the user to give it again if you need it.]`,
        )
        .reduce((text, line) => `${text}\n${line}`, '1'),
    );
    expect(later.results(2)[0]?.text).toBe('1');
    // The store has the bytes again as soon as the user gives them again.
    await later.orchestrator.run([changed]);
    expect(await store.loadFile({ key: sessionKey, sha256 })).toEqual(data);
  });
});

describe('a store of your own', () => {
  /** Keeps entries in memory. */
  const plainStore = (entries: unknown[] = []): ConversationStore => ({
    load: async ({ after }) => structuredClone(entries.slice(after)) as [],
    append: async ({ entries: added }) => void entries.push(...structuredClone(added)),
  });

  it('that keeps no files lets them last as long as the process', async () => {
    const entries: unknown[] = [];
    const given = unique('given');
    const read = `import os\nprint(open("/tmp/inputs/${given.name}").read())\nos.remove("/tmp/inputs/${given.name}")`;
    const options = { sessionKey: randomUUID() };
    const first = converse([says('1'), runs(read), says('2')], {
      ...options,
      store: plainStore(entries),
    });
    await first.orchestrator.run([given]);
    await first.orchestrator.run('Look.');
    expect(first.results(2)[0]?.text).toBe('given');
    await first.orchestrator.close();
    const later = converse([runs('print(1)'), says('3')], {
      ...options,
      store: plainStore(entries),
    });
    await later.orchestrator.run('Look.');
    expect(later.results(1)[0]?.text).toContain('is gone. Ask the user');
  });

  it('that fails to keep a file ends the run before the model is asked', async () => {
    const { orchestrator, requests } = converse([says('Never.')], {
      store: {
        ...plainStore(),
        saveFile: async () => Promise.reject(new Error('disk full')),
        loadFile: async () => undefined,
      },
    });
    const error = await refusalOf(orchestrator.run([unique('given')]));
    expect(error).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('could not keep a file of this conversation: disk full.'),
    });
    expect(requests).toEqual([]);
  });

  it.each([
    ['leaves its directory', { name: '../x' }, /its files: the name "\.\.\/x": it has a slash/],
    ['has a digest that is a path', { sha256: '../x' }, /sha256/],
    ['has no size', { sizeBytes: -1 }, /sizeBytes/],
  ])(
    'or a document is refused if a file in it %s [host/input-file-names]',
    async (_what, changed, why) => {
      const one = { name: 'a', mediaType: 'text/csv', sizeBytes: 1, sha256, ...changed };
      const { orchestrator } = converse([says('1')]);
      const document = { ...orchestrator.toJSON(), files: [one] };
      expect(() => converse([], { conversation: document })).toThrow(why);
      const runId = 'r';
      const entries = [
        { type: 'run-started', version: 1, runId, occurredAtMs: 1 },
        { type: 'input-files', runId, files: [one] },
        ended(runId),
      ];
      const stored = converse([], { store: plainStore(entries) });
      expect(await refusalOf(stored.orchestrator.load())).toMatchObject({
        code: 'CONVERSATION_INVALID',
        message: expect.stringMatching(why),
      });
    },
  );

  it('gets the signal of a read', async () => {
    const { orchestrator } = converse([runs('print(1)'), says('1')], {
      store: {
        ...plainStore(),
        saveFile: async () => {},
        loadFile: async ({ signal }) => {
          expect(signal).toBeInstanceOf(AbortSignal);
          return undefined;
        },
      },
    });
    await orchestrator.run([unique('given')], NEVER);
  });

  it('that still reads a file ends a request about files that is aborted, as does the wait for another one', async () => {
    const reading = createDeferred<void>();
    const { executor } = makeExecutor();
    const acquire = vi.spyOn(executor, 'acquire');
    const { orchestrator } = converse([says('1')], {
      executor,
      store: {
        ...plainStore(),
        saveFile: async () => {},
        // As a client of a database does.
        loadFile: async ({ signal }) => {
          reading.resolve();
          return new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
          });
        },
      },
    });
    await orchestrator.run([unique('given')]);
    const [first, second] = [new AbortController(), new AbortController()];
    const reads = refusalOf(orchestrator.files.list('.', { signal: first.signal }));
    await reading.promise;
    const waits = refusalOf(orchestrator.files.list('.', { signal: second.signal }));
    // It has the session now, and waits until the other one has written the files.
    const bothHaveIt = ['fulfilled', 'fulfilled'];
    await expect
      .poll(() => acquire.mock.settledResults.map(({ type }) => type))
      .toEqual(bothHaveIt);
    for (const [controller, refused] of [
      [second, waits],
      [first, reads],
    ] as const) {
      const cause = new Error('enough');
      controller.abort(cause);
      const aborted = { code: 'ABORTED', message: 'The work on files was aborted.', cause };
      expect(await refused).toMatchObject(aborted);
    }
  });
});
