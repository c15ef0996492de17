import { describe, expect, it } from 'vitest';
import { runCli, startCliOnTerminal } from '../support/built-package.ts';

const ASKED = 'How often was this asked in the same session?\n';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** What the programs of a chat printed, in order. */
function printed(stdout: string): string[] {
  return [...stdout.matchAll(/╭ printed\n((?: {2}│.*\n)*)/g)].map(([, lines = '']) =>
    lines.replaceAll(/^ {2}│ ?/gm, '').trimEnd(),
  );
}

describe('chat', () => {
  it('starts anew with each question', async () => {
    const { status, stdout, stderr } = await runCli(['chat'], { input: ASKED + ASKED });
    expect({ status, stderr, printed: printed(stdout) }).toEqual({
      status: 0,
      stderr: '',
      printed: ['1', '1'],
    });
  });

  it('shows each program, also if the model uses the id of a call again', async () => {
    const { stdout } = await runCli(['chat'], { input: ASKED + ASKED });
    expect(stdout.split('╭ code').length - 1).toBe(2);
  });

  it('keeps the variables with --session, until /reset', async () => {
    const input = `${ASKED}${ASKED}/session\n/reset\n${ASKED}/exit\n${ASKED}`;
    const { status, stdout } = await runCli(['chat', '--session'], { input });
    expect(status).toBe(0);
    expect(printed(stdout)).toEqual(['1', '2', '1']);
    expect(stdout).toMatch(/[\da-f]{32} on \w+: 2 programs, 0 tool calls; expires in 2\d\d\.\d s/);
  });

  it('says that a script plays the model, what it knows, and what it can do', async () => {
    const input = '/tools\n/help\n/nonsense\nWhat is love?\n';
    const { status, stdout } = await runCli(['chat'], { input });
    expect(status).toBe(0);
    expect(stdout).toContain('scripted offline model — no API key found');
    expect(stdout).toContain(`  4. ${ASKED}`);
    expect(stdout).toMatch(/^get_custom_budget +Returns the travel budget/m);
    expect(stdout).toContain('/reset     forget the conversation');
    expect(stdout).toContain('Unknown command: /nonsense.');
    expect(stdout).toContain('I am a script and not a model, so I know only these questions:');
  });

  it('fails if the model fails and nobody watches, but goes on with the next question', async () => {
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    for (const end of ['', '/exit\n']) {
      const { status, stderr } = await runCli(['chat'], { input: `Why?\nHow?\n${end}`, env });
      expect({ status, failures: stderr.split('MODEL_REQUEST_FAILED').length - 1 }).toEqual({
        status: 1,
        failures: 2,
      });
    }
  });

  it('takes a number for a question that the script knows', async () => {
    const { stdout } = await runCli(['chat'], { input: '3\n' });
    expect(stdout).toContain('Which airlines did the sales team pay most in Q3?');
    expect(printed(stdout)[0]).toMatch(/^- [\w ]+: \$[\d,]+\.\d\d$/m);
  });

  it('stops the run at Ctrl-C, keeps the session, and exits at Ctrl-D', async () => {
    const chat = startCliOnTerminal(['chat', '--session']);
    const type = (text: string): void => void chat.child.stdin.write(text);
    await chat.printed(/\/help lists the commands[^]*> /);
    type('4\r');
    await chat.printed(/By the variable[^]*\r\n1\r\n[^]*> /);
    type('5\r');
    await chat.printed(/│[^\r]* 2\r/);
    type(CTRL_C);
    await chat.printed('Stopped.');
    type('4\r');
    await chat.printed(/Stopped\.[^]*By the variable[^]*\r\n2\r\n[^]*> /);
    type(CTRL_D);
    expect((await chat.finished()).status).toBe(0);
  });

  it('leaves at the second Ctrl-C at an empty prompt', async () => {
    const chat = startCliOnTerminal(['chat']);
    await chat.printed(/\/help lists the commands[^]*> /);
    chat.child.stdin.write(CTRL_C);
    await chat.printed('Press Ctrl-C again, or Ctrl-D, to exit.');
    chat.child.stdin.write(CTRL_C);
    expect((await chat.finished()).status).toBe(0);
  });
});
