import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { ERA_NAMES, ERAS } from './servers/http.ts';
import { callerOf, scriptedServer, scriptedTool, toolsOf, warningsOf } from './support.ts';

function withResources(): McpServer {
  const server = new McpServer({ name: 'files', version: '1' });
  server.registerTool('ping', { inputSchema: z.object({}) }, () => ({ content: [] }));
  server.registerResource(
    'Readme',
    'file:///readme.md',
    { mimeType: 'text/markdown', description: 'How to begin.' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/markdown', text: '# Begin' }] }),
  );
  server.registerResource('Logo', 'file:///logo.png', {}, ({ href }) => ({
    contents: [{ uri: href, blob: Buffer.from([0, 255, 16]).toString('base64') }],
  }));
  const issue = new ResourceTemplate('issue://{id}', { list: undefined });
  server.registerResource('Issue', issue, { mimeType: 'text/plain' }, ({ href }, { id }) => ({
    contents: [{ uri: href, text: `Issue ${String(id)}` }],
  }));
  return server;
}

it.each(ERA_NAMES)('lists and reads the resources of a server of %s', async (era) => {
  const { url } = await ERAS[era](withResources);
  const { call } = await callerOf({ name: 'files', url, resources: true });
  expect(await call('list_resources')).toEqual({
    resources: [
      {
        uri: 'file:///readme.md',
        name: 'Readme',
        description: 'How to begin.',
        mimeType: 'text/markdown',
      },
      { uri: 'file:///logo.png', name: 'Logo' },
    ],
    templates: [{ uriTemplate: 'issue://{id}', name: 'Issue', mimeType: 'text/plain' }],
    complete: true,
  });
  expect(await call('read_resource', { uri: 'file:///readme.md' })).toEqual([
    { uri: 'file:///readme.md', mimeType: 'text/markdown', text: '# Begin' },
  ]);
  expect(await call('read_resource', { uri: 'file:///logo.png' })).toEqual([
    { uri: 'file:///logo.png', data: 'AP8Q' },
  ]);
  expect(await call('read_resource', { uri: 'issue://7' })).toEqual([
    { uri: 'issue://7', text: 'Issue 7' },
  ]);
  expect(await call('read_resource', { uri: 'file:///other' })).toMatchObject({
    type: 'Failed',
    message: expect.stringContaining('file:///other'),
  });
});

it('lets a program read a resource, whose result is typed', async () => {
  const { url } = await ERAS['2026-07-28'](withResources);
  const tools = new ToolRegistry();
  tools.addSource(await toolsOf({ name: 'files', url, resources: true }));
  await using executor = new SandboxExecutor({
    tools,
    provider: unisolatedLocalProvider(),
    checkResults: 'error',
  });
  const result = await executor.execute(`
listed = await files.list_resources()
for resource in listed["resources"]:
    [content] = await files.read_resource(uri=resource["uri"])
    print(resource["name"], content.get("text"), content.get("data"))
`);
  expect(result).toMatchObject({ stderr: '', stdout: 'Readme # Begin None\nLogo None AP8Q\n' });
});

it('has no tools for resources unless they are asked for', async () => {
  const { url } = await ERAS['2026-07-28'](withResources);
  const source = await toolsOf({ name: 'files', url });
  expect(source.tools().map(({ name }) => name)).toEqual(['ping']);
});

it('has no resources of a server without them', async () => {
  const { call } = await callerOf({ ...scriptedServer({ tools: [] }), resources: true });
  expect(await call('list_resources')).toEqual({ resources: [], templates: [], complete: true });
});

it('keeps the tools of a server that are called like those for resources', async () => {
  const warnings = warningsOf('PTC_MCP_TOOL');
  const tools = [scriptedTool('read-resource')];
  const source = await toolsOf({ ...scriptedServer({ tools }), resources: true });
  expect(source.tools().map(({ name }) => name)).toEqual(['read-resource', 'list_resources']);
  await expect
    .poll(() => warnings)
    .toContainEqual(expect.stringContaining('read_resource for its resources'));
});

it.each([
  ['pages without end', { resources: { nextCursor: 'more', resources: [] } }],
  [
    'more than 5000 resources',
    {
      resources: { resources: Array.from({ length: 5001 }, () => ({ uri: 'a:b', name: 'b' })) },
    },
  ],
  ['long texts', { resources: { resources: [{ uri: 'a:b', name: { x: 3_000_000 } }] } }],
])('lists only a part of %s', async (_what, script) => {
  const { call } = await callerOf({ ...scriptedServer(script), resources: true });
  const listed = await call('list_resources');
  expect(listed).toMatchObject({ complete: false });
  expect(JSON.stringify(listed).length).toBeLessThan(2 ** 21);
});

it('refuses what programs cannot get or ask for', async () => {
  const script = { resources: { contents: [{ uri: 'a:b', text: { x: 9_000_000 } }] } };
  const { call } = await callerOf({ ...scriptedServer(script), resources: true });
  expect(await call('read_resource', { uri: 'a:b' })).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringContaining('at most 8388608 are allowed'),
  });
  expect(await call('read_resource', { uri: `a:${'b'.repeat(8192)}` })).toMatchObject({
    type: 'InvalidArguments',
  });
  await expect(
    mcpTools({ name: 'files', url: 'http://127.0.0.1', resources: 'all' as never }),
  ).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('resources must be true or false'),
  });
});
