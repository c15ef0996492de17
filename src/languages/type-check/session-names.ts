import type { CheckAnswer, DeclaredModule } from './shared/check-messages.ts';

const MAX_SESSION_LENGTH = 262_144;
const MAX_NAMES = 2000;

/** The names that the programs of one session declared, within limits. */
export class SessionNames {
  #modules: readonly DeclaredModule[] = [];
  #lastId = 0;
  /** The module of the last program; undefined if it declared nothing. */
  #ofLast: number | undefined;
  #hasUnknownNames: boolean;

  /** @param hasUnknownNames - Whether names may exist already. */
  constructor(hasUnknownNames: boolean) {
    this.#hasUnknownNames = hasUnknownNames;
  }

  get modules(): readonly DeclaredModule[] {
    return this.#modules;
  }

  /** Whether there may be names about which nothing is known. */
  get hasUnknownNames(): boolean {
    return this.#hasUnknownNames;
  }

  /** Call this if a program declared names that are unknown. */
  addUnknown(): void {
    this.#hasUnknownNames = true;
    this.#ofLast = undefined;
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
    this.#ofLast = names.length > 0 ? this.#lastId : undefined;
    this.#modules = this.#bounded([...kept, ...added]);
  }

  /** Gives the names of the last program the type `any`. */
  loosenLast(): void {
    this.#modules = this.#modules.map((module) =>
      module.id === this.#ofLast ? loosened(module) : module,
    );
  }

  #module(names: readonly string[], text: string | undefined): DeclaredModule {
    this.#lastId += 1;
    const module = { id: this.#lastId, names, text: text ?? '' };
    return text === undefined ? loosened(module) : module;
  }

  /**
   * Drops modules that are not needed. If there are too many, the oldest lose their types, and then
   * all their names.
   */
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

/** The modules that the text of another module may import. */
function importedIds(text: string): number[] {
  return Array.from(text.matchAll(/-(\d{1,15})["']/g), ([, id]) => Number(id));
}

/** Everything in a module of type `any` is `any`: values, types and namespaces. */
function loosened(module: DeclaredModule): DeclaredModule {
  return { ...module, text: `export { ${module.names.join(', ')} } from 'any';` };
}
