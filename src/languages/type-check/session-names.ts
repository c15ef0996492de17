import type { CheckAnswer, DeclaredModule } from './check-messages.ts';

const MAX_SESSION_LENGTH = 262_144;
const MAX_NAMES = 2000;

/** What the programs of one session have declared, in bounds. */
export class SessionNames {
  #modules: readonly DeclaredModule[] = [];
  #lastId = 0;
  #hasUnknownNames: boolean;

  /** @param hasUnknownNames - Whether there may be names already. */
  constructor(hasUnknownNames: boolean) {
    this.#hasUnknownNames = hasUnknownNames;
  }

  get modules(): readonly DeclaredModule[] {
    return this.#modules;
  }

  /** Whether names may be there of which nothing is known. */
  get hasUnknownNames(): boolean {
    return this.#hasUnknownNames;
  }

  /** A program declared something, and nobody knows what. */
  addUnknown(): void {
    this.#hasUnknownNames = true;
  }

  add({ names, text, changed }: Pick<CheckAnswer, 'names' | 'text' | 'changed'>): void {
    const known = new Set(this.#modules.flatMap((module) => module.names));
    const declared = new Set(names);
    const loose = changed.filter((name) => known.has(name) && !declared.has(name));
    const gone = new Set([...names, ...loose]);
    const kept = this.#modules.map((module) => ({
      ...module,
      names: module.names.filter((name) => !gone.has(name)),
    }));
    const added: DeclaredModule[] = [];
    if (loose.length > 0) added.push(this.#module(loose, undefined));
    if (names.length > 0) added.push(this.#module(names, text));
    this.#modules = this.#bounded([...kept, ...added]);
  }

  /** Has the names of the last program be any. */
  loosenLast(): void {
    const last = this.#modules.at(-1);
    if (last !== undefined && last.id === this.#lastId) {
      this.#modules = [...this.#modules.slice(0, -1), loosened(last)];
    }
  }

  #module(names: readonly string[], text: string | undefined): DeclaredModule {
    this.#lastId += 1;
    const module = { id: this.#lastId, names, text: text ?? '' };
    return text === undefined ? loosened(module) : module;
  }

  /** Modules that nobody needs are dropped; where there are too many, the oldest lose their types, then all their names. */
  #bounded(modules: readonly DeclaredModule[]): readonly DeclaredModule[] {
    const imported = new Set(modules.flatMap(({ text }) => importedIds(text)));
    const needed = modules.filter(({ id, names }) => names.length > 0 || imported.has(id));
    let length = needed.reduce((sum, { text }) => sum + text.length, 0);
    let count = needed.reduce((sum, { names }) => sum + names.length, 0);
    const kept: DeclaredModule[] = [];
    for (const module of needed) {
      if (count > MAX_NAMES) {
        count -= module.names.length;
        length -= module.text.length;
        this.#hasUnknownNames = true;
      } else if (length > MAX_SESSION_LENGTH) {
        const loose = loosened(module);
        length -= module.text.length - loose.text.length;
        kept.push(loose);
      } else kept.push(module);
    }
    return kept;
  }
}

/** Modules that the text of another one may import. */
function importedIds(text: string): number[] {
  return Array.from(text.matchAll(/-(\d{1,15})["']/g), ([, id]) => Number(id));
}

/** Of a module that is any, so is all that is in it: values, types and namespaces. */
function loosened(module: DeclaredModule): DeclaredModule {
  return { ...module, text: `export { ${module.names.join(', ')} } from 'any';` };
}
