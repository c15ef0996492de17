import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli, startCliOnTerminal } from '../support/built-package.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { PIXEL } from '../support/images.ts';
import { ProgramDirectory } from './support.ts';

const FILES = {
  'leaves.py': `import base64, os
show(base64.b64decode("${PIXEL}"))
os.mkdir(os.environ["OUTPUT_DIR"] + "/sub")
for name in ("a.txt", "sub/b.txt"):
    with open(os.environ["OUTPUT_DIR"] + "/" + name, "w") as file:
        _ = file.write(name)
os.symlink("/etc/passwd", os.environ["OUTPUT_DIR"] + "/link")`,
};
const PROBLEM =
  'Of $OUTPUT_DIR, 1 entry could not be returned, because only regular files are returned: "link".';

/** By these, a terminal is known. */
const NO_TERMINAL = {
  KITTY_WINDOW_ID: undefined,
  KITTY_PID: undefined,
  TERM_PROGRAM: undefined,
  LC_TERMINAL: undefined,
  WEZTERM_PANE: undefined,
  WEZTERM_UNIX_SOCKET: undefined,
  GHOSTTY_RESOURCES_DIR: undefined,
  KONSOLE_VERSION: undefined,
};

it('exec saves files and images of programs with --output, twice without a loss, and ends with 1 for a link', async () => {
  await using directory = await ProgramDirectory.with(FILES);
  const args = ['exec', '--output', 'out', 'leaves.py', 'leaves.py'];
  const { status, stdout, stderr } = await runCli(args, { cwd: directory.path });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  const lines = stderr.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('Saved '))).toEqual([
    'Saved out/a.txt',
    'Saved out/sub/b.txt',
    'Saved out/image-1.png',
    'Saved out/a (2).txt',
    'Saved out/sub/b (2).txt',
    'Saved out/image-2.png',
  ]);
  expect(lines).toContain(PROBLEM);
  const output = join(directory.path, 'out');
  expect(await readFile(join(output, 'sub/b (2).txt'), 'utf8')).toBe('sub/b.txt');
  expect((await readFile(join(output, 'image-1.png'))).toString('base64')).toBe(PIXEL);
  expect(await readdir(output)).toHaveLength(5);
});

it('exec says without --output that there are files, and with --json nothing', async () => {
  await using directory = await ProgramDirectory.with(FILES);
  const { stderr } = await runCli(['exec', 'leaves.py'], { cwd: directory.path });
  expect(stderr).toContain(
    'Not saved: a.txt, sub/b.txt, image-1.png. To save files and images, add --output DIR.\n',
  );
  const json = await runCli(['exec', '--json', 'leaves.py'], { cwd: directory.path });
  expect(json.stderr).toBe('');
  expect(JSON.parse(json.stdout)).toMatchObject({
    files: [{ name: 'a.txt' }, { name: 'sub/b.txt' }],
  });
  expect(await readdir(directory.path)).toEqual(['leaves.py']);
});

const MANY = {
  'many.py': `import os
for number in range(21):
    with open(f"{os.environ['OUTPUT_DIR']}/{number}", "w") as file:
        _ = file.write("a")`,
};

it.each([
  [1, ['--output', 'out']],
  [1, ['--json', '--output', 'out']],
  [0, []],
])(
  'exec ends with %i if there are too many files to return, with %j',
  async (expected, options) => {
    await using directory = await ProgramDirectory.with(MANY);
    const { status, stdout, stderr } = await runCli(['exec', ...options, 'many.py'], {
      cwd: directory.path,
    });
    expect(stdout + stderr).toContain('1 entry could not be returned');
    expect(status).toBe(expected);
  },
);

/** A place in which `sub/b.txt` cannot be saved, because `sub` is a file there. */
const PLACE = { 'leaves.py': FILES['leaves.py'], sub: '' };
const NOT_SAVED = 'sub/b.txt could not be saved: sub is not a directory';

it.each([[[]], [['--json']]])('exec %j ends with 1 if a file cannot be saved', async (options) => {
  await using directory = await ProgramDirectory.with(PLACE);
  const args = ['exec', ...options, '--output', '.', 'leaves.py'];
  const { status, stderr } = await runCli(args, { cwd: directory.path });
  expect(stderr).toContain('Saved a.txt\n');
  expect(stderr).toContain(`${NOT_SAVED}\n`);
  expect(status).toBe(1);
});

/** A model whose program leaves the files. */
const leaving = [
  answer(
    [
      callDelta(0, JSON.stringify({ code: PLACE['leaves.py'] }), {
        id: 'call_1',
        name: 'execute_code',
      }),
    ],
    'tool_calls',
  ),
  answer([{ content: 'Done.' }]),
];

it.each(['chat', 'demo'])('%s ends with 1 if a file cannot be saved', async (command) => {
  await using directory = await ProgramDirectory.with(PLACE);
  await using server = await startOpenAIServer(leaving);
  const { status, stdout } = await runCli([command, '--model', 'openai:test', '--output', '.'], {
    cwd: directory.path,
    env: { OPENAI_BASE_URL: server.baseUrl },
    input: 'Leave files.\n',
  });
  expect(stdout).toContain(NOT_SAVED);
  expect(status).toBe(1);
});

it('chat ends with 0 if a person sees that a file cannot be saved', async () => {
  await using directory = await ProgramDirectory.with(PLACE);
  await using server = await startOpenAIServer(leaving);
  const started = startCliOnTerminal(
    ['chat', '--model', 'openai:test', '--output', directory.path],
    { env: { OPENAI_BASE_URL: server.baseUrl } },
  );
  await started.printed(/\/help lists the commands[^]*> /);
  started.child.stdin.write('Leave files.\r');
  await started.printed(/sub is not a directory[^]*Done\.[^]*> /);
  started.child.stdin.write('/exit\r');
  expect((await started.finished()).status).toBe(0);
});

it.each([
  ['of kitty', { KITTY_WINDOW_ID: '1' }, `\u001b_Ga=T,f=100,q=2,c=1,m=0;${PIXEL}\u001b\\`],
  [
    'with the protocol of iTerm2',
    { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.5.0' },
    `\u001b]1337;File=inline=1;size=70;width=1:${PIXEL}\u0007`,
  ],
  ['with sixel', { TERM: 'foot' }, '\u001bP0;1;q"1;1;1;1#0;2;0;100;0#0@$\u001b\\'],
  ['of kitty in tmux', { KITTY_WINDOW_ID: '1', TERM: 'tmux-256color' }, undefined],
  ['of another kind', {}, undefined],
])('exec draws an image in a terminal %s, if it can', async (_, variables, drawn) => {
  await using directory = await ProgramDirectory.with(FILES);
  const started = startCliOnTerminal(['exec', join(directory.path, 'leaves.py')], {
    env: { ...NO_TERMINAL, ...variables },
  });
  const { stdout } = await started.finished();
  expect(stdout).toContain('Not saved: a.txt');
  if (drawn === undefined) expect(stdout).not.toContain(PIXEL);
  else expect(stdout).toContain(drawn);
});

it('exec draws nothing in a pipe', async () => {
  await using directory = await ProgramDirectory.with(FILES);
  const env = { KITTY_WINDOW_ID: '1' };
  const { stdout } = await runCli(['exec', 'leaves.py'], { cwd: directory.path, env });
  expect(stdout).toBe('');
});
