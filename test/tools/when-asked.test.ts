import { describe, expect, it } from 'vitest';
import { bash } from '../../src/languages/bash/bash.ts';
import { python } from '../../src/languages/python/python.ts';
import { typescript } from '../../src/languages/typescript/typescript.ts';
import { defineRemoteTool } from '../../src/tools/remote-tool.ts';
import { defineTool, toTool } from '../../src/tools/define-tool.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';

const pay = {
  name: 'pay',
  description: 'Pays.',
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  run: () => ({ id: 'a' }),
} as const;

describe('whenAsked', () => {
  it('is wait unless a tool says defer', () => {
    expect(defineTool(pay).whenAsked).toBe('wait');
    expect(defineTool({ ...pay, whenAsked: 'defer' }).whenAsked).toBe('defer');
  });

  it('has no other values, and is not for tools that programs cannot call', () => {
    expect(() => toTool({ ...pay, whenAsked: 'later' as 'defer' })).toThrow(
      'Tool "pay": whenAsked must be one of "wait", "defer", not "later".',
    );
    expect(() => toTool({ ...pay, whenAsked: 'defer', allowedCallers: ['direct'] })).toThrow(
      "Add 'code' to allowedCallers",
    );
  });

  it('is an option of tools that the host runs, and of nothing else', () => {
    const { run: _run, ...remote } = pay;
    expect(() => defineRemoteTool({ ...remote, whenAsked: 'defer' } as typeof remote)).toThrow(
      'has no option whenAsked',
    );
    const rule = { tool: 'pay', action: 'ask', whenAsked: 'defer' } as const;
    const approver = async () => ({ approved: true }) as const;
    expect(() => new PolicyGate({ rules: [rule], approver })).toThrow('has no option whenAsked');
  });

  it.each([
    [python, 'pay() -> Union[{"id": NotRequired[str]}, dict]', '{"deferred": True, "number": …}'],
    [
      typescript,
      'Promise<{ id?: string } | { deferred: true; number: number }>',
      '{ deferred: true, number: … }',
    ],
    [bash, 'pay\n', '{"deferred":true,"number":…}'],
  ])('is told to models in $name', (language, signature, receipt) => {
    const documentation = language.documentation([defineTool({ ...pay, whenAsked: 'defer' })]);
    expect(documentation).toContain(receipt);
    expect(documentation).toContain(signature);
    expect(language.documentation([defineTool(pay)])).not.toContain('deferred');
  });
});

describe('onDeferredFailure', () => {
  it('is stop or continue', () => {
    const wrong = { rules: [], onDeferredFailure: 'ask' as 'stop' };
    expect(() => new PolicyGate(wrong)).toThrow(
      'policy.onDeferredFailure must be one of "stop", "continue", not "ask".',
    );
  });
});
