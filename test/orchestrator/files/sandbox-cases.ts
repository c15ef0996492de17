import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { FileInput } from '../../../src/orchestrator/files/input-file.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { RecordingProvider } from '../../../src/testing/recording-provider.ts';
import { converse, refusalOf, runs, says } from '../support.ts';
import { executorFor } from '../../support/executor-for.ts';

const MEBIBYTE = 1024 * 1024;

/** A text file of an input. */
export function file(name: string, text: string): FileInput {
  return { type: 'file', name, data: Buffer.from(text) };
}

async function directory(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'input-files-'));
  onTestFinished(async () => rm(made, { recursive: true }));
  return made;
}

/** Declares what programs find of the files of a run, in each kind of sandbox. */
export function itGivesFiles(makeProvider: () => SandboxProvider): void {
  const makeExecutor = (): SandboxExecutor =>
    executorFor(makeProvider(), { languages: ['python'] });

  it('a program reads the files of the run, whose bytes are the same', async () => {
    const bytes = Uint8Array.from({ length: 600_000 }, (_, index) => (index * 7) % 256);
    const host = path.join(await directory(), 'host.bin');
    await writeFile(host, bytes);
    const code = `import hashlib, os
print(sorted(os.listdir("/tmp/inputs")))
print(open("/tmp/inputs/my sales.csv").read())
print(hashlib.sha256(open("/tmp/inputs/data.bin", "rb").read()).hexdigest())
print(open("/tmp/inputs/data.bin", "rb").read() == bytes((index * 7) % 256 for index in range(600000)))`;
    const { orchestrator, results } = converse([runs(code), says('Done.')], {
      executor: makeExecutor(),
    });
    const input = [
      file('my sales.csv', 'region\nnorth'),
      { type: 'file', name: 'data.bin', path: host },
    ];
    await orchestrator.run([...(input as FileInput[]), { type: 'text', text: 'Look.' }]);
    const { text } = results(1)[0] ?? { text: '' };
    expect(text).toContain("['data.bin', 'my sales.csv']\nregion\nnorth\n");
    expect(text).toMatch(/[0-9a-f]{64}\nTrue$/);
  });

  it('files stay for later runs, and one of the same name is replaced', async () => {
    const show =
      'import os\nprint({name: open("/tmp/inputs/" + name).read() for name in sorted(os.listdir("/tmp/inputs"))})';
    const change = 'print(open("/tmp/inputs/kept", "a").write("!"))';
    const { orchestrator, results } = converse(
      [runs(change), says('1'), runs(show, 'b'), says('2')],
      { executor: makeExecutor() },
    );
    await orchestrator.run([file('kept', 'kept'), file('replaced', 'old')]);
    await orchestrator.run([file('replaced', 'new')]);
    expect(results(3)).toEqual([{ text: "{'kept': 'kept!', 'replaced': 'new'}", isError: false }]);
  });

  it('another conversation object of the same key and process does not write them again', async () => {
    const where = await directory();
    const options = {
      sessionKey: path.basename(where),
      store: fileStore({ directory: where }),
      executor: makeExecutor(),
    };
    const change = 'print(open("/tmp/inputs/a", "a").write("!"))';
    const first = converse([runs(change), says('1')], options);
    await first.orchestrator.run([file('a', 'given')]);
    await first.orchestrator.close();
    const read = 'print(open("/tmp/inputs/a").read())';
    const second = converse([runs(read), says('2')], options);
    await second.orchestrator.run('Look.');
    expect(second.results(1)[0]?.text).toBe('given!');
  });

  it('no sandbox starts for a run that runs no program', async () => {
    const provider = new RecordingProvider(makeProvider());
    const { orchestrator } = converse([says('Thanks.')], {
      executor: { provider },
      mode: 'direct',
    });
    await orchestrator.run([file('a.txt', 'a')]);
    expect(provider.created.size).toBe(0);
  });

  it('a new sandbox of the conversation has the files again, but not what programs wrote', async () => {
    const executor = makeExecutor();
    const code = 'import os\nprint(open("/tmp/inputs/a").read(), os.listdir("/tmp/inputs"))';
    const { orchestrator, results } = converse(
      [runs('open("/tmp/inputs/b", "w").write("b")'), says('1'), runs(code, 'b'), says('2')],
      { executor },
    );
    await orchestrator.run([file('a', 'given')]);
    await executor.closeSession({ key: orchestrator.sessionKey });
    await orchestrator.run('Again.');
    expect(results(3)[0]?.text).toMatch(/^given \['a'\]\n\[The session was new/);
  });

  it('a fork has the files, and another conversation has not', async () => {
    const executor = makeExecutor();
    const code =
      'import os\nprint(os.listdir("/tmp/inputs") if os.path.exists("/tmp/inputs") else "none")';
    const turns = [says('1'), runs(code), says('2')];
    const { orchestrator } = converse(turns, { executor });
    await orchestrator.run([file('a', 'given')]);
    await using fork = orchestrator.fork();
    const { messages } = await fork.run('Look.');
    expect(JSON.stringify(messages.at(-2)?.content)).toContain("['a']");
    const other = converse([runs(code), says('2')], { executor });
    await other.orchestrator.run('Look.');
    expect(other.results(1)[0]?.text).toBe('none');
  });

  it('another process has the files of a conversation from its store', async () => {
    const where = await directory();
    const options = { sessionKey: path.basename(where), store: fileStore({ directory: where }) };
    const first = converse([says('1')], { ...options, executor: makeExecutor() });
    await first.orchestrator.run([file('a', 'given')]);
    const later = { ...options, store: fileStore({ directory: where }) };
    const code = 'print(open("/tmp/inputs/a").read())';
    const second = converse([runs(code), says('2')], { ...later, executor: makeExecutor() });
    await second.orchestrator.run('Look.');
    expect(second.results(1)[0]?.text).toBe('given');
  });

  it('a file that does not fit into /tmp is told, and written when there is room', async () => {
    const fill = `try:
    with open("/tmp/fill", "wb") as fill:
        while True: fill.write(bytes(65536)); fill.flush()
except OSError as error: print(error.errno)`;
    const make = 'import os\nprint(os.path.exists("/tmp/inputs/big"))\nos.remove("/tmp/fill")';
    const read = 'print(len(open("/tmp/inputs/big").read()))';
    const { orchestrator, results } = converse(
      [runs(fill), says('1'), runs(make, 'b'), runs(read, 'c'), says('2')],
      { executor: makeExecutor() },
    );
    await orchestrator.run('Fill.');
    await orchestrator.run([file('big', 'x'.repeat(4 * MEBIBYTE))]);
    expect(results(3)[0]?.text).toMatch(
      /^False\n\[The file "\/tmp\/inputs\/big" is not there, because \/tmp is full\./,
    );
    expect(results(4)[0]?.text).toBe(`${4 * MEBIBYTE}`);
  });

  it('your code reads and writes the files of the conversation, also before its first program', async () => {
    const code = 'print(open("/tmp/config").read())\nopen("/tmp/made", "w").write("made")';
    const { orchestrator, results } = converse([says('1'), runs(code), says('2')], {
      executor: makeExecutor(),
    });
    await orchestrator.run([file('a', 'given')]);
    await orchestrator.files.write('config', 'mine');
    expect(await orchestrator.files.readText('inputs/a')).toBe('given');
    await orchestrator.run('Go.');
    expect(results(2)[0]?.text).toContain('mine');
    const pieces = [];
    for await (const piece of orchestrator.files.stream('made')) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('made');
    const missing = refusalOf(orchestrator.files.stat('none'));
    expect(await missing).toMatchObject({ code: 'FILE_FAILED', details: { errno: 'ENOENT' } });
  });
}

/** A program puts a link or a file in the place of the files, and none of them is written elsewhere. */
export async function replaceInputs(executor: SandboxExecutor): Promise<void> {
  const code = (target: string): string => `import os
print(os.path.exists("/tmp/inputs/given"), os.path.exists("/home/given"))
if os.path.islink("/tmp/inputs") or os.path.isfile("/tmp/inputs"): os.remove("/tmp/inputs")
${target}`;
  const { orchestrator, results } = converse(
    [
      runs(code('os.symlink("/home", "/tmp/inputs")')),
      says('1'),
      runs(code('open("/tmp/inputs", "w").close()'), 'b'),
      runs(code(''), 'c'),
      runs(code(''), 'd'),
      says('2'),
    ],
    { executor },
  );
  await orchestrator.run('Prepare.');
  await orchestrator.run([file('given', 'secret')]);
  const said = [3, 4, 5].map((request) => results(request)[0]?.text);
  expect(said).toEqual([
    expect.stringMatching(
      /^False False\n\[The file "\/tmp\/inputs\/given" is not there: .*\(EXDEV\)/,
    ),
    expect.stringMatching(/^False False\n\[The file "\/tmp\/inputs\/given" is not there: /),
    'True False',
  ]);
}
