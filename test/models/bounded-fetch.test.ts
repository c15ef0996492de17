import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_EVENT_BYTES } from '../../src/models/shared/answer-limits.ts';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { boundedFetch } from '../../src/models/shared/bounded-fetch.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { refusalOf } from '../orchestrator/support.ts';

const MEBIBYTE = 1024 * 1024;
const EVENTS = { 'content-type': 'text/event-stream' };

/** A service that answers each request in this way; it is closed after the test. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readAll(model: LanguageModel): Promise<void> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }] as const;
  const request = { system: '', messages, tools: [], maxTokens: 10 };
  for await (const part of model.stream(request)) void part;
}

describe.each([
  ['anthropicModel', (baseUrl: string) => anthropicModel({ model: 'm', apiKey: 'k', baseUrl })],
  ['openaiModel', (baseUrl: string) => openaiModel({ model: 'm', apiKey: 'k', baseUrl })],
])('the service of %s', (_, open) => {
  const tooLarge = {
    code: 'MODEL_ANSWER_INVALID',
    message: expect.stringContaining(`an event of it has more than ${MAX_EVENT_BYTES} bytes`),
  };

  it('cannot fill the memory with a small body that is large when it is decompressed', async () => {
    const body = gzipSync(Buffer.alloc(2 * MAX_EVENT_BYTES, 'data: x'), { level: 1 });
    const url = await serve((_request, response) => {
      response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }).end(body);
    });
    expect(await refusalOf(readAll(open(url)))).toMatchObject(tooLarge);
  });

  it('is not read further if an event does not end', async () => {
    let requests = 0;
    let closed: Promise<unknown> | undefined;
    const url = await serve((_request, response) => {
      requests += 1;
      closed = once(response, 'close');
      response.writeHead(200, EVENTS);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(MEBIBYTE, 'data: x\n')));
      };
      response.on('drain', more);
      more();
    });
    expect(await refusalOf(readAll(open(url)))).toMatchObject(tooLarge);
    await closed;
    expect(requests).toBe(1);
  });

  it('says why it refuses in no more than the first 64 KiB', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(Buffer.alloc(10 * MEBIBYTE, 'No. '));
    });
    const error = await refusalOf(readAll(open(url)));
    expect(error.code).toBe('MODEL_REQUEST_FAILED');
    expect(error.message).toContain('No. No. ');
    expect(error.message.length).toBeLessThan(70_000);
  });
});

describe('the events of an answer', () => {
  it('are refused when they have more than 268,435,456 bytes in all', async () => {
    const event = Buffer.concat([Buffer.alloc(MEBIBYTE - 2, 'x'), Buffer.from('\n\n')]);
    const url = await serve((_request, response) => {
      let sent = 0;
      const more = (): void => {
        while (sent < 257 && response.write(event)) sent += 1;
        if (sent === 257) response.end();
      };
      response.on('drain', () => {
        sent += 1;
        more();
      });
      response.writeHead(200, EVENTS);
      more();
    });
    const read = async (): Promise<number> => {
      const response = await boundedFetch('m')(url);
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
      return bytes;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('it has more than 268435456 bytes'),
    });
  });

  it('arrive whole and unchanged, however the service divides them', async () => {
    let pieces: readonly string[] = [];
    const url = await serve((_request, response) => {
      response.writeHead(200, EVENTS);
      const next = (index: number): void => {
        const piece = pieces[index];
        if (piece === undefined) response.end();
        else response.write(piece, () => setImmediate(next, index + 1));
      };
      next(0);
    });
    const lines = array(constantFrom('data: é', 'data: 1', ''), { maxLength: 12 });
    const lineEnd = constantFrom('\n', '\r', '\r\n');
    await assert(
      asyncProperty(lines, lineEnd, integer({ min: 1, max: 9 }), async (texts, end, length) => {
        const all = texts.map((text) => `${text}${end}`).join('');
        pieces = all.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
        const response = await boundedFetch('m')(url);
        const chunks: string[] = [];
        for await (const chunk of response.body ?? []) {
          chunks.push(Buffer.from(chunk as Uint8Array).toString('utf8'));
        }
        expect(chunks.join('')).toBe(all);
        for (const chunk of chunks.slice(0, -1)) expect(chunk.endsWith(end + end)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
