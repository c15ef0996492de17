import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { RawHttpServer, type AnswerCall } from './servers/raw-http.ts';
import { callerOf, scriptedServer, scriptedTool, toolsOf } from './support.ts';

const event = (id: number, text: string): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n\n`;

it.each<[string, AnswerCall]>([
  ['ends without the answer', (response) => void response.end(': nothing\n\n')],
  ['breaks off', (response) => response.write(': nothing\n\n', () => response.destroy())],
  ['has a message that is too long', (response, id) => response.end(event(id, 'x'.repeat(11e6)))],
])('fails a call at once if the stream of its answer %s', async (_what, answerCall) => {
  const server = await RawHttpServer.start();
  server.answerCall = (response, id) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answerCall(response, id);
  };
  const { call } = await callerOf({ name: 'raw', url: server.url });
  expect(await call('t')).toMatchObject({ type: 'Unavailable' });
});

it('ends the connection to a server that sends requests and does not take the answers', async () => {
  const server = await RawHttpServer.start();
  let answers = 0;
  // It never answers to them.
  server.takeAnswer = () => void (answers += 1);
  server.answerCall = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let id = 0; id < 300; id++) {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
    }
  };
  const { call } = await callerOf({ name: 'raw', url: server.url });
  expect(await call('t')).toMatchObject({ type: 'Unavailable' });
  expect(answers).toBeLessThanOrEqual(100);
});

it('takes an answer after which its stream ends in the same moment', async () => {
  const server = await RawHttpServer.start();
  server.answerCall = (response, id) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(event(id, 'done'));
  };
  const { call } = await callerOf({ name: 'raw', url: server.url });
  for (let times = 0; times < 20; times++) expect(await call('t')).toBe('done');
});

it('says that a server is unavailable if your own client of it was closed', async () => {
  const { command, args = [] } = scriptedServer({ tools: [scriptedTool('t')] });
  const client = new Client({ name: 'own', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: [...args] }));
  const { call } = await callerOf({ name: 'own', client });
  await client.close();
  expect(await call('t')).toMatchObject({ type: 'Unavailable' });
});

it('opens a stream again after a pause, although the server wants none', async () => {
  const server = await RawHttpServer.start();
  const opened: number[] = [];
  server.onStream = (response) => {
    opened.push(performance.now());
    response.end('retry: 0\n\n');
  };
  await toolsOf({ name: 'raw', url: server.url });
  await expect.poll(() => opened.length).toBeGreaterThan(3);
  const pauses = opened.slice(1).map((time, at) => time - (opened[at] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(90);
});
