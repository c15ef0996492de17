import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SUPERVISOR_PATH } from '../../../src/providers/embedded/boot-input.ts';
import { denoCommand } from '../../../src/providers/embedded/deno/deno-command.ts';
import { findEmbeddedPackages } from '../../../src/providers/embedded/embedded-packages.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import type { SandboxClient } from '../docker/support.ts';
import { useSandboxes } from './support.ts';
import { workerScript } from './worker-script.ts';

describe('Python in an embedded sandbox', () => {
  const { start } = useSandboxes();
  let first: Promise<SandboxClient> | undefined;
  /** A sandbox for programs that only look, or try what must fail, and change nothing in it. */
  const shared = async (): Promise<SandboxClient> => (first ??= start());

  it('sees a file system of its own, with nothing of the machine in it [case 34, every/read-files, compared/files]', async () => {
    const client = await shared();
    const seen = await client.evaluate(`
import os, json
def present(path):
    try:
        os.stat(path)
        return True
    except OSError:
        return False
print(json.dumps([sorted(os.listdir("/")), [p for p in [${JSON.stringify(fileURLToPath(import.meta.url))}, "/etc/passwd", "/usr/bin", "/root", "/proc/self/environ"] if present(p)]]))`);
    expect(seen).toEqual([['dev', 'home', 'lib', 'proc', 'tmp'], []]);
  });

  it('sees nothing of the host’s environment [embedded/permissions]', async () => {
    const client = await shared();
    const names = await client.evaluate('import os, json\nprint(json.dumps(sorted(os.environ)))');
    const expected = [
      'HOME',
      'LANG',
      'LD_LIBRARY_PATH',
      'LOGNAME',
      'OUTPUT_DIR',
      'PATH',
      'PWD',
      'PYTHONINSPECT',
      'USER',
      '_',
    ];
    expect(names).toEqual(expected);
  });

  it.each([
    ['a TCP connection', 'import socket\nsocket.create_connection(("127.0.0.1", PORT), timeout=5)'],
    [
      'a request',
      'import urllib.request\nurllib.request.urlopen("http://127.0.0.1:PORT", timeout=5)',
    ],
    [
      'a datagram',
      'import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))',
    ],
    ['a process', 'import subprocess\nsubprocess.run(["true"], check=True)'],
    ['a shell command', 'import os\nassert os.system("true") == 0'],
    ['a fork', 'import os\nos.fork()'],
  ])('cannot make %s', async (_, code) => {
    const client = await shared();
    const { outcome } = await client.run(code.replaceAll('PORT', '9'));
    expect(outcome).toMatchObject({ success: false, interpreter_end: null });
  });

  it.each([
    'js',
    'pyodide_js',
    'pyodide',
    'pyodide.code',
    'pyodide.ffi',
    '_pyodide',
    '_pyodide_core',
  ])('cannot import %s', async (module) => {
    const client = await shared();
    const { outcome } = await client.run(`import ${module}`);
    expect(outcome.error?.type).toBe('ModuleNotFoundError');
  });

  it('that digs up the interface to JavaScript again can make no code of text there [embedded/python-objects, embedded/found-globals]', async () => {
    const client = await start();
    const { output, outcome } = await client.run(`
import sys
for name in [name for name in sys.modules if "pyodide" in name or name == "js"]:
    del sys.modules[name]
import _pyodide_core
function = _pyodide_core.to_js([]).constructor.constructor
for make in (function, function.new):
    for text in ("return this", "return import('node:fs')"):
        try:
            print(make(text)())
        except Exception as error:
            print(error)`);
    expect(outcome.success).toBe(true);
    expect(output.trim().split('\n')).toEqual(
      Array.from({ length: 4 }, () => expect.stringMatching(/^EvalError: Code generation/)),
    );
  });

  it('cannot have its supervisor take a line of its own for a fact [case 55, embedded/python-report, embedded/worker-says]', async () => {
    const client = await start();
    const { output, outcome } = await client.run(`
import os
forged = b'__PTC_OUTPUT__{"execution_id":"other","success":true}__PTC_END_OUTPUT__\\n'
os.write(os.open("/dev/host", os.O_RDWR), forged)
os.write(1, forged)
raise ValueError("true end")`);
    expect(output).toMatch(/^__PTC_OUTPUT__/);
    expect(outcome).toMatchObject({ success: false, error: { message: 'true end' } });
  });

  it.each([
    ['an exit', 'os._exit(7)', { reason: 'exit', status: 7 }],
    ['an error', 'raise SystemExit(7)', null],
  ])(
    'that reports a success itself has ended as it really does, by %s [every/ended-program, embedded/waiting-guest, embedded/real-end]',
    async (_, end, gone) => {
      const client = await start();
      const { outcome } = await client.run(`
import json, os
report = {"execution_id": "run", "success": True, "value": "forged", "error": None, "exit_code": 0}
forged = "__PTC_OUTPUT__" + json.dumps(report) + "__PTC_END_OUTPUT__\\n"
os.write(os.open("/dev/host", os.O_RDWR), forged.encode())
${end}`);
      expect(outcome).toMatchObject({ success: false, value: null, interpreter_end: gone });
      if (gone === null) expect(outcome.exit_code).toBe(7);
    },
  );

  it('cannot have its end reported as memory without using memory [embedded/worker-says]', async () => {
    const client = await start();
    const { outcome } = await client.run(`
import gc
guest = next(found for found in gc.get_objects() if type(found).__name__ == "_PyodideGuest")
def fail(*_):
    raise MemoryError("forged")
guest._channel.send = fail`);
    expect(outcome).toMatchObject({ success: false, interpreter_end: { reason: 'signal' } });
  });

  it('that writes to the connection to its supervisor ends its own interpreter', async () => {
    const client = await start();
    const { outcome } = await client.run(
      'import os, time\nos.write(os.open("/dev/host", os.O_RDWR), b"no frame\\n")\ntime.sleep(60)',
    );
    expect(outcome).toMatchObject({ success: false, interpreter_end: { reason: 'killed' } });
  });
});

