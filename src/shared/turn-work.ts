/**
 * Work that takes the event loop milliseconds, one piece in a turn. Programs decide how many large calls and results
 * come together; without this, all of them could fall into one turn.
 */

/** Work on more characters, or bytes, gets a turn of its own. */
export const LARGE_WORK = 65_536;

/** So many characters turned to or from JSON fill a turn: about 5 ms. */
const CHARACTERS_OF_A_TURN = 524_288;
/** Work on fewer characters is not counted: it takes less than counting it. */
const SMALL_WORK = 4096;
/** A turn is full, too, so long after its first work. */
const TURN_MS = 5;

let spent = 0;
let endsTurn = false;
let beganAt = 0;
const waiting: (() => void)[] = [];

/** Counts work that was just done. */
export function spendInTurn(characters: number): void {
  if (characters < SMALL_WORK) return;
  spent += characters;
  endTurnLater();
}

/** Whether this turn has had its work. */
export function turnIsFull(): boolean {
  if (spent > CHARACTERS_OF_A_TURN || waiting.length > 0) return true;
  return endsTurn && performance.now() - beganAt > TURN_MS;
}

/** Undefined if work may be done at once, as long as the turn is not full; else settles in a turn of its own. */
export function timeInTurn(): Promise<void> | undefined {
  if (turnIsFull()) return ownTurn();
  endTurnLater();
  return undefined;
}

/** Settles in a turn of its own, after those that wait longer. */
export async function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    endTurnLater();
  });
}

function endTurnLater(): void {
  if (endsTurn) return;
  endsTurn = true;
  beganAt = performance.now();
  setImmediate(() => {
    endsTurn = false;
    spent = 0;
    waiting.shift()?.();
    if (waiting.length > 0) endTurnLater();
  });
}
