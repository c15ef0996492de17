import { connectStreams, type StreamTransport } from '../../protocol/stream-transport.ts';
import type { ChildProcess } from '../../sandbox/child-process.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Command } from './deno/deno-command.ts';
import { startDeno } from './deno/deno-process.ts';
import { readProcessFacts } from './deno/process-facts.ts';
import { processMemory } from './deno/process-memory.ts';
import { embeddedSecurity } from './security-report.ts';

/**
 * Starts a supervisor and connects to it.
 * @param input - The first input of the supervisor, from `bootInput`.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startSandbox(command: Command, input: readonly Buffer[]): Promise<Sandbox> {
  const deno = await startDeno(command, input);
  const transport = connect(deno);
  const livingProcess = (): number | undefined => {
    const { pid, exitCode, signalCode } = deno.child;
    // After a process has ended, its id may belong to another one.
    return exitCode === null && signalCode === null ? pid : undefined;
  };
  return {
    id: String(deno.child.pid),
    transport,
    async memoryUsage() {
      const pid = livingProcess();
      return pid === undefined ? undefined : processMemory(pid);
    },
    async security() {
      const pid = livingProcess();
      return embeddedSecurity(command, pid === undefined ? undefined : await readProcessFacts(pid));
    },
    async close() {
      transport.destroy();
      await deno.kill();
    },
  };
}

function connect({ child }: ChildProcess): StreamTransport {
  // When its input ends, the supervisor ends. If it does not, `close` kills it.
  const transport = connectStreams(child);
  child.once('close', (status: number | null, signal: NodeJS.Signals | null) => {
    const end = signal ?? `status ${status}`;
    transport.end(new PtcError('SANDBOX_LOST', `The embedded sandbox ended (${end}).`));
  });
  return transport;
}
