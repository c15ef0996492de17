import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { TypeChecker } from '../../src/languages/type-check/type-checker.ts';
import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { AuditEntry } from '../../src/audit/entry.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { auditLog } from '../support/audit-log.ts';
import { descendantsOf } from '../support/descendants.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { withoutPatience } from '../support/patient-checks.ts';
import { useExecutors } from './support.ts';

vi.mock(import('../../src/languages/type-check/checker-command.ts'), async (load) =>
  (await import('../support/built-checker.ts')).useBuiltChecker(load),
);
vi.mock(import('../../src/languages/type-check/check-deadlines.ts'), async (load) =>
  (await import('../support/patient-checks.ts')).usePatience(load),
);
const makeExecutor = useExecutors();

const called: unknown[] = [];
const tools = new ToolRegistry([
  {
    name: 'find_orders',
    description: 'Finds orders.',
    inputSchema: {
      type: 'object',
      properties: { customer: { type: 'string' } },
      required: ['customer'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, total: { type: 'number' } },
        required: ['id', 'total'],
        additionalProperties: false,
      },
    },
    run: (input: unknown) => {
      called.push(input);
      return [{ id: 'a1', total: 10 }];
    },
  },
]);

const CHECKING = {
  tools,
  languages: ['typescript', 'javascript', 'python'],
  checkTypes: 'error',
} as const;

function checking(options: SandboxExecutorOptions = {}): SandboxExecutor {
  return makeExecutor({ ...CHECKING, ...options }).executor;
}

/** The compilers' processes, which are children of this one. */
function checkers(): number[] {
  return descendantsOf(process.pid).flatMap(({ id }) =>
    readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('checker-main') ? [id] : [],
  );
}

