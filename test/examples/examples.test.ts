import { describe, expect, it } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { startNode, type Finished } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';

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

describeWithEngine('custom-image', (docker) => {
  it('runs in an image that it is told', async () => {
    // The first run builds the image of this package, which will do for an image of one's own.
    await using executor = new SandboxExecutor({ provider: 'docker' });
    await executor.execute('pass');
    const reference = JSON.stringify({ reference: ['sandboxed-ptc:*'] });
    const [image] = await docker.listImages({ filters: reference });
    const tag = image?.RepoTags?.[0] ?? '';
    const { status, stdout } = await runExample('custom-image', [tag]);
    expect(status).toBe(0);
    expect(stdout).toContain(`${tag}:\nPython 3.`);
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
