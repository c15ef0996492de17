import {
  checkOptionNames,
  type OptionNames,
  type OptionsObject,
} from '../../shared/options/option-names.ts';

/** How the model thinks before it answers. Models differ in which of these they accept. */
export type AnthropicThinking =
  /**
   * The model decides when and how much to think. `display` says whether its thinking is returned.
   */
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' }
  /** Up to `budgetTokens` tokens: at least 1024, and fewer than the longest answer. */
  | {
      readonly type: 'enabled';
      readonly budgetTokens: number;
      readonly display?: 'summarized' | 'omitted';
    }
  | { readonly type: 'between_tools' }
  | { readonly type: 'disabled' };

type EnabledThinking = Extract<AnthropicThinking, { type: 'enabled' }>;

/** @internal Exported for tests. */
export const THINKING_NAMES: OptionNames<EnabledThinking> = {
  type: 'text',
  budgetTokens: 'number',
  display: 'text',
};

/** @throws PtcError `OPTION_INVALID` */
export function checkThinking(thinking: AnthropicThinking): void {
  const object: OptionsObject<EnabledThinking> = {
    of: 'thinking',
    names: THINKING_NAMES,
    page: 'docs/models.md',
    otherWords: { budget_tokens: 'budgetTokens' },
    required: ['type'],
  };
  checkOptionNames(thinking, object);
  if (thinking.type === 'enabled') {
    checkOptionNames(thinking, { ...object, required: ['budgetTokens'] });
  }
}
