// @ts-check
// The page: one conversation at a time, with its id in the URL.
import { Drawing } from './drawing.js';
import { save, Uploads } from './uploads.js';

/** @param {string} id */
const element = (id) => /** @type {any} */ (document.getElementById(id));

const [user, list, form, typed] = ['user', 'conversations', 'form', 'text'].map(element);
const drawing = new Drawing(element('log'), {
  onDecision: (id, approved) => void decide(id, approved),
  pictureOf: (id) => bytesOf(`pictures/${id}`),
});
const uploads = new Uploads(element('files'), element('uploads'), (name) => void download(name));
/** @type {AbortController | undefined} Of the answer that is being read. */
let reading;
/** How many times a conversation was drawn. What arrives for an earlier one is not drawn. */
let shown = 0;

user.value = localStorage.getItem('user') ?? 'anna';
user.addEventListener('change', () => void changeUser());
list.addEventListener('change', () => (location.hash = list.value));
element('stop').addEventListener('click', () => reading?.abort());
form.addEventListener('submit', (/** @type {Event} */ event) => event.preventDefault());
form.addEventListener('submit', () => void send());
window.addEventListener('hashchange', () => void show());
await show();

async function changeUser() {
  localStorage.setItem('user', user.value);
  history.pushState(undefined, '', '#');
  await show();
}

/** Draws the conversation whose id is in the URL. */
async function show() {
  shown += 1;
  const now = shown;
  reading?.abort();
  drawing.clear();
  uploads.show([]);
  try {
    await showList();
    if (now !== shown || conversationId() === '') return;
    const { messages, approvals, running, files } = await askConversation();
    if (now !== shown) return;
    drawing.messages(messages);
    uploads.show(files);
    for (const approval of approvals) drawing.approval(approval);
    if (running) drawing.failure('Another page is receiving the answer.');
  } catch (error) {
    if (now === shown) drawing.failure(messageOf(error));
  }
}

async function showList() {
  const conversations = await ask('GET', '/conversations');
  list.replaceChildren(new Option('New conversation', ''));
  for (const { id, title } of conversations) list.add(new Option(title, id));
  list.value = conversationId();
}

/** Sends the message, and draws the answer as it arrives. */
async function send() {
  const now = shown;
  const text = typed.value;
  reading = new AbortController();
  const { signal } = reading;
  setReading(true);
  try {
    const files = await uploads.read();
    if (conversationId() === '') await start(text);
    const path = `/conversations/${conversationId()}/messages`;
    const response = await request('POST', path, { text, files }, signal);
    // Only now: what the server refuses can be sent again.
    typed.value = '';
    uploads.clear();
    drawing.said(text);
    for await (const event of eventsOf(response)) drawing.event(event);
    if (files.length > 0) uploads.show((await askConversation()).files);
  } catch (error) {
    if (now === shown) drawing.failure(signal.aborted ? 'Stopped.' : messageOf(error));
  }
  if (now === shown) drawing.end();
  setReading(false);
}

/** @param {string} text */
async function start(text) {
  const { id } = await ask('POST', '/conversations', { text });
  // Changes the URL without an event, which would draw the conversation.
  history.pushState(undefined, '', `#${id}`);
  await showList();
}

async function askConversation() {
  return ask('GET', `/conversations/${conversationId()}`);
}

/** @param {string} name */
async function download(name) {
  try {
    save(name, await bytesOf(`files/${encodeURIComponent(name)}`));
  } catch (error) {
    drawing.failure(messageOf(error));
  }
}

/**
 * What belongs to the conversation. A link could not say who asks.
 * @param {string} path
 */
async function bytesOf(path) {
  const response = await request('GET', `/conversations/${conversationId()}/${path}`);
  return response.blob();
}

/** @param {boolean} isReading */
function setReading(isReading) {
  element('stop').hidden = !isReading;
  element('send').disabled = isReading;
}

/**
 * A page that was opened later gets no event with the decision, so it is drawn here.
 * @param {string} requestId
 * @param {boolean} approved
 */
async function decide(requestId, approved) {
  try {
    await ask('POST', `/approvals/${requestId}`, { approved });
    drawing.decided(requestId, approved ? 'approved' : 'rejected');
  } catch (error) {
    drawing.failure(messageOf(error));
  }
}

/**
 * Reads server-sent events. The browser's own `EventSource` cannot send a message.
 * @param {Response} response
 */
async function* eventsOf(response) {
  const body = /** @type {ReadableStream} */ (response.body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length));
    }
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
async function ask(method, path, body) {
  const response = await request(method, path, body);
  return response.status === 204 ? undefined : response.json();
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
async function request(method, path, body, signal) {
  const response = await fetch(path, {
    method,
    headers: { 'x-user': user.value, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

function conversationId() {
  return location.hash.slice(1);
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
