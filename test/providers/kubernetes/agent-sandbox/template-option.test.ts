import { describe, expect, it } from 'vitest';
import {
  kubernetesProvider,
  type KubernetesProviderOptions,
} from '../../../../src/providers/kubernetes/index.ts';

describe('the option template', () => {
  it.each<readonly [unknown, string]>([
    [{ warmpool: 'a' }, 'Did you mean warmPool?'],
    [{}, 'needs the option warmPool'],
    [{ warmPool: 7 }, 'warmPool must be'],
    [{ warmPool: '../pods/a' }, 'template.warmPool'],
    [7, 'template'],
    ['../pods/a', 'template'],
  ])('refuses %j', (template, said) => {
    const options = { template } as KubernetesProviderOptions;
    expect(() => kubernetesProvider(options)).toThrow(said);
  });
});
