import { expect, test } from 'vitest';
import { python } from '../../src/languages/python/python.ts';

test.for<[string, string]>([
  ['```python\nprint(1)\n```', 'print(1)'],
  ['```py\nprint(1)\n```\n', 'print(1)'],
  ['```\nprint(1)\n\n```', 'print(1)\n'],
  ['\n \n```Python3  \n  x = 1\n```  \n\n', '  x = 1'],
  ['~~~\nprint(1)\n~~~', 'print(1)'],
  ['````python\nprint("""\n```\n""")\n````', 'print("""\n```\n""")'],
  ['```python\r\nprint(1)\r\nprint(2)\r\n```\r\n', 'print(1)\r\nprint(2)'],
  ['```python\n```', ''],
  ['\uFEFFprint(1)', 'print(1)'],
  ['\uFEFF```py\nprint(1)\n```', 'print(1)'],
])('%j runs as %j', ([code, program]) => {
  expect(python.program(code)).toBe(program);
});

test.for([
  '',
  '  \n',
  '\tprint(1)\n\n',
  'text = """\n```python\nprint(1)\n```\n"""',
  '```json\n{}\n```',
  '```python\nprint(1)',
  'Here it is:\n```python\nprint(1)\n```',
  '```python\nprint(1)\n~~~',
  '```',
  '``````',
  'x = "```"',
])('%j is left as it is', (code) => {
  expect(python.program(code)).toBe(code);
});

test('code made to slow the search for a fence down does not [host/fence-search]', () => {
  // Where each space is begun at anew, this takes hours.
  const many = ' '.repeat(2_000_000);
  for (const code of [
    `\`\`\`python\n${many}x`,
    `${'\n'.repeat(2_000_000)}x`,
    `\`\`\`${many}!\nx`,
  ]) {
    expect(python.program(code)).toBe(code);
  }
});
