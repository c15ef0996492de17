import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useBash } from '../../support/bash-bench.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

let called = createDeferred<void>();
let aborted = createDeferred<void>();
let waiting = 0;
let met = createDeferred<void>();

function startMeeting(): void {
  waiting = 0;
  met = createDeferred();
}

const { run, print } = useBash(unisolatedLocalProvider, [
  {
    name: 'find_orders',
    description: 'Finds orders.',
    inputSchema: z.object({
      customer: z.string(),
      limit: z.number().int().optional(),
      open: z.boolean().optional(),
      'max-age': z.number().nullable().optional(),
      tags: z.array(z.string()).optional(),
      filter: z.object({ from: z.string() }).optional(),
    }),
    run: (input) => input,
  },
  {
    name: 'meet',
    description: 'Answers when three wait.',
    run: async () => {
      waiting += 1;
      if (waiting === 3) met.resolve();
      await met.promise;
      return 'met';
    },
  },
  {
    name: 'wait_long',
    description: 'Waits until it is aborted.',
    run: async (_, { signal }) =>
      new Promise((resolve) => {
        called.resolve();
        signal.addEventListener('abort', () => {
          aborted.resolve();
          resolve('late');
        });
      }),
  },
  { name: 'until_called', description: 'Waits for that.', run: async () => called.promise },
  { name: 'fail', description: 'Fails.', run: () => Promise.reject(new Error('no "such" thing')) },
  { name: 'large', description: 'Returns megabytes.', run: () => 'é'.repeat(2_000_000) },
  {
    name: 'measure',
    description: 'The length of a text.',
    inputSchema: z.object({ text: z.string() }),
    run: ({ text }) => text.length,
  },
  {
    name: 'read',
    description: 'A name that bash has too.',
    run: () => ({ text: 'line\n\u2028"' }),
  },
  { name: 'expense:list', description: 'Lists.', run: () => [] },
  {
    name: 'list_calls',
    description: 'Lists calls.',
    inputSchema: {
      type: 'object',
      properties: {
        'StartTime<': { type: 'string' },
        'StartTime>': { type: 'string' },
        'user-id': { type: 'string' },
        user_id: { type: 'string' },
      },
    },
    run: (input) => input,
  },
]);

