// What users of several versions of each client write; it is compiled against the packed package.
import Anthropic0_71 from 'anthropic-0.71.0';
import Anthropic1_0 from 'anthropic-1.0.0';
import Anthropic1_8 from 'anthropic-1.8.0';
import Anthropic1_10 from 'anthropic-1.10.0';
import Anthropic1_12 from 'anthropic-1.12.0';
import * as bedrock3_968 from 'bedrock-3.968.0';
import * as bedrock3_1072 from 'bedrock-3.1072.0';
import * as bedrock3_1164 from 'bedrock-3.1164.0';
import * as openai6_0 from 'openai-6.0.0';
import * as openai6_49 from 'openai-6.49.0';
import * as openai7_57 from 'openai-7.57.0';
import { anthropicModel } from 'sandboxed-ptc/anthropic';
import { bedrockModel } from 'sandboxed-ptc/bedrock';
import { openaiModel } from 'sandboxed-ptc/openai';

const model = 'test';

export const models = [
  anthropicModel({ model, client: new Anthropic0_71() }),
  anthropicModel({ model, client: new Anthropic1_0() }),
  anthropicModel({ model, client: new Anthropic1_8() }),
  anthropicModel({ model, client: new Anthropic1_10() }),
  anthropicModel({ model, client: new Anthropic1_12() }),
  bedrockModel({ model, client: new bedrock3_968.BedrockRuntimeClient() }),
  bedrockModel({ model, client: new bedrock3_968.BedrockRuntime() }),
  bedrockModel({ model, client: new bedrock3_1072.BedrockRuntimeClient() }),
  bedrockModel({ model, client: new bedrock3_1164.BedrockRuntimeClient() }),
  bedrockModel({ model, client: new bedrock3_1164.BedrockRuntime() }),
  openaiModel({ model, client: new openai6_0.OpenAI() }),
  openaiModel({ model, client: new openai6_0.AzureOpenAI() }),
  openaiModel({ model, client: new openai6_49.OpenAI() }),
  openaiModel({ model, client: new openai7_57.OpenAI() }),
  openaiModel({ model, client: new openai7_57.AzureOpenAI() }),
];

export const mistakes = [
  // @ts-expect-error: it is a client of another service
  anthropicModel({ model, client: new openai7_57.OpenAI() }),
  // @ts-expect-error: it is a client of another service
  openaiModel({ model, client: new Anthropic1_12() }),
  // @ts-expect-error: it is a client of another service
  bedrockModel({ model, client: new Anthropic1_12() }),
];
