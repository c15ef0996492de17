// Executors whose sandboxes have one interpreter, and one whose sandboxes have all of them.

import { SandboxExecutor } from '../../dist/index.js';
import { PROGRAMS } from './programs.mjs';

/** Languages whose programs share an interpreter are in the same list. */
const INTERPRETERS = [['python'], ['typescript', 'javascript'], ['bash']];
const ALL = INTERPRETERS.flat();

/** The languages of each executor of a provider: those of each interpreter, then all. */
function chooseLanguages(providerLanguages) {
  const there = (languages) => languages.filter((name) => providerLanguages.includes(name));
  return [...INTERPRETERS, ALL].map(there).filter((languages) => languages.length > 0);
}

/**
 * A place where a program can run: one language of an executor.
 * @typedef {object} Place
 * @property {SandboxExecutor} executor - `language` is the default of its programs.
 * @property {string} language
 * @property {readonly string[]} languages - All languages of its sandboxes.
 * @property {import('./programs.mjs').Programs} programs - The programs in `language`.
 */

/** Opens the executors for the duration of `work`, and passes it all places. */
export async function withFleet(provider, options, watch, work) {
  const executors = chooseLanguages(provider.languages).map((languages) => {
    const executor = new SandboxExecutor({ ...options, provider, languages });
    return { executor, languages };
  });
  try {
    const places = executors.flatMap(({ executor, languages }) =>
      languages.map((language) => ({
        executor: speak(executor, language, watch),
        language,
        languages,
        programs: PROGRAMS[language],
      })),
    );
    await work(places);
  } finally {
    await Promise.all(executors.map(({ executor }) => executor.close()));
  }
}

/** The executor, with this language as default, and all results watched. */
function speak(executor, language, watch) {
  const execute = async (owner, code, options) => {
    const result = await owner.execute(code, { language, ...options });
    watch(result);
    return result;
  };
  const acquire = async (options) => {
    const session = await executor.acquire(options);
    return instead(session, { execute: (...run) => execute(session, ...run) });
  };
  return instead(executor, { execute: (...run) => execute(executor, ...run), acquire });
}

/** The object with some of its methods replaced. */
function instead(object, methods) {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name];
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
