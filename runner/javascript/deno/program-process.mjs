/** The `process` of programs: properties of Node's that need no permissions. */

import EventEmitter from 'node:events';

const { apply, defineProperty, get } = Reflect;
// Taken before it is removed.
const { memoryUsage } = globalThis.Deno;
const emit = get(EventEmitter.prototype, 'emit');
const { isInteger } = Number;
/** The runner keeps the object, whatever programs assign to the name. */
export class ProgramProcess {
  /** The object that programs find. */
  object;
  #exitCode;

  #warn;

  /**
   * @param {object} calls
   * @param {(...given: unknown[]) => void} calls.exit
   * @param {(text: string) => void} calls.warn - Writes to the program's standard error.
   */
  constructor({ exit, warn }) {
    const original = globalThis.process;
    this.#warn = warn;
    this.object = new EventEmitter();
    const properties = {
      argv: ['deno'],
      argv0: 'deno',
      execArgv: [],
      env: {},
      title: 'deno',
      pid: 1,
      ppid: 0,
      exit,
      cwd: () => '/',
      nextTick: original.nextTick.bind(original),
      hrtime: original.hrtime,
      memoryUsage: () => ({ ...memoryUsage(), arrayBuffers: 0 }),
      emitWarning: (...values) => original.emitWarning(...values),
      version: original.version,
      versions: { ...original.versions },
      release: { name: 'node' },
      arch: original.arch,
      platform: original.platform,
      uptime: () => performance.now() / 1000,
    };
    for (const [name, value] of Object.entries(properties)) this.define(name, value);
    // Deno's own listener would need permissions.
    original.removeAllListeners('warning');
    original.on('warning', (warning) => this.#tell(warning));
    defineProperty(this.object, 'exitCode', {
      get: () => this.#exitCode,
      set: (value) => {
        this.exitCode = value;
      },
      enumerable: true,
      configurable: true,
    });
    defineProperty(this.object, Symbol.toStringTag, { value: 'process', configurable: true });
  }

  /** Defines a property of the object, if the program has not prevented that. */
  define(name, value) {
    const descriptor = { __proto__: null, value };
    descriptor.writable = descriptor.enumerable = descriptor.configurable = true;
    defineProperty(this.object, name, descriptor);
  }

  #tell(warning) {
    const code = warning.code === undefined ? '' : `[${warning.code}] `;
    this.#warn(`(node:1) ${code}${warning.name}: ${warning.message}\n`);
    apply(emit, this.object, ['warning', warning]);
  }

  /** The exit status that the program has set so far. */
  get exitCode() {
    return this.#exitCode ?? 0;
  }

  set exitCode(value) {
    this.#exitCode = checkedExitCode(value);
  }

  /** Returns the exit status at the end of the program, and resets it. */
  takeExitCode() {
    const code = this.exitCode & 0xff;
    this.#exitCode = undefined;
    return code;
  }
}

/** Accepts the same values as Node: a whole number, or a text of one. */
function checkedExitCode(value) {
  if (value === undefined || value === null) return undefined;
  const code = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (isInteger(code)) return code;
  const Refusal = typeof value === 'number' ? RangeError : TypeError;
  throw new Refusal(
    `The "code" argument must be a whole number or a text of one. Received ${typeof value}`,
  );
}
