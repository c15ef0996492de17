import type { HeldProgram } from '../../src/execution/held/held-program.ts';
import type { WayTool } from '../../src/testing/policy/way.ts';
import { defineRemoteTool } from '../../src/tools/remote-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { describeWay, executorOf } from './describe-way.ts';

/**
 * The same tool without its function. Those stay as they are that defer their calls, that programs cannot call, or whose calls must
 * wait for each other: any number of calls of remote tools can be open.
 */
function remote(tool: WayTool): Tool | WayTool {
  const { name, description, inputSchema, annotations, whenAsked, allowedCallers } = tool;
  const isLocal = whenAsked === 'defer' || !allowedCallers.includes('code');
  if (isLocal || name === 'shop:meet') return tool;
  return defineRemoteTool({ name, description, inputSchema, ...(annotations && { annotations }) });
}

/** Answers the calls of a program with these tools. @returns what a model gets. */
async function toEnd(program: HeldProgram, tools: readonly WayTool[]): Promise<string> {
  for (;;) {
    const step = await program.next();
    if (step.state === 'ended') {
      const { stdout, error } = step.result;
      return error ? `${stdout}${error.type}: ${error.message}` : stdout;
    }
    const answers = step.calls.map(async ({ callId, toolName, arguments: input }) => {
      const result = await tools.find(({ name }) => name === toolName)?.run(input);
      program.answer(callId, { result });
    });
    await Promise.all(answers);
  }
}

for (const language of ['python', 'typescript', 'bash'] as const) {
  describeWay({
    name: `a held program in ${language} with remote tools`,
    language,
    hasEvents: true,
    open: async (parts) => {
      const { policy, labels, tools } = parts;
      const options = { policy, languages: [language], tools: tools.map(remote) };
      const session = await executorOf(parts, options).acquire({ labels });
      parts.onClose(async () => session.release());
      return { run: async (code, onEvent) => toEnd(await session.start(code, { onEvent }), tools) };
    },
  });
}
