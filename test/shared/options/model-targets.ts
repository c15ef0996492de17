import { scriptedModel, SCRIPTED_ANSWER } from '../../../src/models/scripted.ts';
import { ANTHROPIC_OPTIONS, anthropicModel } from '../../../src/models/anthropic/model.ts';
import { THINKING_NAMES } from '../../../src/models/anthropic/thinking.ts';
import { BEDROCK_OPTIONS, bedrockModel } from '../../../src/models/bedrock/model.ts';
import { OPENAI_OPTIONS, openaiModel } from '../../../src/models/openai/model.ts';
import type { Target } from './target.ts';

const page = 'models.md';
const MODEL = { page, base: { model: 'a' } };

/** As `TARGETS`, of the adapters for models. */
export const MODEL_TARGETS: Readonly<Record<string, Target>> = {
  anthropicModel: {
    names: ANTHROPIC_OPTIONS.names,
    ...MODEL,
    call: (options) => anthropicModel(options),
  },
  thinking: {
    names: THINKING_NAMES,
    page,
    base: { type: 'enabled', budgetTokens: 2048 },
    call: (thinking) => anthropicModel({ model: 'some-model', thinking }),
  },
  bedrockModel: {
    names: BEDROCK_OPTIONS.names,
    ...MODEL,
    call: (options) => bedrockModel(options),
  },
  openaiModel: {
    names: OPENAI_OPTIONS.names,
    ...MODEL,
    call: (options) => openaiModel(options),
  },
  'an answer of scriptedModel': {
    names: SCRIPTED_ANSWER.names,
    page,
    base: { content: [] },
    alsoAccepts: ['array', 'function'],
    call: (answer) => scriptedModel([answer]),
  },
};
