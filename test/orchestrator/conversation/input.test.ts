import { describe, expect, it } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { InputBlock, LanguageModel } from '../../../src/models/language-model.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import type { RunEvent, RunInput } from '../../../src/orchestrator/events/run-events.ts';
import { startBedrockServer } from '../../support/bedrock-server.ts';
import { imageData, linkedImage, pdf, plainText, png } from '../../support/media.ts';
import { converse, refusalOf, says, uses } from '../support.ts';

const text: InputBlock = { type: 'text', text: 'What is this?' };

describe('the input of a run', () => {
  it('can be blocks, which the model gets and the conversation keeps', async () => {
    const { orchestrator, requests } = converse([says('A cat.'), says('Yes.')]);
    const events: RunEvent[] = [];
    const input = [text, png, linkedImage, pdf, plainText];
    const given = [text, { ...png, url: undefined } as unknown as InputBlock, ...input.slice(2)];
    const { messages } = await orchestrator.run(given, { onEvent: (event) => events.push(event) });
    expect(requests[0]?.messages).toEqual([{ role: 'user', content: input }]);
    expect(messages[0]).toEqual({ role: 'user', content: input });
    expect(events[0]).toMatchObject({ type: 'run-started', input });
    const conversation: unknown = JSON.parse(JSON.stringify(orchestrator));
    const later = converse([says('Yes.')], { conversation });
    await later.orchestrator.run('Are you sure?');
    expect(later.requests[0]?.messages).toHaveLength(3);
    expect(later.requests[0]?.messages[0]).toEqual({ role: 'user', content: input });
  });

  it('is copied when the run is requested, so later changes have no effect', async () => {
    const { orchestrator } = converse([says('A cat.')]);
    const block = { type: 'text' as const, text: 'Is it a cat?' };
    const input = [block];
    const running = orchestrator.run(input);
    block.text = 'Is it a dog?';
    input.push(block);
    const { messages } = await running;
    expect(messages[0]?.content).toEqual([{ type: 'text', text: 'Is it a cat?' }]);
  });

  it('counts about the same for a small and a large image, where a script is the model', async () => {
    const inputTokens = async (length: number): Promise<number> => {
      const { orchestrator } = converse([says('A cat.')]);
      const data = imageData('image/png', length);
      const image = { type: 'image', mediaType: 'image/png', data } as const;
      return (await orchestrator.run([text, image])).usage.inputTokens;
    };
    expect(await inputTokens(1_000_000)).toBe(await inputTokens(100));
  });

  it.each(['', ' ', '\n\t\u00A0'])('cannot be the blank text %j', async (blank) => {
    const { orchestrator, requests } = converse([says('Never.')]);
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('empty') };
    expect(await refusalOf(orchestrator.run(blank))).toMatchObject(refused);
    expect(await refusalOf(orchestrator.run([png, { type: 'text', text: blank }]))).toMatchObject(
      refused,
    );
    expect(await refusalOf(orchestrator.stream(blank).next())).toMatchObject(refused);
    expect(requests).toEqual([]);
    expect(orchestrator.messages).toEqual([]);
  });

  const image = { type: 'image', mediaType: 'image/png' };
  const document = { type: 'document', mediaType: 'application/pdf', data: pdfData() };
  it.each<[string, unknown, string]>([
    ['no block', 'a cat', 'input[1]: expected object, received string'],
    ['null', null, 'input[1]: expected object, received null'],
    ['of no known type', { type: 'video', data: 'AAAA' }, 'input[1].type: expected one of "text"'],
    ['a result', { type: 'tool-result', toolUseId: 'a', text: '' }, 'input[1].type: expected one'],
    ['with an unknown field', { ...png, detail: 'high' }, 'unknown property "detail"'],
    ['an empty text', { type: 'text', text: ' ' }, 'input[1]: its text is empty'],
    ['a text that is none', { type: 'text', text: 5 }, 'input[1].text: expected string'],
    ['an image without data', image, 'input[1].data: missing'],
    ['an image without type', { type: 'image', data: 'AAAA' }, 'input[1].mediaType: missing'],
    ['two contents', { ...png, url: 'https://example.org' }, 'input[1].data: is not allowed'],
    ['an unknown media type', { ...png, mediaType: 'image/bmp' }, 'received "image/bmp"'],
    ['a wrong media type', { ...png, mediaType: 'image/gif' }, 'does not begin like image/gif'],
    ['empty data', { ...image, data: '' }, 'input[1]: its data is empty'],
    ['data that is not base64', { ...image, data: 'iVBORw0K\nGgo=' }, 'its data is not base64'],
    ['base64 for URLs', { ...image, data: 'iVBORw0KGgo_-w==' }, 'its data is not base64'],
    ['an address as data', { ...image, data: 'data:image/png;base64,AA==' }, 'base64 alone'],
    ['too long', { ...image, data: 'A'.repeat(68_000_000) }, 'has 51000000 bytes'],
    [
      'an address of a file',
      { type: 'image', url: 'file:///etc/passwd' },
      'must begin with http:// or https://',
    ],
    ['no address', { type: 'image', url: 'cat.png' }, 'must begin with http:// or https://'],
    ['a PDF as text', { ...document, data: undefined, text: 'x' }, 'input[1].data: missing'],
    ['a PDF and a text', { ...document, text: 'x' }, 'input[1].text: is not allowed'],
    ['a PDF that is none', { ...document, data: 'aGVsbG8=' }, 'not begin like application/pdf'],
    ['a text as data', { ...document, mediaType: 'text/plain' }, 'input[1]'],
    ['an empty document', { ...plainText, text: '\n' }, 'input[1]: its text is empty'],
    ['an empty title', { ...plainText, title: '' }, 'its title must have 1 to 200 characters'],
    ['too long a title', { ...plainText, title: 'x'.repeat(201) }, 'its title must have'],
  ])('is refused if a block is %s, and nothing changes', async (_, block, why) => {
    const { orchestrator, requests } = converse([says('Never said.')]);
    const events: RunEvent[] = [];
    const running = orchestrator.run([text, block as InputBlock], {
      onEvent: (event) => events.push(event),
    });
    const error = await refusalOf(running);
    expect(error).toMatchObject({ code: 'INPUT_INVALID', details: { input: 1 } });
    expect(error.message).toContain(why);

    expect(error.message.length).toBeLessThan(500);
    expect([...requests, ...events, ...orchestrator.messages]).toEqual([]);
  });

  it.each([[[]], [undefined], [5], [{ type: 'text', text: 'x' }]])(
    'is refused if it is %j',
    async (input) => {
      const { orchestrator, requests } = converse([says('Never said.')]);
      const error = await refusalOf(orchestrator.run(input as unknown as RunInput));
      expect(error).toMatchObject({ code: 'INPUT_INVALID' });
      expect(error.message).toContain('a text, or a list with at least one block');
      expect(requests).toEqual([]);
    },
  );
});

