import { expect, it } from 'vitest';
import { Catalog } from '../../../src/languages/catalog/catalog.ts';
import { bash } from '../../../src/languages/bash/bash.ts';
import type { Language } from '../../../src/languages/language.ts';
import { python } from '../../../src/languages/python/python.ts';
import { typescript } from '../../../src/languages/typescript/typescript.ts';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { githubTools } from './github.ts';

const deferred = (tools: Iterable<Tool>): Tool[] =>
  [...tools].map((tool) => ({ ...tool, defer: true }));
const github = new Catalog(deferred(githubTools().values()), () => true);

/** What a program gets that calls one of the two tools. */
async function call(catalog: Catalog, name: string, input: object, language: Language = python) {
  const tool = catalog.searchTools(language).find((one) => one.name === name) as Tool;
  const validation = tool.validateInput(input);
  if (!validation.valid) return { refused: validation.message };
  return { text: String(await tool.run(validation.value as never, {} as never)) };
}

function toolOf(name: string, description: string): Tool {
  return toTool({ name, description, defer: true, run: () => null }, 'first call');
}

it('says little about 1,223 tools in the prompt', () => {
  const { overview } = github;
  expect(overview.length).toBeLessThan(1500);
  expect(overview).toMatch(/^Your code can also call 1,223 tools /);
  expect(overview).toMatch(/^- github \(1,223 tools\): org, /m);
  expect(github.documentation(python)).not.toContain('class github');
});

it('says at most 6,000 characters about 1,000 name spaces', () => {
  const tools = Array.from({ length: 1000 }, (_, index) =>
    toolOf(`${'n'.repeat(60)}${index}:${'tool'.repeat(15)}`, 'Does it.'),
  );
  const { overview } = new Catalog(tools, () => true);
  expect(overview.length).toBeLessThan(6000);
  expect(overview).toMatch(/^- \d{3} more name spaces \(\d{3} tools\)$/m);
});

it.each([
  [{ query: 'x'.repeat(1001) }, 'query'],
  [{ query: 'issue', limit: 51 }, 'limit'],
  [{ query: 'issue', limit: 0 }, 'limit'],
  [{ query: 5 }, 'query'],
  [{ query: 'issue', namespace: 'n'.repeat(201) }, 'namespace'],
  [{ query: 'issue', other: 1 }, 'other'],
  [{}, 'query'],
])('refuses %o', async (input, place) => {
  expect((await call(github, 'search_tools', input)).refused).toContain(place);
});

it('bounds what an answer has, and names what it leaves out', async () => {
  const tools = Array.from({ length: 50 }, (_, index) =>
    toolOf(`big:pay_${index}`, `Pays. ${'Long. '.repeat(600)}`),
  );
  const catalog = new Catalog(tools, () => true);
  for (const language of [python, typescript, bash]) {
    const { text = '' } = await call(
      catalog,
      'search_tools',
      { query: 'pay', limit: 50 },
      language,
    );
    expect(text.length).toBeLessThan(35_000);
    expect(text).toMatch(/Left out, because this is long enough: big_pay_\d+, /);
  }
  const huge = new Catalog([toolOf('huge', 'Pays. '.repeat(20_000))], () => true);
  const { text = '' } = await call(huge, 'search_tools', { query: 'huge' });
  expect(text.length).toBeLessThan(31_000);
  expect(text).toMatch(/… \(the rest is left out\)$/);
  const others = new Catalog([toolOf('pay_huge', 'Pays. '.repeat(20_000)), ...tools], () => true);
  const names = { names: ['pay_huge', 'big:pay_0', 'big:pay_1'] };
  expect((await call(others, 'describe_tools', names)).text).toMatch(
    /… \(the rest is left out\)\n\nLeft out, because this is long enough: big_pay_0, big_pay_1$/,
  );
});

it('searches one name space', async () => {
  const tools = [toolOf('shop:pay', 'Pays.'), toolOf('bank:pay', 'Pays.'), toolOf('pay', 'Pays.')];
  const catalog = new Catalog(tools, () => true);
  const { text } = await call(catalog, 'search_tools', { query: 'pay', namespace: 'bank' });
  expect(text).toMatch(/class bank:/);
  expect(text).not.toMatch(/class shop:|^async def pay/m);
  for (const namespace of ['', '__proto__', 'none']) {
    const none = await call(catalog, 'search_tools', { query: 'pay', namespace });
    expect(none.text).toMatch(/^No tool matches\..*\n\n- shop \(1 tool\): pay\n- bank/s);
  }
});

it('knows a tool by each of its names, and says which names are wrong', async () => {
  const names = ['github:issues_create', 'github.issues_create', 'github_issues_create'];
  const [first, ...others] = await Promise.all(
    names.map(async (one) => call(github, 'describe_tools', { names: one })),
  );
  expect(first?.text).toContain('async def issues_create()');
  for (const other of others) expect(other).toEqual(first);
  expect(await call(github, 'describe_tools', { names })).toEqual(first);
  const wrong = await call(github, 'describe_tools', {
    names: ['isues_create_issue', '__proto__'],
  });
  expect(wrong.text).toBe(
    'There is no tool "isues_create_issue". Did you mean github_issues_create?\n\nThere is no tool "__proto__". Use search_tools to find it.',
  );
  const unknown = Array.from({ length: 50 }, (_, index) => `isues_create_issue_${index}`);
  const { text = '' } = await call(github, 'describe_tools', { names: unknown });
  const lines = text.split('\n\n');
  expect(lines.filter((line) => line.endsWith('Did you mean github_issues_create?'))).toHaveLength(
    3,
  );
  expect(lines.filter((line) => line.endsWith('Use search_tools to find it.'))).toHaveLength(47);
  const many = Array.from({ length: 51 }, (_, index) => `tool_${index}`);
  expect((await call(github, 'describe_tools', { names: many })).refused).toContain('names');
  expect((await call(github, 'describe_tools', { names: [] })).refused).toContain('names');
});

it('calls tools as all tools of the program decide', async () => {
  // In Python, the tool `orders` leaves no room for an object of the same name.
  const tools = [toolOf('orders', 'Counts.'), toolOf('orders:find', 'Finds one.')];
  const catalog = new Catalog(tools, () => true);
  const { text } = await call(catalog, 'describe_tools', { names: 'orders:find' });
  expect(text).toContain('async def orders_find()');
});
