import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import type { LanguageName } from '../../src/protocol/messages.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { AuditLog } from '../../src/audit/entry.ts';
import { openAuditLog } from '../../src/audit/log.ts';
import { verifyAuditFiles } from '../../src/audit/verify/verify-audit-files.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { stoppedAt } from '../../src/testing/stopped-at.ts';
import { type CorpusCase, type Place, sharesSession } from './corpus-case.ts';
import { compare, expectLimit, expectSame, isEarly, outcomes, textOf } from './corpus-result.ts';
import { HostReaders } from './host-readers.ts';
import { type HostCost, HostWatch } from './host-watch.ts';
import { Lure } from './lure.ts';
import { grown, type HostResources, readHostResources, untilNothingIsLeft } from './remains.ts';

const LOG = 'audit.jsonl';
const MOST_LOGS = 2;

/** Says what a session knows already: files, a tool that answers, and the language itself. */
const HEALTH: Readonly<Record<LanguageName, string>> = {
  python:
    'import os\nprint("fresh", sorted(os.listdir("/tmp")), await echo(value=[1, "two"]), len([1]))',
  javascript: `
    const files = require('module').isBuiltin('fs') ? require('fs').readdirSync('/tmp') : [];
    console.log('fresh', files, await echo({ value: [1, 'two'] }), [1].length)`,
  typescript: `
    const files: string[] = require('module').isBuiltin('fs') ? require('fs').readdirSync('/tmp') : [];
    console.log('fresh', files, await echo({ value: [1, 'two'] }), [1].length)`,
  bash: 'echo fresh "[$(ls /tmp)]" "$(echo_ --value \'[1, "two"]\')" $((1))',
};
/**
 * How long a program may hold the event loop of the host. A test of timing fails on a busy machine, so this is a
 * hundred times what is promised: code whose time grows with the square of its input, or worse, takes longer than that.
 * `npm run bench -- --only HOSTILE` measures the promise itself.
 */
const LOOP_DELAY_MS = 5000;

/** How much may be kept of the results of a tool, in characters. */
const LARGEST_SHAPE = 5000;

/** The time limit of a program that names none. It ends what hangs: such a program ends by itself. */
const DEFAULT_LIMIT_MS = 240_000;

const FRESH = /^fresh \[ ?(?:'?outputs'?)? ?\] \[ ?(?:1, ?'two'|1,"two") ?\] 1\n$/;
// The host keeps long output of earlier programs in the directory `full-output`.
const HEALTHY =
  /^fresh \[ ?(?:'?full-output'?,?\s)?(?:'?outputs'?)? ?\] \[ ?(?:1, ?'two'|1,"two") ?\] 1\n$/;

/** What came of a program that ran once with a time limit. */
interface Attack {
  /** Its result if the time limit ended it before it came as far as it must. */
  readonly early: ExecutionResult | undefined;
  readonly cost: HostCost;
}

/** A place under attack. */
export interface Target {
  readonly place: Place;
  /** The place whose results are expected, if this machine cannot give all that the place is meant to. @default place */
  readonly expectedAs?: Place;
  readonly create: () => SandboxProvider;
  /** The ids of the sandboxes that this process has there, known to its executors or not. */
  readonly listSandboxes: (provider: RecordingProvider) => Promise<string[]>;
  /**
   * How many sandboxes stand ready while a program is looked at that ended its own. One that stands ready warms up, which
   * takes processor time.
   */
  readonly pool: 0 | 1;
  /**
   * Whether the provider keeps something ready, with descriptors that are there at one moment and not at the next.
   * They are counted when it is closed, and not after each program.
   */
  readonly keepsSpares?: boolean;
}

/** Runs hostile programs of one language, and looks after each for what it left. */
export class CorpusBench {
  readonly #target: Target;
  readonly #language: LanguageName;
  readonly #provider: RecordingProvider;
  readonly #executor: SandboxExecutor;
  readonly #tools: ToolRegistry;
  readonly #lure: Lure = new Lure();
  readonly #audit: AuditLog;
  readonly #directory: string;
  readonly #beforeStart: HostResources;
  #before: HostResources | undefined;
  /** A session in which only the program of `expectHealth` ran, and those that share it. */
  #ready: Session | undefined;
  /** Whether others than the program of `expectHealth` ran in it. */
  #isShared: boolean = false;
  /** Sessions whose sandboxes are gone. */
  readonly #closed: Set<string> = new Set();

