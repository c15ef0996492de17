/** What a program finds as `process`: what Node has there and needs no rights. */

import EventEmitter from 'node:events';

const { apply, defineProperty, get } = Reflect;
// Taken while it is there.
const { memoryUsage } = globalThis.Deno;
const emit = get(EventEmitter.prototype, 'emit');
const { isInteger } = Number;
/** The object stays with the runner, whatever programs do to the name. */
export class ProgramProcess {
  /** What programs find. */
  object;
  #exitCode;

  #warn;

  /**
   * @param {object} calls
   * @param {(code?: number) => void} calls.exit
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
    // Deno's own would ask for rights.
    original.removeAllListeners('warning');
    original.on('warning', (warning) => this.#tell(warning));
    defineProperty(this.object, 'exitCode', {
      get: () => this.#exitCode,
      set: (value) => {
        this.#exitCode = checkedExitCode(value);
      },
      enumerable: true,
      configurable: true,
    });
    defineProperty(this.object, Symbol.toStringTag, { value: 'process', configurable: true });
  }

  /** Gives it a property, if the program has left it able to take one. */
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

  /** What the program wants to end with, so far. */
  get exitCode() {
    return this.#exitCode ?? 0;
  }

  /** The same at the end of its run. */
  takeExitCode() {
    const code = this.exitCode & 0xff;
    this.#exitCode = undefined;
    return code;
  }
}

/** As Node takes it: a whole number, or a text of one. */
function checkedExitCode(value) {
  if (value === undefined || value === null) return undefined;
  const code = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (isInteger(code)) return code;
  throw new TypeError(
    `The "code" argument must be a whole number or a text of one. Received ${typeof value}`,
  );
}
