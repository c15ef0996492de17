import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import type { McpStdioServer } from '../../src/mcp/client/mcp-server.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { toolsOf } from './support.ts';

const EVERYTHING: McpStdioServer = {
  name: 'everything',
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  ],
};

const PYTHON = `
print(await everything.echo(message="hello"))
weather = await everything.get_structured_content(location="New York")
print(weather["temperature"], weather["conditions"])
print([part["type"] for part in await everything.get_tiny_image()])
try:
    await everything.echo(massage="hello")
except ToolError as error:
    print(error.type)
`;

const TYPESCRIPT = `
const { temperature } = await everything.get_structured_content({ location: 'New York' });
console.log(temperature, await everything.get_sum({ a: 2, b: 3 }));
`;

describeWithBubblewrap('the official example server, by stdio', () => {
  it('has tools that programs in bubblewrap call', async () => {
    const tools = new ToolRegistry();
    tools.addSource(await toolsOf(EVERYTHING));
    await using executor = new SandboxExecutor({
      tools,
      provider: 'bubblewrap',
      languages: ['python', 'typescript'],
    });
    const python = await executor.execute(PYTHON);
    expect(python).toMatchObject({
      stderr: '',
      stdout: "Echo: hello\n33 Cloudy\n['text', 'image', 'text']\nInvalidArguments\n",
    });
    const typescript = await executor.execute(TYPESCRIPT, { language: 'typescript' });
    expect(typescript).toMatchObject({
      stderr: '',
      stdout: '33 The sum of 2 and 3 is 5.\n',
    });
  });
});
