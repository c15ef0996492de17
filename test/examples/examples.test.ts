import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildImage } from '../../src/providers/docker/image/build-image.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { startNode, type Finished, type StartOptions } from '../support/built-package.ts';
import { missingLibraries } from '../support/data-libraries.ts';
import { describeWithEngine } from '../support/engine.ts';
import { IN_ALL_COMBINATIONS } from '../support/scope.ts';
import { skippedFor } from '../support/skipped.ts';

async function runExample(
  name: string,
  args: readonly string[] = [],
  input = '',
): Promise<Finished> {
  const started = startNode([`examples/${name}.mjs`, ...args]);
  started.child.stdin.end(input);
  return started.finished();
}

describe('examples', () => {
  it.each([
    ['team-expense-agent', [], /^- Dana Weiss: \$[\d,.]+ of \$9,000, over by/m],
    ['team-expense-agent', ['-s'], /^Session [\da-f]{32} ran 2 programs$/m],
    ['team-expense-agent', ['--low-level'], /^\(13 tool calls\)$/m],
    ['ai-sdk', [], /^The program printed 42\. Done\.$/m],
    ['session-reuse', [], /^second: median 4\.5 of 10$/m],
    ['two-languages', [], /^TypeScript: West: 7500$/m],
    ['direct-and-code-tools', [], /^ACME: Overdue: 4 invoices, 700 euros$/m],
    [
      'approvals',
      [],
      /^Carla \{'paid': 250\}\nAnna bank_pay failed \(Denied\): .*only clerks pay$/m,
    ],
    ['approve-together', [], /^\[ \] 31 {2}pay .* line 5$[^]*^37 paid\npay failed \(Rejected\): /m],
    ['runaway', [], /^\[Hint: 6 calls of get_price, one after another, took /m],
    ['long-program', [], /^\[Program \w+ still runs[^]*^all done$[^]*^Two indexes are rebuilt\.$/m],
    ['tool-source', [], /^after: +\['bergen', 'tromsø'\] 4\nUnknownTool$/m],
    ['tool-search', [], /^Done: create invoice reminder A-17 by Friday$/m],
    [
      'openapi/main',
      [],
      /^tea: 20 euros\norder 2: .*\nshop_getOrder failed \(Failed\): .* 404 Not Found/m,
    ],
    ['mcp-servers/main', [], /^The stock is worth 19$/m],
    ['mcp-server', [], /^second: \[ { type: 'text', text: '120' } \]$/m],
    ['zod-3-and-zod-4', [], /^refused: greet failed \(InvalidArguments\): name/m],
    ['bedrock', [], /^There are no AWS credentials[^]*^Most was used on day 3: 202 kWh\.$/m],
  ])('%s %j runs and passes its own checks', async (name, args, output) => {
    const { status, stdout, stderr } = await runExample(name, args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(output);
  });

  it('team-expense-agent -i answers the questions that it is asked', async () => {
    const { stdout: help } = await runExample('team-expense-agent', ['-i']);
    const questions = [...help.matchAll(/^- (.+)$/gm)].map(([, question]) => `${question}\n`);
    const { status, stdout } = await runExample('team-expense-agent', ['-i'], questions.join(''));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^- Dana Weiss: Return flight, \$\d+$/m);
  });

  it.each(['custom-image', 'persistent-session'])(
    '%s says what it needs where there is no engine',
    async (name) => {
      const started = startNode([`examples/${name}.mjs`], {
        env: { DOCKER_HOST: 'unix:///nonexistent' },
      });
      const { status, stdout } = await started.finished();
      expect(status).toBe(0);
      expect(stdout).toMatch(/^This example needs Docker or Podman: no container engine answers/);
    },
  );
});

describeWithEngine('custom-image', () => {
  it('runs in an image that it is told', async () => {
    // The image of this package will do for an image of one's own. Other tests build and remove images
    // of such names meanwhile, so this one is asked for by what it has.
    const image = await buildImage();
    const { status, stdout, stderr } = await runExample('custom-image', [image]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`${image}:\nPython 3.`);
  });
});

const ANALYSED =
  /^North +499916 +480000 +104%\nSouth +337922 +360000 +94%\nWest +424411 +400000 +106%\n\nchart\.png: \d+ x \d+ pixels$/m;
/** It takes minutes to build. Another test builds a small one, and the same program runs on this machine's libraries. */
const IMAGE_IS_LARGE = skippedFor(
  IN_ALL_COMBINATIONS ? undefined : 'only npm run test:all builds a large image',
);
const NO_ENGINE = { DOCKER_HOST: 'unix:///nonexistent' };

/** Runs the example in a directory of the test, where it saves its chart. */
async function analyseData(
  args: readonly string[] = [],
  env: StartOptions['env'] = {},
): Promise<Finished & { chart: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'data-analysis-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const example = resolve('examples/data-analysis.mjs');
  const finished = await startNode([example, ...args], { env, cwd: directory }).finished();
  const chart = await readFile(join(directory, 'chart.png'), 'latin1').catch(() => 'none');
  return { ...finished, chart: chart.startsWith('\u0089PNG') ? 'PNG' : chart };
}

describeWithBubblewrap('data-analysis without an engine', () => {
  it('uses the libraries of this machine', skippedFor(missingLibraries()), async () => {
    const { status, stdout, stderr, chart } = await analyseData([], NO_ENGINE);
    expect({ status, stderr, chart }).toEqual({ status: 0, stderr: '', chart: 'PNG' });
    expect(stdout).toMatch(ANALYSED);
  });

  it('says which libraries a Python lacks, and how to have them', async () => {
    // A sandbox has its own /tmp, and sandboxes of root are other users.
    const project = await mkdtemp('/var/tmp/data-analysis-');
    onTestFinished(async () => rm(project, { recursive: true }));
    await chmod(project, 0o755);
    await promisify(execFile)('/usr/bin/python3', ['-m', 'venv', '--without-pip', project]);
    expect(await analyseData([join(project, 'bin/python')])).toMatchObject({
      status: 0,
      stdout:
        'This example needs pandas, matplotlib, openpyxl, which the sandbox does not have.\n' +
        'Start Docker or Podman, or: apt-get install python3-pandas python3-matplotlib python3-openpyxl\n',
      chart: 'none',
    });
    expect(await analyseData([join(project, 'none')])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^OPTION_INVALID: .*none, is not a program/),
    });
  });
});

describeWithEngine('data-analysis', (docker) => {
  it('uses an image with the libraries', IMAGE_IS_LARGE, async () => {
    const { status, stdout, stderr, chart } = await analyseData();
    expect({ status, stderr, chart }).toEqual({ status: 0, stderr: '', chart: 'PNG' });
    expect(stdout).toMatch(ANALYSED);
    const apt = ['python3-pandas', 'python3-matplotlib', 'python3-openpyxl'];
    await docker.getImage(await buildImage({ apt })).remove();
  });
});

describeWithEngine('persistent-session', () => {
  it('is taken over by a second process and passes its own checks', async () => {
    const { status, stdout, stderr } = await runExample('persistent-session');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^second: process \d+ took it over: idle, after 1 program$/m);
    expect(stdout).toMatch(/^second: mean 194\.66\d*\ndestroyed: its sandbox is gone\n$/m);
  });
});
