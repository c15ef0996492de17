#!/usr/bin/env node
import { escapeControls } from '../shared/control-characters.ts';
import { Command, CommanderError, Option } from 'commander';
import { MODEL_RULE } from './choose-model.ts';
import {
  examinedProviderOption,
  mcpOption,
  modelLanguageOption,
  modelOption,
  outputOption,
  parsePort,
  providerOption,
  timeoutOption,
  toolsOption,
} from './command-options.ts';
import { MISUSE, reportFailure, UsageError } from './failure.ts';
import { colorsFor } from './terminal/terminal.ts';
import { packageVersion } from './package-version.ts';
import { SCENARIO_NAMES } from './demo/scenario-names.ts';
import { PROGRAM_LANGUAGES } from './programs.ts';

// Commands are loaded when they are used, so that help and usage errors are fast.

let exitStatus = 0;

/** Explains `--resume` in the help. docs/command-line.md says the same. */
const RESUME_RULE = `\
--resume FILE writes each step to FILE before the next one, so that nothing is lost if the process is
killed. Like --session, it keeps variables until the process ends. FILE is created if it does not
exist. It can be a file of fileStore, but not a document of toJSON. Only one process uses it at a
time; others wait.`;

/** One line that says what is wrong and where to find help. @param command - Its whole name. */
function misuseLine(message: string, command: string): string {
  const text = message
    .trim()
    .replaceAll('\n', ' ')
    .replace(/^error: /, '')
    .replace(/\.?$/, '.');
  return `${colorsFor(process.stderr).red('error:')} ${escapeControls(text)} See ${command} --help.\n`;
}

/** Has a command and those below it name their own help if they are misused. */
function nameOwnHelp(command: Command, name = command.name()): void {
  command.configureOutput({
    outputError: (message, write) => write(misuseLine(message, name)),
  });
  for (const below of command.commands) nameOwnHelp(below, `${name} ${below.name()}`);
}

const program = new Command('sandboxed-ptc')
  .description(
    'Run code written by a model in a locked-down sandbox, with your tools as functions.',
  )
  .version(packageVersion('sandboxed-ptc') ?? 'unknown', '-V, --version')
  .exitOverride()
  .addHelpText(
    'after',
    `
demo and chat use the model of the service that the environment has credentials for, or, without any,
a script on this machine. See their --help.
DEBUG=sandboxed-ptc adds stack traces to errors; NO_COLOR=1 turns colours off.

Exit status: 0 success, 1 failure, 2 invalid command line or file, 130 interrupted.`,
  );

program
  .command('demo')
  .description('watch a model answer a question about mock data with programmatic tool calls')
  .addOption(
    new Option('--scenario <name>', 'the data: expenses of a team, or a file of 50,000 orders')
      .choices(SCENARIO_NAMES)
      .default('expenses'),
  )
  .addOption(providerOption())
  .addOption(modelLanguageOption())
  .option('-i, --interactive', 'ask your own questions afterwards', false)
  .addOption(modelOption())
  .addOption(outputOption())
  .addHelpText('after', `\n${MODEL_RULE}`)
  .action(async (options) => {
    const { demo } = await import('./commands/demo.ts');
    exitStatus = await demo(options);
  });

program
  .command('chat')
  .description('ask questions that a model answers with your tools, or about mock expense data')
  .addOption(toolsOption())
  .addOption(mcpOption())
  .addOption(providerOption())
  .addOption(modelLanguageOption())
  .option('--session', 'keep the conversation and its variables from question to question', false)
  .option('--resume <file>', 'keep the conversation in a file, and continue it if the file exists')
  .option(
    '--file <path>',
    'give programs a file with the first question; can be repeated',
    (path: string, paths: readonly string[]) => [...paths, path],
    [] as readonly string[],
  )
  .addOption(modelOption())
  .addOption(outputOption())
  .addHelpText('after', `\n${RESUME_RULE}\n\n${MODEL_RULE}`)
  .action(async (options) => {
    const { chat } = await import('./commands/chat.ts');
    exitStatus = await chat(options);
  });

program
  .command('exec')
  .description('run programs one after another in one session')
  .argument('<file...>', 'programs; - is standard input')
  .addOption(providerOption())
  .addOption(
    new Option(
      '--language <name>',
      'the language of the programs (default: by file extension, otherwise python)',
    ).choices(PROGRAM_LANGUAGES),
  )
  .addOption(toolsOption())
  .addOption(mcpOption())
  .addOption(timeoutOption())
  .addOption(outputOption())
  .option('--json', 'print one result per line as JSON, and nothing else', false)
  .action(async (files: string[], options) => {
    const { exec } = await import('./commands/exec.ts');
    exitStatus = await exec(files, options);
  });

