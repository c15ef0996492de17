import { InvalidArgumentError, Option } from 'commander';
import { PROVIDER_NAMES } from '../providers/select-provider.ts';
import { isDelay } from '../shared/options/option-values.ts';
import { isModulePath } from './modules/provider-module.ts';
import type { ProviderOption } from './open-provider.ts';

export function providerOption(): Option {
  return new Option('--provider <name>', 'what creates the sandbox')
    .choices(['auto', ...PROVIDER_NAMES])
    .default('auto');
}

/** A provider of this package by its name, or one of a module. */
export function examinedProviderOption(): Option {
  const names: readonly ProviderOption[] = ['auto', ...PROVIDER_NAMES];
  const description = `the provider to try: ${names.join(', ')}, or with --security a module whose default export is a provider`;
  return new Option('--provider <name>', description)
    .default('auto')
    .argParser((text): ProviderOption | { readonly module: string } => {
      const known = names.find((name) => name === text);
      if (known !== undefined) return known;
      if (isModulePath(text)) return { module: text };
      throw new InvalidArgumentError(
        `Allowed choices are ${names.join(', ')}, and the path of a module, such as ./my-provider.mjs.`,
      );
    });
}

export function modelOption(): Option {
  return new Option('--model <name>', 'the model: NAME or SERVICE:NAME');
}

export function toolsOption(): Option {
  return new Option('--tools <module>', 'a module whose default export is an array of tools');
}

export function mcpOption(): Option {
  return new Option('--mcp <file>', 'a JSON file with MCP servers, whose tools programs call');
}

export function modelLanguageOption(): Option {
  return new Option('--language <name>', 'the language that the model writes')
    .choices(['python', 'typescript'])
    .default('python');
}

export function outputOption(): Option {
  return new Option('--output <directory>', 'where files and images of programs are saved');
}

export function timeoutOption(): Option {
  return new Option('--timeout <ms>', 'time limit of each program')
    .argParser(parseDuration)
    .default(60_000);
}

function parseDuration(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && isDelay(value)) return value;
  throw new InvalidArgumentError('It must be a whole number of milliseconds, such as 60000.');
}

export function parsePort(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('It must be a port: a whole number of at most 65535.');
}
