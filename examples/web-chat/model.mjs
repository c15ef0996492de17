// @ts-check
// Uses the model of the API key in the environment, or a script, so that the example also runs without a key.
import { scriptedModel } from 'sandboxed-ptc';
import { anthropicModel } from 'sandboxed-ptc/anthropic';
import { openaiModel } from 'sandboxed-ptc/openai';

/** @param {NodeJS.ProcessEnv} environment */
export function chooseModel({ ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL, MODEL }) {
  if (ANTHROPIC_API_KEY) return anthropicModel({ model: MODEL ?? 'claude-sonnet-5-5' });
  if (!OPENAI_API_KEY && !OPENAI_BASE_URL) return offlineModel;
  if (MODEL) return openaiModel({ model: MODEL, apiKey: OPENAI_API_KEY || 'none' });
  throw new Error(
    'MODEL is not set. Set it to the name of a model of the OpenAI service or server.',
  );
}

/**
 * Simulates a model that knows two requests. Its programs really run.
 * @type {import('sandboxed-ptc').LanguageModel}
 */
const offlineModel = {
  id: 'offline script',
  stream: (request) => scriptedModel([answerTo(request)]).stream(request),
};

const OFFER = `products = await list_products()
for product in products:
    print(f"{product['name']}: {product['price']} euros")`;

/** @param {string} product */
const orderOf = (product) => `print("arrives in", await delivery_days(product="${product}"), "days")
print(await order(product="${product}", quantity=1))`;

/**
 * @param {import('sandboxed-ptc').ModelRequest} request
 * @returns {import('sandboxed-ptc').AssistantBlock[]}
 */
function answerTo({ messages }) {
  const last = messages.at(-1)?.content.at(-1);
  if (last?.type === 'tool-result') return [{ type: 'text', text: `The result:\n${last.text}` }];
  const asked = last?.type === 'text' ? last.text : '';
  const [product] = /\b(?:chair|desk|lamp|shelf)\b/i.exec(asked) ?? [];
  const code = product === undefined ? OFFER : orderOf(product.toLowerCase());
  return [
    {
      type: 'text',
      text: 'I am a script, because there is no API key. Name a product to order it.',
    },
    { type: 'tool-use', id: `call_${messages.length}`, name: 'execute_code', input: { code } },
  ];
}
