import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { readMcpServers } from '../../src/mcp/servers-file/read-mcp-servers.ts';

const environment = { TOKEN: 'secret-token', EMPTY: '', NESTED: '${TOKEN}' };

const read = (servers: unknown): ReturnType<typeof readMcpServers> =>
  readMcpServers(JSON.stringify({ mcpServers: servers, theme: 'dark' }), { environment });

const messageOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ code: 'OPTION_INVALID' });
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
};

describe('a file of MCP servers', () => {
  it('has servers by stdio and by HTTP, as options for mcpTools', () => {
    const { servers, warnings } = read({
      files: { command: 'npx', args: ['-y', 'files'], env: { A: '1' }, cwd: '/tmp' },
      web: { url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } },
      other: { type: 'http', url: 'https://example.com/mcp' },
      plain: { type: 'stdio', command: 'true', disabled: false },
    });
    expect(servers).toEqual([
      { name: 'files', command: 'npx', args: ['-y', 'files'], env: { A: '1' }, cwd: '/tmp' },
      { name: 'web', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } },
      { name: 'other', url: 'https://example.com/mcp' },
      { name: 'plain', command: 'true' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('has variables in each text, which are filled in once', () => {
    const { servers } = read({
      a: {
        command: '${MISSING:-node}',
        args: ['--key=${TOKEN}', '${EMPTY:-a}${EMPTY}', '$TOKEN', '${NESTED}', '${MISSING:-}'],
        env: { KEY: '${TOKEN}', '${TOKEN}': 'b' },
        cwd: '${MISSING:-/tmp:-x}',
      },
      b: { url: 'https://${MISSING:-example.com}/', headers: { authorization: 'Bearer ${TOKEN}' } },
    });
    expect(servers).toEqual([
      {
        name: 'a',
        command: 'node',
        args: ['--key=secret-token', 'a', '$TOKEN', '${TOKEN}', ''],
        env: { KEY: 'secret-token', '${TOKEN}': 'b' },
        cwd: '/tmp:-x',
      },
      {
        name: 'b',
        url: 'https://example.com/',
        headers: { authorization: 'Bearer secret-token' },
      },
    ]);
  });

  it('has the client ids with which a person logs in', () => {
    const { servers, clientIds } = read({
      'my-web': { url: 'https://example.com/mcp', oauth: { clientId: 'id-${TOKEN}' } },
      other: { url: 'https://example.com/mcp' },
    });
    expect([...clientIds]).toEqual([['my_web', 'id-secret-token']]);
    expect(servers).toMatchObject([{ name: 'my_web' }, { name: 'other' }]);
    expect(servers[0]).not.toHaveProperty('oauth');
  });

  it.each([
    [{ command: 'true', oauth: { clientId: 'a' } }],
    [{ url: 'https://example.com/', oauth: 'a' }],
    [{ url: 'https://example.com/', oauth: {} }],
    [{ url: 'https://example.com/', oauth: { clientId: '' } }],
    [{ url: 'https://example.com/', oauth: { clientId: '${EMPTY}' } }],
    [{ url: 'https://example.com/', oauth: { clientId: 'a', clientSecret: 'b' } }],
  ])('refuses %j, whose oauth cannot be used', (fields) => {
    expect(messageOf(() => read({ a: fields }))).toContain('The server "a": oauth must be');
  });

  it('says which variable of which server is not set', () => {
    const missing = { env: { A: '${TOKEN}', B: '${ALSO_MISSING}' }, command: 'true' };
    expect(messageOf(() => read({ github: missing }))).toBe(
      'The server "github" needs the environment variable ALSO_MISSING, which is not set. Set it, or write ${ALSO_MISSING:-default}.',
    );
    const of = (text: string): string => messageOf(() => read({ a: { command: text } }));
    expect(of('${env:TOKEN}')).toContain('${…} that begins with "env" and is not the name');
    expect(of('${A B:-hidden}')).not.toContain('hidden');
    // As in the environment of a process, where such names are not set.
    expect(messageOf(() => read({ a: { command: '${constructor}' } }))).toContain('not set');
  });

  it('can have disabled servers, whose fields do not matter', () => {
    expect(read({ a: { disabled: true, command: '${MISSING}', unknown: 1 } }).servers).toEqual([]);
    expect(messageOf(() => read({ a: { disabled: 'yes', command: 'true' } }))).toContain(
      'disabled must be true or false, not "yes"',
    );
  });

  it('has names that programs can use, or that are changed', () => {
    const names = ['brave-search', 'fetch', 'sequential.thinking/x', 'A1'];
    const { servers } = read(Object.fromEntries(names.map((name) => [name, { command: 'true' }])));
    expect(servers.map(({ name }) => name)).toEqual([
      'brave_search',
      'fetch_',
      'sequential_thinking_x',
      'A1',
    ]);
    expect(messageOf(() => read({ 'a-b': { command: 'x' }, a_b: { command: 'x' } }))).toBe(
      'The server "a_b" and "a-b" would both be a_b in programs. Rename one.',
    );
    for (const other of ['b'.repeat(65), 'b'.repeat(66)]) {
      const both = { ['b'.repeat(64)]: { command: 'x' }, [other]: { command: 'x' } };
      expect(messageOf(() => read(both))).toContain('in programs. Rename one.');
    }
  });

  it.each([
    ['', 'mcp'],
    ['2fa', 'mcp_2fa'],
    ['-', 'mcp_'],
    ['_x', 'mcp_x'],
    ['.net', 'mcp_net'],
    ['文件', 'mcp__'],
    ['__proto__', 'mcp__proto__'],
    ['x'.repeat(65), 'x'.repeat(64)],
    ['2'.repeat(64), `mcp_${'2'.repeat(60)}`],
  ])('has the name %j, which becomes one of a source', (label, name) => {
    const json = `{"mcpServers": {${JSON.stringify(label)}: {"command": "true"}}}`;
    const { servers } = readMcpServers(json);
    expect(servers).toEqual([{ name, command: 'true' }]);
    const registry = new ToolRegistry();
    registry.addSource({ name, tools: () => [] });
  });

  it('names the fields that have no effect, and refuses those that could have one', () => {
    const { warnings } = read({
      a: { command: 'true', autoApprove: ['x'], timeout: 5, description: 'It is a.' },
    });
    expect(warnings).toEqual([
      'The server "a": autoApprove, timeout, description has no effect here.',
    ]);
    for (const field of ['disabledTools', 'envFile', 'headersHelper', 'constructor', '__proto__']) {
      const text = `{"mcpServers": {"a": {"command": "true", "${field}": ["x"]}}}`;
      expect(messageOf(() => readMcpServers(text))).toContain(
        `The server "a" has the field "${field}", which is not supported here.`,
      );
    }
    expect(messageOf(() => read({ a: { serverUrl: 'https://a' } }))).toContain('Did you mean url?');
    expect(messageOf(() => read({ a: { comand: 'true' } }))).toContain('Did you mean command?');
  });

  it.each([
    [{ url: 'https://a', command: 'true' }, 'must have either command or url, and has both'],
    [{ args: [] }, 'must have either command or url, and has neither'],
    [{ type: 'sse', url: 'https://a' }, 'has url and the type "sse", which cannot be used'],
    [{ type: 'http', command: 'true' }, 'has command and the type "http", which cannot be used'],
    [{ type: 'constructor', command: 'true' }, 'the type "constructor", which cannot be used'],
    [{ command: 'true', args: 'a' }, 'args must be an array, not text'],
    [{ command: 'true', args: [1] }, 'args: 0 must be text, not number'],
    [{ command: 'true', env: { A: 1 } }, 'env: A must be text, not number'],
    [{ command: 7 }, 'command must be text, not a number'],
    [{ command: 'true', cwd: null }, 'cwd must be text, not null'],
    [{ command: 'true', headers: {} }, 'mcpTools cannot use headers with command'],
    [{ url: 'https://a', cwd: '/tmp' }, 'mcpTools cannot use cwd with url'],
    [{ url: ['https://a'] }, 'url must be text, not an array'],
    ['true', 'must be an object, not text'],
    [null, 'must be an object, not null'],
  ])('refuses the server %j', (server, message) => {
    expect(messageOf(() => read({ one: server }))).toContain('The server "one"');
    expect(messageOf(() => read({ one: server }))).toContain(message);
  });

  it.each([
    [{ url: '${TOKEN}/mcp' }, 'url must be an address'],
    [{ url: ['https://${TOKEN}'] }, 'url must be text, not an array'],
    [{ url: 'https://a', headers: 'Bearer ${TOKEN}' }, 'headers must be an object, not text'],
    [{ url: 'https://a', headers: ['${TOKEN}'] }, 'headers must be an object, not an array'],
    [{ url: 'https://a', headers: { key: ['${TOKEN}'] } }, 'headers: key must be text'],
    [{ command: 'a', args: '--key=${TOKEN}' }, 'args must be an array, not text'],
    [{ command: 'a', args: { key: '${TOKEN}' } }, 'args must be an array, not an object'],
    [{ command: 'a', env: 'KEY=${TOKEN}' }, 'env must be an object, not text'],
    [{ command: 'a', env: { KEY: { value: '${TOKEN}' } } }, 'env: KEY must be text'],
    [{ command: ['a', '${TOKEN}'] }, 'command must be text, not an array'],
    [{ command: 'a', cwd: ['${TOKEN}'] }, 'cwd must be text, not an array'],
    ['secret-token', 'must be an object, not text'],
  ])('shows no value of a variable if %j cannot be used', (server, message) => {
    let thrown: unknown;
    try {
      read({ a: server });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'OPTION_INVALID' });
    expect((thrown as Error).message).toContain(message);
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('secret-token');
  });

  it.each([
    ['', 'The file of servers is not valid JSON'],
    ['[]', 'whose member mcpServers is an object'],
    ['{"servers": {}}', 'whose member mcpServers is an object'],
    ['{"mcpServers": []}', 'whose member mcpServers is an object'],
    ['null', 'whose member mcpServers is an object'],
    ['{"mcpServers": {"a": {}, "a": {}}}', 'The name "a" occurs twice in one object'],
    [
      '{"mcpServers": {"a": {"command": "x", "\\u0063ommand": "y"}}}',
      'The name "command" occurs twice in one object',
    ],
    [`{"mcpServers": {}, "a": "${'x'.repeat(2 ** 20)}"}`, 'at most 1048576 are allowed'],
  ])('refuses the text %.40s', (text, message) => {
    expect(messageOf(() => readMcpServers(text))).toContain(message);
  });

  it('may repeat a name in another object, or in a text', () => {
    const text =
      '\uFEFF{"mcpServers": {"a": {"command": "\\"a\\": {", "args": ["a", "a", ":"]}, "b": {"command": "a"}}}';
    expect(readMcpServers(text).servers).toHaveLength(2);
  });

  it('quotes nothing of a text that is not JSON, because it may have a secret', () => {
    const message = messageOf(() => readMcpServers('{\n"mcpServers": {\n"key": secret-token,\n}}'));
    expect(message).toContain('The file of servers is not valid JSON');
    expect(message).not.toContain('secret');
  });
});
