import { randomUUID } from 'node:crypto';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { executeCodeTool, type AiSdkTool } from '../../src/ai-sdk/index.ts';
import type { WayTool } from '../../src/testing/policy/way.ts';
import { modelThat, resultsIn } from '../ai-sdk/support.ts';
import { describeWay, executorOf } from './describe-way.ts';

/** A tool as one of the AI SDK, which has no hints. That it says no each time must change nothing. */
function aiSdkTool({ description, inputSchema, run }: WayTool): AiSdkTool {
  return {
    description,
    inputSchema: jsonSchema(inputSchema as never),
    needsApproval: async () => false,
    execute: async (input: { readonly amount: number }) => run(input),
  };
}

describeWay({
  name: 'a program of executeCodeTool',
  language: 'python',
  open: async (parts) => {
    // Those with hints, and those that defer calls, are of the executor.
    const isOfSdk = (name: string): boolean => /:(?:pay|close|refund|sell|ship|meet)$/.test(name);
    const ofSdk = parts.tools.filter(({ name }) => isOfSdk(name));
    const guarded = { ...aiSdkTool(parts.tools[0]!), needsApproval: true };
    const execute_code = executeCodeTool({
      executor: executorOf(parts, { tools: parts.tools.filter(({ name }) => !isOfSdk(name)) }),
      sessionKey: randomUUID(),
      labels: parts.labels,
      // One tool that needs approval changes nothing for the others.
      tools: { guarded, ...Object.fromEntries(ofSdk.map((one) => [one.name, aiSdkTool(one)])) },
      policy: parts.policy,
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
