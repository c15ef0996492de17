// @ts-check
// What browsers may do with the pages and answers of this server, and by which names they reach it.

const HEADERS = {
  // No page of others can show this one in a frame, where a click could be one on Approve.
  'content-security-policy':
    "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests for other names than those of this server. Otherwise, a page of others could
 * point its own name at this machine and use the server as if it were its own (DNS rebinding).
 * @param {import('fastify').FastifyInstance} app
 * @param {readonly string[]} names besides those of the loopback interface
 */
export function protectSite(app, names) {
  const known = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())]);
  app.addHook('onRequest', async (request, reply) => {
    // Also for answers that are sent as events. What users and programs made has stricter ones (files.mjs).
    for (const [name, value] of Object.entries(HEADERS)) reply.raw.setHeader(name, value);
    const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    if (known.has(name)) return;
    const message = `This server does not answer for ${JSON.stringify(name)}. If it should, add the name to HOST_NAMES.`;
    throw Object.assign(new Error(message), { statusCode: 421 });
  });
}
