import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { McpServer } from '../mcp-server.ts';
import { ElicitationAnswers } from './answer-elicitation.ts';
import { RunningCalls } from './running-calls.ts';

/** What a server may ask for, and who answers. */
export class ServerRequests {
  readonly calls: RunningCalls = new RunningCalls();
  readonly #elicitation: ElicitationAnswers | undefined;

  constructor(server: McpServer) {
    if ('client' in server) return;
    const { name, onElicitation } = server;
    this.#elicitation = onElicitation && new ElicitationAnswers(name, onElicitation, this.calls);
  }

  /** What the client says that it can do. A server must not ask for anything else. */
  get capabilities(): ClientCapabilities {
    return { ...(this.#elicitation && { elicitation: { form: {}, url: {} } }) };
  }

  /** Answers the requests of a client that has the capabilities. */
  serve(client: Client): void {
    const elicitation = this.#elicitation;
    if (elicitation !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
        elicitation.answer(params, mcpReq.signal),
      );
    }
  }
}
