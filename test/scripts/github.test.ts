import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandsOf, scriptOf } from '../docs/snippets/shell.ts';

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string }[];
}

const WORKFLOWS = filesIn('.github/workflows');
const SETTINGS = '.github/ISSUE_TEMPLATE/config.yml';
const FORMS = filesIn('.github/ISSUE_TEMPLATE').filter((path) => path !== SETTINGS);
const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

function filesIn(directory: string): string[] {
  return readdirSync(directory).map((name) => `${directory}/${name}`);
}

/** Parses strictly: a key that is there twice is an error. */
function read(path: string): unknown {
  return parse(readFileSync(path, 'utf8'));
}

function workflowOf(path: string): Workflow {
  return read(path) as Workflow;
}

function stepsOf(path: string): Step[] {
  return Object.values(workflowOf(path).jobs).flatMap(({ steps }) => steps);
}

/** `[20, 19]` of `20.19` and of `>=20.19`; a line such as `22` begins with 0. */
function releaseOf(version: string): [line: number, minor: number] {
  const [line = 0, minor = 0] = version.replace(/^>=/, '').split('.').map(Number);
  return [line, minor];
}

/** What is wrong with a command of a workflow: a script that package.json lacks, or a file that is not there. */
function faultsOf(words: readonly string[]): string[] {
  const script = scriptOf(words);
  const faults = script === undefined || script in scripts ? [] : [`no script ${script}`];
  const files = words.filter((word) => /^(\.ci|scripts|test)\//.test(word));
  return [...faults, ...files.filter((file) => !existsSync(file)).map((file) => `no file ${file}`)];
}

describe('the workflows', () => {
  it('are there', () => {
    expect(WORKFLOWS).toContain('.github/workflows/ci.yml');
  });

  it.each(WORKFLOWS)('%s runs only scripts and files that exist', (path) => {
    const commands = stepsOf(path).flatMap(({ run = '' }) => commandsOf(run));
    expect(commands.length).toBeGreaterThan(2);
    expect(commands.flatMap(faultsOf)).toEqual([]);
  });

  it.each(WORKFLOWS)('%s may only read the repository, and uses no stored key', (path) => {
    expect(workflowOf(path).permissions).toEqual({ contents: 'read' });
    expect(readFileSync(path, 'utf8')).not.toContain('secrets.');
  });

  it.each(WORKFLOWS)('%s uses actions of GitHub itself, each with its major version', (path) => {
    const used = stepsOf(path).flatMap(({ uses }) => uses ?? []);
    expect(used).toContainEqual(expect.stringMatching(/^actions\/checkout@/));
    expect(used.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
  });

  it('test with the oldest release of Node that package.json allows, and with later ones', () => {
    const { matrix } = workflowOf('.github/workflows/ci.yml').jobs['test']?.strategy ?? {};
    const releases = (matrix?.node ?? []).map(releaseOf);
    const oldest = releaseOf(engines.node);
    expect(releases[0]).toEqual(oldest);
    const allowed = releases.filter(
      ([line, minor]) => line > oldest[0] || (line === oldest[0] && minor >= oldest[1]),
    );
    expect(allowed).toEqual(releases);
    expect(new Set(releases.map(([line]) => line)).size).toBe(3);
    const all = stepsOf('.github/workflows/ci.yml').find(({ run }) => run === '.ci/run');
    expect(all?.if).toBe(`matrix.node == '${matrix?.node[0]}'`);
  });
});

describe('the issue forms', () => {
  it.each(FORMS)('%s asks each question once', (path) => {
    const { name, description, body } = read(path) as Form;
    expect([name, description].every((text) => text.length > 2)).toBe(true);
    const questions = body.filter(({ type }) => type !== 'markdown');
    expect(questions.length).toBeGreaterThan(0);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  });

  it('send vulnerabilities to SECURITY.md', () => {
    expect(FORMS).toContain('.github/ISSUE_TEMPLATE/bug.yml');
    expect(readFileSync('.github/ISSUE_TEMPLATE/bug.yml', 'utf8')).toContain('SECURITY.md');
    expect(read(SETTINGS)).toEqual({ blank_issues_enabled: false });
  });
});
