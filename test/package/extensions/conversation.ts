// A model and tools made outside of the package, with only its root: they hold a conversation.
import { readFileSync } from 'node:fs';
import {
  defineTool,
  ProgrammaticToolOrchestrator,
  ToolRegistry,
  type AssistantBlock,
  type JsonObject,
  type LanguageModel,
  type ModelRequest,
  type ModelStreamPart,
  type UserBlock,
} from 'sandboxed-ptc';

/** An answer of the service, in its own format. */
type Reply = { readonly say: string } | { readonly run: string };

/** The service. It gets the last thing that was said, and the results of programs. */
function askService(question: string, results: readonly string[]): Reply {
  const [result] = results;
  if (result !== undefined) return { say: `${question} It is ${/\d+/.exec(result)?.[0]}.` };
  return {
    run: `articles = ["apple", "pear"]
print(sum([await price_of(article=a) * await stock_of(article=a) for a in articles]))`,
  };
}

class ServiceModel implements LanguageModel {
  readonly id = 'service-1';

  async *stream({ messages, tools, signal }: ModelRequest): AsyncGenerator<ModelStreamPart> {
    signal?.throwIfAborted();
    const blocks = messages.flatMap<AssistantBlock | UserBlock>(({ content }) => content);
    const said = blocks.flatMap((block) => (block.type === 'text' ? block.text : []));
    const results = blocks.flatMap((block) => (block.type === 'tool-result' ? block.text : []));
    const reply = askService(said[0] ?? '', results);
    const content: AssistantBlock[] = [];
    if ('say' in reply) {
      content.push({ type: 'text', text: reply.say });
      yield { type: 'text-delta', text: reply.say };
    } else {
      const [tool] = tools;
      if (tool === undefined) throw new Error('The request has no tool.');
      const use = { type: 'tool-use', id: 'call-1', name: tool.name } as const;
      const input: JsonObject = { code: reply.run };
      content.push({ ...use, input });
      yield { type: 'tool-use-started', id: use.id, name: use.name };
      yield { type: 'tool-input-delta', id: use.id, json: JSON.stringify(input) };
    }
    const stopReason = 'say' in reply ? 'end' : 'tool-use';
    const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 };
    yield { type: 'answer-ended', content, stopReason, rawStopReason: stopReason, usage };
  }
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly answers: Readonly<Record<string, number>>;
}

const list = JSON.parse(readFileSync('extensions/tools.json', 'utf8')) as readonly ListedTool[];
const tools = new ToolRegistry();
for (const { name, description, parameters, answers } of list) {
  tools.register(
    defineTool<{ article: string }>({
      name,
      description,
      inputSchema: parameters,
      run: ({ article }) => answers[article],
    }),
  );
}

await using orchestrator = new ProgrammaticToolOrchestrator({ model: new ServiceModel(), tools });
const { text } = await orchestrator.run('What is all of it worth?');
console.log(text);