program
  .command('mcp')
  .description(
    'let an MCP client run programs with your tools, over standard input and output or HTTP',
  )
  .addOption(toolsOption())
  .addOption(mcpOption())
  .addOption(providerOption())
  .addOption(
    new Option(
      '--language <names...>',
      'the languages that the model may write, the first by default',
    )
      .choices(PROGRAM_LANGUAGES)
      .default(['python']),
  )
  .addOption(timeoutOption())
  .addOption(
    new Option('--http <port>', 'listen for HTTP at this port instead; 0 for any').argParser(
      parsePort,
    ),
  )
  .option('--host <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
  .option('--token-env <name>', 'with --http: the environment variable with the bearer tokens')
  .option('--token-file <file>', 'with --http: the file with the bearer tokens, one a line')
  .option('--allow-host <names...>', 'with --http: host names by which clients reach the server')
  .action(async (options) => {
    const { mcp } = await import('./commands/mcp.ts');
    exitStatus = await mcp(options);
  });

program
  .command('doctor')
  .description('try each provider on this machine and say what is missing')
  .addOption(
    new Option('--clean', 'list all sandboxes, and remove those whose owner has ended')
      .default(false)
      .conflicts(['security', 'provider', 'json']),
  )
  .option(
    '--security',
    'start a session and check its protections; fails if one is missing or not known',
    false,
  )
  .addOption(examinedProviderOption())
  .option('--json', 'with --security: print one JSON object and nothing else', false)
  .action(async ({ clean, security, provider, json }, command) => {
    if (!security && command.getOptionValueSource('json') === 'cli') {
      throw new UsageError('doctor --json needs --security. Add it, or leave --json out.');
    }
    if (!security && typeof provider !== 'string') {
      throw new UsageError('doctor needs --security for the provider of a module. Add it.');
    }
    if (security) {
      const { doctorSecurity } = await import('./commands/doctor-security.ts');
      exitStatus = await doctorSecurity({ provider, json });
    } else if (clean) {
      const { cleanSandboxes } = await import('./commands/clean-sandboxes.ts');
      exitStatus = await cleanSandboxes();
    } else {
      const { doctor } = await import('./commands/doctor.ts');
      exitStatus = await doctor(provider);
    }
  });

program
  .command('build-context')
  .description('write a directory from which `docker build` makes a sandbox image')
  .argument('<directory>', 'the directory; it must be empty or not exist')
  .action(async (directory: string) => {
    const { buildContext } = await import('./commands/build-context.ts');
    exitStatus = await buildContext(directory);
  });

program
  .command('image')
  .description('make images for sandboxes')
  .command('build')
  .description('build an image with further libraries and programs, and print its name')
  .option('--pip <names...>', 'libraries for Python, such as pandas==2.3.3')
  .option('--npm <names...>', 'packages for Node, such as lodash')
  .option('--apt <names...>', 'packages of Debian, such as git')
  .option('--from <image>', 'the image to which they are added (default: debian:trixie-slim)')
  .option('--tag <name>', 'a further name of the image, such as my-sandbox:1')
  .action(async (options) => {
    const { imageBuild } = await import('./commands/image.ts');
    exitStatus = await imageBuild(options);
  });

program
  .command('cluster')
  .description('prepare a Kubernetes cluster for sandboxes')
  .command('manifests')
  .description('print what a namespace needs, for `kubectl apply --server-side -f -`')
  .requiredOption('--namespace <name>', 'where sandboxes are made')
  .requiredOption('--image <name>', 'an image with Python 3.9 or newer, which nodes can pull')
  .option('--pool <number>', 'how many pods hosts keep ready', '0')
  .option(
    '--pool-languages <names>',
    'the languages of their programs, separated by commas',
    'python',
  )
  .option('--agent-sandbox', 'a warm pool of agent-sandbox, in place of a PodTemplate')
  .action(async (options) => {
    const { clusterManifests } = await import('./commands/cluster-manifests.ts');
    exitStatus = await clusterManifests(options);
  });

program
  .command('audit')
  .description('work with audit logs')
  .command('verify')
  .description('verify that nothing in an audit log was changed, removed, added or moved')
  .argument(
    '<file...>',
    'a log, or all files of one log in order: audit.jsonl.1 audit.jsonl.2 audit.jsonl',
  )
  .option('--key-env <name>', 'the environment variable that has the key of the log')
  .action(async (files: string[], options) => {
    const { verifyAudit } = await import('./commands/audit.ts');
    exitStatus = await verifyAudit(files, options);
  });

nameOwnHelp(program);

let outputFailure: Error | undefined;
// If standard output was closed, nobody reads it any more. That is not an error. Commands that run programs stop by themselves.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputFailure ??= error;
});

// Nobody can be told. A command goes on, unless it stops by itself as `exec` does: a client of `mcp` may read no messages.
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) exitStatus = reportFailure(error);
  // Commander has already printed the message. Help and version are not errors.
  else exitStatus = error.exitCode === 0 ? 0 : MISUSE;
}

// Exit even if a tools module or a client keeps something open.
await flushed(process.stdout);
if (outputFailure !== undefined) exitStatus = reportFailure(unwritable(outputFailure));
await flushed(process.stderr);
process.exit(exitStatus);

function unwritable({ message }: Error): Error {
  return new Error(
    `Standard output cannot be written: ${message}. Redirect it to a file or device with space.`,
  );
}

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
}
