// How much a model would write and read. No model is called: what it writes is the reference, as calls or as a
// program. A token is counted as four characters.

import { LANGUAGES } from '../../dist/languages/languages.js';

const CHARACTERS = 4;

/** What the requests of tasks have cost. */
export class Tokens {
  requests = 0;
  #written = 0;
  #read = 0;

  get written() {
    return Math.round(this.#written / CHARACTERS);
  }

  get read() {
    return Math.round(this.#read / CHARACTERS);
  }

  /**
   * Adds a task.
   * @param prompt - The text of the tools, which each request reads, and all that was said before.
   * @param turns - The question of each turn, and its steps: what the model writes, and what it gets.
   */
  add(prompt, turns) {
    let context = prompt.length;
    for (const { question, steps } of turns) {
      context += question.length;
      for (const { written, result } of steps) {
        this.#request(context);
        this.#written += written.length;
        context += written.length + result.length;
      }
      // The answer, whose text is not counted.
      this.#request(context);
    }
  }

  #request(context) {
    this.requests += 1;
    this.#read += context;
  }
}

/** The definitions of tools that the model calls itself, by the names that the server gives them. */
export function directPrompt(tools) {
  const definitions = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name: name.slice(name.indexOf(':') + 1), description, inputSchema }),
  );
  return definitions.join('\n');
}

/** What the prompt says of tools that programs of a language call. */
export function codePrompt(language, tools) {
  const { executeCodeDescription, documentation } = LANGUAGES[language];
  return `${executeCodeDescription}\n${documentation(tools)}`;
}
