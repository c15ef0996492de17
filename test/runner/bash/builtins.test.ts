import { describe, expect, it } from 'vitest';
import { useBash } from '../../support/bash-bench.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const properties = { folder: { type: 'string' }, 'max-size': { type: 'number' } };

const { run } = useBash(
  unisolatedLocalProvider,
  ['cd', 'echo', 'sort'].map((name) => ({
    name,
    description: 'A tool.',
    inputSchema: { type: 'object', properties },
    run: () => `the tool ${name}`,
  })),
);

const warning = (line: number, name: string, flag: string): string =>
  `Warning: line ${line}: ${name} is a command of bash, and ${flag} is an argument of the tool ${name}_; to call the tool, write ${name}_\n`;

describe('a builtin of bash with the name of a tool', () => {
  it.each([
    ['echo --folder x', warning(1, 'echo', '--folder')],
    ['true\nif true; then A=1 echo \\\n  --folder=x; fi', warning(2, 'echo', '--folder')],
    ['x=$(echo --max_size 1); echo "$x"', warning(1, 'echo', '--max_size')],
    ['echo --max-size 1 & wait\necho --folder x >/dev/null', warning(1, 'echo', '--max-size')],
  ])('runs with a flag of the tool, and stderr names the tool: %j', async (code, stderr) => {
    expect(await run(code)).toMatchObject({
      status: 'ok',
      stdout: expect.stringMatching(/^--(?:folder|max.size)[ =][x1]\n$/),
      stderr,
    });
  });

  it('fails as it does in bash, below the warnings', async () => {
    const { status, stderr } = await run('cd --folder x || echo --folder y\ncd --folder z');
    expect(status).toBe('error');
    expect(stderr).toContain(warning(1, 'cd', '--folder') + warning(1, 'echo', '--folder'));
    expect(stderr).toContain('cd: --: invalid option');
  });

  it.each([
    'cd /tmp; echo --other 1 # --folder',
    'echo_ --folder x; cd_ --folder y',
    '# echo --folder x\ntrue --folder; printf "%s\\n" --folder',
    'cd --help >/dev/null; echo folder',
    'sort --folder x || true',
  ])('is not warned of without one: %j', async (code) => {
    expect((await run(code)).stderr).not.toContain('Warning');
  });
});

it.each([
  ['assignments', `${'a= '.repeat(300_000)}true --folder`],
  ['flags', `: ${'--x '.repeat(250_000)}`],
  ['commands', ': --x;'.repeat(20_000)],
  ['continued lines', `${'\\\n'.repeat(400_000)}: --folder`],
])('a program of many %s begins all the same', async (_, code) => {
  expect(await run(`${code}\necho done`)).toMatchObject({ status: 'ok', stderr: '' });
});
