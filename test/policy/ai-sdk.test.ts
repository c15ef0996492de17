import { randomUUID } from 'node:crypto';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { executeCodeTool, type AiSdkTool } from '../../src/ai-sdk/index.ts';
import { modelThat, resultsIn } from '../ai-sdk/support.ts';
import { describeWay } from './describe-way.ts';
import { LABELS, type ShopTool } from './shop.ts';

/** A tool as one of the AI SDK, which has no hints. */
function aiSdkTool({ description, inputSchema, run }: ShopTool): AiSdkTool {
  return {
    description,
    inputSchema: jsonSchema(inputSchema as never),
    execute: async (input: { readonly amount: number }) => run(input, {}),
  };
}

describeWay('of a program of executeCodeTool', {
  language: 'python',
  hasEvents: false,
  withoutApprover: /^OPTION_INVALID$/,
  open: async (shop, policy) => {
    // Those with hints are of the executor.
    const isOfSdk = (name: string): boolean => /:(?:pay|close|refund|sell|meet)$/.test(name);
    const ofSdk = shop.tools.filter(({ name }) => isOfSdk(name)) as unknown as ShopTool[];
    const guarded = { ...aiSdkTool(shop.goods[0]!), needsApproval: true };
    const execute_code = executeCodeTool({
      executor: shop.executor({ tools: shop.tools.filter(({ name }) => !isOfSdk(name)) }),
      sessionKey: randomUUID(),
      labels: LABELS,
      // One tool that needs approval changes how the policy asks about all.
      tools: { guarded, ...Object.fromEntries(ofSdk.map((one) => [one.name, aiSdkTool(one)])) },
      policy,
    });
    return {
      run: async (code) => {
        const model = modelThat({ code }, { text: 'Done.' });
        const tools = { execute_code };
        await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: 'Go on.' });
        return (resultsIn(model)[0] as { value: string }).value;
      },
    };
  },
});
