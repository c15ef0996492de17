import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { McpServer } from '../mcp-server.ts';
import { ElicitationAnswers } from './answer-elicitation.ts';
import { SamplingAnswers } from './answer-sampling.ts';
import { RunningCalls } from './running-calls.ts';

/** What a server may ask for, and who answers. */
export class ServerRequests {
  readonly calls: RunningCalls = new RunningCalls();
  readonly #elicitation: ElicitationAnswers | undefined;
  readonly #sampling: SamplingAnswers | undefined;

  constructor(server: McpServer) {
    if ('client' in server) return;
    const { name, onElicitation, sampling } = server;
    this.#elicitation = onElicitation && new ElicitationAnswers(name, onElicitation, this.calls);
    this.#sampling = sampling && new SamplingAnswers(name, sampling, this.calls);
  }

  /** What the client says that it can do. A server must not ask for anything else. */
  get capabilities(): ClientCapabilities {
    return {
      ...(this.#elicitation && { elicitation: { form: {}, url: {} } }),
      ...(this.#sampling && { sampling: {} }),
    };
  }

  /** Answers the requests of a client that has the capabilities. */
  serve(client: Client): void {
    const [elicitation, sampling] = [this.#elicitation, this.#sampling];
    if (elicitation !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
        elicitation.answer(params, mcpReq.signal),
      );
    }
    if (sampling !== undefined) {
      client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) =>
        sampling.answer(params, mcpReq.signal),
      );
    }
  }
}
