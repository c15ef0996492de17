// @ts-check
// The routes of the server, and the users who may use them.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { sendEvents } from './event-stream.mjs';
import { MOST_BODY_BYTES, pictureId, readUploads, sendDownload, sendPicture } from './files.mjs';
import { protectSite } from './site.mjs';

const LONGEST_TEXT = 10_000;
/** Of requests without files: such a text, also if each character is escaped, and what is around it. */
const MOST_TEXT_BODY_BYTES = LONGEST_TEXT * 6 + 1024;
/** How long a request may take to arrive. Otherwise, those that never end would fill the memory. */
const UPLOAD_MS = 120_000;
/** After how many seconds a user may try again who is being sent as many answers as allowed. */
const RETRY_ANSWER_SECONDS = 5;
/** After how many seconds a user may try again if no sandbox is free, and the errors that say so. */
const RETRY_SANDBOX_SECONDS = 30;
const BUSY = new Set(['SANDBOX_LIMIT', 'SESSION_HELD', 'QUOTA_EXCEEDED']);
/** The longest name of a file, 255 bytes, as it is in a URL. */
const LONGEST_PARAMETER = 255 * 3;
/** How long a closing server waits for readers to take the last events. */
const LAST_EVENTS_MS = 2000;

const PAGE = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/chat.js': ['chat.js', 'text/javascript'],
  '/drawing.js': ['drawing.js', 'text/javascript'],
  '/uploads.js': ['uploads.js', 'text/javascript'],
  '/page.css': ['page.css', 'text/css'],
};

/**
 * @typedef {object} Parts
 * @property {import('./conversations.mjs').Conversations} conversations
 * @property {import('./approvals.mjs').Approvals} approvals
 * @property {import('./quota.mjs').Quota} quota
 * @property {readonly string[]} hostNames by which browsers reach it besides localhost
 */

/** @param {Parts} parts */
export function makeServer({ conversations, approvals, quota, hostNames }) {
  const app = Fastify({
    logger: { level: 'warn' },
    bodyLimit: MOST_TEXT_BODY_BYTES,
    requestTimeout: UPLOAD_MS,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // Browsers keep idle connections open. Closing the server does not wait for them.
    forceCloseConnections: true,
    // Closing waits until programs have stopped, which takes a second or two each, and longer on a
    // busy machine.
    pluginTimeout: 60_000,
  });
  /** @type {Set<Promise<void>>} Those that are being sent. */
  const answers = new Set();
  protectSite(app, hostNames);

  for (const [path, [file, type]] of Object.entries(PAGE)) {
    const content = readFileSync(new URL(`page/${file}`, import.meta.url));
    app.get(path, (_request, reply) => reply.headers({ 'content-type': type }).send(content));
  }

  app.get('/conversations', async (request) => conversations.listOf(userOf(request)));

  app.post('/conversations', async (request, reply) => {
    const user = userOf(request);
    const title = textOf(request).slice(0, 80);
    countRequest(user);
    const id = conversations.start(user, title);
    return reply.code(201).send({ id });
  });

  app.get('/conversations/:id', async (request) => {
    const { id, user } = conversationOf(request);
    // It reads all of the conversation.
    countRequest(user);
    const { messages, files = [] } = await conversations.documentOf(id, user);
    return {
      id,
      running: conversations.isRunning(id),
      messages: messages.map(forReader),
      files: files.map(({ name, sizeBytes }) => ({ name, sizeBytes })),
      approvals: approvals.pending(id),
    };
  });

  // The conversation and the user's quota are checked before the body, which may be large, is read.
  const limits = {
    bodyLimit: MOST_BODY_BYTES,
    /**
     * @param {import('fastify').FastifyRequest} request
     * @param {import('fastify').FastifyReply} reply
     */
    onRequest: async (request, reply) => {
      const { user } = conversationOf(request);
      countRequest(user);
      beginAnswer(user, reply);
    },
  };
  app.post('/conversations/:id/messages', limits, async (request, reply) => {
    const { id, user } = conversationOf(request);
    const text = textOf(request);
    const files = readUploads(fieldsOf(request)['files']);
    if (typeof files === 'string') throw refusal(400, files);
    if (conversations.isRunning(id))
      throw refusal(409, 'The last message is still being answered.');
    const answer = sendEvents(reply, (signal) =>
      conversations.say(id, user, [...files, { type: 'text', text }], signal),
    );
    answers.add(answer);
    await answer.finally(() => answers.delete(answer));
  });

  app.get('/conversations/:id/pictures/:picture', async (request, reply) => {
    const { id } = conversationOf(request);
    const { picture } = /** @type {{ picture: string }} */ (request.params);
    const found = conversations.pictureOf(id, picture);
    if (found === undefined) throw refusal(404, 'There is no such picture.');
    return sendPicture(reply, found);
  });

  app.get('/conversations/:id/files/:name', async (request, reply) => {
    const { id, user } = conversationOf(request);
    const { name } = /** @type {{ name: string }} */ (request.params);
    // It may start a sandbox.
    countRequest(user);
    const bytes = await conversations.fileOf(id, user, name);
    if (bytes === undefined) throw refusal(404, 'There is no such file.');
    return sendDownload(reply, name, bytes);
  });

  app.post('/approvals/:id', async (request, reply) => {
    const { id } = /** @type {{ id: string }} */ (request.params);
    const { approved } = fieldsOf(request);
    if (typeof approved !== 'boolean') throw refusal(400, 'approved must be true or false.');
    const outcome = approvals.decide(id, userOf(request), approved);
    if (outcome === 'unknown') throw refusal(404, 'There is no such request for approval.');
    if (outcome === 'too late') {
      throw refusal(409, 'This was already decided, or its run has ended.');
    }
    return reply.code(204).send();
  });

  app.setErrorHandler(async (error, request, reply) => {
    const { code } = /** @type {import('fastify').FastifyError} */ (error);
    const {
      statusCode = 500,
      message,
      retryAfterSeconds,
    } = /** @type {import('fastify').FastifyError & { retryAfterSeconds?: number }} */ (
      BUSY.has(code)
        ? tryLater(503, 'Too many people are asking just now.', RETRY_SANDBOX_SECONDS)
        : error
    );
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    if (statusCode >= 500) request.log.error(`${code}: ${String(error)}`);
    const told = statusCode === 500 ? 'Something went wrong here.' : message;
    return reply.code(statusCode).send({ error: told });
  });

  app.addHook('preClose', async () => {
    await conversations.close();
    // The rest of an answer takes milliseconds, unless its reader takes nothing.
    const stalled = setTimeout(() => app.server.closeAllConnections(), LAST_EVENTS_MS);
    await Promise.all(answers);
    clearTimeout(stalled);
  });
  return app;

  /** @param {string} user */
  function countRequest(user) {
    const seconds = quota.ask(user);
    if (seconds > 0) throw tryLater(429, 'You have sent as many requests as allowed.', seconds);
  }

  /**
   * Begins an answer, which ends when it is sent or its reader disconnects.
   * @param {string} user
   * @param {import('fastify').FastifyReply} reply
   */
  function beginAnswer(user, { raw }) {
    const endAnswer = quota.beginAnswer(user);
    if (endAnswer === undefined) {
      throw tryLater(429, 'You are being sent as many answers as allowed.', RETRY_ANSWER_SECONDS);
    }
    const { socket } = raw.req;
    let isEnded = false;
    const end = () => {
      if (isEnded) return;
      isEnded = true;
      socket.off('close', end);
      endAnswer();
    };
    raw.once('close', end);
    // An answer that waits behind another one on the connection has no event `close`.
    socket.once('close', end);
  }

  /**
   * The conversation in the path, if it belongs to the user.
   * @param {import('fastify').FastifyRequest} request
   */
  function conversationOf(request) {
    const user = userOf(request);
    const { id } = /** @type {{ id: string }} */ (request.params);
    if (!conversations.belongsTo(id, user)) throw refusal(404, 'There is no such conversation.');
    return { id, user };
  }
}