describe("a tool's command", () => {
  it.each([
    ['--customer a', { customer: 'a' }],
    ['--customer=a --limit 2', { customer: 'a', limit: 2 }],
    ['--customer 12 --max-age 1.5', { customer: '12', 'max-age': 1.5 }],
    ['--customer "" --max_age null', { customer: '', 'max-age': null }],
    ['--customer "two words" --open', { customer: 'two words', open: true }],
    ['--open false --customer=--x', { customer: '--x', open: false }],
    ['--customer a --tags 1 --tags b', { customer: 'a', tags: ['1', 'b'] }],
    [`--customer a --tags '["x","y"]'`, { customer: 'a', tags: ['x', 'y'] }],
    [`--customer a --filter '{"from":"z"}'`, { customer: 'a', filter: { from: 'z' } }],
    [`'{"customer":"é\\n","limit":3}'`, { customer: 'é\n', limit: 3 }],
    [`- <<< '{"customer":"in"}'`, { customer: 'in' }],
    [`--customer $'tab\\t\\nline'`, { customer: 'tab\t\nline' }],
  ])('takes %s', async (words, expected) => {
    expect(JSON.parse(await print(`find_orders ${words}`))).toEqual(expected);
  });

  it.each([
    ['--StartTime_ a --StartTime__2 b', { 'StartTime<': 'a', 'StartTime>': 'b' }],
    [`--'StartTime>' b`, { 'StartTime>': 'b' }],
    ['--user_id a', { user_id: 'a' }],
    ['--user-id a', { 'user-id': 'a' }],
    ['--user_id_2 a --user_id b', { 'user-id': 'a', user_id: 'b' }],
    ['--user-id-2 a', { 'user-id': 'a' }],
  ])('tells parameters with similar names apart: %s', async (words, expected) => {
    expect(JSON.parse(await print(`list_calls ${words}`))).toEqual(expected);
  });

  it.each([
    ['', 'customer: missing'],
    ['--customer a --limit two', 'limit: expected number'],
    ['--customer', '--customer has no value; write --customer VALUE or --customer=VALUE'],
    ['customer a', `'customer' is not a flag`],
    [`'{"customer'`, 'the argument is not JSON'],
    [`'[1]'`, 'the argument is not a JSON object'],
    ['- < /dev/null', 'standard input is not JSON'],
    ['--customer a --customer b', '--customer is given more than once'],
    [
      `"$(printf '{"a":%.0s' {1..80})1$(printf '}%.0s' {1..80})"`,
      'nested more than 63 levels deep',
    ],
  ])('says what is wrong with %s', async (words, message) => {
    const result = await run(`find_orders ${words}; echo $?`);
    expect(result).toMatchObject({ stdout: '1\n', status: 'ok' });
    expect(result.stderr).toContain('find_orders failed (InvalidArguments): ');
    expect(result.stderr).toContain(message);
  });

  it('prints one line of JSON that other programs can read', async () => {
    expect(await print('read_')).toBe('{"text":"line\\n\u2028\\""}\n');
    expect(
      await print(
        `find_orders --customer Zoë | python3 -c 'import json,sys; print(json.load(sys.stdin)["customer"])'`,
      ),
    ).toBe('Zoë\n');
  });

  it('shows its manual on --help', async () => {
    expect(await print('find_orders --help')).toMatch(
      /^find_orders --customer <string> \[--limit <integer>\] .*\n {4}Finds orders\./,
    );
  });

  it('fails with status 1 and says why on stderr', async () => {
    expect(await run('fail')).toMatchObject({
      status: 'error',
      exitCode: 1,
      stdout: '',
      stderr: 'fail failed (Failed): no "such" thing\n',
    });
    expect(await print('fail 2>/dev/null || echo "went on"; text=$(fail 2>&1); echo "$text"')).toBe(
      'went on\nfail failed (Failed): no "such" thing\n',
    );
    expect((await run('set -e; fail 2>/dev/null; echo no')).stdout).toBe('');
  });

  it('takes and gives megabytes', async () => {
    expect(await print('text=$(large); echo ${#text}')).toBe('2000002\n');
    expect(await print('large | tail -c 5 | od -An -c')).toMatch(/303 251 {3}" {2}\\n/);
    const program = `text=$(printf %01000000d 0); measure --text "$text"; printf '{"text":"%s"}' "$text" | measure -`;
    expect(await print(program)).toBe('1000000\n1000000\n');
  });

  it('works wherever a command does', async () => {
    expect(
      await print('f() { local x=$(measure --text abc); echo "$x"; }; f; (measure --text ab)'),
    ).toBe('3\n2\n');
    expect(
      await print(`bash -c 'measure --text a'; sh -c 'measure --text ab'; env measure --text abc`),
    ).toBe('1\n2\n3\n');
    expect(await print(`printf '%s\\n' a bb 'c c' | xargs -d '\\n' -n1 measure --text`)).toBe(
      '1\n2\n3\n',
    );
    expect(
      await print(
        `mkdir d; touch d/a d/bb; find d -type f -exec measure --text {} \\; | sort; rm -r d`,
      ),
    ).toBe('3\n4\n');
    expect(
      await print(
        `python3 -c 'import subprocess; print(subprocess.check_output(["measure", "--text", "é"]))'`,
      ),
    ).toBe("b'1\\n'\n");
    expect(
      await print(`IFS=x; set -fuC; LC_ALL=C; was=$PATH PATH=/nowhere; measure --text é`),
    ).toBe('1\n');
    await print('unset IFS LC_ALL; set +fuC; PATH=$was');
  });

  it('leaves $! and the shell alone', async () => {
    expect(
      await print(
        '(exit 5) & measure --text a; wait $! || echo $?; jobs; declare -p reply 2>/dev/null || echo none',
      ),
    ).toBe('1\n5\nnone\n');
  });

  it.each([
    'f() { local -r status=1 size=2 text=3 reply=4 request=5; measure --text abc; }; f',
    'f() { local -u text; local -a size=(1) reply=(2); local -i status; measure --text abc; }; f',
    `readonly IFS=$'\\n\\t'; measure --text abc; exit`,
    'measure --text "$(measure --text abc)" >/dev/null; measure --text abc',
  ])('needs none of the variables of %j', async (code) => {
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: '3\n', stderr: '' });
  });

  it('runs at the same time as others', async () => {
    startMeeting();
    expect(await print('meet & meet & meet & wait')).toBe('"met"\n'.repeat(3));
    startMeeting();
    expect(await print('meet | cat - <(meet) <(meet)')).toBe('"met"\n'.repeat(3));
    startMeeting();
    expect(await print('seq 3 | xargs -P 3 -I{} meet')).toBe('"met"\n'.repeat(3));
    const lines = await print(
      'for i in $(seq 40); do measure --text "$i" & done | sort | uniq -c | tr -s " "',
    );
    expect(lines).toBe(' 9 1\n 31 2\n');
  });

  it('tells the host when nobody waits for it any more', async () => {
    [called, aborted] = [createDeferred(), createDeferred()];
    const ended =
      'timeout 600 bash -c wait_long & until_called >/dev/null; kill $!; wait $!; echo $?; sleep 0.1';
    expect(await print(ended)).toBe('143\n');
    await aborted.promise;
    [called, aborted] = [createDeferred(), createDeferred()];
    const stop = new AbortController();
    const stopped = run('wait_long; echo no', { signal: stop.signal });
    await called.promise;
    stop.abort();
    expect(await stopped).toMatchObject({ status: 'cancelled', stdout: '', sessionOpen: true });
    await aborted.promise;
  });

  it('fails where its result cannot be written', async () => {
    expect(await run('find_orders --customer a >/dev/full; echo $?')).toMatchObject({
      stdout: '1\n',
      stderr: expect.stringContaining('No space left on device'),
    });
  });

  it('works where a program has made the locale constant, also for later programs', async () => {
    const sessionKey = `constant-locale-${randomUUID()}`;
    await run('export LC_ALL=C.UTF-8; readonly LC_ALL', { sessionKey });
    const code = 'find_orders --customer é; echo \'{"customer": "ö"}\' | find_orders -; echo ü';
    for (let round = 0; round < 2; round += 1) {
      expect(await run(code, { sessionKey })).toMatchObject({
        status: 'ok',
        stdout: '{"customer":"é"}\n{"customer":"ö"}\nü\n',
        stderr: '',
      });
    }
  });

  it('keeps its name where a command of the system has it', async () => {
    expect(await print('read -r line <<< word; echo $line; expense_list')).toBe('word\n[]\n');
  });
});

describe('tools that change while a bash reads the file with their commands', () => {
  it('leave that file as it was, so that it is never read half old and half new', async () => {
    const tools = new ToolRegistry([{ name: 'early', description: 'Answers.', run: () => 1 }]);
    await using executor = new SandboxExecutor({
      provider: unisolatedLocalProvider(),
      tools,
      languages: ['bash'],
    });
    const session = await executor.acquire();
    await session.execute('exec 9<"$BASH_ENV"; read -r -u 9 comment');
    tools.register({ name: 'late', description: 'Answers.', run: () => 2 });
    const result = await session.execute(
      'rest=$(cat <&9); grep -c "^early()" <<< "$rest"; grep late <<< "$rest"; late',
    );
    expect(result).toMatchObject({ status: 'ok', stdout: '1\n2\n', stderr: '' });
  });
});