describe('input that the service of a model cannot take', () => {
  const expected = {
    code: 'MODEL_INPUT_UNSUPPORTED',
    message: expect.stringMatching(
      /^The model's service does not accept input\[1\], the image given as a URL/,
    ),
    details: { input: 1, type: 'image' },
  };

  it('is refused before anything is kept or sent', async () => {
    await using server = await startBedrockServer([]);
    const model = bedrockModel({ model: 'm', client: server.client });
    const { orchestrator } = converse([], { model });
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    const error = await refusalOf(orchestrator.run([text, linkedImage], { onEvent }));
    expect(error).toMatchObject(expected);
    expect([...server.requests, ...orchestrator.messages]).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['run-started', 'run-failed']);
  });

  it('is named by its index even after the results of an unfinished run', async () => {
    const { orchestrator } = converse([[uses('nothing', {})]], { maxTurns: 1 });
    await refusalOf(orchestrator.run('Look.'));
    const before = orchestrator.messages;
    expect(before.at(-1)?.content).toMatchObject([{ type: 'tool-result' }]);
    const error = await refusalOf(orchestrator.run([text, linkedImage], { model: unsent() }));
    expect(error).toMatchObject(expected);
    expect(orchestrator.messages).toBe(before);
  });

  it('is named by its position in the conversation if an earlier run sent it to another model', async () => {
    const { orchestrator } = converse([says('A cat.'), says('Yes.')]);
    await orchestrator.run([text, linkedImage]);
    const error = await refusalOf(orchestrator.run('Sure?', { model: unsent() }));
    expect(error).toMatchObject({
      code: 'MODEL_INPUT_UNSUPPORTED',
      message: expect.stringContaining('messages[0].content[1]'),
      details: { message: 0, block: 1 },
    });
    expect(orchestrator.messages).toHaveLength(2);
    expect((await orchestrator.run('Sure?')).text).toBe('Yes.');
  });

  it('is an error of its own if a model of yours fails while it checks', async () => {
    const cause = new TypeError('No such field.');
    const check = (): void => {
      throw cause;
    };
    const { orchestrator } = converse([], { model: { ...scriptedModel([]), check } });
    const error = await refusalOf(orchestrator.run('Hi.'));
    expect(error).toMatchObject({ code: 'RUN_FAILED', cause });
    expect(orchestrator.messages).toEqual([]);
  });

  /** A model of a service that takes no addresses, which must not be asked. */
  function unsent(): LanguageModel {
    const bedrock = bedrockModel({ model: 'm' });
    return { ...scriptedModel([]), check: (request) => bedrock.check?.(request) };
  }
});

function pdfData(): string {
  return 'data' in pdf ? pdf.data : '';
}