/**
 * The user who asks. This replaces your login: anybody can claim to be anybody.
 * @param {import('fastify').FastifyRequest} request
 */
function userOf(request) {
  const user = request.headers['x-user'];
  if (typeof user === 'string' && /^[\w.-]{1,64}$/.test(user)) return user;
  throw refusal(
    401,
    'The header x-user must have the name of the user: letters, digits, _, . or -.',
  );
}

/**
 * The text of the message.
 * @param {import('fastify').FastifyRequest} request
 */
function textOf(request) {
  const { text } = fieldsOf(request);
  if (typeof text !== 'string' || text.trim() === '') {
    throw refusal(400, 'text must be a string that is not empty.');
  }
  if (text.length > LONGEST_TEXT) {
    throw refusal(400, `text has ${text.length} characters. The limit is ${LONGEST_TEXT}.`);
  }
  return text;
}

/**
 * @param {import('fastify').FastifyRequest} request
 * @returns {Readonly<Record<string, unknown>>}
 */
function fieldsOf({ body }) {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/**
 * An error with this HTTP status.
 * @param {number} statusCode
 * @param {string} message
 */
function refusal(statusCode, message) {
  return Object.assign(new Error(message), { statusCode });
}

/**
 * @param {429 | 503} statusCode
 * @param {string} message
 * @param {number} retryAfterSeconds
 */
function tryLater(statusCode, message, retryAfterSeconds) {
  const error = refusal(statusCode, `${message} Try again in ${retryAfterSeconds} s.`);
  return Object.assign(error, { retryAfterSeconds });
}

/**
 * The message without the model's thinking, which is only for its service, and with the ids of pictures instead of
 * their bytes.
 * @param {import('sandboxed-ptc').ModelMessage} message
 */
function forReader({ role, content }) {
  const shown = [...content].filter(({ type }) => type !== 'thinking' && type !== 'opaque');
  return {
    role,
    content: shown.map((block) => {
      if (block.type !== 'tool-result') return block;
      const { images = [], ...others } = block;
      return { ...others, pictures: images.map(pictureId) };
    }),
  };
}
