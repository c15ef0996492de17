// Executors whose sandboxes have one interpreter, and one whose sandboxes have all of them.

import { SandboxExecutor } from '../../dist/index.js';
import { PROGRAMS } from './programs.mjs';

/** Languages whose programs share an interpreter stand together. */
const INTERPRETERS = [['python'], ['typescript', 'javascript'], ['bash']];
const ALL = INTERPRETERS.flat();

/** The languages of each executor that a provider can have: those of each interpreter, then all. */
function chooseLanguages(providerLanguages) {
  const there = (languages) => languages.filter((name) => providerLanguages.includes(name));
  return [...INTERPRETERS, ALL].map(there).filter((languages) => languages.length > 0);
}

/**
 * Somewhere a program can run: one language of an executor.
 * @typedef {object} Place
 * @property {SandboxExecutor} executor - Its programs are of `language` where they do not say otherwise.
 * @property {string} language
 * @property {readonly string[]} languages - All that its sandboxes have.
 * @property {import('./programs.mjs').Programs} programs - Those of `language`.
 */

/** Opens the executors for as long as `work` takes, and gives it all places. */
export async function withFleet(provider, options, watch, work) {
  const executors = chooseLanguages(provider.languages).map((languages) => {
    const executor = new SandboxExecutor({ ...options, sandbox: provider, languages });
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

/** The executor, with programs of this language where they do not say otherwise, and all results watched. */
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

/** The object, with some of its methods replaced. */
function instead(object, methods) {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name];
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
