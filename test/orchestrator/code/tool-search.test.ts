import { describe, expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import type { PolicyRule } from '../../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useExecutors } from '../../sessions/support.ts';
import { SourceOfTest } from '../../support/source-of-test.ts';
import { converse, refusalOf, runs, says } from '../support.ts';

const makeExecutor = useExecutors();

const CREATE: ToolDefinition = {
  name: 'create_issue',
  description: 'Creates an issue in a repository.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  run: (input: unknown) => `created ${(input as { title: string }).title}`,
};
const CLOSE: ToolDefinition = {
  name: 'close_issue',
  description: 'Closes an issue.',
  run: () => 'closed',
};
const BILL: ToolDefinition = { name: 'send_bill', description: 'Sends a bill.', run: () => 'sent' };

/** A registry with a source of some tools, and an own tool. */
function registryOf(tools: readonly ToolDefinition[], own: readonly ToolDefinition[] = [BILL]) {
  const registry = new ToolRegistry(own);
  const source = new SourceOfTest('github', tools);
  registry.addSource(source);
  return { registry, source };
}

/** As many tools as a big API has. */
function manyTools(count: number): ToolDefinition[] {
  return Array.from({ length: count }, (_, index) => ({
    ...CREATE,
    name: `create_thing_${index}`,
    description: `Creates thing ${index}. ${'It says what that means. '.repeat(20)}`,
  }));
}

const SEARCH = {
  python: 'print(await search_tools("make a new issue", limit=1))',
  typescript: 'console.log(await search_tools({ query: "make a new issue", limit: 1 }))',
  javascript: 'console.log(await search_tools({ query: "make a new issue", limit: 1 }))',
  bash: 'search_tools --query "make a new issue" --limit 1 | python3 -c "import json, sys; print(json.load(sys.stdin))"',
} as const;
const DESCRIBE = {
  python: 'print(await describe_tools(["github.create_issue"]))',
  typescript: 'console.log(await describe_tools({ names: "github.create_issue" }))',
  javascript: 'console.log(await describe_tools({ names: ["github:create_issue"] }))',
  bash: 'describe_tools --names github_create_issue | python3 -c "import json, sys; print(json.load(sys.stdin))"',
} as const;

describe('search for tools', () => {
  it('takes the place of the documentation of deferred tools, and finds them', async () => {
    const { registry } = registryOf([CREATE, CLOSE]);
    const { orchestrator, requests, results } = converse(
      [
        runs('print(await search_tools("open an issue", 1))'),
        runs('print(await github.create_issue("Late"))'),
        says('Done.'),
      ],
      { tools: registry, catalog: 'search' },
    );
    await orchestrator.run('File it.');
    const system = requests[0]?.system ?? '';
    expect(system).toContain('async def send_bill()');
    expect(system).toContain('async def search_tools(query: str, limit: int = 5');
    expect(system).toContain('- github (2 tools): create_issue, close_issue');
    expect(system).not.toContain('Creates an issue');
    expect(results(1)[0]?.text).toBe(`\
class github:  # await github.…(…)
    async def create_issue(title: str) -> Any:
        """Creates an issue in a repository."""`);
    expect(results(2)[0]?.text).toBe('created Late');
    // What was found changes no later prompt, so that services can cache it.
    expect(new Set(requests.map((request) => request.system)).size).toBe(1);
  });

  it.each(['python', 'typescript', 'javascript', 'bash'] as const)(
    'gives in %s what the prompt would have had',
    async (language) => {
      const { executor } = makeExecutor({ languages: [language] });
      const { registry } = registryOf([CREATE, CLOSE]);
      const searched = codeTool({ executor, tools: registry, catalog: 'search' });
      const only = new ToolRegistry();
      only.addSource(new SourceOfTest('github', [CREATE]));
      const full = codeTool({ executor, tools: only, catalog: 'full' });
      const documentation = full.systemPrompt.split(':\n\n').slice(1).join(':\n\n');
      const found = await searched.execute({ code: SEARCH[language] });
      expect(found).toMatchObject({ isError: false, text: documentation });
      const described = await searched.execute({ code: DESCRIBE[language] });
      expect(described.text).toBe(found.text);
    },
  );

  it.each([
    ['as the documentation is short', 'auto', [CREATE], 'documented'],
    ['as the documentation is long', 'auto', manyTools(60), 'found'],
    ['as the user says so', 'full', manyTools(60), 'documented'],
    ['as no tool is deferred', 'search', [{ ...CREATE, defer: false }], 'documented'],
  ] as const)('decides what the prompt documents, %s: %s', async (_, catalog, tools, expected) => {
    const { registry } = registryOf(tools);
    const { orchestrator, requests, results } = converse(
      [runs('print("search_tools" in globals())'), says('Done.')],
      { tools: registry, catalog },
    );
    await orchestrator.run('Go.');
    const system = requests[0]?.system ?? '';
    const isFound = expected === 'found';
    expect(system.includes(`async def ${tools[0]?.name}`)).toBe(!isFound);
    expect(system.includes('async def search_tools')).toBe(isFound);
    expect(results(1)[0]?.text).toBe(isFound ? 'True' : 'False');
  });

  it('leaves to each tool and source whether it is deferred', () => {
    const { executor } = makeExecutor();
    const tools = new ToolRegistry([BILL, { ...CLOSE, name: 'close_shop', defer: true }]);
    const sources = [
      { name: 'kept', defer: false, tools: () => [CREATE, { ...CLOSE, defer: true }] },
      { name: 'left', tools: () => [CREATE, { ...CLOSE, defer: false }] },
    ];
    for (const source of sources) tools.addSource(source);
    const { systemPrompt } = codeTool({ executor, tools, catalog: 'search' });
    const documented = [...systemPrompt.matchAll(/async def (\w+)|^class (\w+)/gm)].map(
      ([, name, space]) => name ?? space,
    );
    expect(documented).toEqual([
      ...['search_tools', 'describe_tools', 'send_bill'],
      ...['kept', 'create_issue', 'left', 'close_issue'],
    ]);
    expect(systemPrompt).toContain('- without a name space (1 tool): close_shop');
  });

  it('finds the tools that a source has now, and calls them without a search', async () => {
    const { executor } = makeExecutor();
    const { registry, source } = registryOf([CREATE]);
    const tool = codeTool({ executor, tools: registry, catalog: 'search' });
    const code = 'print(await search_tools("closes"))';
    expect((await tool.execute({ code })).text).toContain('No tool matches');
    source.change([CREATE, CLOSE]);
    expect((await tool.execute({ code })).text).toContain('async def close_issue()');
    source.change([CREATE]);
    expect((await tool.execute({ code })).text).toContain('No tool matches');
    const unsearched = await tool.execute({ code: 'print(await github.create_issue(title="x"))' });
    expect(unsearched.text).toBe('created x');
  });

  it('hides what the model must not know, and no rule stops it', async () => {
    const rules: PolicyRule[] = [
      { tool: 'github:close_issue', action: 'deny' },
      { tool: 'github:create_issue', when: () => true, action: 'deny' },
      { tool: '*', action: 'deny' },
    ];
    const secret = { ...CREATE, name: 'reset_issue', allowedCallers: ['direct'] } as const;
    const { registry } = registryOf([CREATE, CLOSE, { ...secret }]);
    const program = `print(await search_tools("create or close or reset an issue"))
print(await describe_tools(["github.close_issue", "github.reset_issue"]))
try:
    await github.close_issue()
except ToolError as error:
    print(error.type)`;
    const allowing = { tool: 'github:create_issue', action: 'allow' } as const;
    const policy = { rules: [allowing, ...rules] };
    const { orchestrator, requests, results } = converse([runs(program), says('Done.')], {
      tools: registry,
      catalog: 'search',
      policy,
      maxToolCalls: 1,
    });
    await orchestrator.run('Go.');
    expect(requests[0]?.system).toContain('- github (1 tool): create_issue');
    const [answer] = results(1);
    expect(answer?.text).toContain('async def create_issue(');
    expect(answer?.text).not.toMatch(/def (?:close|reset)_issue/);
    expect(answer?.text).toContain('There is no tool "github.close_issue"');
    expect(answer?.text).toMatch(/^Denied$/m);
  });

  it('hides tools as the rules about their annotations decide', () => {
    const { executor } = makeExecutor();
    const reading = { ...CREATE, name: 'read_issue', annotations: { readOnlyHint: true } };
    const { registry } = registryOf([reading, CLOSE]);
    const namesUnder = (...rules: PolicyRule[]): string | undefined => {
      const { systemPrompt } = codeTool({
        executor,
        tools: registry,
        catalog: 'search',
        policy: { rules, approver: async () => ({ approved: true }) },
      });
      return /^- github \(\d tools?\): (.*)$/m.exec(systemPrompt)?.[1];
    };
    const annotations = { readOnlyHint: true };
    const denied: PolicyRule = { tool: 'github:*', action: 'deny' };
    expect(namesUnder({ tool: '*', annotations, action: 'allow' }, denied)).toBe('read_issue');
    expect(namesUnder({ tool: '*', annotations, action: 'ask' }, denied)).toBe('read_issue');
    expect(namesUnder({ ...denied, annotations })).toBe('close_issue');
    const when = (): boolean => true;
    expect(namesUnder({ ...denied, annotations, when })).toBe('read_issue, close_issue');
  });

  it('says nothing of deferred tools if the model may know of none', () => {
    const { executor } = makeExecutor();
    const { registry } = registryOf([CREATE]);
    const rules: PolicyRule[] = [{ tool: 'github:*', action: 'deny' }];
    const { systemPrompt } = codeTool({
      executor,
      tools: registry,
      catalog: 'search',
      policy: { rules },
    });
    expect(systemPrompt).toContain('async def send_bill');
    expect(systemPrompt).not.toMatch(/can also call|name spaces/);
  });

  it('tells of a search as of other calls', async () => {
    const { executor } = makeExecutor();
    const { registry } = registryOf([CREATE]);
    const tool = codeTool({ executor, tools: registry, catalog: 'search' });
    const told: unknown[] = [];
    const { result } = await tool.execute(
      { code: 'await search_tools("issue")' },
      { onEvent: (event) => void ('toolName' in event && told.push(event.toolName)) },
    );
    expect(told).toEqual(['search_tools', 'search_tools']);
    expect(result?.toolCalls).toBe(1);
  });

  it.each(['search_tools', 'describe:tools'])('gives way to a tool named %s', async (name) => {
    const own = { ...BILL, name, description: 'Mine.' };
    const { registry } = registryOf(manyTools(60), [own]);
    const { executor } = makeExecutor();
    const auto = codeTool({ executor, tools: registry });
    expect(auto.systemPrompt).toContain('"""Mine.');
    expect(auto.systemPrompt).toContain('async def create_thing_59');
    const { orchestrator } = converse([says('Done.')], { tools: registry, catalog: 'search' });
    const refusal = await refusalOf(orchestrator.run('Go.'));
    expect(refusal.code).toBe('TOOL_NAME_CLASH');
    expect(refusal.details).toEqual({ names: [name] });
  });

  it('keeps the numbers of the rules in its errors', async () => {
    const { executor } = makeExecutor();
    const { registry } = registryOf([CREATE]);
    const rules: PolicyRule[] = [{ tool: 'search_tools', action: 'deny' }];
    const tool = codeTool({ executor, tools: registry, catalog: 'search', policy: { rules } });
    await expect(tool.execute({ code: '1' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      details: { option: 'policy.rules[0].tool' },
    });
  });

  it('refuses a catalog and a defer that do not exist', () => {
    const { executor } = makeExecutor();
    const catalog = 'none' as 'full';
    expect(() => codeTool({ executor, catalog })).toThrow(/catalog must be/);
    expect(() => converse([], { catalog })).toThrow(/catalog must be/);
    const source = { name: 'github', defer: 'no' as unknown as boolean, tools: () => [] };
    expect(() => new ToolRegistry().addSource(source)).toThrow(/defer of the source github/);
    const tool = { ...CREATE, defer: 1 as unknown as boolean };
    expect(() => new ToolRegistry([tool])).toThrow(/defer/);
  });
});
