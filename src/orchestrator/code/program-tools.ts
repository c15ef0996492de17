import type { Language } from '../../languages/language.ts';
import type { Executor } from '../../sessions/executor.ts';
import { given } from '../../shared/given.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import { allowingSearch, catalogOf, withSearchTools, type CatalogOptions } from './tool-catalog.ts';

/** The tools and the policy that a program names. */
export interface ProgramTools {
  readonly tools: ToolSet;
  /** @default the executor's */
  readonly policy?: PolicyOptions;
}

/** What decides about the tools of a program. */
export interface ProgramToolsOptions {
  readonly executor: Pick<Executor, 'policy' | 'tools'>;
  readonly language: Language | undefined;
  /** Those that it would have without search tools. */
  readonly tools: ToolSet;
  /** Those of the code tool. */
  readonly ownTools: ToolSet;
  /** @default the executor's */
  readonly policy: PolicyOptions | undefined;
  readonly catalog: (policy: PolicyOptions | undefined) => CatalogOptions;
}

/**
 * The tools and the policy of a program: with those to search, if most tools are found by search.
 * @throws PtcError as `catalogOf` and `allowingSearch`.
 */
export function programTools(about: ProgramToolsOptions): ProgramTools {
  const { executor, language, tools, ownTools, policy: own } = about;
  const policy = own ?? executor.policy;
  const catalog = catalogOf(tools, about.catalog(policy));
  if (catalog === undefined || language === undefined) return { tools, ...given({ policy: own }) };
  const all = withSearchTools(tools.snapshot(), catalog.searchTools(language));
  if (policy === undefined) return { tools: all };
  return { tools: all, policy: allowingSearch(policy, [executor.tools, ownTools, tools]) };
}