describe('an executor that checks types', () => {
  /** For tests that open sessions of their own: to start a compiler takes a second of processor time. */
  let shared: SandboxExecutor;
  beforeAll(() => {
    shared = new SandboxExecutor({ ...CHECKING, provider: unisolatedLocalProvider() });
  });
  afterAll(async () => shared.close());

  it('has its audit log told of a program that it refuses, and of those it runs as ever', async () => {
    const entries: AuditEntry[] = [];
    const audit = auditLog((entry) => void entries.push(entry));
    const executor = checking({ audit });
    const code = 'const count: number = "one";';
    const session = await executor.acquire();
    await session.execute(code);
    await session.execute('const count: number = 1;');
    const { id: sessionId } = session;
    expect(entries).toMatchObject([
      { type: 'session-opened', sessionId },
      { type: 'program-refused', sessionId, language: 'typescript', code, error: 'TypeCheckError' },
      { type: 'program-started', sessionId, programId: '1' },
      { type: 'program-ended', sessionId, status: 'ok' },
    ]);
  });

  it('starts no program with type errors: it has ended at once, and is no use to anyone', async () => {
    const session = await shared.acquire();
    const program = await session.start('const count: number = "one";');
    expect(program.status).toBe('ended');
    const result = { status: 'error', error: { type: 'TypeCheckError' } };
    expect(await program.next()).toMatchObject({ state: 'ended', result });
    expect(await program.cancel()).toMatchObject(result);
    expect(program.output()).toMatchObject({ stdout: '', stderr: '' });
    expect(() => program.answer('1', { result: 1 })).toThrow(
      expect.objectContaining({ code: 'CALL_NOT_OPEN' }),
    );
    await session.release();
  });

  it('does not run a program with type errors, and tells them in its own lines [host/type-check]', async () => {
    called.length = 0;
    const code = "console.log('begun');\n\n  const orders = await find_orders({ customer: 5 });";
    const result = await shared.execute(code);
    expect(result).toMatchObject({ status: 'error', success: false, exitCode: 1, toolCalls: 0 });
    expect(result.stdout).toBe('');
    expect(result.error).toMatchObject({ type: 'TypeCheckError', line: 3 });
    expect(result.error?.traceback).toBe(
      [
        'TypeCheckError: the program was not run, because of a type error:',
        "program.ts:3:38 error TS2322: Type 'number' is not assignable to type 'string'.",
        '    const orders = await find_orders({ customer: 5 });',
      ].join('\n'),
    );
    expect(called).toEqual([]);
  });

  it('does not count the check in the duration of a program that runs', async () => {
    const hour = 3_600_000;
    const now = performance.now.bind(performance);
    let laterMs = 0;
    // The clock of the host is an hour later after each check.
    vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
    // oxlint-disable-next-line typescript/unbound-method -- `apply` below gives it its checker
    const { follow } = TypeChecker.prototype;
    vi.spyOn(TypeChecker.prototype, 'follow').mockImplementation(function (
      this: TypeChecker,
      ...given
    ) {
      const checker = follow.apply(this, given);
      const check: typeof checker.check = async (program) => {
        const refusal = await checker.check(program);
        laterMs += hour;
        return refusal;
      };
      return { ...checker, check };
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const session = await checking().acquire();
    const ran = await session.execute('console.log(1)');
    expect(ran.status).toBe('ok');
    expect(ran.durationMs).toBeLessThan(hour);
    const refused = await session.execute('nothing()');
    expect(refused.error?.type).toBe('TypeCheckError');
    expect(refused.durationMs).toBeGreaterThanOrEqual(hour);
  });

  it('refuses what the Node of its sandbox does not have, and runs what it has', async () => {
    const executor = checking({ languages: ['python', 'typescript'] });
    const session = await executor.acquire();
    await session.execute('kept = 1', { language: 'python' });
    const code = 'console.log(Object.groupBy([1], () => "all").all);';
    const result = await session.execute(code, { language: 'typescript' });
    if ('groupBy' in Object) {
      expect(result).toMatchObject({ status: 'ok', stdout: '[ 1 ]\n' });
    } else {
      expect(result.error?.message).toMatch(/'groupBy' does not exist .* Node 20 does not have it/);
    }
    const next = await session.execute('print(kept)', { language: 'python' });
    expect(next).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it('runs in the embedded sandbox what its Deno has', async () => {
    const provider = embeddedProvider();
    try {
      const executor = checking({ provider, languages: ['typescript'] });
      const result = await executor.execute('console.log(Object.groupBy([1], () => "all").all);');
      expect(result).toMatchObject({ status: 'ok', stdout: '[ 1 ]\n' });
    } finally {
      await provider.close();
    }
  });

  it('runs a program without any, and knows its names with their types in the next', async () => {
    const session = await shared.acquire();
    const first = await session.execute(
      "const orders = await find_orders({ customer: 'a' });\norders.length",
    );
    expect(first).toMatchObject({ status: 'ok', stdout: '1\n' });
    const wrong = await session.execute('const missing = orders[0].price;');
    expect(wrong.error?.message).toContain("Property 'price' does not exist");
    const unknown = await session.execute('console.log(missing)');
    expect(unknown.error?.message).toContain("Cannot find name 'missing'");
    const right = await session.execute('console.log(orders[0].total + 1)');
    expect(right).toMatchObject({ status: 'ok', stdout: '11\n' });
  });

  it('knows submit, and lets a program use its name', async () => {
    const session = await shared.acquire();
    expect(await session.execute('submit({ a: [1] });')).toMatchObject({ value: { a: [1] } });
    const own = await session.execute('const submit: number = 5;\nsubmit + 1');
    expect(own).toMatchObject({ status: 'ok', value: 6 });
  });

  it('knows in TypeScript what JavaScript declared, and checks neither it nor Python', async () => {
    const session = await shared.acquire();
    const { status } = await session.execute('const count = 5; count.nothing;', {
      language: 'javascript',
    });
    expect(status).toBe('ok');
    const python = await session.execute('print(1 + 1)', { language: 'python' });
    expect(python.stdout).toBe('2\n');
    const typed = await session.execute('console.log(count.anything, count)');
    expect(typed).toMatchObject({ status: 'ok', stdout: 'undefined 5\n' });
  });

  it('knows the names of a program that failed, but not their types', async () => {
    const session = await shared.acquire();
    const { error } = await session.execute("let found = 'text';\nthrow new Error('no');");
    expect(error?.message).toBe('no');
    const next = await session.execute('console.log(typeof found.other)');
    expect(next).toMatchObject({ status: 'ok', stdout: 'undefined\n' });
  });

  it('knows the types of a program although one in another language fails after it', async () => {
    const session = await shared.acquire();
    await session.execute("const found = 'text';");
    const failed = await session.execute('raise ValueError', { language: 'python' });
    expect(failed.status).toBe('error');
    const wrong = await session.execute('found.other');
    expect(wrong.error?.message).toContain("Property 'other' does not exist");
  });

  it('runs a program whose check never ends, unchecked, says so, and checks the next [host/compiler-limits]', async () => {
    const told: string[] = [];
    const executor = checking({ onProgress: (message) => told.push(message) });
    const others = checkers();
    await executor.warmUp();
    const own = checkers().find((id) => !others.includes(id));
    if (own === undefined) throw new Error('The executor has no type checker.');
    // Of programs that it would check without end, the speed of the machine decides whether they meet the limit of time
    // or that of memory first.
    process.kill(own, 'SIGSTOP');
    const result = await withoutPatience(async () => executor.execute("console.log('ran')"));
    expect(result).toMatchObject({ status: 'ok', stdout: 'ran\n' });
    expect(told.join('\n')).toContain('types unchecked: the type checker took longer');
    const next = await executor.execute('nothing()');
    expect(next.error?.type).toBe('TypeCheckError');
  });

  it("runs a program with type errors under 'warn', and tells them only if it fails", async () => {
    const entries: string[] = [];
    const audit = auditLog(({ type }) => void entries.push(type));
    const executor = checking({ checkTypes: 'warn', audit });
    const session = await executor.acquire();
    const right = await session.execute('const total: string = 5;\nconsole.log(total);');
    expect(right).toMatchObject({ status: 'ok', stdout: '5\n', error: undefined });
    // What it declared is unknown, and no error of the next one.
    const failed = await session.execute(
      'console.log(total + 1);\nawait find_orders({ customer: 5 });',
    );
    expect(failed).toMatchObject({ status: 'error', stdout: '6\n' });
    expect(failed.error?.type).toBe('ToolError');
    expect(failed.error?.traceback).toMatch(
      /customer[^]*\nBefore the program ran, the type checker found a type error:\nprogram\.ts:2:21 error TS2322: .*\n {4}await find_orders\(\{ customer: 5 \}\);$/,
    );
    // Without type errors, nothing is added.
    const plain = await session.execute("throw new Error('own')");
    expect(plain.error?.traceback).not.toContain('type checker');
    expect(entries).not.toContain('program-refused');
    expect(entries.filter((type) => type === 'program-started')).toHaveLength(3);
  });

  it('runs whatever it is given where it was not asked to check [host/type-check]', async () => {
    const executor = checking({ checkTypes: 'off' });
    const result = await executor.execute('const text: string = 5; console.log(text)');
    expect(result.stdout).toBe('5\n');
  });

  it('stops waiting for the check when the caller aborts', async () => {
    const session = await shared.acquire();
    await session.execute('1');
    const stop = new AbortController();
    const run = session.execute('let a = 1;', { signal: stop.signal });
    stop.abort();
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
