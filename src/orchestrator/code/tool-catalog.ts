import { cachedByTools } from '../../languages/cached-by-tools.ts';
import { Catalog } from '../../languages/catalog/catalog.ts';
import { DESCRIBE_TOOLS, SEARCH_TOOLS } from '../../languages/catalog/search-tools.ts';
import type { Language } from '../../languages/language.ts';
import { PtcError } from '../../shared/errors.ts';
import { checkOneOf } from '../../shared/options/option-values.ts';
import { isAlwaysDenied } from '../../tools/policy/denied-tools.ts';
import { PolicyGate, type PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { checkRules, type PolicyRule } from '../../tools/policy/policy.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { Tool } from '../../tools/tool.ts';
import { EXECUTE_CODE } from './code-tool-definition.ts';

/**
 * How the model learns of the tools that programs can call.
 * - `full`: the prompt documents all of them.
 * - `search`: the prompt documents those that are not deferred. Programs find the others with
 *   `search_tools`.
 * - `auto`: as `search`, if the documentation of all would have more than 24,000 characters.
 */
export type CatalogMode = 'auto' | 'full' | 'search';

/** The longest documentation with which `auto` is `full`, in characters, of all languages together. */
const LONGEST_DOCUMENTATION = 24_000;

const NO_RULES: readonly PolicyRule[] = [];
const SEARCH_NAMES = [SEARCH_TOOLS, DESCRIBE_TOOLS];

/** What decides how the model learns of tools. */
export interface CatalogOptions {
  readonly catalog: CatalogMode | undefined;
  readonly languages: readonly Language[];
  /** The policy of the programs: the model does not learn of tools that it always denies. */
  readonly policy: PolicyOptions | undefined;
}

/** @throws PtcError `OPTION_INVALID` */
export function checkCatalog(catalog: CatalogMode | undefined): void {
  if (catalog !== undefined) checkOneOf('catalog', catalog, ['auto', 'full', 'search']);
}

/**
 * The part of the system prompt that explains `execute_code` and lists the tools that code can
 * call.
 * @throws PtcError as `catalogOf`.
 */
export function codePrompt(tools: ToolSet, options: CatalogOptions): string {
  const { languages } = options;
  const catalog = catalogOf(tools, options);
  const codeTools = tools.forCaller('code');
  const titles = languages.map(({ title }) => title);
  const parts = [
    `You can run ${alternatives(titles)} with the tool ${EXECUTE_CODE}. Prefer one program that calls all the tools it needs, filters and sums up, over many small ones.`,
  ];
  for (const language of codeTools.length > 0 ? languages : []) {
    const where = languages.length > 1 ? ` in ${language.title}` : '';
    const documentation =
      catalog === undefined ? language.documentation(codeTools) : catalog.documentation(language);
    parts.push(`Tools that your code can call${where}:\n\n${documentation}`);
  }
  parts.push(catalog?.overview ?? '');
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Such as `TypeScript, Python or Bash`. */
function alternatives(titles: readonly string[]): string {
  const [last = '', ...others] = titles.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
}

/**
 * The catalog of tools that the model searches; undefined if the prompt documents them all.
 * @throws PtcError `TOOL_NAME_CLASH` in the mode `search` if a tool has the name of a search tool.
 */
export function catalogOf(tools: ToolSet, options: CatalogOptions): Catalog | undefined {
  const { catalog: mode = 'auto', languages, policy } = options;
  const callable = tools.forCaller('code');
  if (mode === 'full' || !callable.some(({ defer }) => defer === true)) return undefined;
  if (mode === 'auto' && !isLong(callable, languages)) return undefined;
  const taken = tools.list().find(hasSearchName);
  if (taken === undefined) return catalogsFor(checkRules(policy?.rules ?? NO_RULES))(callable);
  if (mode === 'auto') return undefined;
  throw new PtcError(
    'TOOL_NAME_CLASH',
    `The tool ${JSON.stringify(taken.name)} has the name of a function with which programs find tools. Rename it, or set catalog to 'full'.`,
    { details: { names: [taken.name] } },
  );
}

function hasSearchName({ name, identifier }: Tool): boolean {
  return SEARCH_NAMES.includes(name) || SEARCH_NAMES.includes(identifier);
}

function isLong(tools: readonly Tool[], languages: readonly Language[]): boolean {
  // The documentation contains them. To make it of a thousand tools takes a second.
  if (lengthOf(tools.map(({ description }) => description)) > LONGEST_DOCUMENTATION) return true;
  const texts = languages.map(({ documentation }) => documentation(tools));
  return lengthOf(texts) > LONGEST_DOCUMENTATION;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** The catalogs of the same tools under different rules. */
const catalogs = new WeakMap<readonly PolicyRule[], (tools: readonly Tool[]) => Catalog>();

function catalogsFor(rules: readonly PolicyRule[]): (tools: readonly Tool[]) => Catalog {
  const known =
    catalogs.get(rules) ??
    cachedByTools((tools) => new Catalog(tools, (tool) => !isAlwaysDenied(rules, tool)));
  catalogs.set(rules, known);
  return known;
}

/** A set of tools with the search tools. */
export function withSearchTools(tools: ToolSet, search: readonly Tool[]): ToolSet {
  const own = new Map(search.map((tool) => [tool.name, tool]));
  const set: ToolSet = {
    get: (name) => own.get(name) ?? tools.get(name),
    list: () => [...search, ...tools.list()],
    forCaller: (caller) => [
      ...search.filter(({ allowedCallers }) => allowedCallers.includes(caller)),
      ...tools.forCaller(caller),
    ],
    snapshot: () => set,
  };
  return set;
}

/**
 * The same policy, which always allows a search: it tells the model only what its prompt would have
 * told it.
 * @param sets - The tools that its rules may name.
 * @throws PtcError `OPTION_INVALID` if a rule names no tool.
 */
export function allowingSearch(policy: PolicyOptions, sets: readonly ToolSet[]): PolicyOptions {
  // Checked here, because the messages count the rules as they were given.
  new PolicyGate(policy).checkNames(sets);
  const rule: PolicyRule = { tool: SEARCH_NAMES, action: 'allow' };
  return { ...policy, rules: [rule, ...policy.rules] };
}
