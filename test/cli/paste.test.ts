import { describe, expect, it } from 'vitest';
import { startCliOnTerminal, type StartedProcess } from '../support/built-package.ts';
import { answer, startOpenAIServer, type OpenAIServer } from '../support/openai-server.ts';
import { ProgramDirectory } from './support.ts';

const PROMPT = /\/help lists the commands[^]*> /;
const MODE_ON = '\u001b[?2004h';
const MODE_OFF = '\u001b[?2004l';
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const STOPPED_AND_CONTINUED = /\u001b\[\?2004l[^]*\u001b\[\?2004h/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';
const BACKSPACE = '\u007f';

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

function startChat(server: OpenAIServer, args: readonly string[] = []): StartedProcess {
  return startCliOnTerminal(['chat', '--model', 'test', ...args], {
    env: { OPENAI_BASE_URL: server.baseUrl },
  });
}

/** What the model was asked, in order. */
function asked(server: OpenAIServer): unknown[] {
  return server.requests.map(({ body }) => {
    const { messages } = body as { readonly messages: readonly { readonly content: unknown }[] };
    return messages.at(-1)?.content;
  });
}

/** Whether the last that the terminal was told is to send pastes as it usually does. */
function leftAsItWas({ stdout }: { readonly stdout: string }): boolean {
  return stdout.includes(MODE_ON) && stdout.lastIndexOf(MODE_OFF) > stdout.lastIndexOf(MODE_ON);
}

describe('several lines that are pasted into a chat', () => {
  it('are one message, with what is typed around them', async () => {
    await using server = await startOpenAIServer([answer([{ content: 'Understood.' }])]);
    const chat = startChat(server);
    await chat.printed(PROMPT);
    chat.child.stdin.write(`Why? ${paste('/usr/bin/a: error\r  at b\r')} Thanks.`);
    await chat.printed('Why? [paste 1, 2 lines] Thanks.');
    chat.child.stdin.write('\r');
    await chat.printed(/Understood\.[^]*> /);
    chat.child.stdin.write(CTRL_D);
    expect((await chat.finished()).status).toBe(0);
    expect(asked(server)).toEqual(['Why? /usr/bin/a: error\n  at b Thanks.']);
  });

  it('are no command if they begin with a path', async () => {
    await using server = await startOpenAIServer([answer([{ content: 'Understood.' }])]);
    const chat = startChat(server);
    await chat.printed(PROMPT);
    chat.child.stdin.write(`${paste('/exit\r/exit')}\r`);
    await chat.printed('Understood.');
    chat.child.stdin.write(CTRL_D);
    await chat.finished();
    expect(asked(server)).toEqual(['/exit\n/exit']);
  });

  it('are taken away as a whole by Backspace', async () => {
    await using server = await startOpenAIServer([answer([{ content: 'Understood.' }])]);
    const chat = startChat(server);
    await chat.printed(PROMPT);
    chat.child.stdin.write(`Why?${paste('a\rb')}${BACKSPACE}${BACKSPACE}!\r`);
    await chat.printed('Understood.');
    chat.child.stdin.write(CTRL_D);
    await chat.finished();
    expect(asked(server)).toEqual(['Why!']);
  });
});

describe('Ctrl-Z', () => {
  // The terminal of the tests has no shell that could continue the process, so nothing stops it.
  it('keeps what is typed, and the chat goes on with it', async () => {
    await using server = await startOpenAIServer([answer([{ content: 'Understood.' }])]);
    const chat = startChat(server);
    await chat.printed(PROMPT);
    chat.child.stdin.write(`Wh${CTRL_Z}`);
    await chat.printed(STOPPED_AND_CONTINUED);
    chat.child.stdin.write('y?\r');
    await chat.printed('Understood.');
    chat.child.stdin.write(CTRL_D);
    await chat.finished();
    expect(asked(server)).toEqual(['Why?']);
  });
});

describe('the terminal sends pastes as usual again', () => {
  it.each([
    ['Ctrl-D', CTRL_D],
    ['Ctrl-C twice', CTRL_C + CTRL_C],
    ['/exit', '/exit\r'],
  ])('after %s', async (_name, keys) => {
    await using server = await startOpenAIServer([]);
    const chat = startChat(server);
    await chat.printed(PROMPT);
    chat.child.stdin.write(keys);
    const finished = await chat.finished();
    expect(finished.status).toBe(0);
    expect(leftAsItWas(finished)).toBe(true);
  });

  it('after SIGTERM during a run', async () => {
    await using server = await startOpenAIServer([{ chunks: [], ending: 'hang' }]);
    await using directory = await ProgramDirectory.with({
      'kill.mjs': `
        process.stdin.on('data', (keys) => {
          if (keys.includes('\\r')) process.kill(process.pid, 'SIGTERM');
        });
        export default [{ name: 'noop', description: 'Does nothing.', run: () => null }];`,
    });
    const chat = startChat(server, ['--tools', `${directory.path}/kill.mjs`]);
    await chat.printed(PROMPT);
    chat.child.stdin.write('Anything\r');
    const finished = await chat.finished();
    expect(finished.status).toBe(143);
    expect(leftAsItWas(finished)).toBe(true);
  });

  it('after an error that nobody catches', async () => {
    await using server = await startOpenAIServer([]);
    await using directory = await ProgramDirectory.with({
      'crash.mjs': `
        process.stdin.on('data', () => { throw new Error('crashed'); });
        export default [{ name: 'noop', description: 'Does nothing.', run: () => null }];`,
    });
    const chat = startChat(server, ['--tools', `${directory.path}/crash.mjs`]);
    await chat.printed(PROMPT);
    chat.child.stdin.write('x');
    const finished = await chat.finished();
    expect(finished.stdout).toContain('Error: crashed');
    expect(leftAsItWas(finished)).toBe(true);
  });
});