  /** Starts the pool, and takes down what the host's process has open while nothing runs. */
  static async start(target: Target, language: LanguageName): Promise<CorpusBench> {
    const beforeStart = await readHostResources();
    const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-corpus-'));
    // The texts too: then all that a program says goes through the log.
    const audit = await openAuditLog({
      path: join(directory, LOG),
      includeText: true,
      maxFiles: MOST_LOGS,
    });
    const bench = new CorpusBench(target, language, audit, directory, beforeStart);
    await bench.#lure.open(bench.#executor);
    await bench.expectHealth();
    bench.#before = await readHostResources();
    return bench;
  }

  private constructor(
    target: Target,
    language: LanguageName,
    audit: AuditLog,
    directory: string,
    beforeStart: HostResources,
  ) {
    this.#target = target;
    this.#language = language;
    this.#audit = audit;
    this.#directory = directory;
    this.#beforeStart = beforeStart;
    this.#provider = new RecordingProvider(target.create());
    this.#tools = new ToolRegistry(this.#lure.tools);
    this.#executor = this.#makeExecutor({ pool: { minReady: target.pool } });
  }

  async close(): Promise<void> {
    await this.#lure.close();
    await this.#executor.close();
    await this.#provider.close();
    await this.#audit.close();
    await this.#expectWholeLog();
    await rm(this.#directory, { recursive: true });
    expectSame('sandboxes left', await this.#target.listSandboxes(this.#provider), []);
    const { descriptors, active } = this.#beforeStart;
    const before = { descriptors: this.#target.keepsSpares ? descriptors : undefined, active };
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
  }

  /**
   * Runs a program in a session of its own, and compares what comes of it with what must.
   * @returns what it cost this process.
   */
  async attack(hostile: CorpusCase): Promise<HostCost> {
    const { limits, budgets, maxOutputBytes, asksTogether = false } = hostile;
    const own =
      limits !== undefined || budgets !== undefined || maxOutputBytes !== undefined || asksTogether;
    const executor = own
      ? this.#makeExecutor({
          ...(limits && { limits }),
          ...(budgets && { budgets }),
          ...(maxOutputBytes !== undefined && { maxOutputBytes }),
          ...(asksTogether && { policy: this.#lure.policyOfBatches }),
        })
      : this.#executor;
    try {
      const attack = await stoppedAt<Attack>(
        ({ early }) => early === undefined,
        async (timeoutMs) => this.#attackIn(executor, hostile, timeoutMs),
        hostile.timeoutMs ?? DEFAULT_LIMIT_MS,
      );
      if (attack.early !== undefined) compare(attack.early, hostile);
      return attack.cost;
    } finally {
      if (own) await executor.close();
    }
  }

  /**
   * Sees that nothing is left of a program, and that a new session knows nothing of it; if others share its session, that
   * this is as it was.
   */
  async expectHealth(hostile?: CorpusCase): Promise<void> {
    expectSame('reached', this.#lure.reached, { calls: 0, connections: 0 });
    const shared = hostile && sharesSession(hostile) ? this.#ready : undefined;
    if (shared === undefined) await this.#executor.closeAllSessions();
    const health = HEALTH[this.#language];
    const session = shared ?? (await this.#executor.acquire());
    const { status, stdout } = await session.execute(health);
    expectSame('what every object inherits', Reflect.get({}, 'polluted'), undefined);
    expectSame('tools of whose results much is kept', this.#largeShapes(), []);
    const healthy = ['ok', expect.stringMatching(shared ? HEALTHY : FRESH)];
    expectSame(shared ? 'the shared session' : 'a new session', [status, stdout], healthy);
    this.#ready = session;
    this.#isShared = shared !== undefined;
    await this.#untilQuiet();
  }

  async #attackIn(
    executor: SandboxExecutor,
    hostile: CorpusCase,
    timeoutMs: number,
  ): Promise<Attack> {
    const isOwn = executor !== this.#executor;
    if (!isOwn && this.#isShared && !sharesSession(hostile)) await this.expectHealth();
    const ready = isOwn ? undefined : this.#ready;
    // Not for the next one too, should this one fail.
    this.#ready = undefined;
    if (ready === undefined) await executor.closeAllSessions();
    const session = ready ?? (await executor.acquire());
    await session.execute('');
    const { sessionOpen = true, runs = 1, endsWhenIdle, after } = hostile;
    const readers = new HostReaders();
    const watch = await HostWatch.start();
    let cost: HostCost;
    try {
      for (let run = 0; run < runs; run += 1) {
        this.#lure.madeLater = 0;
        const result = await session.execute(hostile.code, {
          timeoutMs,
          onEvent: (event) => readers.hear(event),
        });
        await readers.read(result, session);
        if (isEarly(result, hostile)) {
          await session.destroy();
          return { early: result, cost: await watch.stop() };
        }
        compare(result, hostile);
        expectSame('calls made at the end', this.#lure.madeLater, outcomes(result, 'done'));
        if (result.status === 'timeout') expectLimit(result, timeoutMs);
      }
    } finally {
      cost = await watch.stop();
    }
    expectSame('what went wrong for those who read of it', readers.faults, []);
    const held = cost.loopDelayMs < LOOP_DELAY_MS ? 'for a moment' : `${cost.loopDelayMs} ms`;
    expectSame('the event loop was held', held, 'for a moment');
    if (endsWhenIdle) {
      await untilNothingIsLeft(async () => (this.#closed.has(session.id) ? [] : [session.id]));
    } else {
      expectSame(
        'session open',
        (await executor.sessionInfo({ id: session.id })) !== undefined,
        sessionOpen,
      );
    }
    if (after !== undefined) {
      const place = after.session === 'same' ? session : executor;
      const { stdout, error } = await place.execute(after.code);
      expectSame('the program after it', [stdout, error], [textOf(after.stdout), undefined]);
    }
    if (!isOwn && sharesSession(hostile) && sessionOpen) this.#ready = session;
    else await session.destroy();
    return { early: undefined, cost };
  }

  #makeExecutor(options: SandboxExecutorOptions): SandboxExecutor {
    return new SandboxExecutor({
      tools: this.#tools,
      policy: this.#lure.policy,
      audit: this.#audit,
      provider: this.#provider,
      languages: [this.#language],
      sandboxStartTimeoutMs: DEFAULT_LIMIT_MS,
      programTimeoutMs: DEFAULT_LIMIT_MS,
      onExecutorEvent: (event) => {
        if (event.type === 'session-closed') this.#closed.add(event.sessionId);
      },
      ...options,
    });
  }

  #largeShapes(): readonly string[] {
    return Object.entries(this.#tools.observedShapes())
      .filter(([, shape]) => JSON.stringify(shape).length > LARGEST_SHAPE)
      .map(([name]) => name);
  }

  /** Sees that the audit log is the chain that it was, whatever programs have said. */
  async #expectWholeLog(): Promise<void> {
    const files = (await readdir(this.#directory)).map((file) => join(this.#directory, file));
    const { problem } = await verifyAuditFiles(files, undefined);
    expectSame('what is wrong with the audit log', problem, undefined);
  }

  async #untilQuiet(): Promise<void> {
    await this.#executor.warmUp();
    await untilNothingIsLeft(async () => {
      const known = [...this.#provider.open.keys()].map((id) => this.#provider.created.get(id)?.id);
      const found = await this.#target.listSandboxes(this.#provider);
      const remains = found.filter((id) => !known.includes(id)).map((id) => `sandbox ${id}`);
      const expected = this.#target.pool + this.#executor.activeSessions.length;
      if (known.length > expected) remains.push(`${known.length} sandboxes, not ${expected}`);
      if (this.#before === undefined) return remains;
      const { descriptors, active } = this.#before;
      const before = { descriptors: this.#target.keepsSpares ? undefined : descriptors, active };
      return [...remains, ...grown(before, await readHostResources())];
    });
  }
}
