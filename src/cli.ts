import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { run } from './ui/run.ts';
import { VERSION } from './version.ts';

/** The commands are only declared here; each is imported when it runs. */
const program = new Command('cc-context')
  .description('Versions Claude Code conversations with the code.')
  .version(VERSION)
  .option('-C <dir>', 'run as if started in this directory')
  .option('--json', 'print the result as JSON')
  .exitOverride()
  .showSuggestionAfterError()
  .showHelpAfterError('See: cc-context --help');

function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It takes a whole number, 0 for all.');
  return Number(value);
}

function tokenCount(value: string): number {
  const count = /^(\d+)(k?)$/i.exec(value);
  if (count === null || Number(count[1]) === 0)
    throw new InvalidArgumentError('It takes a number of tokens, such as 100000 or 100k.');
  return Number(count[1]) * (count[2] ? 1000 : 1);
}

const command = (name: string, summary: string) =>
  program
    .command(name)
    .showHelpAfterError(`See: cc-${name} --help`)
    .description(summary)
    .option('-C <dir>', 'run as if started in this directory')
    .option('--json', 'print the result as JSON');

command('init', 'capture the conversation with every commit of this repository')
  .option('--store <url>', 'name the store that the team shares, such as s3://bucket/prefix')
  .option('--trust', 'agree to the store that the repository names')
  .option('--uninstall', 'take everything out again, byte for byte')
  .action(run(async (_, options) => (await import('./commands/init.ts')).initCommand(options)));

command('status', 'say whether capture works, and what the next commit would capture').action(
  run(async (_, options) => (await import('./commands/status.ts')).statusCommand(options)),
);

command('list', 'list commits with their contexts')
  .argument('[range]', 'a revision range such as main..HEAD')
  .option('--limit <n>', 'at most this many commits, 0 for all', wholeNumber, 20)
  .option('--author <name>', 'only commits of this author')
  .option('--prompts', 'also what was asked')
  .action(run(async ([range], options) => (await import('./commands/list.ts')).listCommand(range, options)));

command('restore', 'rebuild the conversation of a commit for claude --resume')
  .argument('[commit]', 'a commit or a context id', 'HEAD')
  .option('--session <id>', 'only this session of the context')
  .option('--separate', 'each session as its own')
  .option('--budget <tokens>', 'only the newest turns that fit into so many tokens', tokenCount)
  .option('--verify', 'read back what was written and account for everything that was captured')
  .option('--rewrite-paths', 'paths of the repository in tool calls and results become those of this clone')
  .option('--dry-run', 'only say what would be done')
  .option('--yes', 'go on although active sessions exist')
  .option('--launch', 'start claude in the restored session')
  .action(run(async ([commit], options) => (await import('./commands/restore.ts')).restoreCommand(commit ?? 'HEAD', options)));

command('diff', 'compare the contexts of two commits')
  .argument('<a>', 'a commit or a context id')
  .argument('<b>', 'a commit or a context id')
  .option('--stat', 'counts only (the default)')
  .option('--patch', 'also the messages that came and went')
  .action(run(async ([a, b], options) => (await import('./commands/diff.ts')).diffCommand(a ?? '', b ?? '', options)));

command('show', 'read a context')
  .argument('[commit]', 'a commit or a context id', 'HEAD')
  .option('--session <id>', 'only this session')
  .option('--tools', 'also what went into the tools and came out')
  .option('--all-branches', 'also what was rewound')
  .option('--markdown', 'as Markdown')
  .option('--jsonl', 'the merged session as records, one JSON object a line')
  .option('--html <file>', 'write a page that stands alone')
  .action(run(async ([commit], options) => (await import('./commands/show.ts')).showCommand(commit ?? 'HEAD', options)));

command('push', 'upload conversations to the store that the team shares')
  .argument('[range]', 'only those of these commits')
  .option('--background', 'without a word, as the hooks do it')
  .action(run(async ([range], options) => (await import('./commands/push.ts')).pushCommand(range, options)));

