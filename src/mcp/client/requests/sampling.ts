import type { LanguageModel } from '../../../models/language-model.ts';
import { hasMethod } from '../../../shared/guards.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { checkCount, invalidOption } from '../../../shared/options/option-values.ts';

/** The model that a server may ask, and how much. */
export interface McpSampling {
  /** Its service gets what the server sends, and its answers go to the server. */
  readonly model: LanguageModel;
  /** Longest answer, in tokens. @default 1000 */
  readonly maxTokens?: number;
  /** How many requests the server may make until `close`. @default 100 */
  readonly maxRequests?: number;
  /** How many tokens the model may read and write until `close`. @default 100000 */
  readonly maxTotalTokens?: number;
}

export const MCP_SAMPLING: OptionsObject<McpSampling> = {
  of: 'sampling',
  names: { model: true, maxTokens: 'number', maxRequests: 'number', maxTotalTokens: 'number' },
  page: 'docs/mcp.md',
  required: ['model'],
};

/**
 * Checks the options, and adds the defaults.
 * @throws PtcError `OPTION_INVALID`
 */
export function samplingOf(given: McpSampling): Required<McpSampling> {
  checkOptionNames(given, MCP_SAMPLING);
  const { model, maxTokens = 1000, maxRequests = 100, maxTotalTokens = 100_000 } = given;
  if (!hasMethod(model, 'stream')) throw invalidOption('sampling.model', model, 'a model');
  checkCount('sampling.maxTokens', maxTokens, 1);
  checkCount('sampling.maxRequests', maxRequests, 1);
  checkCount('sampling.maxTotalTokens', maxTotalTokens, 1);
  return { model, maxTokens, maxRequests, maxTotalTokens };
}
