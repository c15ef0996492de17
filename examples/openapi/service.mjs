// @ts-check
// A small HTTP service with an OpenAPI document, which stands for any that you use.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @typedef {{ id: number, item: string, total: number }} Order */
/** @type {Order[]} */
const orders = [
  { id: 1, item: 'tea', total: 12 },
  { id: 2, item: 'cups', total: 30 },
  { id: 3, item: 'tea', total: 8 },
];

/** @param {object} schema */
const json = (schema) => ({ description: 'OK', content: { 'application/json': { schema } } });
const order = { $ref: '#/components/schemas/Order' };

export const document = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'Lists orders.',
        parameters: [{ name: 'item', in: 'query', schema: { type: 'string' } }],
        responses: { 200: json({ type: 'array', items: order }) },
      },
    },
    '/orders/{id}': {
      get: {
        operationId: 'getOrder',
        summary: 'Returns an order.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: json(order) },
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          item: { type: 'string' },
          total: { type: 'number', description: 'In euros.' },
        },
        required: ['id', 'item', 'total'],
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
  security: [{ key: [] }],
};

/**
 * Starts the service. Requests need the key.
 * @param {string} key
 */
export async function startService(key) {
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const item = searchParams.get('item');
    const id = Number(pathname.split('/')[2]);
    const found = id
      ? orders.find((one) => one.id === id)
      : orders.filter((one) => item === null || one.item === item);
    const status = headers['x-key'] === key ? (found ? 200 : 404) : 401;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? found : { error: status }));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { baseUrl: `http://localhost:${port}`, close: () => server.close() };
}
