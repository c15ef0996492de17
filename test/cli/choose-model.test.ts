import { describe, expect, it } from 'vitest';
import { chooseModel } from '../../src/cli/choose-model.ts';

describe('the model of demo and chat', () => {
  it.each([
    [
      { ANTHROPIC_API_KEY: 'k', AWS_PROFILE: 'p' },
      undefined,
      /^claude-[\w-]+, by Anthropic’s API$/,
    ],
    [{ ANTHROPIC_API_KEY: 'k' }, 'claude-opus-5-5', /^claude-opus-5-5, by Anthropic’s API$/],
    [{ AWS_PROFILE: 'p' }, undefined, /^global\.anthropic\.claude-[\w-]+, by Amazon Bedrock$/],
    [
      { AWS_ACCESS_KEY_ID: 'i' },
      'us.amazon.nova-pro-v1:0',
      /^us\.amazon\.nova-pro-v1:0, by Amazon Bedrock$/,
    ],
    [{ ANTHROPIC_API_KEY: '' }, undefined, /^scripted offline model — no API key found/],
  ])('with %o and --model %s', async (environment, id, description) => {
    await using chosen = await chooseModel(id, 'python', environment);
    expect(chosen.description).toMatch(description);
    expect(chosen.offline).toBe(description.source.startsWith('^scripted'));
  });
});
