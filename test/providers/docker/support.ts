import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type Docker from 'dockerode';
import type { OutcomeMessage, RunnerMessage } from '../../../src/protocol/messages.ts';
import { LABELS } from '../../../src/providers/docker/container/container-config.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import { DEFAULT_LIMITS, type Sandbox, type SandboxSpec } from '../../../src/sandbox/sandbox.ts';

/** Sets the containers and images of this run of the tests apart from those of another. */
export const runId: string = randomUUID().slice(0, 8);

/** The session of a test. */
export function sessionOf(test: string): string {
  return `${test}-${runId}`;
}

/** The spec of a sandbox for one test, findable by its session. */
export function specOf(test: string): SandboxSpec {
  return {
    sessionId: sessionOf(test),
    languages: ['python'],
    limits: DEFAULT_LIMITS,
  };
}

/** The host's end of a sandbox, as far as these tests need one. */
export class SandboxClient {
  readonly sandbox: Sandbox;
  /** Settles with the transport's account of its end. */
  readonly closed: Promise<Error | undefined>;
  readonly #waiting: ((message: RunnerMessage) => void)[] = [];
  readonly #arrived: RunnerMessage[] = [];

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.closed = new Promise((resolve) => {
      sandbox.transport.listen({
        message: (message) => {
          // The answer to `start`, which comes before anything that the program does.
          if (message.kind === 'configured') return;
          const waiting = this.#waiting.shift();
          if (waiting) waiting(message);
          else this.#arrived.push(message);
        },
        closed: resolve,
      });
    });
  }

  /** The next message. @throws what the sandbox said, when it ends instead. */
  async next(): Promise<RunnerMessage> {
    const arrived = this.#arrived.shift();
    if (arrived) return arrived;
    const message = new Promise<RunnerMessage>((resolve) => this.#waiting.push(resolve));
    const end = this.closed.then((error) => {
      const said = this.sandbox.transport.diagnostics();
      throw new Error(`The sandbox ended: ${error?.message ?? 'in good order'}. ${said}`);
    });
    return Promise.race([message, end]);
  }

  /** Runs a program and gives what it printed on either stream, with its outcome. */
  async run(code: string): Promise<{ output: string; outcome: OutcomeMessage }> {
    this.start(code);
    let output = '';
    for (;;) {
      const message = await this.next();
      if (message.kind === 'output-delta') output += message.text;
      if (message.kind === 'outcome') return { output, outcome: message };
    }
  }

  /** Runs a program without waiting for it. */
  start(code: string): void {
    this.sandbox.transport.send({
      kind: 'configure',
      language: 'python',
      tools: [],
      output_limit_bytes: 1_000_000,
      call_limit_bytes: 1_048_576,
      call_limit_values: 20_000,
      cancel_grace_ms: 1000,
      cancel_limit_ms: 5000,
    });
    this.sandbox.transport.send({
      kind: 'execute',
      language: 'python',
      execution_id: randomUUID(),
      code,
      time_limit_ms: 60_000,
    });
  }

  /** Runs a program that prints one JSON value, and gives the value. */
  async evaluate(code: string): Promise<unknown> {
    const { output, outcome } = await this.run(code);
    if (!outcome.success) throw new Error(outcome.error?.traceback);
    return JSON.parse(output);
  }
}

/** The containers of a test's session, ended ones included. */
export async function containersOf(docker: Docker, test: string): Promise<string[]> {
  const label = [`${LABELS.session}=${sessionOf(test)}`];
  const containers = await docker.listContainers({ all: true, filters: { label } });
  return containers.map(({ Id }) => Id);
}

/** Starts listening for the removal, as Docker or Podman calls it, which `done` waits for. */
export async function watchRemoval(
  docker: Docker,
  test: string,
): Promise<{ readonly done: Promise<unknown> }> {
  const events = await docker.getEvents({
    filters: { event: ['destroy', 'remove'], label: [`${LABELS.session}=${sessionOf(test)}`] },
  });
  return { done: once(events, 'data') };
}

/**
 * Pauses a container. If its processes have not stopped after a thousand looks, which a busy machine decides, runc lets them
 * go on and says so.
 */
export async function pause(container: Docker.Container): Promise<void> {
  for (;;) {
    try {
      await container.pause();
      return;
    } catch (error) {
      if (!messageOf(error).includes('unable to freeze')) throw error;
    }
  }
}
