import type { ModelMessage } from '../../models/language-model.ts';
import { jsonPieces } from '../../shared/json/json-pieces.ts';
import { LoopPauses } from '../../shared/async/loop-pauses.ts';

/**
 * How many characters of JSON the messages of an entry have at most, unless one message alone has
 * more. To parse an entry blocks the event loop, for about 10 ms at this size.
 */
const MAX_PART_LENGTH = 1024 * 1024;

/** Divides messages so that each part can be an entry of its own, with pauses for other work. */
export async function inParts(messages: readonly ModelMessage[]): Promise<ModelMessage[][]> {
  if (messages.length === 1) return [[...messages]];
  const pauses = new LoopPauses();
  const parts: ModelMessage[][] = [];
  let last: ModelMessage[] | undefined;
  let length = 0;
  for (const message of messages) {
    let added = 0;
    for (const piece of jsonPieces(message)) {
      added += piece.length;
      const pause = pauses.next();
      if (pause !== undefined) await pause;
    }
    length += added;
    if (last === undefined || length > MAX_PART_LENGTH) {
      last = [];
      parts.push(last);
      length = added;
    }
    last.push(message);
  }
  return parts;
}
