import { expect, test } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { SourceOfTest } from '../support/source-of-test.ts';

const named = (name: string): { name: string; description: string; run: () => string } => ({
  name,
  description: 'Does it.',
  run: () => name,
});

/** The names of the tools at each change that a listener is told of. */
function changesOf(registry: ToolRegistry): { told: string[][]; end: () => void } {
  const told: string[][] = [];
  const end = registry.onChange(() => told.push(registry.list().map(({ name }) => name)));
  return { told, end };
}

test('a registry tells of each tool and source that is added, changes or is removed, after that', () => {
  const registry = new ToolRegistry([named('first')]);
  const { told, end } = changesOf(registry);
  registry.register(named('second'));
  registry.remove('first');
  const source = new SourceOfTest('github', [named('list')]);
  registry.addSource(source);
  source.change([named('get')]);
  registry.removeSource('github');
  expect(told).toEqual([
    ['first', 'second'],
    ['second'],
    ['second', 'github:list'],
    ['second', 'github:get'],
    ['second'],
  ]);
  end();
  registry.register(named('third'));
  expect(told).toHaveLength(5);
});

test('a registry tells of nothing if a change is refused', () => {
  const registry = new ToolRegistry([named('first')]);
  const { told } = changesOf(registry);
  expect(() => registry.register(named('first'))).toThrow('registered already');
  expect(() => registry.addSource({ name: 'x', tools: () => [named('a'), named('a')] })).toThrow(
    'x:a',
  );
  expect(registry.remove('none')).toBe(false);
  expect(registry.removeSource('none')).toBe(false);
  expect(told).toEqual([]);
});

test('a registry that extends another one tells of the changes of both', () => {
  const base = new ToolRegistry([named('base')]);
  const registry = new ToolRegistry(base);
  const { told, end } = changesOf(registry);
  base.register(named('later'));
  registry.register(named('own'));
  expect(told).toEqual([
    ['base', 'later'],
    ['base', 'later', 'own'],
  ]);
  end();
  base.register(named('last'));
  expect(told).toHaveLength(2);
});
