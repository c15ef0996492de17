#!/usr/bin/env node
import { escapeControls } from '../shared/control-characters.ts';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { PROVIDER_NAMES } from '../providers/select-provider.ts';
import { MODEL_RULE } from './choose-model.ts';
import { MISUSE, reportFailure } from './failure.ts';
import { colorsFor } from './terminal.ts';
import { packageVersion } from './package-version.ts';

// Each command is loaded when it is used: help and misuse answer at once.

let exitStatus = 0;

function sandboxOption(description = 'where code runs'): Option {
  return new Option('--sandbox <engine>', description)
    .choices(['auto', ...PROVIDER_NAMES])
    .default('auto');
}

function modelOption(): Option {
  return new Option('--model <name>', 'which model is asked: NAME or SERVICE:NAME');
}

function toolsOption(): Option {
  return new Option('--tools <module>', 'a module whose default export is an array of tools');
}

function modelLanguageOption(): Option {
  return new Option('--language <name>', 'what the model writes')
    .choices(['python', 'typescript'])
    .default('python');
}

function parseDuration(text: string): number {
  const value = Number(text);
  // Longer delays than 2^31 - 1 ms make a Node timer fire at once.
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new InvalidArgumentError('It must be a whole number of milliseconds, such as 60000.');
}

/** What `--resume` does, for the help. docs/command-line.md says the same. */
const RESUME_RULE = `\
--resume FILE writes each step into FILE before the next one, so that nothing is lost if the process is
killed; it also keeps variables as --session does, until the process ends. FILE begins a new
conversation if it is not there. It may be of fileStore, but not a document of toJSON. One process at
a time has it; another one waits.`;

/** One line on what is wrong and where to look. */
function misuseLine(message: string): string {
  const text = message
    .trim()
    .replaceAll('\n', ' ')
    .replace(/^error: /, '')
    .replace(/\.?$/, '.');
  return `${colorsFor(process.stderr).red('error:')} ${escapeControls(text)} See sandboxed-ptc --help.\n`;
}

const program = new Command('sandboxed-ptc')
  .description(
    'Run code that a model wrote in a locked-down sandbox, with your tools as functions.',
  )
  .version(packageVersion('sandboxed-ptc') ?? 'unknown', '-V, --version')
  .exitOverride()
  .configureOutput({ outputError: (message, write) => write(misuseLine(message)) })
  .addHelpText(
    'after',
    `
demo and chat ask the model of the service that the environment has credentials for; without any, a
script plays the model on this machine. Their --help has the rule.
DEBUG=sandboxed-ptc adds stack traces to errors; NO_COLOR=1 turns colours off.

Exit status: 0 all went well, 1 something failed, 2 misuse, 130 interrupted.`,
  );

program
  .command('demo')
  .description('watch a model analyse the expenses of a team with programmatic tool calls')
  .addOption(sandboxOption())
  .addOption(modelLanguageOption())
  .option('-i, --interactive', 'go on with questions of your own', false)
  .addOption(modelOption())
  .addHelpText('after', `\n${MODEL_RULE}`)
  .action(async (options) => {
    const { demo } = await import('./commands/demo.ts');
    exitStatus = await demo(options);
  });

program
  .command('chat')
  .description('ask questions that a model answers with your tools, or about mock expense data')
  .addOption(toolsOption())
  .addOption(sandboxOption())
  .addOption(modelLanguageOption())
  .option(
    '--session',
    'one conversation whose variables stay; else each question starts anew',
    false,
  )
  .option(
    '--resume <file>',
    'keep one conversation in a file as it goes on, and go on with the one that is there',
  )
  .addOption(modelOption())
  .addHelpText('after', `\n${RESUME_RULE}\n\n${MODEL_RULE}`)
  .action(async (options) => {
    const { chat } = await import('./commands/chat.ts');
    exitStatus = await chat(options);
  });

program
  .command('exec')
  .description('run programs one after another in one session')
  .argument('<file...>', 'programs; - is standard input')
  .addOption(sandboxOption())
  .addOption(
    new Option(
      '--language <name>',
      'what the programs are written in (default: by their endings, else python)',
    ).choices(['python', 'typescript', 'javascript', 'bash']),
  )
  .addOption(toolsOption())
  .addOption(
    new Option('--timeout <ms>', 'time limit of each program')
      .argParser(parseDuration)
      .default(60_000),
  )
  .option('--json', 'print one result a line, as JSON, and nothing else', false)
  .action(async (files: string[], options) => {
    const { exec } = await import('./commands/exec.ts');
    exitStatus = await exec(files, options);
  });

program
  .command('doctor')
  .description('try each sandbox on this machine and say what is missing')
  .option('--clean', 'list the sandboxes there are, and remove those whose owner is dead', false)
  .option(
    '--security',
    'start a session and say how it is walled in; fails where a protection is missing',
    false,
  )
  .addOption(sandboxOption('with --security: the sandbox to look at'))
  .option('--json', 'with --security: print one JSON object and nothing else', false)
  .action(async ({ clean, security, sandbox, json }) => {
    if (security) {
      const { doctorSecurity } = await import('./commands/doctor-security.ts');
      exitStatus = await doctorSecurity({ sandbox, json });
    } else if (clean) {
      const { cleanSandboxes } = await import('./commands/clean-sandboxes.ts');
      exitStatus = await cleanSandboxes();
    } else {
      const { doctor } = await import('./commands/doctor.ts');
      exitStatus = await doctor();
    }
  });

program
  .command('build-context')
  .description('write a directory that `docker build` makes an image of sandboxes from')
  .argument('<directory>', 'where to; it must be empty, or not exist yet')
  .action(async (directory: string) => {
    const { buildContext } = await import('./commands/build-context.ts');
    exitStatus = await buildContext(directory);
  });

program
  .command('audit')
  .description('look at audit logs')
  .command('verify')
  .description('check that nothing in an audit log was changed, removed, added or moved')
  .argument('<file...>', 'a log, or the files of one: audit.jsonl.1 audit.jsonl.2 audit.jsonl')
  .option('--key-env <name>', 'the variable of the environment that has the key of the log')
  .action(async (files: string[], options) => {
    const { verifyAudit } = await import('./commands/audit.ts');
    exitStatus = await verifyAudit(files, options);
  });

// A reader that goes away is no fault; commands that run programs stop on their own account.
process.stdout.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) exitStatus = reportFailure(error);
  // Commander has said what was wrong; help and version that were asked for are no error.
  else exitStatus = error.exitCode === 0 ? 0 : MISUSE;
}

// What a tools module or a client keeps open must not keep the command from ending.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(exitStatus);

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
}
