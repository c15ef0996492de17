import { inBackground } from '../../shared/async/background.ts';
import type { Room } from '../supply/room.ts';
import { tenantOf } from '../tenants/tenants.ts';
import { SandboxSession } from './sandbox-session.ts';
import type { SessionRequest, SharedSessionParts } from './shared-session-options.ts';

/** What ends the start of a session. */
export interface StartSignals {
  /** Fires if nobody waits for the session any more. */
  readonly signal: AbortSignal;
  /** Fires if the session is ended. It ends only the wait for room. */
  readonly ending: AbortSignal;
}

interface StartOptions extends StartSignals {
  /** Holds the key of the session, and returns false if another process or executor has it. */
  readonly holdKey: () => Promise<boolean>;
}

/**
 * Waits for room, holds the key, and starts the sandbox of a session. Returns undefined if another
 * process or executor has the key.
 * @throws PtcError what `SandboxSupply.room` and `Room.start` throw.
 */
export async function startSession(
  { id, key }: { readonly id: string; readonly key: string | undefined },
  { labels, persistent }: SessionRequest,
  parts: SharedSessionParts,
  { holdKey, signal, ending }: StartOptions,
): Promise<SandboxSession | undefined> {
  const { supply, sessions, watch, closing, quotas, checkResults, use } = parts;
  const { audit, fairBy, resultShapes = true } = parts.options;
  const { sessionIdleTimeoutMs: timeoutMs = 270_000 } = parts.options;
  const checker = await parts.checker;
  const began = performance.now();
  const tenant = tenantOf(labels, fairBy);
  const hasId = key === undefined || persistent;
  const room = await supply.room(signal, { tenant, persistent, ending, ...(hasId && { id }) });
  if (!(await holdIn(room, holdKey, signal))) return undefined;
  const sandbox = await room.start();
  const startDurationMs = performance.now() - began;
  const about = { id, key, labels, tenant, timeoutMs, startDurationMs, use: () => use(id) };
  const shared = { audit, checker, fairBy, quotas, checkResults, resultShapes };
  const session = new SandboxSession(sandbox, { ...about, ...shared });
  sessions.add(session);
  watch.follow(session);
  if (closing.aborted) inBackground(session.leave('left'));
  return session;
}

/**
 * Holds the key now that there is room, which is given up if that fails.
 * @throws the signal's reason if nobody waits for the session any more.
 */
async function holdIn(
  room: Room,
  holdKey: StartOptions['holdKey'],
  signal: AbortSignal,
): Promise<boolean> {
  let isUsed = false;
  try {
    const isHeld = await holdKey();
    signal.throwIfAborted();
    isUsed = isHeld;
    return isHeld;
  } finally {
    if (!isUsed) await room.giveUp();
  }
}
