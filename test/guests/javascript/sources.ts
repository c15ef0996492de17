import assert from 'node:assert/strict';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';
import { SourceOfTest } from '../../support/source-of-test.ts';

function answering(name: string): ToolDefinition {
  return { name, description: `Answers ${name}.`, run: () => name };
}

/** How programs in JavaScript find the tools of sources, and notice their changes. */
export function javascriptSources(): TestGroup {
  return {
    name: 'tools of sources in JavaScript',
    options: {},
    tests: [
      test('a function that was defined before its tools changed calls the new ones, and those that are gone fail', async (bench) => {
        const source = new SourceOfTest('shop', [answering('old'), answering('delete')]);
        bench.tools.addSource(source);
        const define = `let kept = 5; const { old } = shop;
async function use() {
  for (const call of [old, () => shop.old(), () => shop.delete()]) {
    console.log(await call().catch((error) => error.message));
  }
}
await use();`;
        assert.equal(await bench.print(define), 'old\nold\ndelete\n');
        source.change([answering('delete'), answering('new')]);
        const failed = 'shop.old failed (UnknownTool): no tool has this name, or it was removed\n';
        assert.equal(
          await bench.print('await use(); console.log(kept, await shop.new(), Object.keys(shop))'),
          `${failed}${failed}delete\n5 new [ 'delete', 'new' ]\n`,
        );
        bench.tools.removeSource('shop');
        assert.equal(
          await bench.print('await use(); console.log(Object.keys(shop))'),
          `${failed}${failed}${failed.replaceAll('old', 'delete')}[]\n`,
        );
      }),
    ],
  };
}
