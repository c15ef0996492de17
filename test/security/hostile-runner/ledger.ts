import type { ExecutionResult } from '../../../src/execution/execution.ts';

/** What a hostile runner did in one run, and what the host must make of it. */
export interface RunRecord {
  readonly executionId: string;
  readonly sessionId: string;
  /** Calls that the host may answer, by their ids. */
  readonly calls: Set<string>;
  /** Answers that came, with repetitions. */
  readonly replies: string[];
  /** Whether it handed back a value. */
  handedBack: boolean;
  /** Whether it said what the protocol never allows, and nothing before whose effect is chance. */
  brokeProtocol: boolean;
  /** Whether a frame with random changes went out: what follows from it is not known. */
  unpredictable: boolean;
  /** What `Ledger.ticks` was when the host started the run. */
  readonly startedAtTick: number;
  /** The result that the host gave. */
  result: ExecutionResult | undefined;
  /** How many ticks the host took to give the result. */
  tookTicks: number | undefined;
}

/** What became of one sandbox. */
export interface SandboxRecord {
  readonly sessionId: string;
  readonly runs: RunRecord[];
  /** Whether the host has cut the connection. */
  cut: boolean;
  /** Whether all calls under way had been told to end when the host ended the sandbox. */
  callsEndedBeforeClose: boolean | undefined;
  /** Whether the sandbox is gone. */
  gone: boolean;
}

/** Everything that is judged in the end. Violations are told in words, so that a failure says what happened. */
export class Ledger {
  readonly sandboxes: Map<string, SandboxRecord> = new Map();
  /** What tools that code may not call, and calls that nobody may make, ran all the same. */
  readonly forbiddenRuns: string[] = [];
  /** Calls that reached a tool as another session's. */
  readonly wrongIdentities: string[] = [];
  /** Arguments that reached a tool and do not fit it. */
  readonly wrongArguments: string[] = [];
  /** What the host sent that no sandbox may have. */
  readonly leaks: string[] = [];
  /** Results and errors of the host that are not of their closed sets. */
  readonly wrongEnds: string[] = [];
  /** What an honest session saw that it should not. */
  readonly disturbances: string[] = [];
  /** Calls under way, by session. */
  readonly callsUnderWay: Map<string, number> = new Map();
  mostCallsAtOnce = 0;
  /** The signals of calls that take time, by session. */
  readonly signals: Map<string, Set<AbortSignal>> = new Map();
  /** How many calls a session's tools carried out. */
  readonly carriedOut: Map<string, number> = new Map();
  /** Runs of each tool. */
  readonly ran: Map<string, number> = new Map();
  /** Runs with each end. */
  readonly ends: Map<string, number> = new Map();
  honestRuns = 0;
  /**
   * Counts `TICK_MS` of this process's event loop. If the machine is busy and the loop is late, it
   * counts as late, so a number of ticks is a time in which the host could act as often.
   */
  ticks = 0;

  beginCall(sessionId: string, tool: string): void {
    count(this.ran, tool);
    count(this.carriedOut, sessionId);
    const now = count(this.callsUnderWay, sessionId);
    this.mostCallsAtOnce = Math.max(this.mostCallsAtOnce, now);
  }

  endCall(sessionId: string): void {
    count(this.callsUnderWay, sessionId, -1);
  }

  get runs(): RunRecord[] {
    return [...this.sandboxes.values()].flatMap(({ runs }) => runs);
  }
}

export function count(counts: Map<string, number>, name: string, by = 1): number {
  const now = (counts.get(name) ?? 0) + by;
  counts.set(name, now);
  return now;
}
