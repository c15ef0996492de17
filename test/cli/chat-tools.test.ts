import { describe, expect, it } from 'vitest';
import { runCli } from '../support/built-package.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { ProgramDirectory } from './support.ts';

const tool = (name: string, more = ''): string =>
  `{ name: '${name}', description: 'Gives ${name}. At once.', ${more} run: () => '${name}!' }`;

const FILES = {
  'tools.mjs': `export default [
    ${tool('greeting')},
    ${tool('get-weather')},
    ${tool('only_direct', "allowedCallers: ['direct'],")},
  ];`,
  'many.mjs': `export default [${Array.from({ length: 30 }, (_, index) => tool(`tool_${index}`)).join()}];`,
  'empty.mjs': 'export default [];',
  'named.mjs': `export const tools = [${tool('greeting')}];`,
  'clash.mjs': `export default [${tool('get-weather')}, ${tool('get_weather')}];`,
};

const MODEL = ['--model', 'openai:test'];

describe('the tools of a chat', () => {
  it('are those of a module, for the programs of the model and for the model itself', async () => {
    const code = 'print(await greeting(), await get_weather())';
    const program = JSON.stringify({ code });
    await using server = await startOpenAIServer([
      answer([callDelta(0, program, { id: 'call_1', name: 'execute_code' })], 'tool_calls'),
      answer([callDelta(0, '{}', { id: 'call_2', name: 'only_direct' })], 'tool_calls'),
      answer([{ content: 'That is all.' }]),
    ]);
    await using directory = await ProgramDirectory.with(FILES);
    const args = ['chat', '--tools', 'tools.mjs', ...MODEL];
    const { status, stdout, stderr } = await runCli(args, {
      cwd: directory.path,
      env: { OPENAI_BASE_URL: server.baseUrl },
      input: '/tools\nHow is the weather?\n',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Tools: {3}greeting, get-weather, only_direct \(tools\.mjs\)$/m);
    expect(stdout).not.toContain('expense');
    expect(stdout).toMatch(/^get_weather {2}Gives get-weather$/m);
    expect(stdout).toMatch(/^only_direct {2}Gives only_direct \(not called from code\)$/m);
    expect(stdout).toContain('  │ greeting! get-weather!\n');
    expect(stdout).toContain('→ only_direct()');
    expect(stdout).toContain('That is all.');
  });

  it('are the mock data if there is no module', async () => {
    const { stdout } = await runCli(['chat']);
    expect(stdout).toMatch(
      /^Tools: {3}get_team_members, get_expenses, get_custom_budget \(mock expense data\)$/m,
    );
  });

  it('are not all named in the header if there are many', async () => {
    await using directory = await ProgramDirectory.with(FILES);
    const { stdout } = await runCli(['chat', '--tools', 'many.mjs', ...MODEL], {
      cwd: directory.path,
      env: { OPENAI_API_KEY: 'k' },
    });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'tool_10, tool_11 and 18 more (see /tools) (many.mjs)',
    );
  });

  it.each([
    ['nowhere.mjs', 'nowhere.mjs cannot be loaded: there is no such file.\n'],
    ['empty.mjs', 'empty.mjs exports an empty array of tools.'],
    ['named.mjs', 'named.mjs must have an array of tools as its default export'],
    [
      'clash.mjs',
      'clash.mjs: The tools "get_weather" and "get-weather" cannot be in the same registry.',
    ],
  ])(
    'are refused in the same words by chat and exec if the module is %s',
    async (name, message) => {
      await using directory = await ProgramDirectory.with(FILES);
      for (const args of [['chat'], ['exec', '-']]) {
        const { status, stdout, stderr } = await runCli([...args, '--tools', name], {
          cwd: directory.path,
        });
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        expect(stderr).toContain(`error: ${message}`);
      }
    },
  );

  it('need a real model if they are of a module', async () => {
    await using directory = await ProgramDirectory.with(FILES);
    const { status, stderr } = await runCli(['chat', '--tools', 'tools.mjs'], {
      cwd: directory.path,
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: --tools tools\.mjs needs a real model.*OPENAI_BASE_URL/);
  });
});
