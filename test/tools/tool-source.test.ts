import { expect, onTestFinished, test } from 'vitest';
import { defineTool, toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolSource } from '../../src/tools/registry/tool-source.ts';
import { SourceOfTest } from '../support/source-of-test.ts';

function definition(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: 'Does it.', run: () => name, ...more };
}

function names(registry: ToolRegistry): string[] {
  return registry.list().map(({ name }) => name);
}

function withCode(code: string, message: RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

test('the tools of a source are in its name space, after the registered ones', () => {
  const registry = new ToolRegistry([definition('plain')]);
  registry.addSource(new SourceOfTest('github', [definition('list'), definition('get')]));
  registry.register(definition('later'));
  expect(names(registry)).toEqual(['plain', 'later', 'github:list', 'github:get']);
  expect(registry.get('github:list')?.identifier).toBe('github_list');
});

test('a source that was not awaited is refused, and the message says so', () => {
  const opened = Promise.resolve({ name: 'github', tools: () => [] });
  expect(() => new ToolRegistry().addSource(opened as never)).toThrow(
    withCode('TOOL_INVALID', /not a promise\. Await it first, as in addSource\(await mcpTools/),
  );
});

test('a tool that defineTool made has the name of the source too', async () => {
  const registry = new ToolRegistry();
  const tool = defineTool({ name: 'list', description: 'Does it.', run: () => 7 });
  registry.addSource({ name: 'github', tools: () => [tool] });
  expect(registry.get('github:list')).toMatchObject({ identifier: 'github_list' });
  expect(await registry.get('github:list')?.run({} as never, {} as never)).toBe(7);
});

test('a tool of a source can be an object of a class, as one that is registered', async () => {
  class Counter implements ToolDefinition {
    readonly name = 'count';
    readonly #step = 2;
    sum = 0;

    get description(): string {
      return `Adds ${this.#step}.`;
    }

    get inputSchema() {
      return { type: 'object', properties: { times: { type: 'integer' } } } as const;
    }

    run({ times }: { times: number }): number {
      this.sum += times * this.#step;
      return this.sum;
    }
  }
  const [registered, ofSource] = [new Counter(), new Counter()];
  const registry = new ToolRegistry([registered]);
  registry.addSource({ name: 'shop', tools: () => [ofSource] });
  const [one, other] = [registry.get('count'), registry.get('shop:count')];
  expect(other).toMatchObject({ description: 'Adds 2.', inputSchema: one?.inputSchema });
  for (const tool of [one, other]) {
    await tool?.run({ times: 1 } as never, {} as never);
    expect(await tool?.run({ times: 3 } as never, {} as never)).toBe(8);
  }
  expect([registered.sum, ofSource.sum]).toEqual([8, 8]);
});

test('a registry follows a source until it is removed, and snapshots stay as they were', () => {
  const registry = new ToolRegistry();
  const kept = definition('kept');
  const source = new SourceOfTest('github', [kept, definition('old')]);
  registry.addSource(source);
  const before = registry.snapshot();
  const same = registry.get('github:kept');
  source.change([kept, definition('new')]);
  expect(names(registry)).toEqual(['github:kept', 'github:new']);
  expect(registry.get('github:kept')).toBe(same);
  expect(before.list().map(({ name }) => name)).toEqual(['github:kept', 'github:old']);
  expect(source.followers).toBe(1);
  expect(registry.removeSource('github')).toBe(true);
  expect(source.followers).toBe(0);
  expect(names(registry)).toEqual([]);
  expect(registry.removeSource('github')).toBe(false);
  registry.register(definition('github_new'));
});

test('a source that still calls after it was removed changes nothing', () => {
  const registry = new ToolRegistry();
  let call = (): void => {};
  const source: ToolSource = {
    name: 'github',
    tools: () => [definition('list')],
    onChange: (listener) => {
      call = listener;
      return () => {};
    },
  };
  registry.addSource(source);
  registry.removeSource('github');
  call();
  expect(names(registry)).toEqual([]);
  // The name of its function is free.
  registry.register(definition('github_list'));
});

test('names that clash are refused with a code, and nothing is added then', () => {
  const registry = new ToolRegistry([definition('shop'), definition('github_list')]);
  const clashing = [
    [new SourceOfTest('shop', []), /name shop .* tool "shop" is a function/],
    [
      new SourceOfTest('github', [definition('get'), definition('list')]),
      /"github:list" and "github_list".*github_list/,
    ],
    [
      new SourceOfTest('twice', [definition('a-b'), definition('a_b')]),
      /"twice:a_b" and "twice:a-b".*rename/,
    ],
  ] as const;
  for (const [source, message] of clashing) {
    expect(() => registry.addSource(source)).toThrow(withCode('TOOL_NAME_CLASH', message));
    expect(source.followers).toBe(0);
  }
  expect(names(registry)).toEqual(['shop', 'github_list']);
  registry.addSource(new SourceOfTest('github', [definition('get')]));
  expect(() => registry.addSource(new SourceOfTest('github', []))).toThrow(
    withCode('TOOL_NAME_CLASH', /source with this name is registered already/),
  );
  expect(() => registry.register(definition('github'))).toThrow(
    withCode('TOOL_NAME_CLASH', /The name github/),
  );
});

test('a source cannot have the name of a function of the set that its registry extends', () => {
  const registry = new ToolRegistry(new ToolRegistry([definition('github')]).snapshot());
  const source = new SourceOfTest('github', [definition('issue')]);
  expect(() => registry.addSource(source)).toThrow(
    withCode('TOOL_NAME_CLASH', /name github .* tool "github" is a function/),
  );
  expect(source.followers).toBe(0);
  expect(names(registry)).toEqual(['github']);
});

test.each(['class', 'print', 'console', 'type', 'submit', '1a', 'a-b', 'é', '', 'x'.repeat(65), 5])(
  'a source cannot have the name %j',
  (name) => {
    const source = new SourceOfTest(name as string, []);
    expect(() => new ToolRegistry().addSource(source)).toThrow(withCode('TOOL_INVALID', /source/));
  },
);

test('what is wrong with a tool of a source is said when it is added', () => {
  const parts = Array.from({ length: 2100 }, (_, index) => [`p${index}`, { type: 'string' }]);
  const wide = { type: 'object', properties: Object.fromEntries(parts) };
  const cases: [unknown, RegExp][] = [
    [definition('a:b'), /"a:b" of the source github contains a colon/],
    [definition('a\nb'), /control character/],
    [definition('x'.repeat(130)), /at most 128/],
    [definition('a', { inputSchema: { type: 'array' } }), /"github:a".*not an object schema/],
    [definition('a', { inputSchema: wide }), /input schema has 2102 parts/],
    [definition('a', { outputSchema: wide }), /output schema has 2102 parts/],
    [definition('a', { description: '' }), /description must be text/],
    [5, /must be an object/],
  ];
  for (const [tool, message] of cases) {
    const source = new SourceOfTest('github', [definition('good'), tool as ToolDefinition]);
    const registry = new ToolRegistry();
    expect(() => registry.addSource(source)).toThrow(withCode('TOOL_INVALID', message));
    expect(names(registry)).toEqual([]);
  }
  const many = Array.from({ length: 10_001 }, (_, index) => definition(`t${index}`));
  expect(() => new ToolRegistry().addSource(new SourceOfTest('github', many))).toThrow(
    withCode('TOOL_INVALID', /more than 10000 tools/),
  );
});

test('new tools that cannot be used leave those from before, with a warning', async () => {
  const registry = new ToolRegistry([definition('github_taken')]);
  const source = new SourceOfTest('github', [definition('list')]);
  registry.addSource(source);
  const warnings: (Error & { readonly code?: string })[] = [];
  const note = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  source.change([definition('new'), definition('taken')]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(names(registry)).toEqual(['github_taken', 'github:list']);
  const warning = warnings.find(({ code }) => code === 'PTC_TOOL_SOURCE');
  expect(warning?.message).toMatch(/source github has changed.*"github:taken"/);
  source.change([definition('new')]);
  expect(names(registry)).toEqual(['github_taken', 'github:new']);
});

test('a schema of a source is compiled at the first call, and refuses every call if it cannot be', () => {
  const broken = { type: 'object', properties: { a: { type: 'nonsense' } } };
  expect(() => new ToolRegistry([definition('a', { inputSchema: broken })])).toThrow(
    withCode('TOOL_INVALID', /nonsense/),
  );
  const registry = new ToolRegistry();
  const strict = { type: 'object', properties: { a: { type: 'integer' } } };
  registry.addSource(
    new SourceOfTest('github', [
      definition('broken', { inputSchema: broken }),
      definition('strict', { inputSchema: strict, inputExamples: [{ a: 1 }] }),
    ]),
  );
  const validate = (name: string, value: unknown): unknown =>
    registry.get(name)?.validateInput(value);
  for (let call = 0; call < 2; call += 1) {
    expect(validate('github:broken', {})).toEqual({
      valid: false,
      message: expect.stringMatching(/^arguments: it cannot be checked: .*nonsense/),
    });
  }
  expect(validate('github:strict', { a: 1 })).toEqual({ valid: true, value: { a: 1 } });
  expect(validate('github:strict', { a: 'x' })).toMatchObject({ valid: false });
});

test('a tool can be removed, but one of a source only by its source', () => {
  const registry = new ToolRegistry([definition('a'), definition('b')]);
  registry.addSource(new SourceOfTest('github', [definition('list')]));
  const before = registry.snapshot();
  expect(registry.remove('a')).toBe(true);
  expect(registry.remove('a')).toBe(false);
  expect(registry.remove('github:unknown')).toBe(false);
  expect(() => registry.remove('github:list')).toThrow(withCode('TOOL_INVALID', /removeSource/));
  expect(names(registry)).toEqual(['b', 'github:list']);
  expect(before.get('a')).toBeDefined();
  registry.register(definition('a'));
});

test('registering looks at each tool a few times, however many there are', () => {
  const registry = new ToolRegistry();
  let reads = 0;
  for (let index = 0; index < 500; index += 1) {
    const tool = toTool(definition(`t${index}`));
    registry.register({
      ...tool,
      get identifier() {
        reads += 1;
        return tool.identifier;
      },
    });
  }
  expect(registry.list()).toHaveLength(500);
  expect(reads).toBeLessThan(500 * 10);
});

test('a registry that extends another has its later tools too, and keeps its own to itself', () => {
  const base = new ToolRegistry([definition('a')]);
  const own = new ToolRegistry(base);
  own.register(definition('b'));
  base.addSource(new SourceOfTest('github', [definition('list')]));
  expect(names(own)).toEqual(['a', 'github:list', 'b']);
  expect(names(base)).toEqual(['a', 'github:list']);
  for (const taken of ['a', 'github_list']) {
    expect(() => own.register(definition(taken))).toThrow(withCode('TOOL_NAME_CLASH', /rename/));
  }
  const copy = own.copy();
  own.remove('b');
  expect(names(copy)).toEqual(['a', 'github:list', 'b']);
  base.register(definition('c'));
  copy.register(definition('d'));
  expect(names(own)).toEqual(['a', 'c', 'github:list']);
  base.register(definition('d'));
  expect(() => copy.list()).toThrow(withCode('TOOL_NAME_CLASH', /"d" and "d"/));
});
