import fastifySwagger from '@fastify/swagger';
import fastify, { type FastifyInstance } from 'fastify';

/** A service of pets whose document `@fastify/swagger` writes from the schemas of its routes. */
export async function startPetService(
  version: '2.0' | '3.0' | '3.1',
  token: string,
): Promise<{ readonly app: FastifyInstance; readonly baseUrl: string; readonly document: object }> {
  const app = fastify();
  const bearer = { type: 'http', scheme: 'bearer' } as const;
  const info = { title: 'Pets', version: '1.0.0' };
  await app.register(
    fastifySwagger,
    version === '2.0'
      ? {
          swagger: {
            info,
            consumes: ['application/json'],
            produces: ['application/json'],
            securityDefinitions: { token: { type: 'apiKey', in: 'header', name: 'authorization' } },
          },
        }
      : {
          openapi: {
            openapi: `${version}.0`,
            info,
            components: { securitySchemes: { token: bearer } },
          },
        },
  );
  const pet = {
    $id: 'Pet',
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, age: { type: 'integer' } },
    required: ['id', 'name'],
  };
  app.addSchema(pet);
  const pets = new Map([[1, { id: 1, name: 'Rex', age: 3 }]]);
  const security = [{ token: [] }];
  await app.register(async (routes) => {
    routes.addHook('onRequest', async (request, reply) => {
      if (request.headers.authorization !== `Bearer ${token}`)
        await reply.code(401).send({ error: 'who?' });
    });
    routes.get(
      '/pets',
      {
        schema: {
          operationId: 'listPets',
          summary: 'Lists pets.',
          security,
          querystring: { type: 'object', properties: { least_age: { type: 'integer' } } },
          response: { 200: { type: 'array', items: { $ref: 'Pet#' } } },
        },
      },
      (request) => {
        const { least_age: least = 0 } = request.query as { least_age?: number };
        return [...pets.values()].filter(({ age }) => age >= least);
      },
    );
    routes.post(
      '/pets',
      {
        schema: {
          operationId: 'addPet',
          security,
          body: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name'],
          },
          response: { 201: { $ref: 'Pet#' } },
        },
      },
      async (request, reply) => {
        const { name, age = 0 } = request.body as { name: string; age?: number };
        const made = { id: pets.size + 1, name, age };
        pets.set(made.id, made);
        await reply.code(201).send(made);
      },
    );
    routes.get(
      '/pets/:id',
      {
        schema: {
          operationId: 'getPet',
          security,
          params: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          response: {
            200: { $ref: 'Pet#' },
            404: { type: 'object', properties: { error: { type: 'string' } } },
          },
        },
      },
      async (request, reply) => {
        const found = pets.get((request.params as { id: number }).id);
        return found ?? reply.code(404).send({ error: 'no such pet' });
      },
    );
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, baseUrl, document: app.swagger() };
}
