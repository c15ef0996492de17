import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { array, assert, asyncProperty, integer, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_EVENT_BYTES } from '../../../src/models/shared/answer-limits.ts';
import { AnswerBounds } from '../../../src/models/bedrock/answer-bounds.ts';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { refusalOf } from '../../orchestrator/support.ts';
import { encodeEvent, startBedrockServer } from '../../support/bedrock-server.ts';
import type { BedrockServer, ConverseReply } from '../../support/bedrock-server.ts';
import { failureOf } from '../../support/model-requests.ts';

const MEBIBYTE = 1024 * 1024;
const MODEL = 'amazon.test-v1';

function modelAt({ client }: BedrockServer, streaming = true): LanguageModel {
  return bedrockModel({ model: MODEL, client, streaming });
}

/** An event of this length, of which only the beginning is sent. */
function beginning(length: number): Buffer {
  const bytes = Buffer.alloc(MEBIBYTE);
  bytes.writeUInt32BE(length);
  return bytes;
}

describe('the service of bedrockModel', () => {
  it.each([MAX_EVENT_BYTES + 1, 2 ** 32 - 1])(
    'is not read further if it announces an event of %i bytes',
    async (length) => {
      const replies: ConverseReply[] = [{ endless: beginning(length) }];
      await using server = await startBedrockServer(replies, 3);
      const { error } = await failureOf(modelAt(server));
      expect(error).toMatchObject({
        code: 'MODEL_ANSWER_INVALID',
        message: `The answer of ${MODEL} cannot be used: an event of it has more than ${MAX_EVENT_BYTES} bytes. The cause is in the model's service.`,
      });
      await server.clientGone;
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is refused in the middle of an answer', async () => {
    const text = 'Hello. '.repeat(1000);
    const fields = { contentBlockIndex: 0, delta: { text } };
    const event = encodeEvent({ event: 'contentBlockDelta', fields });
    const events = Array.from({ length: 100 }, () => event);
    const endless = Buffer.concat([...events, beginning(2 ** 31)]);
    await using server = await startBedrockServer([{ endless }]);
    const { parts, error } = await failureOf(modelAt(server));
    expect(error.code).toBe('MODEL_ANSWER_INVALID');
    // Not all of them: the client may not have read the last ones yet.
    expect(parts[0]).toEqual({ type: 'text-delta', text });
    expect(parts.filter(({ type }) => type === 'answer-ended')).toEqual([]);
    await server.clientGone;
  });

  it('is not read further if an answer without streaming does not end', async () => {
    const replies: ConverseReply[] = [{ endless: Buffer.alloc(MEBIBYTE, ' ') }];
    await using server = await startBedrockServer(replies, 3);
    const { error } = await failureOf(modelAt(server, false));
    expect(error).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining(`it has more than ${MAX_EVENT_BYTES} bytes`),
    });
    await server.clientGone;
    expect(server.requests).toHaveLength(1);
  });

  it.each([true, false])(
    'says why it refuses in no more than the first 64 KiB (streaming: %s)',
    async (streaming) => {
      const message = 'No. '.repeat(MEBIBYTE);
      const replies = [{ status: 403, exception: 'AccessDeniedException', message }];
      await using server = await startBedrockServer(replies);
      const { error } = await failureOf(modelAt(server, streaming));
      expect(error).toMatchObject({
        code: 'MODEL_AUTHENTICATION_FAILED',
        message: expect.stringContaining('No. No. '),
      });
      expect(error.message.length).toBeLessThan(70_000);
    },
  );
});

/** Passes a body through the bounds of a stream of events, as a client does. */
async function read(chunks: Iterable<Uint8Array>): Promise<Buffer> {
  const bounds = new AnswerBounds(MODEL);
  let run = async (): Promise<unknown> => ({ response: { statusCode: 200, body: from(chunks) } });
  bounds.ofEvents({
    middlewareStack: { add: (middleware) => void (run = middleware<void, unknown>(run)) },
  });
  const { response } = (await run()) as { response: { body: Readable } };
  const passed: Buffer[] = [];
  try {
    for await (const chunk of response.body) passed.push(chunk as Buffer);
  } catch (error) {
    throw bounds.refusal ?? error;
  }
  return Buffer.concat(passed);
}

function from(chunks: Iterable<Uint8Array>): Readable {
  return Readable.from(chunks, { objectMode: false });
}

/** The bytes of an event of this length, filled with what could be taken for a large length. */
function eventOf(length: number): Buffer {
  const event = Buffer.alloc(length, 0xff);
  event.writeUInt32BE(length);
  return event;
}

function* divided(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

describe('the events of an answer of Bedrock', () => {
  const pieces = array(integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });

  it('arrive unchanged, however the service divides them', async () => {
    const lengths = array(integer({ min: 4, max: 40 }), { maxLength: 20 });
    await assert(
      asyncProperty(lengths, pieces, async (events, cuts) => {
        const bytes = Buffer.concat(events.map(eventOf));
        expect((await read(divided(bytes, cuts))).equals(bytes)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('are refused if one is too large, however the service divides it', async () => {
    await assert(
      asyncProperty(nat({ max: 2 ** 31 }), pieces, async (more, cuts) => {
        const bytes = Buffer.concat([eventOf(30), beginning(MAX_EVENT_BYTES + 1 + more)]);
        const error = await refusalOf(read(divided(bytes.subarray(0, 40), cuts)));
        expect(error.message).toContain('an event of it has more than');
      }),
      { numRuns: 100 },
    );
  });

  it('are refused when they have more than 268,435,456 bytes in all', async () => {
    const event = eventOf(MEBIBYTE);
    const error = await refusalOf(read(Array.from({ length: 257 }, () => event)));
    expect(error.message).toContain('it has more than 268435456 bytes');
  });
});
