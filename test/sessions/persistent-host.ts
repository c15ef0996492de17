// Runs a program in a persistent session, passes on what it prints, and stays until it is killed.
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';

const [key = '', code = ''] = process.argv.slice(2);
const executor = new SandboxExecutor({ provider: 'docker' });
const handle = await executor.acquire({ sessionKey: key, persistent: true });
await handle.execute('kept = 42');
await handle.execute(code, {
  onEvent: (event) => {
    if (event.type === 'output-delta') process.stdout.write(event.text);
  },
});
setInterval(() => undefined, 1000);
