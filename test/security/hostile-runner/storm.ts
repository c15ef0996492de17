import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from '../../../src/execution/execution.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import type { SessionExecuteOptions } from '../../../src/sessions/options/executor-options.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { messageOf, PtcError } from '../../../src/shared/errors.ts';
import { count, Ledger } from './ledger.ts';
import {
  BUDGETS,
  OUTPUT_LIMIT_BYTES,
  RUN_TIMEOUT_MS,
  SECRET,
  STALE,
  START_TIMEOUT_MS,
  TICK_MS,
} from './limits.ts';
import { HostileProvider } from './provider.ts';
import { chance, seededRandom, type Random } from './random.ts';
import { watchedTools } from './tools.ts';

const AT_ONCE = 64;
const HONEST_SESSIONS = 3;
const HONEST_PAUSE_MS = 100;
const MOST_READ = 1_000_000;
const FILE_WAIT_MS = 500;

/** How a run may end; a copy of the type, which has no value. */
const STATUSES: ReadonlySet<ExecutionResult['status']> = new Set([
  ...(['ok', 'error', 'timeout', 'cancelled', 'memory-limit'] as const),
  ...(['budget-exceeded', 'protocol-error', 'sandbox-lost'] as const),
]);

/** Plays so many hostile sessions, many at a time, beside a few honest ones on the same executor. */
export async function playHostileSessions(sessions: number, seed: number): Promise<Ledger> {
  const ledger = new Ledger();
  const provider = new HostileProvider(ledger, seed);
  const executor = new SandboxExecutor({
    provider,
    tools: watchedTools(ledger),
    programTimeoutMs: RUN_TIMEOUT_MS,
    sandboxStartTimeoutMs: START_TIMEOUT_MS,
    maxOutputBytes: OUTPUT_LIMIT_BYTES,
    budgets: BUDGETS,
  });
  const honest = await Promise.all(
    Array.from({ length: HONEST_SESSIONS }, async () => openHonest(executor)),
  );
  provider.honest = false;
  const clock = setInterval(() => (ledger.ticks += 1), TICK_MS);
  const storm = { over: false };
  const beside = Promise.all(honest.map((session) => goOn(session, storm, ledger)));
  let played = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (played < sessions) {
        played += 1;
        await playSession(executor, seededRandom(seed * 7_919 + played), ledger);
      }
    }),
  );
  clearInterval(clock);
  storm.over = true;
  await beside;
  await Promise.all(honest.map((session) => session.destroy()));
  if (executor.activeSessions.length > 0) ledger.wrongEnds.push('sessions are left open');
  await executor.close();
  return ledger;
}

async function openHonest(executor: SandboxExecutor): Promise<Session> {
  const session = await executor.acquire();
  await session.execute('count = 0', { timeoutMs: 60_000 });
  return session;
}

/** Uses an honest session until the storm is over. It must not notice. */
async function goOn(
  session: Session,
  storm: { readonly over: boolean },
  ledger: Ledger,
): Promise<void> {
  for (let turn = 1; !storm.over; turn += 1) {
    const code = 'count += 1\nprint(count, await echo(x=count))';
    try {
      const result = await session.execute(code, { timeoutMs: 60_000 });
      const expected = `${turn} {'x': ${turn}}\n`;
      if (result.stdout !== expected || !result.success) {
        ledger.disturbances.push(`run ${turn}: ${JSON.stringify(result)}`);
        return;
      }
      ledger.honestRuns += 1;
    } catch (error) {
      ledger.disturbances.push(`run ${turn}: ${messageOf(error)}`);
      return;
    }
    await delay(HONEST_PAUSE_MS);
  }
}

/** Uses a session as a host does that knows nothing: once, or a few times. */
async function playSession(
  executor: SandboxExecutor,
  random: Random,
  ledger: Ledger,
): Promise<void> {
  if (chance(random, 700)) {
    const signal = chance(random, 30) ? AbortSignal.timeout(random.integer(1, 50)) : undefined;
    const result = await run(executor, ledger, signal === undefined ? {} : { signal });
    const sandbox = ledger.sandboxes.get(result?.sessionId ?? '');
    // A run whose signal has fired returns at once; its sandbox is removed later.
    if (sandbox?.gone === false && signal?.aborted !== true) {
      ledger.wrongEnds.push('a run ended before its sandbox was gone');
    }
    return;
  }
  // One start in some fails.
  const session = await acquire(executor, ledger);
  if (session === undefined) return;
  if (chance(random, 200)) await readFile(session, ledger);
  let result = await run(session, ledger);
  for (let left = random.integer(1, 3); left > 0 && result?.sessionOpen === true; left -= 1) {
    result = await run(session, ledger);
  }
  await session.release();
}

/** @returns undefined if the host said why it could not. */
async function acquire(executor: SandboxExecutor, ledger: Ledger): Promise<Session | undefined> {
  try {
    return await executor.acquire();
  } catch (error) {
    noteError(error, ledger);
    return undefined;
  }
}

/** Runs once. @returns undefined where the host said why it could not. */
async function run(
  place: SandboxExecutor | Session,
  ledger: Ledger,
  options: SessionExecuteOptions = {},
): Promise<ExecutionResult | undefined> {
  let result: ExecutionResult;
  const started = performance.now();
  try {
    result = await place.execute(`print("${SECRET.length}")`, options);
  } catch (error) {
    noteError(error, ledger);
    return undefined;
  }
  const wallMs = performance.now() - started;
  count(ledger.ends, result.status);
  if (!STATUSES.has(result.status)) ledger.wrongEnds.push(`status ${result.status}`);
  if (result.durationMs < 0 || result.durationMs > wallMs) {
    ledger.wrongEnds.push(`${result.durationMs} ms of ${wallMs}`);
  }
  const last = ledger.sandboxes.get(result.sessionId)?.runs.at(-1);
  if (last !== undefined) {
    last.result = result;
    last.tookTicks = ledger.ticks - last.startedAtTick;
  }
  return result;
}

/** Reads a file of at most `MOST_READ` bytes. */
async function readFile(session: Session, ledger: Ledger): Promise<void> {
  try {
    const options = { maxBytes: MOST_READ, signal: AbortSignal.timeout(FILE_WAIT_MS) };
    const bytes = await session.files.read('file', options);
    if (bytes.length > MOST_READ) ledger.wrongEnds.push(`${bytes.length} bytes of a file`);
    count(ledger.ends, 'file');
  } catch (error) {
    noteError(error, ledger);
  }
}

function noteError(error: unknown, ledger: Ledger): void {
  if (PtcError.isInstance(error)) count(ledger.ends, error.code);
  else ledger.wrongEnds.push(`an untyped error: ${messageOf(error)}`);
  if (JSON.stringify(error).includes(STALE)) ledger.wrongEnds.push('stale text in an error');
}
