import { expect, it } from 'vitest';
import { ToolIndex } from '../../../src/languages/catalog/tool-index.ts';
import { toTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { githubQuestions, githubTools, type Question } from './github.ts';

const all = (): boolean => true;

function toolOf(name: string, description: string, argument = 'id'): Tool {
  const inputSchema = { type: 'object', properties: { [argument]: {} } };
  return toTool({ name, description, inputSchema, run: () => null }, 'first call');
}

async function found(query: string, tools: readonly Tool[]): Promise<string[]> {
  const index = await ToolIndex.of(tools);
  return index.search(query, 50, all).map(({ name }) => name);
}

it('has the wanted one of 1,223 tools among the first five, for most questions', async () => {
  const tools = githubTools();
  expect(tools.size).toBe(1223);
  const index = await ToolIndex.of([...tools.values()]);
  const isAnswered = ({ question, wanted }: { question: string; wanted: readonly string[] }) => {
    const first = index.search(question, 5, all);
    return wanted.some((id) => first.includes(tools.get(id) as Tool));
  };
  const questions = githubQuestions();
  const ofSet = (set: Question['set']) => questions.filter((one) => one.set === set);
  const sizes = { common: 60, drawn: 60, 'held-out': 40, blind: 60 };
  for (const [set, size] of Object.entries(sizes)) {
    expect(ofSet(set as Question['set'])).toHaveLength(size);
  }
  expect(ofSet('common').filter(isAnswered).length).toBeGreaterThanOrEqual(56);
  expect(ofSet('drawn').filter(isAnswered).length).toBeGreaterThanOrEqual(45);
  expect(ofSet('held-out').filter(isAnswered).length).toBeGreaterThanOrEqual(28);
  expect(ofSet('blind').filter(isAnswered).length).toBeGreaterThanOrEqual(54);
});

it.each([
  ['a plural', 'repositories', toolOf('get_repository', 'Gets it.')],
  ['a verb form', 'deleting', toolOf('delete_it', 'Gone.')],
  ['capital letters in a name', 'issue', toolOf('createIssue', 'Makes one.')],
  ['letters of abbreviations', 'url', toolOf('parseURLText', 'Reads it.')],
  ['a shortened word', 'repository', toolOf('list_repos', 'Lists them.')],
  ['a lengthened word', 'org', toolOf('get_organization', 'Gets it.')],
  ['the spelling of another country', 'customisation', toolOf('customization', 'Changes it.')],
  ['a verb with nearly the same meaning', 'remove', toolOf('delete_it', 'Gone.')],
  ['the opposite of a verb', 'stop it', toolOf('unsubscribe', 'No more news.')],
  ['an argument', 'quantity', toolOf('buy', 'Buys.', 'quantity')],
  ['full-width letters', 'ｉｓｓｕｅ', toolOf('issue', 'One.')],
  ['another script', 'задача', toolOf('tasks', 'Одна задача.')],
  ['only words that say nothing', 'do it', toolOf('do_it', 'Does it.')],
])('matches %s', async (_, query, tool) => {
  const other = toolOf('weather', 'Tells the temperature.');
  expect(await found(query, [other, tool])).toEqual([tool.name]);
});

it('ranks names above descriptions, and tools with more words of the query above others', async () => {
  const tools = [
    toolOf('send_mail', 'Sends a text about an order.'),
    toolOf('list_orders', 'Lists all of them.'),
    toolOf('close_account', 'Closes an account.'),
    toolOf('close_order', 'Closes it.'),
  ];
  expect((await found('order', tools)).at(-1)).toBe('send_mail');
  expect((await found('close an order', tools))[0]).toBe('close_order');
});

it('ranks a word above one that only begins as it does', async () => {
  const tools = [toolOf('get_format', 'Gets it.'), toolOf('get_form', 'Gets it.')];
  expect(await found('form', tools)).toEqual(['get_form', 'get_format']);
});

it('keeps the order of tools that match equally well', async () => {
  const tools = ['z', 'x', 'y'].map((name) => toolOf(`${name}:pay`, 'Pays.'));
  expect(await found('pay', tools)).toEqual(['z:pay', 'x:pay', 'y:pay']);
});

it.each([
  '',
  ' ',
  '.*',
  '(a+)+$',
  '\\',
  '\0',
  '\uD800',
  '__proto__',
  'constructor',
  '😀',
  '=create',
])('finds nothing for %j', async (query) => {
  expect(await found(query, [toolOf('pay', 'Pays.')])).toEqual([]);
});

it('reads a bounded part of long texts', async () => {
  const long = toolOf('pay', `${'word '.repeat(2000)}needle`);
  expect(await found('word', [long])).toEqual(['pay']);
  expect(await found('needle', [long])).toEqual([]);
  expect(await found(`${'word '.repeat(40)}pay`, [toolOf('pay', 'Pays.')])).toEqual([]);
});

it('lets other work go on while it makes the index of many tools', async () => {
  const words = Array.from({ length: 100 }, (_, index) => `${index.toString(36)}ing`).join(' ');
  const tools = Array.from({ length: 5000 }, (_, index) => toolOf(`pay_${index}`, words));
  let turns = 0;
  let isMade = false;
  const count = (): void => {
    turns += 1;
    if (!isMade) setImmediate(count);
  };
  setImmediate(count);
  await ToolIndex.of(tools);
  isMade = true;
  expect(turns).toBeGreaterThan(3);
});
