import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolContext, ToolProgress } from '../../src/tools/tool.ts';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

const answer = (text: string): object => ({ content: [{ type: 'text', text }] });

describe('a call of a server that was started', () => {
  /** Calls of a server that sends these messages for the call of a tool. */
  async function callSending(messages: readonly object[]) {
    const tools = [scriptedTool('t'), scriptedTool('next')];
    const results = { t: { send: messages }, next: answer('next') };
    return (await callerOf(scriptedServer({ tools, results }))).call;
  }

  it('gets only the first answer with its id, however many others the server sends', async () => {
    const others = [0, 1, 999, 1e9 - 1, 1_000_000_999, -1, 1.5, 'x', '', '$idle'];
    const call = await callSending([
      ...others.map((id) => ({ id, result: answer('wrong') })),
      ...others.map((id) => ({ id, error: { code: -32_000, message: 'wrong' } })),
      { error: { code: -32_000, message: 'wrong' } },
      { id: '$id', result: answer('right') },
      { id: '$id', result: answer('late') },
      { id: '$id', error: { code: -32_000, message: 'late' } },
    ]);
    for (let times = 0; times < 3; times++) {
      expect(await Promise.all([call('t'), call('next')])).toEqual(['right', 'next']);
    }
  });

  it('fails with the message of an error, whose control characters are escaped', async () => {
    const error = { code: -32_602, message: 'no\u001b[2J such', data: { uri: 'file:///secret' } };
    const call = await callSending([{ id: '$id', error }]);
    expect(await call('t')).toEqual({ type: 'Failed', message: String.raw`no\x1b[2J such` });
  });

  it('has only the reports that are about it, and are reports', async () => {
    const report = (params: object): object => ({ method: 'notifications/progress', params });
    const call = await callSending([
      report({ progressToken: 0, progress: 1 }),
      report({ progressToken: 1_000_000_999, progress: 2 }),
      report({ progressToken: '$id', progress: 'many' }),
      report({ progressToken: '$id', progress: 3, total: null }),
      report({ progressToken: '$id', progress: 4, message: 5 }),
      report({ progress: 6 }),
      { method: 'notifications/progress' },
      report({ progressToken: '$id', progress: 7, total: 8, message: 'half', more: 1 }),
      { id: '$id', result: answer('done') },
      report({ progressToken: '$id', progress: 9 }),
    ]);
    const told: ToolProgress[] = [];
    const onProgress = (one: ToolProgress): void => void told.push(one);
    expect(await call('t', {}, { onProgress })).toBe('done');
    expect(await call('next')).toBe('next');
    expect(told).toEqual([{ progress: 7, total: 8, message: 'half' }]);
  });

  it('is not sent if it was given up before', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mcp-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const flag = join(directory, 'changed');
    const tools = [scriptedTool('change'), scriptedTool('cancelled')];
    const results = { change: 'change', cancelled: 'cancelled' };
    const { call, source } = await callerOf(scriptedServer({ tools, results, flag }));
    const context = { signal: AbortSignal.abort(new Error('given up')) } as ToolContext<never>;
    await expect(source.tools()[0]?.run({} as never, context)).rejects.toThrow('given up');
    expect(await call('cancelled')).toEqual([]);
    expect(existsSync(flag)).toBe(false);
  });
});
