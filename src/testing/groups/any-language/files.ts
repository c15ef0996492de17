import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PtcError } from '../../../shared/errors.ts';
import { assertMatches } from '../../assert-matches.ts';
import type { Session } from '../../../sessions/executor.ts';
import type { Bench } from '../../bench.ts';
import { beforeEnd } from '../../before-end.ts';
import { checkResult } from '../../check-result.ts';
import type { TestDefinition, TestGroup } from '../../test-definition.ts';
import { createToolbox } from '../../toolbox.ts';

/** What the host does with the files of a session. */
export function sessionFiles(): TestGroup {
  const toolbox = createToolbox();
  const tests: readonly TestDefinition[] = [
    {
      title: 'a program reads a file that was written before it',
      programs: ['readGivenFile'],
      run: async (bench, reading) => {
        const session = await bench.session();
        await session.files.write('contract.given', 'grün\n');
        checkResult(await session.execute(reading.code), { status: 'ok', stdout: 'grün\n' });
        await assert.rejects(session.files.stat('contract.given'), { code: 'FILE_FAILED' });
        await session.release();
      },
    },
    {
      title: 'a file that a program wrote is read after it',
      programs: ['writeTakenFile'],
      run: async (bench, writing) => {
        const session = await bench.session();
        checkResult(await session.execute(writing.code), { status: 'ok' });
        assert.equal(await session.files.readText('/tmp/contract.taken'), 'taken\n');
        await session.files.remove('contract.taken');
        await session.release();
      },
    },
    {
      title: 'files are written and read while a program waits for a tool, also by the tool',
      programs: ['waitForTool'],
      run: async (bench, waiting) => {
        const session = await bench.session();
        const stop = new AbortController();
        const called = toolbox.nextWait();
        const running = session.execute(waiting.code, { signal: stop.signal });
        const { context } = await beforeEnd('it called the tool', called, running);
        try {
          await inDirectory(session, async (directory) => {
            await session.files.write(`${directory}/during`, 'x');
            const { files } = context;
            assert.equal(await files?.readText(`${directory}/during`), 'x');
            await files?.append(`${directory}/during`, 'y');
            assert.equal(await session.files.readText(`${directory}/during`), 'xy');
          });
        } finally {
          stop.abort();
        }
        assert.equal((await running).status, 'cancelled');
        await session.release();
      },
    },
    whole('a file is written, described, listed and removed', async ({ files }, directory) => {
      await files.write(`${directory}/a/b.txt`, 'one');
      assertMatches(await files.stat(`${directory}/a/b.txt`), {
        name: 'b.txt',
        type: 'file',
        sizeBytes: 3,
      });
      await files.write(`${directory}/a/b.txt`, new Uint8Array([0, 255]));
      assert.deepEqual([...(await files.read(`${directory}/a/b.txt`))], [0, 255]);
      await files.append(`${directory}/a/b.txt`, '!');
      await files.append(`${directory}/a/c.txt`, 'new');
      const { entries, truncated } = await files.list(`/tmp/${directory}/a`);
      assert.equal(truncated, false);
      assert.deepEqual(
        entries.map(({ name, type, sizeBytes }) => [name, type, sizeBytes]),
        [
          ['b.txt', 'file', 3],
          ['c.txt', 'file', 3],
        ],
      );
      await failsWith('ENOTEMPTY', files.remove(`${directory}/a`));
      await files.remove(`${directory}/a/b.txt`);
      await files.remove(`${directory}/a`, { recursive: true });
      await failsWith('ENOENT', files.stat(`${directory}/a`));
    }),
    whole('a large file arrives whole, in pieces, both ways', async ({ files }, directory) => {
      const part = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
      async function* content(): AsyncGenerator<Uint8Array> {
        for (let count = 0; count < 20; count += 1) yield part;
      }
      await files.write(`${directory}/large`, content());
      const all = Buffer.concat(Array.from({ length: 20 }, () => part));
      assert.ok(all.equals(await files.read(`${directory}/large`)));
      const some = { offsetBytes: 300_000, lengthBytes: 300_000 };
      assert.ok(
        all.subarray(300_000, 600_000).equals(await files.read(`${directory}/large`, some)),
      );
      assert.equal((await files.read(`${directory}/large`, { lengthBytes: 0 })).length, 0);
      const sizes: number[] = [];
      for await (const piece of files.stream(`${directory}/large`)) sizes.push(piece.length);
      assert.equal(sizes.length, 6);
      await failsWith('EFBIG', files.read(`${directory}/large`, { maxBytes: 1_399_999 }));
    }),
    whole('lines of a file are read', async ({ files }, directory) => {
      const text = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1}\n`).join('');
      await files.write(`${directory}/lines`, text);
      const lines = (fromLine: number, toLine?: number, maxBytes?: number): Promise<string> =>
        files.readText(`${directory}/lines`, { fromLine, toLine, maxBytes });
      assert.equal(await lines(1, 2), 'line 1\nline 2\n');
      assert.equal(await lines(40_000, 40_001), 'line 40000\nline 40001\n');
      assert.equal(await lines(60_000), 'line 60000\n');
      assert.equal(await lines(60_001), '');
      // What is behind the lines does not count.
      assert.equal(await lines(2, 2, 14), 'line 2\n');
      await failsWith('EFBIG', lines(2, 2, 13));
      await failsWith('EFBIG', lines(2, undefined, 14));
    }),
    whole(
      'an upload that fails leaves the old content, and nothing else',
      async (session, directory) => {
        const { files } = session;
        await files.write(`${directory}/kept`, 'old');
        async function* broken(): AsyncGenerator<Uint8Array> {
          yield new Uint8Array(600_000);
          throw new Error('the source broke off');
        }
        await assert.rejects(files.write(`${directory}/kept`, broken()), /broke off/);
        assert.equal(await files.readText(`${directory}/kept`), 'old');
        const { entries } = await files.list(directory);
        assert.deepEqual(
          entries.map(({ name }) => name),
          ['kept'],
        );
      },
    ),
    whole('a text is replaced once, or everywhere', async ({ files }, directory) => {
      const path = `${directory}/edited`;
      await files.write(path, 'a b a');
      assert.equal(await files.edit(path, { find: 'b', replace: 'ü' }), 1);
      await failsWith('ENOTUNIQ', files.edit(path, { find: 'a', replace: 'c' }));
      await failsWith('ENOMSG', files.edit(path, { find: 'x', replace: 'c' }));
      assert.equal(await files.edit(path, { find: 'a', replace: 'c', all: true }), 2);
      assert.equal(await files.readText(path), 'c ü c');
    }),
    whole('of fifty edits at the same moment, each counts', async ({ files }, directory) => {
      const path = `${directory}/counted`;
      const names = Array.from({ length: 50 }, (_, index) => `<${index}>`);
      await files.write(path, names.join(''));
      await Promise.all(names.map((find) => files.edit(path, { find, replace: '+' })));
      assert.equal(await files.readText(path), '+'.repeat(50));
    }),
    whole('files are found by name and by what is in them', async ({ files }, directory) => {
      await files.write(`${directory}/a.txt`, 'first\nSecond\n');
      await files.write(`${directory}/x/y/b.txt`, 'second again\n');
      await files.write(`${directory}/x/c.bin`, new Uint8Array([0, 115]));
      assert.deepEqual(await files.glob('**/*.txt', { path: directory }), {
        paths: [`${directory}/a.txt`, `${directory}/x/y/b.txt`],
        truncated: false,
      });
      assert.deepEqual((await files.glob(`${directory}/*/?.b[io]n`)).paths, [
        `${directory}/x/c.bin`,
      ]);
      const found = await files.grep('^second', { path: directory, ignoreCase: true });
      assert.deepEqual(found, {
        matches: [
          { path: `${directory}/a.txt`, line: 2, text: 'Second' },
          { path: `${directory}/x/y/b.txt`, line: 1, text: 'second again' },
        ],
        truncated: false,
      });
      const one = await files.grep('s', { path: directory, pattern: '**/*.txt', limit: 1 });
      assert.deepEqual(one.matches.length, 1);
      assert.equal(one.truncated, true);
      await failsWith('EINVAL', files.grep('(', { path: directory }));
    }),
    whole(
      'a search with a class of POSIX, about which Python warns, does not disturb an upload',
      async ({ files }, directory) => {
        await files.write(`${directory}/found`, 'd]\n');
        async function* content(): AsyncGenerator<Uint8Array> {
          yield new Uint8Array(600_000);
          const { matches } = await files.grep('[[:digit:]]', { path: directory });
          assert.deepEqual(matches, [{ path: `${directory}/found`, line: 1, text: 'd]' }]);
          yield new Uint8Array(1);
        }
        await files.write(`${directory}/large`, content());
        assert.equal((await files.stat(`${directory}/large`)).sizeBytes, 600_001);
      },
    ),
    whole('paths that lead out of /tmp are refused', async ({ files }) => {
      for (const path of ['/etc/passwd', '../etc/passwd', 'a/../../etc/passwd', '/tmp/../etc']) {
        await failsWith('EXDEV', files.read(path));
        await failsWith('EXDEV', files.write(path, 'x'));
      }
      await failsWith('EINVAL', files.read('a\0b'));
      await failsWith('EISDIR', files.read('/tmp'));
      await failsWith('ENOENT', files.read('contract-missing'));
      await failsWith('ENOENT', files.read('contract-missing', { lengthBytes: 0 }));
      await failsWith('ENAMETOOLONG', files.write('n'.repeat(300), 'x'));
    }),
    whole(
      'a name with any characters is written, listed and read',
      async ({ files }, directory) => {
        for (const name of ['a\nb', '\u001b[2J', 'ü🙂', '__PTC_END_FILE_ANSWER__', ' ']) {
          await files.write(`${directory}/${name}`, name);
          assert.equal(await files.readText(`${directory}/${name}`), name);
        }
        assert.equal((await files.list(directory)).entries.length, 5);
      },
    ),
    {
      title:
        'what a program leaves in $OUTPUT_DIR is in its result, and the next one finds nothing',
      programs: ['leaveFile'],
      run: async (bench, leaving) => {
        const session = await bench.session();
        const file = { name: 'a/left.csv', mediaType: 'text/csv', sizeBytes: 5 };
        const files = [{ ...file, data: Buffer.from('left\n').toString('base64') }];
        for (let count = 0; count < 2; count += 1) {
          const result = await session.execute(leaving.code);
          checkResult(result, { status: 'ok', stdout: /^\s*0\n$/ });
          assertMatches(result, { files, fileProblems: [] });
        }
        await session.release();
      },
    },
    {
      title: 'the files of a session that has ended are refused',
      programs: [],
      run: async (bench) => {
        const session = await bench.open();
        await session.files.write('contract.ended', 'x');
        await session.release();
        await assert.rejects(session.files.readText('contract.ended'), { code: 'CLOSED' });
      },
    },
  ];
  return {
    name: 'files',
    options: { tools: toolbox.tools },
    tests: tests.map((one) => ({
      needs: 'files',
      ...one,
      run: async (...given) => expectFiles(one.run(...given)),
    })),
  };
}

/** What could not be done with a file, and was not expected to fail, is a difference. */
async function expectFiles(run: Promise<void>): Promise<void> {
  try {
    await run;
  } catch (error) {
    if (!PtcError.isInstance(error) || error.code !== 'FILE_FAILED') throw error;
    assert.fail(error.message);
  }
}

/** A test that works in a directory of its own in the session of the group. */
function whole(
  title: string,
  work: (session: Session, directory: string) => Promise<void>,
): TestDefinition {
  return {
    title,
    programs: [],
    run: async (bench: Bench) => {
      const session = await bench.session();
      await inDirectory(session, async (directory) => work(session, directory));
      await session.release();
    },
  };
}

async function inDirectory(
  session: Session,
  work: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = `contract-${randomUUID()}`;
  await session.files.write(`${directory}/first`, '');
  await session.files.remove(`${directory}/first`);
  await work(directory);
  await session.files.remove(directory, { recursive: true });
}

async function failsWith(errno: string, work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  assertMatches(error, { code: 'FILE_FAILED', message: /./, details: { errno } });
}
