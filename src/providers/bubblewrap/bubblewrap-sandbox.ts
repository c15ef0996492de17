import type { OutcomeMessage, RunnerMessage } from '../../protocol/messages.ts';
import { connectStreams, type StreamTransport } from '../../protocol/stream-transport.ts';
import type { Transport, TransportListener } from '../../protocol/transport.ts';
import type { ResourceLimits, Sandbox } from '../../sandbox/sandbox.ts';
import { inBackground } from '../../shared/async/background.ts';
import { PtcError } from '../../shared/errors.ts';
import type { BwrapProcess } from './start/bwrap-process.ts';
import { explainEnd } from './memory/memory-end.ts';
import { countedTwice, sumOf } from './memory/memory-use.ts';
import { MemoryWatch } from './memory/memory-watch.ts';
import { memoryOf, readProcesses, type SandboxProcesses } from './processes.ts';
import { bubblewrapSecurity } from './check/security-report.ts';
import type { ProcessEnd } from './start/spawned-process.ts';
import { readSupervisorFacts } from './check/supervisor-facts.ts';
import { findVforkChildren } from './memory/vfork-children.ts';

/** Options of `connectSandbox`. */
export interface ConnectOptions {
  readonly limits: ResourceLimits;
  /** Why no control group limits its memory, which the host measures then: a clause. */
  readonly absence: string;
  /** Called when a program has ended. */
  readonly onOutcome?: () => void;
}

/** Connects to a started sandbox. */
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
  // When its input ends, the supervisor ends. If it does not, `close` kills it.
  const streams = connectStreams(bwrap);
  inBackground(spawned.closed.then((end) => streams.end(errorOf(end))));
  // After a process has ended, its id may belong to another one.
  const read = (): SandboxProcesses => (bwrap.isAlive() ? readProcesses(launcherId) : NO_PROCESSES);
  const memoryKills = (): number => (watch?.kills ?? 0) + (group?.memoryKills() ?? 0);
  // Those of one program do not explain the end of the next, but one between them does: it was the interpreter.
  let earlierKills = 0;
  return {
    id: String(launcherId),
    transport: explainedTransport(streams, watch, (outcome) => {
      watch?.programEnded();
      onOutcome?.();
      const kills = memoryKills();
      const explained = explainEnd(outcome, kills > earlierKills);
      earlierKills = kills;
      return explained;
    }),
    async memoryUsage() {
      if (group !== undefined) return bwrap.isAlive() ? group.memoryUsage() : undefined;
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
 * Whether the host measures a sandbox: if no control group limits it, or if it belongs to the
 * host's own user, for whom the kernel limits some resources in total.
 */
export function isWatched(bounded: boolean): boolean {
  return !bounded || process.getuid?.() !== 0;
}

const NO_PROCESSES: SandboxProcesses = { supervisor: undefined, others: [] };

/**
 * `bwrap` exits with the status of the supervisor, and 0 means that the supervisor ended normally.
 */
function errorOf({ status, signal }: ProcessEnd): PtcError | undefined {
  if (status === 0) return undefined;
  const end = signal ?? `status ${status}`;
  return new PtcError('SANDBOX_LOST', `The bubblewrap sandbox ended (${end}).`);
}

/** Tells the watch when a program begins, and uses it to explain how a program ended. */
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
        tenant: () => listener.tenant?.(),
      };
      streams.listen(explaining, calls);
    },
    send(message) {
      if (message.kind === 'execute') watch?.programStarted();
      streams.send(message);
    },
    get taken() {
      return streams.taken;
    },
    diagnostics: () => streams.diagnostics(),
    destroy: () => streams.destroy(),
  };
}
