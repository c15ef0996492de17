// A host of a persistent sandbox: runs one program, says the kind of each message that it gets, and
// waits to be killed.
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { SandboxClient, specOf } from './support.ts';

const [sessionId = '', idleLimitMs = '', code = ''] = process.argv.slice(2);
const persistent = { idleLimitMs: Number(idleLimitMs) };
const spec = { ...specOf('persistent'), sessionId, persistent };
const client = new SandboxClient(await dockerProvider().create(spec));
const { transport } = client.sandbox;
if (code !== '') {
  transport.send({
    kind: 'configure',
    language: 'python',
    tools: [],
    output_limit_bytes: 20_000_000,
    call_limit_bytes: 1_048_576,
    call_limit_values: 20_000,
    cancel_grace_ms: 1000,
    cancel_limit_ms: 5000,
  });
  transport.send({
    kind: 'execute',
    language: 'python',
    execution_id: 'run-1',
    code,
    time_limit_ms: 100,
  });
}
for (;;) {
  const { kind } = await client.next();
  process.stdout.write(`${kind}\n`);
}
