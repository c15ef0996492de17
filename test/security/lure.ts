import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';

/** What hostile programs may call, and what they must not reach. It counts who does. */
export class Lure {
  /** Calls of the tool that code may not call, and connections to the host's port. */
  readonly reached: { calls: number; connections: number } = { calls: 0, connections: 0 };
  readonly #server: Server = createServer((socket) => {
    this.reached.connections += 1;
    socket.end('reached');
  });

  /** Opens a port of the host's own. */
  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  readonly tools: readonly ToolDefinition[] = [
    {
      name: 'echo',
      description: 'Gives back what it gets.',
      inputSchema: { type: 'object', properties: { value: {} } },
      run: (input) => (input as { value?: unknown }).value ?? null,
    },
    {
      name: 'never_answer',
      description: 'Answers only when it is told to stop.',
      run: async (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped'));
        }),
    },
    {
      name: 'host_port',
      description: 'The number of a port on which the host listens.',
      run: () => (this.#server.address() as AddressInfo).port,
    },
    {
      name: 'forbidden',
      description: 'Not for code.',
      allowedCallers: ['direct'],
      run: () => {
        this.reached.calls += 1;
      },
    },
  ];
}
