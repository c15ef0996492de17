import type { OutcomeMessage, RunnerMessage } from '../../protocol/messages.ts';
import { StreamTransport } from '../../protocol/stream-transport.ts';
import type { Transport, TransportListener } from '../../protocol/transport.ts';
import type { ResourceLimits, Sandbox } from '../../sandbox/sandbox.ts';
import { inBackground } from '../../shared/background.ts';
import { PtcError } from '../../shared/errors.ts';
import type { BwrapProcess } from './bwrap-process.ts';
import { explainEnd } from './memory-end.ts';
import { countedTwice, sumOf } from './memory-use.ts';
import { MemoryWatch } from './memory-watch.ts';
import { memoryOf, readProcesses, type SandboxProcesses } from './processes.ts';
import { bubblewrapSecurity } from './security-report.ts';
import type { ProcessEnd } from './spawned-process.ts';
import { readSupervisorFacts } from './supervisor-facts.ts';
import { findVforkChildren } from './vfork-children.ts';

/** What a sandbox is connected with. */
export interface ConnectOptions {
  readonly limits: ResourceLimits;
  /** Why no group bounds its memory, which is watched then: a clause. */
  readonly absence: string;
  /** Called whenever a program has ended. */
  readonly onOutcome?: () => void;
}

/** Connects to a sandbox that was started. */
export function connectSandbox(
  bwrap: BwrapProcess,
  { limits, absence, onOutcome }: ConnectOptions,
): Sandbox {
  const { spawned, group } = bwrap;
  const launcherId = spawned.id;
  const watch = isWatched(group !== undefined)
    ? new MemoryWatch(launcherId, group ? Infinity : limits.memoryBytes)
    : undefined;
  inBackground(spawned.exited.then(() => watch?.stop()));
  const streams = connectStreams(bwrap);
  // The id of a process that ended may be another's.
  const read = (): SandboxProcesses => (bwrap.isAlive() ? readProcesses(launcherId) : NO_PROCESSES);
  return {
    id: String(launcherId),
    transport: explainedTransport(streams, watch, (outcome) => {
      watch?.rest();
      onOutcome?.();
      return explainEnd(outcome, () => watch?.hasKilled() === true || group?.hasKilled() === true);
    }),
    async memoryUsage() {
      const { supervisor, others } = read();
      if (supervisor === undefined) return undefined;
      const all = [supervisor, ...others];
      const children = findVforkChildren(all);
      const shares = await memoryOf(all);
      return sumOf(shares) - countedTwice(shares, children);
    },
    async security() {
      const { supervisor } = read();
      const facts = supervisor && readSupervisorFacts(supervisor.id);
      return bubblewrapSecurity(limits, facts, group?.readSettings(limits) ?? { absence });
    },
    async close() {
      streams.destroy();
      await bwrap.end();
    },
  };
}

/**
 * Whether the host looks at what a sandbox uses: if no control group bounds it, or if it is of the host's own user, for
 * whom the kernel bounds some things in total.
 */
export function isWatched(bounded: boolean): boolean {
  return !bounded || process.getuid?.() !== 0;
}

const NO_PROCESSES: SandboxProcesses = { supervisor: undefined, others: [] };

function connectStreams({ spawned, stdin, stdout, stderr }: BwrapProcess): StreamTransport {
  const transport = new StreamTransport({
    stdin,
    sources: [stdout, stderr],
    // Its input's end is its own end; where it does not heed that, `close` kills it.
    destroy: () => void stdin.destroy(),
  });
  stdout.on('data', (chunk: Buffer) => transport.receive('stdout', chunk));
  stderr.on('data', (chunk: Buffer) => transport.receive('stderr', chunk));
  inBackground(spawned.closed.then((end) => transport.end(errorOf(end))));
  return transport;
}

/** Zero is the supervisor's own word, which `bwrap` passes on. */
function errorOf({ status, signal }: ProcessEnd): PtcError | undefined {
  if (status === 0) return undefined;
  const end = signal ?? `status ${status}`;
  return new PtcError('SANDBOX_LOST', `The bubblewrap sandbox ended (${end}).`);
}

/** Tells the watch when a program runs, and has it explain how one ended. */
function explainedTransport(
  streams: StreamTransport,
  watch: MemoryWatch | undefined,
  explain: (outcome: OutcomeMessage) => OutcomeMessage,
): Transport {
  const explained = (message: RunnerMessage): RunnerMessage =>
    message.kind === 'outcome' ? explain(message) : message;
  return {
    listen(listener, calls) {
      const explaining: TransportListener = {
        message: (message, line) => listener.message(explained(message), line),
        closed: (error) => listener.closed(error),
      };
      streams.listen(explaining, calls);
    },
    send(message) {
      if (message.kind === 'execute') watch?.hurry();
      streams.send(message);
    },
    diagnostics: () => streams.diagnostics(),
    destroy: () => streams.destroy(),
  };
}
