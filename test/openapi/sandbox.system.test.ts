import { expect, it, onTestFinished } from 'vitest';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { startPetService } from './service.ts';

const PYTHON = `
rex = await shop.getPet(id=1)
print(rex["name"], len(await shop.listPets()))
made = await shop.addPet(name="Tom", age=9)
print(made["id"], [pet["name"] for pet in await shop.listPets(least_age=5)])
try:
    await shop.getPet(id=99)
except ToolError as error:
    print(error.type, str(error))
try:
    await shop.getPet(di=1)
except ToolError as error:
    print(error.type)
`;

const TYPESCRIPT = `
const { id, name } = await shop.addPet({ name: 'Kim' });
const pets = await shop.listPets({});
console.log(id, name, pets.length, (await shop.getPet({ id })).age);
`;

describeWithBubblewrap('a service of Fastify whose document @fastify/swagger wrote', () => {
  it.each(['2.0', '3.0', '3.1'] as const)(
    'is called by programs in bubblewrap, with a document of version %s',
    async (version) => {
      const secret = 'secret-token-1';
      const { app, baseUrl, document } = await startPetService(version, secret);
      onTestFinished(async () => app.close());
      const events: unknown[] = [];
      const tools = new ToolRegistry();
      const token = version === '2.0' ? `Bearer ${secret}` : secret;
      tools.addSource(openApiTools({ name: 'shop', document, baseUrl, auth: { token } }));
      await using executor = new SandboxExecutor({
        tools,
        provider: 'bubblewrap',
        languages: ['python', 'typescript'],
        checkResults: 'error',
      });
      const onEvent = (event: unknown): void => void events.push(event);
      expect(await executor.execute(PYTHON, { onEvent })).toMatchObject({
        stderr: '',
        stdout: `Rex 1\n2 ['Tom']\nFailed shop_getPet failed (Failed): the service answered 404 Not Found: {"error":"no such pet"}\nInvalidArguments\n`,
      });
      expect(await executor.execute(TYPESCRIPT, { language: 'typescript', onEvent })).toMatchObject(
        {
          stderr: '',
          stdout: '3 Kim 3 0\n',
        },
      );
      expect(JSON.stringify(events)).toContain('getPet');
      expect(JSON.stringify(events)).not.toContain(secret);
    },
  );
});
