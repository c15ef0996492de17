import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { McpServer } from '../../src/mcp/client/mcp-server.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { toolsOf } from './support.ts';

const SCRIPT = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

/** How the server is reached. */
const WAYS = {
  stdio: async (): Promise<McpServer> => ({
    name: 'everything',
    command: process.execPath,
    args: [SCRIPT],
  }),
  HTTP: async (): Promise<McpServer> => {
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [SCRIPT, 'streamableHttp'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'close');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    for await (const text of child.stderr) if (String(text).includes('listening')) break;
    return { name: 'everything', url: `http://127.0.0.1:${port}/mcp` };
  },
};

/** The server cannot say which port it got. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

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

describeWithBubblewrap('the official example server', () => {
  it.each(Object.entries(WAYS))(
    'by %s has tools that programs in bubblewrap call',
    async (_, start) => {
      const tools = new ToolRegistry();
      tools.addSource(await toolsOf(await start()));
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
    },
  );
});
