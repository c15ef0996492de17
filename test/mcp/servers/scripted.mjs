// An MCP server that answers as its first argument says: JSON with `tools`, `results` by name, and options.
// It speaks the protocol itself, so that it can break it.
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** An argument of a process cannot be long, so `{ x: 1000 }` stands for a thousand of them. */
const script = JSON.parse(process.argv[2], (_key, value) =>
  Number.isInteger(value?.x) ? 'x'.repeat(value.x) : value,
);
/** Nor is `JSON.stringify` made for what is deep, so `{ levels: 5000 }` stands for it. */
const send = (message) => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  const deep = text.replaceAll(/\{"levels":(\d+)\}/g, (_all, levels) => nested(Number(levels)));
  process.stdout.write(`${deep}\n`);
};
const nested = (levels) => `${'{"a":{"properties":'.repeat(levels)}{}${'}}'.repeat(levels)}`;

/** Each page has the same tools, `copies` times over. */
const pageOf = ({ tools, copies }, page) => ({
  tools: Array.from({ length: copies }, () => tools).flat(),
  nextCursor: String(page + 1),
});

/** How often the tools were listed. */
let lists = 0;

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, ...(script.resources && { resources: {} }) },
    serverInfo: { name: 'scripted', version: '1' },
  }),
  'tools/list'({ cursor }) {
    lists += 1;
    if (script.endless === true) return { tools: [], nextCursor: String(Number(cursor ?? 0) + 1) };
    if (script.copies !== undefined) return pageOf(script, Number(cursor ?? 0));
    return {
      tools:
        script.laterTools !== undefined && (lists > 1 || existsSync(script.flag))
          ? script.laterTools
          : (script.tools ?? []),
    };
  },
  'tools/call': ({ name }) => script.results[name],
  ...(script.resources !== undefined && {
    'resources/list': () => script.resources,
    'resources/read': () => script.resources,
  }),
};

/** The tools of the calls by their ids, and of those that the client has cancelled. */
const toolsOfCalls = new Map();
const cancelled = [];

/** Answers of the client. */
const answersOfClient = [];
let onAnswer = () => {};

/** Asks the client for something, many times at once. */
function askClient(id, { ask: method, params, times }) {
  onAnswer = () => {
    if (answersOfClient.length === times) sendAnswers(id);
  };
  for (let at = 0; at < times; at++) send({ id: `ask-${at}`, method, params });
}

function sendAnswers(id) {
  sendText(id, JSON.stringify(answersOfClient.map(({ result, error }) => result ?? error)));
}

/** Sends messages in which `"$id"` stands for the id of a call. */
function sendAll(id, messages) {
  const texts = messages.map((message) => JSON.stringify(message).replaceAll('"$id"', id));
  for (const text of texts) send(JSON.parse(text));
}

function sendText(id, text) {
  send({ id, result: { content: [{ type: 'text', text }] } });
}

/** Every second report has a number that JavaScript does not have. */
function reportForEver(token) {
  const message = `\u001b[2J${'x'.repeat(5000)}`;
  const params = { progressToken: token, progress: 1, total: 2, message, _meta: { more: 1 } };
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
  const lines = `${line.replace('"total":2', '"total":1e999')}\n${line}\n`;
  while (process.stdout.write(lines));
  process.stdout.once('drain', () => reportForEver(token));
}

if (script.stubborn === true) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1e6);
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === 'tools/call') toolsOfCalls.set(id, params.name);
  if (method === 'notifications/cancelled') cancelled.push(toolsOfCalls.get(params.requestId));
  if (script.silent === true || id === undefined) return;
  if (method === undefined) {
    answersOfClient.push(JSON.parse(line));
    onAnswer();
    return;
  }
  if (method === 'tools/list' && script.early !== undefined && lists === 0) send(script.early);
  const answer = answers[method];
  const result =
    answer === undefined
      ? { error: { code: -32601, message: 'Method not found' } }
      : answer(params);
  if (result === 'silence') return;
  if (result === 'exit') process.exit(1);
  if (result === 'change') {
    writeFileSync(script.flag, '');
    send({ method: 'notifications/tools/list_changed' });
  }
  if (result === 'change') send({ id, result: { content: [] } });
  else if (result === 'progress') reportForEver(params['_meta'].progressToken);
  else if (result === 'answers') sendAnswers(id);
  else if (result === 'cancelled') sendText(id, JSON.stringify(cancelled));
  else if (result.ask !== undefined) askClient(id, result);
  else if (result.send !== undefined) sendAll(id, result.send);
  else if (result.error !== undefined) send({ id, error: result.error });
  else if (result.repeat === undefined) send({ id, result });
  else sendText(id, 'x'.repeat(result.repeat));
});
