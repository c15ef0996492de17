import { describe, expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import type { SandboxSoftware } from '../../../src/sandbox/software/software.ts';
import { useExecutors } from '../../sessions/support.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { converse, says } from '../support.ts';

const makeExecutor = useExecutors();
const node = { name: 'Node', version: '20.19.2', libraries: [] };
const SOFTWARE: SandboxSoftware = {
  python: {
    name: 'Python',
    version: '3.13.5',
    libraries: [
      { name: 'aardvark', version: '0.1' },
      { name: 'pip', version: '25.1' },
      { name: 'pandas', version: '2.2.3' },
      { name: 'numpy', version: '2.2.4' },
    ],
  },
  typescript: node,
  javascript: node,
  bash: { name: 'bash', version: '5.2.37' },
};

/** A provider whose sandboxes have this software, as far as it tells. */
function providerWith(find: () => Promise<SandboxSoftware | undefined>): {
  readonly provider: ReturnType<typeof unisolatedLocalProvider>;
  readonly asked: () => number;
} {
  let asked = 0;
  const software = async (): Promise<SandboxSoftware | undefined> => {
    asked += 1;
    return find();
  };
  return { provider: { ...unisolatedLocalProvider(), software }, asked: () => asked };
}

async function descriptions(
  provider: ReturnType<typeof unisolatedLocalProvider>,
  options: Partial<OrchestratorOptions> = {},
): Promise<(string | undefined)[]> {
  const { orchestrator, requests } = converse([says('One.'), says('Two.')], {
    executor: { provider },
    ...options,
  });
  await orchestrator.run('Hi.');
  await orchestrator.run('Again.');
  return requests.map(({ tools }) => tools?.[0]?.description);
}

describe('a model', () => {
  it('is told the versions of the interpreter and its libraries in its first request, well-known ones first', async () => {
    const { provider, asked } = providerWith(async () => SOFTWARE);
    const [first, second] = await descriptions(provider);
    expect(first).toContain(
      '\n\nPython 3.13.5, with numpy 2.2.4, pandas 2.2.3, aardvark 0.1. Other libraries cannot be installed.\n\nLimits:',
    );
    expect(first).not.toMatch(/pip|Node|bash 5/);
    expect(second).toBe(first);
    expect(asked()).toBe(1);
  });

  it('is told them by one search if conversations begin at the same time', async () => {
    const { provider, asked } = providerWith(async () => SOFTWARE);
    const { executor } = makeExecutor({ provider });
    const conversations = [1, 2, 3].map(() => converse([says('One.')], { executor }));
    await Promise.all(conversations.map(async ({ orchestrator }) => orchestrator.run('Hi.')));
    for (const { requests } of conversations) {
      expect(requests[0]?.tools?.[0]?.description).toContain('Python 3.13.5');
    }
    expect(asked()).toBe(1);
  });

  it('is told each interpreter once', async () => {
    const { provider } = providerWith(async () => SOFTWARE);
    const languages = ['typescript', 'javascript', 'bash'] as const;
    const [first] = await descriptions(provider, { executor: { provider, languages } });
    expect(first).toContain(
      '\n\nNode 20.19.2, without further libraries. None can be installed.\nbash 5.2.37.\n\n',
    );
  });

  it('is told if programs of a language have no files', async () => {
    const deno = { name: 'Deno', version: '2.9.6', libraries: [], files: false };
    const { provider } = providerWith(async () => ({ ...SOFTWARE, typescript: deno }));
    const languages = ['python', 'typescript'] as const;
    const [text] = await descriptions(provider, { executor: { provider, languages } });
    expect(text).toContain('None can be installed. Its programs have no files: there is no /tmp');
    expect(text?.match(/have no files/g)).toHaveLength(1);
    // Nothing else says that they have.
    expect(text?.match(/go to the user/g)).toHaveLength(1);
    expect(text).not.toMatch(/process\.env|share the files/);
  });

  it('is told at most 40 libraries in 1,000 characters, and how many there are besides', async () => {
    const many = Array.from({ length: 300 }, (_each, index) => ({
      name: `library-with-a-long-name-${index}`,
      version: '10.20.30',
    }));
    const long = { python: { name: 'Python', version: '3.13.5', libraries: many } };
    const [text] = await descriptions(providerWith(async () => long).provider);
    const listed = /with (.*) and (\d+) more/.exec(text ?? '');
    expect(listed?.[1]?.length).toBeLessThanOrEqual(1000);
    expect((listed?.[1]?.split(', ').length ?? 0) + Number(listed?.[2])).toBe(300);
    const short = many.map((each, index) => ({ ...each, name: `l${index}`, version: '1' }));
    const few = { python: { name: 'Python', version: '3.13.5', libraries: short } };
    const [other] = await descriptions(providerWith(async () => few).provider);
    expect(other).toContain('and 260 more.');
  });

  it.each([
    ['does not know', async () => undefined],
    ['cannot find out', async () => Promise.reject(new Error('no engine'))],
    ['takes long to find out', async () => new Promise<never>(() => {})],
  ])('gets the same description without versions if the provider %s', async (_what, find) => {
    const [first, second] = await descriptions(providerWith(find).provider);
    const { executor } = makeExecutor();
    expect(first).toBe(codeTool({ executor }).description);
    expect(second).toBe(first);
  });

  it('that writes no programs causes no search', async () => {
    const { provider, asked } = providerWith(async () => SOFTWARE);
    await descriptions(provider, { mode: 'direct' });
    expect(asked()).toBe(0);
  });
});

describe('a code tool', () => {
  it('names the software that is known when its description is first read, and does not change', async () => {
    const { provider } = providerWith(async () => SOFTWARE);
    const { executor } = makeExecutor({ provider });
    const early = codeTool({ executor });
    const text = early.description;
    expect(text).not.toContain('3.13.5');
    const late = codeTool({ executor });
    await executor.warmUp();
    expect(executor.software).toBe(SOFTWARE);
    expect(late.description).toContain('Python 3.13.5, with numpy');
    expect(early.description).toBe(text);
  });
});