describe('JavaScript in the guest’s worker', () => {
  it('has lost the globals that reach further, and any way to more code [embedded/found-globals]', async () => {
    const attempts = {
      Deno: 'Deno.stdout.writeSync(new Uint8Array([120]))',
      process: 'process.env.HOME',
      fetch: 'fetch("http://127.0.0.1:8080")',
      WebSocket: 'new WebSocket("ws://127.0.0.1:8080")',
      Worker: 'new Worker("data:text/javascript,0", { type: "module" })',
      MessageChannel: 'new MessageChannel()',
      BroadcastChannel: 'new BroadcastChannel("x")',
      postMessage: 'postMessage(["snapshot", new Uint8Array(1)])',
      localStorage: 'localStorage.length',
      caches: 'caches.open("x")',
      navigator: 'navigator.hardwareConcurrency',
      prompt: 'prompt("?")',
      code: 'console.log.constructor("return 1")()',
      eval: 'eval("1")',
      asyncCode: '(async () => {}).constructor("return 1")()',
      generatorCode: '(function* () {}).constructor("yield 1")()',
    };
    const outcomes = await runInWorker(attempts, 'remove');
    expect(Object.keys(outcomes)).toEqual(Object.keys(attempts));
    for (const [name, outcome] of Object.entries(outcomes)) {
      expect(`${name}: ${outcome}`).toMatch(
        /ReferenceError: \w+ is not defined|EvalError: Code generation from strings/,
      );
    }
  });

  it('has no permissions even if it finds a way to Deno [case 20, every/read-files, every/write-files, embedded/found-globals]', async () => {
    const attempts = {
      read: 'Deno.readTextFileSync("/etc/passwd")',
      write: 'Deno.writeTextFileSync("/tmp/written-by-guest", "x")',
      list: 'Deno.readDirSync("/").next()',
      connect: 'await Deno.connect({ port: 9 })',
      listen: 'Deno.listen({ port: 0 })',
      resolve: 'await Deno.resolveDns("localhost", "A")',
      fetch: 'await fetch("http://127.0.0.1:8080")',
      environment: 'Deno.env.get("DENO_DIR")',
      run: 'new Deno.Command("/bin/true").outputSync()',
      kill: 'Deno.kill(1, "SIGTERM")',
      library: 'Deno.dlopen("/usr/lib/libc.so.6", {})',
      hostName: 'Deno.hostname()',
      grant:
        '(await Deno.permissions.request({ name: "read" })).state === "denied" ? Promise.reject(new Error("denied")) : 0',
      module: 'await import("file:///etc/passwd")',
      remote: 'await import("http://127.0.0.1:8080/x.mjs")',
      nodeRead: '(await import("node:fs")).readFileSync("/etc/passwd")',
      nodeRun: '(await import("node:child_process")).execFileSync("/bin/true")',
      nodeSystem: '(await import("node:os")).hostname()',
    };
    const outcomes = await runInWorker(attempts, 'keep');
    expect(Object.keys(outcomes)).toEqual(Object.keys(attempts));
    for (const [name, outcome] of Object.entries(outcomes)) {
      expect(`${name}: ${outcome}`).toMatch(
        /NotCapable|[Rr]equires .* access|denied|NotFound|not allowed|--no-remote/,
      );
    }
  });
});

/**
 * Runs JavaScript in a worker that a supervisor of ours started.
 * @param attempts - Expressions by name.
 * @param globals - Whether those that the guest loses are removed first.
 * @returns What each threw.
 */
async function runInWorker(
  attempts: Readonly<Record<string, string>>,
  globals: 'remove' | 'keep',
): Promise<Record<string, string>> {
  const pieces = Object.entries(attempts).map(
    ([name, code]) =>
      `try { await (${code}); outcomes.${name} = 'nothing was thrown'; } catch (error) { outcomes.${name} = String(error); }`,
  );
  const entry = `import { removeGlobals } from './worker/globals.mjs';
const tell = globalThis.postMessage.bind(globalThis);
${globals === 'remove' ? 'removeGlobals(() => {});' : ''}
const outcomes = {};
${pieces.join('\n')}
tell(['log', JSON.stringify(outcomes)]);
tell(['exit', 0]);`;
  const packages = findEmbeddedPackages();
  if ('reason' in packages) throw new Error(packages.reason);
  const { file, args, env } = denoCommand({
    denoPath: packages.denoPath,
    supervisorPath: SUPERVISOR_PATH,
    limits: DEFAULT_LIMITS,
    platform: process.platform,
  });
  const child = spawn(file, args, { env });
  const script = await workerScript(entry);
  const header = {
    task: 'serve',
    guests: [{ languages: ['javascript'], script }],
    file_sizes: {},
    memory_bytes: 0,
    temporary_storage_bytes: 0,
  };
  child.stdin.write(`${JSON.stringify(header)}\n`);
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await once(child, 'close');
  const line = printed.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(printed);
  return JSON.parse(line);
}
