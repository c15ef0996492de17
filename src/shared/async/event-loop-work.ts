/**
 * Spreads work that takes milliseconds over several turns of the event loop. Programs decide how
 * many large calls and results arrive together, and how many arguments that take long to check:
 * without this, all of them could be handled in one turn and block the host.
 */

import { FairQueue, type Group } from './fair-queue.ts';

/** Work on more characters or bytes than this gets a turn of its own. */
export const LARGE_WORK = 65_536;

/** How many characters can be converted to or from JSON in one turn: about 5 ms. */
const CHARACTERS_OF_A_TURN = 524_288;
/** Work on fewer characters is not counted, because counting takes longer. */
const SMALL_WORK = 4096;
/** A turn is also full this long after its first work, and after work that takes this long. */
const TURN_MS = 5;
/** Shorter work is not counted by its time. */
const SMALL_WORK_MS = 0.5;

/** Work that waits for its time. */
interface WaitingWork {
  readonly begin: () => void;
  /** Whether it needs a turn of its own. */
  readonly isLarge: boolean;
}

let spent = 0;
let spentMs = 0;
let endsTurn = false;
let beganAt = 0;
const waiting: FairQueue<WaitingWork> = new FairQueue();

/** Counts work that has just been done. */
export function countLoopWork(characters: number): void {
  if (characters < SMALL_WORK) return;
  spent += characters;
  endTurnLater();
}

/** Counts work that has just been done, and whose time does not depend on its size. */
export function countLoopTime(durationMs: number): void {
  if (durationMs < SMALL_WORK_MS) return;
  spentMs += durationMs;
  endTurnLater();
}

/** Whether work that was counted by its time has filled this turn. */
export function isLoopTurnSpent(): boolean {
  return spentMs > TURN_MS;
}

/** Whether this turn has no time for more work. */
export function isLoopTurnFull(): boolean {
  return waiting.size > 0 || isTurnOver();
}

/**
 * Returns undefined if small work can be done at once. Otherwise, returns a promise that settles in a
 * turn that has time for it, after the callers that have waited longer. If they name groups, the groups
 * are served one after another.
 */
export function timeInLoopTurn(group?: Group): Promise<void> | undefined {
  if (isLoopTurnFull()) return timeOf(group, false);
  endTurnLater();
  return undefined;
}

/** Like `timeInLoopTurn`, but always settles in a turn of its own. */
export async function ownLoopTurn(group?: Group): Promise<void> {
  return timeOf(group, true);
}

function timeOf(group: Group, isLarge: boolean): Promise<void> {
  return new Promise((begin) => {
    waiting.add({ begin, isLarge }, group);
    endTurnLater();
  });
}

function isTurnOver(): boolean {
  if (spent > CHARACTERS_OF_A_TURN || isLoopTurnSpent()) return true;
  return endsTurn && performance.now() - beganAt > TURN_MS;
}

function endTurnLater(): void {
  if (endsTurn) return;
  endsTurn = true;
  beganAt = performance.now();
  setImmediate(() => {
    endsTurn = false;
    spent = 0;
    spentMs = 0;
    if (waiting.size === 0) return;
    // What is done now counts towards the turn that begins now.
    endTurnLater();
    beginNext();
  });
}

/** Begins the work that has waited longest, and then as much small work as the turn has time for. */
function beginNext(): void {
  const next = waiting.take();
  next?.begin();
  // What it does when its promise has settled is done before the next tick.
  if (next?.isLarge === false) queueMicrotask(() => process.nextTick(beginMore));
}

function beginMore(): void {
  if (waiting.next?.isLarge === false && !isTurnOver()) beginNext();
}
