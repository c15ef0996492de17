import { expect, it, onTestFinished, vi } from 'vitest';
import type { ImageDataBlock, ModelMessage } from '../../../src/models/language-model.ts';
import { mediaProblem } from '../../../src/models/media-problem.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import type {
  ConversationEntry,
  ConversationStore,
} from '../../../src/orchestrator/store/conversation-store.ts';
import { PIXEL } from '../../support/images.ts';
import { converse, refusalOf } from '../support.ts';
import { ended } from './stores.ts';

const MEGABYTE = 2 ** 20;

/** A PNG of this many bytes, which must be a multiple of 3. */
function dataOf(bytes: number): string {
  const image = Buffer.alloc(bytes, 7);
  Buffer.from(PIXEL, 'base64').copy(image, 0, 0, 24);
  return image.toString('base64');
}

const imageOf = (data: string): ImageDataBlock => ({ type: 'image', mediaType: 'image/png', data });

/** Images, and when their data was read: in which turn of the event loop. */
function observedImages(
  count: number,
  data: string,
): { readonly images: ImageDataBlock[]; readonly reads: number[] } {
  let turn = 0;
  let isOver = false;
  const countTurn = (): void => {
    turn += 1;
    if (!isOver) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  onTestFinished(() => {
    isOver = true;
  });
  const reads: number[] = [];
  const images = Array.from({ length: count }, () =>
    Object.defineProperty(imageOf(''), 'data', {
      enumerable: true,
      get: () => {
        reads.push(turn);
        return data;
      },
    }),
  );
  return { images, reads };
}

/** A store with one message. */
function storeOf(content: ModelMessage['content']): ConversationStore {
  const entries: ConversationEntry[] = [
    {
      type: 'messages',
      runId: 'r',
      from: 0,
      messages: [{ role: 'user', content } as ModelMessage],
      usage: NO_USAGE,
      hasState: false,
    },
    // A store gives the last known entry again.
    ended('r'),
  ];
  return {
    load: async ({ after }) => entries.slice(after),
    append: async () => {},
  };
}

/** Makes each pause due, because a fast machine could do the work in the time after which one is. */
function pauseAlways(): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  onTestFinished(() => clock.mockRestore());
}

it('images of a stored conversation are checked once', async () => {
  const { images, reads } = observedImages(3, PIXEL);
  const { orchestrator } = converse([], { store: storeOf(images) });
  await orchestrator.load();
  const readsOfFirst = reads.length;
  expect(readsOfFirst).toBeGreaterThanOrEqual(3);
  await orchestrator.load();
  await orchestrator.load();
  expect(reads).toHaveLength(readsOfFirst);
});

it('the images of one message are checked in several turns', async () => {
  const { images, reads } = observedImages(20, PIXEL);
  const { orchestrator } = converse([], { store: storeOf(images) });
  pauseAlways();
  await orchestrator.load();
  // One for the schema of the message, and one for the check of each image.
  expect(new Set(reads).size).toBeGreaterThanOrEqual(images.length);
});

it('one large image is checked in several turns', async () => {
  const turnsFor = async (bytes: number): Promise<number> => {
    const { images, reads } = observedImages(2, dataOf(bytes));
    const { orchestrator } = converse([], { store: storeOf(images) });
    await orchestrator.load();
    // The check of the second image begins when that of the first is over.
    return Math.max(...reads) - Math.min(...reads);
  };
  pauseAlways();
  const additional = (await turnsFor(3 * MEGABYTE)) - (await turnsFor(3000));
  expect(additional).toBeGreaterThanOrEqual(10);
});

it.each([
  ['begins', 0],
  ['is longer than what is checked at once', 2 ** 18],
  ['ends', 4 * MEGABYTE - 4],
])('data that is not base64 where it %s is found', async (_where, at) => {
  const good = dataOf(3 * MEGABYTE);
  expect(mediaProblem(imageOf(good))).toBeUndefined();
  for (const wrong of ['A\n==', 'AA-_', 'AAA ', 'AB==', '====']) {
    const data = good.slice(0, at) + wrong + good.slice(at + 4);
    const { orchestrator } = converse([], { store: storeOf([imageOf(data)]) });
    expect(await refusalOf(orchestrator.load())).toMatchObject({
      code: 'CONVERSATION_INVALID',
      message: expect.stringContaining('messages[0].content[0]: its data is not base64'),
    });
  }
});

it('padding before the end is found, also where one step of the check ends', () => {
  const good = dataOf(3 * MEGABYTE);
  for (const at of [4, 2 ** 18, 2 ** 19]) {
    const data = `${good.slice(0, at - 4)}AAA=${good.slice(at)}`;
    expect(mediaProblem(imageOf(data))).toMatch(/is not base64/);
  }
  expect(mediaProblem(imageOf(`${good.slice(0, -4)}AAA=`))).toBeUndefined();
});
