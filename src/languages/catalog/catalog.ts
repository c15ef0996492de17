import type { Tool } from '../../tools/tool.ts';
import type { Language } from '../language.ts';
import { countTools, describeNameSpaces, nameSpaceOf } from './name-spaces.ts';
import { DESCRIBE_TOOLS, SEARCH_TOOLS, searchTools, type ToolFinder } from './search-tools.ts';
import { ToolIndex } from './tool-index.ts';
import { toolsByName } from './tool-names.ts';

/** The tools of one language, the search tools first. */
interface LanguageTools {
  readonly search: readonly Tool[];
  readonly all: readonly Tool[];
  documentation?: string;
}

/** The tools of programs when the model finds most of them by search. */
export class Catalog {
  readonly #tools: readonly Tool[];
  /** The tools that the model may know. */
  readonly #known: readonly Tool[];
  readonly #languages: Map<Language, LanguageTools> = new Map();
  #index: Promise<ToolIndex> | undefined;
  #names: Promise<ReadonlyMap<string, Tool>> | undefined;
  #overview: string | undefined;
  #nameSpaces: string | undefined;

  /**
   * @param tools - All tools that programs may call.
   * @param isKnown - Whether the model may know of a tool.
   */
  constructor(tools: readonly Tool[], isKnown: (tool: Tool) => boolean) {
    this.#tools = tools;
    this.#known = tools.filter(isKnown);
  }

  /** The tools with which programs of a language search. */
  searchTools(language: Language): readonly Tool[] {
    return this.#toolsOf(language).search;
  }

  /** The tools with which a model searches without a program. They document tools in each language. */
  directSearchTools(languages: readonly Language[]): readonly Tool[] {
    const document = (tools: readonly Tool[]): string => {
      const texts = languages.map((one) => one.documentation(tools, this.#toolsOf(one).all));
      return languages.length === 1
        ? texts.join('')
        : languages.map(({ title }, at) => `In ${title}:\n\n${texts[at] ?? ''}`).join('\n\n');
    };
    return searchTools(this.#finder(document), 'direct');
  }

  /** The documentation of the tools that are not deferred, and of the search tools. */
  documentation(language: Language): string {
    const own = this.#toolsOf(language);
    const documented = this.#tools.filter(({ defer }) => defer !== true);
    own.documentation ??= language.documentation([...own.search, ...documented], own.all);
    return own.documentation;
  }

  /**
   * What the model learns of the deferred tools without a search, in all languages. Empty if it may
   * know of none.
   */
  get overview(): string {
    return (this.#overview ??= this.#describe());
  }

  #describe(): string {
    const deferred = this.#known.filter(({ defer }) => defer === true);
    if (deferred.length === 0) return '';
    return `Your code can also call ${countTools(deferred.length)} that are not documented above. Find them with ${SEARCH_TOOLS}, print what it returns, and read it before you call one; ${DESCRIBE_TOOLS} documents tools that you know by name. Their name spaces:\n\n${describeNameSpaces(deferred)}`;
  }

  #toolsOf(language: Language): LanguageTools {
    const known = this.#languages.get(language);
    if (known !== undefined) return known;
    const search = searchTools(this.#finder((tools) => language.documentation(tools, all)));
    // First, because caches of tools go by the first one, and each language has its own.
    const all = [...search, ...this.#tools];
    const made = { search, all };
    this.#languages.set(language, made);
    return made;
  }

  #finder(document: ToolFinder['document']): ToolFinder {
    return {
      names: async () => (this.#names ??= toolsByName(this.#known)),
      search: async (query, limit, nameSpace) => {
        const isWanted = (tool: Tool): boolean =>
          nameSpace === undefined || nameSpaceOf(tool) === nameSpace;
        const index = await (this.#index ??= ToolIndex.of(this.#known));
        return index.search(query, limit, isWanted);
      },
      document,
      nameSpaces: () => (this.#nameSpaces ??= describeNameSpaces(this.#known)),
    };
  }
}
