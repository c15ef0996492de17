import type { ToolStub } from '../../src/protocol/messages.ts';
import type { StubParameter } from '../../src/languages/stub-parameters.ts';

/** The parameters of a stub, as a guest reads them. */
export function readParameters(stub: ToolStub | undefined): StubParameter[] {
  const texts = stub?.parameters.split(' ').filter((text) => text !== '') ?? [];
  return texts.map((text) => {
    const [, necessity, brace, names = '', types] =
      /^([!?])(\{?)([^:]*)(?::(.*))?$/.exec(text) ?? [];
    const [name = '', identifier = name] = names.split('=').map(unescaped);
    return {
      name,
      identifier,
      isRequired: necessity === '!',
      acceptsObject: brace === '{',
      ...(types === undefined ? {} : { types: types.split(',').filter((type) => type !== '') }),
    };
  });
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]+);/g, (_escape, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
