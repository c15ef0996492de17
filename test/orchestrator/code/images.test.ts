import { expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { readConversation } from '../../../src/orchestrator/conversation/conversation-document.ts';
import { useExecutors } from '../../sessions/support.ts';
import { PIXEL, pngHeader } from '../../support/images.ts';
import { STORES, useDirectories } from '../store/stores.ts';
import { converse, runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const makeDirectory = useDirectories();
const makeExecutor = useExecutors();
const image = { type: 'image', mediaType: 'image/png', data: PIXEL };

function showing(data: string): string {
  return `import base64\nprint("so")\nshow(base64.b64decode("${data}"))`;
}

it('an image that a program shows goes to the model with its output', async () => {
  const { orchestrator, requests } = converse([runs(showing(PIXEL)), says('A pixel.')]);
  await orchestrator.run('Draw.');
  expect(requests[1]?.messages.at(-1)?.content).toEqual([
    {
      type: 'tool-result',
      toolUseId: 'program',
      text: 'so\n[The program showed 1 image.]',
      isError: false,
      images: [image],
    },
  ]);
});

it('the model is told why an image is not shown', async () => {
  const { orchestrator, results } = converse([runs(showing(pngHeader(9000, 1))), says('Oh.')]);
  await orchestrator.run('Draw.');
  expect(results(1)).toEqual([
    {
      text: 'so\n[Image 1 is not shown, because it has 9000 × 1 pixels, and at most 8000 on each side can be shown.]',
      isError: false,
    },
  ]);
});

it('a conversation keeps its images, and they are checked when it is read', async () => {
  const { orchestrator } = converse([runs(showing(PIXEL)), says('A pixel.')]);
  await orchestrator.run('Draw.');
  const text = JSON.stringify(orchestrator);
  const { messages } = readConversation(JSON.parse(text));
  expect(messages[2]?.content).toMatchObject([{ images: [image] }]);
  const broken = text.replace(`"data":"${PIXEL}"`, `"data":"AAAA"`);
  expect(() => readConversation(JSON.parse(broken))).toThrow(
    expect.objectContaining({
      code: 'CONVERSATION_INVALID',
      message: expect.stringContaining('messages[2].content[0]: its data does not begin like'),
    }),
  );
});

it.each(STORES)(
  'a conversation in $name keeps its images for another process',
  async ({ open }) => {
    const directory = await makeDirectory();
    const sessionKey = uniqueKey('images');
    const first = converse([runs(showing(PIXEL)), says('A pixel.')], {
      sessionKey,
      store: open(directory),
    });
    await first.orchestrator.run('Draw.');
    await first.orchestrator.close();
    const later = converse([says('One pixel.')], { sessionKey, store: open(directory) });
    await later.orchestrator.run('What was it?');
    expect(later.requests[0]?.messages[2]?.content).toMatchObject([{ images: [image] }]);
  },
);

it('other agent loops get the images beside the text', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor });
  const { text, images, isError } = await tool.execute({ code: showing(PIXEL) });
  expect({ text, images, isError }).toEqual({
    text: 'so\n[The program showed 1 image.]',
    images: [image],
    isError: false,
  });
  expect((await tool.execute({ code: 7 })).images).toEqual([]);
});

it('tells models of all languages with images how to show one', () => {
  const { executor } = makeExecutor({ languages: ['python', 'typescript', 'bash'] });
  expect(codeTool({ executor }).description.match(/show\(\w+\)/g)).toEqual([
    'show(figure)',
    'show(bytes)',
  ]);
});
