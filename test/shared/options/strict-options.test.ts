import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { PtcError } from '../../../src/shared/errors.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { PROGRAM_NAMES } from '../../../src/sessions/options/option-names.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { SAMPLES, SAMPLES_OF, type SampleName } from './samples.ts';
import type { Target } from './target.ts';
import { TARGETS } from './targets.ts';

const INVALID = /^(?:OPTION|TOOL|CONVERSATION|INPUT)_INVALID$/;
/** An unreadable object may be named by what could not read it. */
const UNREADABLE = /(?:_INVALID|^RUN_FAILED)$/;

/** Says what came of a call, unless it was refused with a typed error that `isRight` accepts. */
async function problemOf(
  { call }: Target,
  options: unknown,
  isRight: (error: PtcError) => boolean,
): Promise<string | undefined> {
  try {
    await (async () => call(options as never))();
    return 'was accepted';
  } catch (error) {
    if (!PtcError.isInstance(error)) return `threw ${String(error)}`;
    return isRight(error) ? undefined : `threw ${error.code}: ${error.message}`;
  }
}

/** Names that are almost those of the options. */
function misspelt({ names }: Target): string[] {
  const all = Object.keys(names);
  return all
    .map((name) => (name.endsWith('s') ? `${name}s` : `${name.slice(0, -1)}_`))
    .filter((name) => !all.includes(name));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

async function problemsOfNames(of: string, target: Target): Promise<string[]> {
  const problems: string[] = [];
  for (const name of misspelt(target)) {
    const [what = of] = of.split(' of codeTool');
    const page = escaped(`docs/${target.page}.`);
    const pattern = `^${escaped(what)} has no option ${name}\\. Did you mean (\\w+)\\? See ${page}$`;
    const options = { ...target.base, [name]: 1 };
    const isRight = ({ code, message }: PtcError): boolean =>
      INVALID.test(code) && new RegExp(pattern).test(message);
    const problem = await problemOf(target, options, isRight);
    if (problem !== undefined) problems.push(`${name} ${problem}`);
  }
  return problems;
}

/** Whether an error is about an option. Messages may write `inputSchema` as two words. */
function isAbout({ code, message }: PtcError, option: string, sample: string): boolean {
  if (sample.endsWith('proxy')) return UNREADABLE.test(code);
  if (code === 'CONVERSATION_INVALID') return true;
  const words = message.replaceAll(' ', '').toLowerCase();
  return INVALID.test(code) && words.includes(option.trim().toLowerCase());
}

async function problemsOfValues(target: Target): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, kind] of Object.entries(target.names)) {
    const given = target.accepts?.[name] ?? [];
    if (given === 'all') continue;
    const accepted = kind === true ? given : SAMPLES_OF[kind];
    for (const [sample, value] of Object.entries(SAMPLES)) {
      if (accepted.includes(sample as SampleName)) continue;
      const options = { ...target.base, [name]: value };
      const problem = await problemOf(target, options, (error) => isAbout(error, name, sample));
      if (problem !== undefined) problems.push(`${name}: ${sample} ${problem}`);
    }
  }
  return problems;
}

async function problemsOfObjects(target: Target): Promise<string[]> {
  const problems: string[] = [];
  for (const [sample, value] of Object.entries(SAMPLES)) {
    if (sample === 'plain' || target.alsoAccepts?.includes(sample as SampleName) === true) continue;
    const problem = await problemOf(target, value, (error) => isAbout(error, ' ', sample));
    if (problem !== undefined) problems.push(`${sample} ${problem}`);
  }
  return problems;
}

const executor = new SandboxExecutor({ provider: unisolatedLocalProvider() });
afterAll(async () => executor.close());

/** What takes the options of a program in a session. @param session - An open one. */
function sessionTarget(session: { execute: (code: string) => unknown }): Target {
  const execute = session.execute.bind(session) as (code: string, options: never) => unknown;
  return {
    names: PROGRAM_NAMES,
    page: 'sessions.md',
    accepts: { context: 'all' },
    call: async (options) => execute('1', options),
  };
}

async function targetOf(of: string): Promise<Target> {
  return TARGETS[of] ?? sessionTarget(await executor.acquire({ sessionKey: 'strict options' }));
}

describe.each([...Object.keys(TARGETS), 'Session.execute'])('the options of %s', (of) => {
  it('refuse names that are almost those of options, and say which is meant', async () => {
    expect(await problemsOfNames(of, await targetOf(of))).toEqual([]);
  });

  it('refuse values of all types that an option cannot have, by its name', async () => {
    expect(await problemsOfValues(await targetOf(of))).toEqual([]);
  });

  it('refuse what is not an object of options', async () => {
    expect(await problemsOfObjects(await targetOf(of))).toEqual([]);
  });
});

/** The functions and classes of the package that take options, with the names of their targets. */
const TAKE_OPTIONS: Readonly<Record<string, string>> = {
  ApprovalQueue: 'ApprovalQueue',
  ProgrammaticToolOrchestrator: 'ProgrammaticToolOrchestrator',
  SandboxExecutor: 'SandboxExecutor',
  StreamTransport: 'StreamTransport',
  ToolRegistry: 'Tool "a"',
  anthropicModel: 'anthropicModel',
  bedrockModel: 'bedrockModel',
  codeTool: 'codeTool',
  contractSuite: 'contractSuite',
  defineRemoteTool: 'defineRemoteTool',
  defineTool: 'Tool "a"',
  bubblewrapProvider: 'bubblewrapProvider',
  buildImage: 'buildImage',
  dockerProvider: 'dockerProvider',
  embeddedProvider: 'embeddedProvider',
  executeCodeTool: 'executeCodeTool',
  kubernetesProvider: 'kubernetesProvider',
  fileStore: 'fileStore',
  judgeSandbox: 'judgeSandbox',
  mcpServer: 'mcpServer',
  mcpTools: 'mcpTools',
  openApiTools: 'openApiTools',
  readMcpServers: 'readMcpServers',
  openAuditLog: 'openAuditLog',
  openaiModel: 'openaiModel',
  policySuite: 'policySuite',
  scriptedModel: 'an answer of scriptedModel',
  sqliteStore: 'sqliteStore',
  startProcess: 'startProcess',
};

/**
 * They take a code and a message, a model or tools of the AI SDK, the specification of a sandbox, streams, a language, output, or nothing.
 */
const TAKE_NONE = [
  'ApprovalGrants',
  'Ownership',
  'PtcError',
  'aiSdkModel',
  'aiSdkTools',
  'connectStreams',
  'programsOf',
  'readSoftware',
  'removeOrphans',
  'runnerCommand',
  'sandboxEnvironment',
  'softwareCommand',
];

it('each function that the package exports is tested here, or takes no options', async () => {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  const files = Object.values(exports).filter((file) => file.endsWith('.js'));
  const modules = await Promise.all(
    files.map(async (file): Promise<object> => {
      const source = file.replace('./dist/', 'src/').replace(/js$/, 'ts');
      return import(pathToFileURL(source).href);
    }),
  );
  const functions = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
  const known = [...Object.keys(TAKE_OPTIONS), ...TAKE_NONE];
  expect([...new Set(functions)].sort()).toEqual(known.sort());
  const missing = Object.values(TAKE_OPTIONS).filter((target) => !Object.hasOwn(TARGETS, target));
  expect(missing).toEqual([]);
});
