import { describe, expect, it } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type {
  AnswerSettings,
  ModelRequest,
  ToolChoice,
} from '../../../src/models/language-model.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { startBedrockServer } from '../../support/bedrock-server.ts';
import { converse, refusalOf, says, uses } from '../support.ts';

const look = {
  name: 'look-up',
  description: 'Looks up.',
  allowedCallers: ['direct' as const],
  run: () => 7,
};

function choicesOf(requests: readonly ModelRequest[]): (ToolChoice | undefined)[] {
  return requests.map(({ toolChoice }) => toolChoice);
}

describe('the settings of answers', () => {
  it('are those of the run over those of the conversation', async () => {
    const { orchestrator, requests } = converse([says('One.'), says('Two.')], {
      temperature: 0.2,
      topP: 0.9,
      stopSequences: ['END'],
      toolChoice: 'none',
    });
    await orchestrator.run('First.', { temperature: 0, toolChoice: 'auto', stopSequences: [] });
    await orchestrator.run('Second.');
    expect(requests).toMatchObject([
      { temperature: 0, topP: 0.9, stopSequences: [], toolChoice: 'auto', maxTokens: 8192 },
      { temperature: 0.2, topP: 0.9, stopSequences: ['END'], toolChoice: 'none' },
    ]);
  });

  it('are beside tools that say whether the service must follow their schemas', async () => {
    const tools = [
      { ...look, name: 'strict', strict: true, inputExamples: [{}] },
      { ...look, name: 'loose', strict: false },
      look,
    ];
    const { orchestrator, requests } = converse([says('One.')], { tools, mode: 'direct' });
    await orchestrator.run('Hi.');
    const [strict, loose, unset] = requests[0]?.tools ?? [];
    expect(strict).toMatchObject({ name: 'strict', strict: true, inputExamples: [{}] });
    expect(loose).toMatchObject({ name: 'loose', strict: false });
    expect(unset).not.toHaveProperty('strict');
  });

  it('are not in a request if nobody set them', async () => {
    const { orchestrator, requests } = converse([says('One.')]);
    await orchestrator.run('Hi.');
    for (const name of ['temperature', 'topP', 'stopSequences', 'toolChoice']) {
      expect(requests[0]).not.toHaveProperty(name);
    }
  });

  it.each<[Partial<AnswerSettings>, string]>([
    [{ temperature: -1 }, 'temperature must be a number, at least 0, not -1.'],
    [{ temperature: Number.NaN }, 'temperature must be'],
    [{ topP: 1.5 }, 'topP must be a number from 0 to 1, not 1.5.'],
    [{ stopSequences: [''] }, 'stopSequences[0] must be text that is not empty, not "".'],
    [{ stopSequences: 'END' as never }, 'stopSequences must be'],
    [{ toolChoice: 'look-up' as never }, `toolChoice must be 'auto', 'any', 'none' or { tool:`],
    [
      { toolChoice: { name: 'look-up' } as never },
      'toolChoice has no option name. Did you mean tool?',
    ],
    [{ toolChoice: [] as never }, 'toolChoice must be'],
    [
      { toolChoice: { tool: 'pay' } },
      'a tool named "pay" in this run, only execute_code, look_up.',
    ],
  ])('cannot be %j', async (options, why) => {
    const { orchestrator, requests } = converse([says('Never said.')], { toolList: [look] });
    const error = await refusalOf(orchestrator.run('Hi.', options));
    expect(error.code).toBe('OPTION_INVALID');
    expect(error.message).toContain(why);
    expect([...requests, ...orchestrator.messages]).toEqual([]);
    if (why.includes('in this run')) return;
    const model = scriptedModel([]);
    expect(() => new ProgrammaticToolOrchestrator({ model, ...options })).toThrow(why);
  });

  it('are refused if the service of the model does not have them, and nothing is kept or sent', async () => {
    await using server = await startBedrockServer([]);
    const model = bedrockModel({ model: 'm', client: server.client });
    const { orchestrator } = converse([], { model, toolChoice: 'none' });
    const error = await refusalOf(orchestrator.run('Hi.'));
    expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { option: 'toolChoice' } });
    expect([...server.requests, ...orchestrator.messages]).toEqual([]);
  });
});

describe('a tool that has to be called', () => {
  it('is called by the name that the model knows, once in each run', async () => {
    const { orchestrator, requests } = converse(
      [
        [uses('look_up', {}, 'a')],
        says('Seven.'),
        [uses('look_up', {}, 'b')],
        [uses('look_up', {}, 'c')],
        says('Seven again.'),
      ],
      { toolList: [look], toolChoice: { tool: 'look-up' } },
    );
    expect((await orchestrator.run('Look.')).text).toBe('Seven.');
    await orchestrator.run('And again.');
    const forced = { tool: 'look_up' };
    expect(choicesOf(requests)).toEqual([forced, undefined, forced, undefined, undefined]);
  });

  const chosen = { tool: 'look_up' };
  it.each<[ToolChoice, (ToolChoice | undefined)[]]>([
    ['any', ['any', 'any', 'any', undefined]],
    [{ tool: 'look-up' }, [chosen, chosen, chosen, undefined]],
    ['auto', ['auto', 'auto', 'auto', 'auto']],
    ['none', ['none', 'none', 'none', 'none']],
  ])('is still to be called after a turn in which none ran: %j', async (toolChoice, expected) => {
    const { orchestrator, requests } = converse(
      [
        { content: says('Let me think.'), stopReason: 'pause' },
        { content: [uses('look_up', {}, 'a')], stopReason: 'max-tokens' },
        [uses('look_up', {}, 'b')],
        says('Seven.'),
      ],
      { toolList: [look], toolChoice },
    );
    await orchestrator.run('Look.');
    expect(choicesOf(requests)).toEqual(expected);
  });

  it('cannot be any if the model gets no tools', async () => {
    const { orchestrator } = converse([], { mode: 'direct', toolChoice: 'any' });
    const error = await refusalOf(orchestrator.run('Hi.'));
    expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { value: 'any' } });
    expect(error.message).toContain('the model gets no tools in this run');
  });
});
