import { describe, expect, it } from 'vitest';
import { chooseModel } from '../../src/cli/choose-model.ts';
import { UsageError } from '../../src/cli/failure.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';

const SCRIPT = { language: 'python', questions: [] } as const;
const ANTHROPIC = { ANTHROPIC_API_KEY: 'k' };
const AWS = { AWS_PROFILE: 'p' };
const OPENAI = { OPENAI_API_KEY: 'k' };
const SERVER = { OPENAI_BASE_URL: 'http://user:secret@127.0.0.1:11434/v1' };

describe('the model of demo and chat', () => {
  it.each([
    [{ ...ANTHROPIC, ...AWS, ...OPENAI }, undefined, /^claude-[\w-]+, by Anthropic’s API$/],
    [ANTHROPIC, 'claude-opus-5-5', /^claude-opus-5-5, by Anthropic’s API$/],
    [{ ...AWS, ...SERVER }, undefined, /^global\.anthropic\.claude-[\w-]+, by Amazon Bedrock$/],
    [
      { AWS_ACCESS_KEY_ID: 'i' },
      'amazon.nova-pro-v1:0',
      /^amazon.nova-pro-v1:0, by Amazon Bedrock/,
    ],
    [OPENAI, 'gpt-5', /^gpt-5, by OpenAI’s API$/],
    [SERVER, 'qwen3:8b', /^qwen3:8b, by the server at 127\.0\.0\.1:11434$/],
    [{ ...SERVER, ...OPENAI }, 'qwen3:8b', /^qwen3:8b, by the server at 127\.0\.0\.1:11434$/],
    [{ ...ANTHROPIC, ...SERVER }, 'openai:qwen3:8b', /^qwen3:8b, by the server at 127/],
    [{ ...ANTHROPIC, ...AWS }, 'anthropic:claude-opus-5-5', /^claude-opus-5-5, by Anthropic’s/],
    // The AWS client also finds credentials in files and on the machine.
    [ANTHROPIC, 'bedrock:amazon.nova-pro-v1:0', /^amazon.nova-pro-v1:0, by Amazon Bedrock$/],
    [{ ANTHROPIC_API_KEY: '' }, undefined, /^scripted offline model — no API key found/],
    [OPENAI, undefined, /^scripted offline model — OPENAI_API_KEY needs --model NAME/],
    [SERVER, undefined, /^scripted offline model — OPENAI_BASE_URL needs --model NAME/],
  ])('with %o and --model %s', async (environment, wanted, description) => {
    const chosen = await chooseModel(wanted, SCRIPT, environment);
    expect(chosen.description).toMatch(description);
    expect(chosen.offline).toBe(description.source.startsWith('^scripted'));
  });

  it.each([
    [{}, 'gpt-5', /^--model gpt-5 needs ANTHROPIC_API_KEY, AWS credentials, OPENAI_API_KEY or/],
    [
      { ...ANTHROPIC, ...OPENAI },
      'gpt-5',
      /each of these: Anthropic, OpenAI .*: --model anthropic:gpt-5 or --model openai:gpt-5\.$/,
    ],
    [OPENAI, 'anthropic:gpt-5', /^--model anthropic:gpt-5 needs ANTHROPIC_API_KEY/],
    [ANTHROPIC, 'openai:gpt-5', /^--model openai:gpt-5 needs OPENAI_API_KEY or OPENAI_BASE_URL/],
    [ANTHROPIC, 'anthropic:', /^--model "anthropic:" has no model name/],
    [ANTHROPIC, '', /^--model "" has no model name/],
    [{ OPENAI_BASE_URL: 'localhost:80/v1' }, 'qwen3', /^OPENAI_BASE_URL is "localhost:80\/v1"/],
  ])('cannot be chosen with %o and --model %j', async (environment, wanted, message) => {
    const choice = chooseModel(wanted, SCRIPT, environment);
    await expect(choice).rejects.toThrow(message);
    await expect(choice).rejects.toBeInstanceOf(UsageError);
  });

  it.each([
    ['none', {}],
    ['k', { OPENAI_API_KEY: 'k' }],
  ])('sends a compatible server the key %s', async (key, variables) => {
    await using server = await startOpenAIServer([answer([{ content: 'Hello.' }])]);
    const environment = { OPENAI_BASE_URL: server.baseUrl, ...variables };
    const chosen = await chooseModel('qwen3:8b', SCRIPT, environment);
    const request = { system: '', messages: [], tools: [], maxTokens: 10 };
    for await (const part of chosen.model.stream(request)) void part;
    expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(server.requests[0]?.body).toMatchObject({ model: 'qwen3:8b' });
  });
});
