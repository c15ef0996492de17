import type { OutcomeMessage, RunnerMessage } from '../../protocol/messages.ts';
import { StreamTransport } from '../../protocol/stream-transport.ts';
import type { Transport } from '../../protocol/transport.ts';
import type { ResourceLimits, Sandbox } from '../../sandbox/sandbox.ts';
import { PtcError } from '../../shared/errors.ts';
import type { BwrapProcess } from './bwrap-process.ts';
import { MemoryWatch } from './memory-watch.ts';
import { memoryOf, readProcesses } from './processes.ts';
import { bubblewrapSecurity } from './security-report.ts';
import { readSupervisorFacts } from './supervisor-facts.ts';

/** Connects to a sandbox that was started, and watches its memory. */
export function connectSandbox(bwrap: BwrapProcess, limits: ResourceLimits): Sandbox {
  const { child } = bwrap;
  const { pid: launcherId = 0 } = child;
  const watch = new MemoryWatch(launcherId, limits.memoryBytes);
  child.once('exit', () => watch.stop());
  const streams = connectStreams(bwrap);
  // The id of a process that ended may be another's.
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    id: String(launcherId),
    transport: watchedTransport(streams, watch),
    async memoryUsage() {
      const { supervisor, others } = isAlive() ? readProcesses(launcherId) : NO_PROCESSES;
      return supervisor && (await memoryOf([supervisor, ...others]));
    },
    async security() {
      const { supervisor } = isAlive() ? readProcesses(launcherId) : NO_PROCESSES;
      return bubblewrapSecurity(limits, supervisor && readSupervisorFacts(supervisor.id));
    },
    async close() {
      streams.destroy();
      await bwrap.end();
    },
  };
}

const NO_PROCESSES = { supervisor: undefined, others: [] };

function connectStreams({ child }: BwrapProcess): StreamTransport {
  const transport = new StreamTransport({
    stdin: child.stdin,
    // Its input's end is its own end; where it does not heed that, `close` kills it.
    destroy: () => child.stdin.destroy(),
  });
  child.stdout.on('data', (chunk: Buffer) => transport.receive('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => transport.receive('stderr', chunk));
  child.once('close', (status: number | null, signal: NodeJS.Signals | null) => {
    // Zero is the supervisor's own word, which `bwrap` passes on.
    if (status === 0) return transport.end(undefined);
    const end = signal ?? `status ${status}`;
    transport.end(new PtcError('SANDBOX_LOST', `The bubblewrap sandbox ended (${end}).`));
  });
  return transport;
}

/** Tells the watch when a program runs, and has it explain how one ended. */
function watchedTransport(streams: StreamTransport, watch: MemoryWatch): Transport {
  const explained = (message: RunnerMessage): RunnerMessage =>
    message.kind === 'outcome' ? endOfProgram(message) : message;
  const endOfProgram = (outcome: OutcomeMessage): OutcomeMessage => {
    watch.rest();
    return watch.explain(outcome);
  };
  return {
    listen(listener) {
      streams.listen({
        message: (message, bytes) => listener.message(explained(message), bytes),
        closed: (error) => listener.closed(error),
      });
    },
    send(message) {
      if (message.kind === 'execute') watch.hurry();
      streams.send(message);
    },
    diagnostics: () => streams.diagnostics(),
    destroy: () => streams.destroy(),
  };
}