command('pull', 'fetch the conversations of commits from the store that the team shares')
  .argument('[range]', 'a revision range such as main..HEAD', 'HEAD')
  .action(run(async ([range], options) => (await import('./commands/pull.ts')).pullCommand(range ?? 'HEAD', options)));

const key = program.command('key').description('the key that conversations are encrypted with before they are uploaded');
const keyCommand = (name: string, summary: string) =>
  key
    .command(name)
    .showHelpAfterError(`See: cc-context key ${name} --help`)
    .description(summary)
    .option('-C <dir>', 'run as if started in this directory')
    .option('--json', 'print the result as JSON');

keyCommand('new', 'make a key')
  .requiredOption('--out <file>', 'the key file, which must not be there yet')
  .action(run(async (_, options) => (await import('./commands/key.ts')).newKeyCommand(options)));

keyCommand('show-id', 'say which keys you have, by their ids').action(
  run(async (_, options) => (await import('./commands/key.ts')).showKeyCommand(options)),
);

keyCommand('wrap', 'encrypt your keys with age for those who may have them, in a file to be committed')
  .argument('<recipient...>', 'recipients of age, age1…')
  .action(async (recipients: string[], ...given: unknown[]) =>
    run(async (_, options) => (await import('./commands/key.ts')).wrapKeyCommand(recipients, options))(...given),
  );

keyCommand('require', 'have nothing uploaded that is not encrypted with your newest key').action(
  run(async (_, options) => (await import('./commands/key.ts')).requireKeyCommand(options)),
);

keyCommand('rotate', 'make a new key and encrypt everything in the shared store with it; cut off, it goes on')
  .option('--finish', 'make no new key, only encrypt with the newest one what is not')
  .option('--keep', 'leave the old objects for those who do not have the new key yet')
  .option('--out <file>', 'the key file to write the new key into, where your keys come from none')
  .action(run(async (_, options) => (await import('./commands/key-rotate.ts')).rotateKeyCommand(options)));

command('verify', 'read everything that commits name, and check every hash')
  .argument('[range]', 'a revision range such as main..HEAD; all branches and tags by default')
  .option('--local', 'only what is on this machine')
  .option('--shared', 'only what is in the store that the team shares')
  .action(run(async ([range], options) => (await import('./commands/verify.ts')).verifyCommand(range, options)));

command('gc', 'find what no commit names any more, and remove it')
  .option('--prune', 'remove it; without this it is only said what would be')
  .option('--grace <days>', 'keep what was stored in the last so many days', wholeNumber, 30)
  .option('--shared', 'in the store that the team shares, instead of the one on this machine')
  .option('--foreign', 'with --shared: also what may be of another repository or of a branch that is not pushed')
  .option('--forget-missing', 'repositories that are not there any more need nothing')
  .action(run(async (_, options) => (await import('./commands/gc.ts')).gcCommand(options)));

command('purge', 'remove a session for good: a secret, a request to be forgotten')
  .argument('[session]', 'id of a session, or the beginning of it')
  .option('--context <id>', 'all sessions of this context')
  .option('--reason <text>', 'for those who look for it later')
  .option('--local', 'only on this machine')
  .option('--dry-run', 'only say what would be removed')
  .option('--yes', 'do not ask')
  .action(run(async ([session], options) => (await import('./commands/purge.ts')).purgeCommand(session, options)));

// What the shims start where the hook's own bundle has not got it: validation, the network.
program
  .command('hook', { hidden: true })
  .argument('<name>')
  .argument('[args...]')
  .action(async (name: string, [remote = '']: string[]) => {
    // What still waits for a store that does not answer is left behind.
    if (name === 'pre-push') process.exit(await (await import('./commands/hook/pre-push.ts')).prePush(remote));
  });

/** Runs a command line. @param args without node and script. */
export async function main(args: string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2; // commander has said what is wrong with the usage
  }
}
