/**
 * A walk through cc-context: a real repository, the real Claude Code, and a mock of the Messages API on this machine, so that no
 * account is needed. Everything happens in a temporary home; nothing of yours is read or written.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messagesOf } from '../test/helpers/api-request.ts';
import { createPerson } from '../test/helpers/claude.ts';
import { claudeCommand, installClaude } from '../test/helpers/claude-install.ts';
import { startMockApi } from '../test/helpers/mock-api.ts';
import { bash } from '../test/helpers/mock-reply.ts';

const VERSION = '2.1.329';
const CLAUDE = '--dangerously-skip-permissions -p';

console.log(`# Claude Code ${VERSION} from npm (the first time takes a minute) and a mock of its API on this machine`);
await installClaude(VERSION);
const api = await startMockApi();
const person = await createPerson({ version: VERSION, api });
const commands = makeCommands(join(person.home, 'bin'));
const env = { ...person.env, PATH: [commands, person.env.PATH].join(delimiter) };
const repo = join(person.home, 'notes-app');
mkdirSync(repo);

/** What the model knows is what the client sent it: the mock looks the answer up in the messages that it got. */
const recall = (pattern, answer) => (request) => {
  const found = pattern.exec(JSON.stringify(messagesOf(request)));
  return found ? answer(found) : 'I do not know: nothing of that is in this conversation.';
};

try {
  api.when(
    'Store the notes in notes.txt, one a line. Our code word is heron.',
    bash('echo "buy milk" > notes.txt'),
    'Done: notes.txt, one note a line. I will remember the code word.',
  );
  api.when('Print the notes sorted.', bash('sort notes.txt > sorted.txt; sleep 1'), 'sorted.txt has them in order.');
  api.when('Write a README.', bash('echo "# Notes" > README.md'), 'README.md is written.');
  api.when(
    'What is our code word, and how are notes stored?',
    recall(
      /Our code word is (\w+)\.[\s\S]*?(one note a line)/,
      ([, word, how]) => `The code word is ${word}, and notes.txt has ${how}: you told me before you switched branches.`,
    ),
  );

  say('Set up a repository: from now on every commit captures the conversation behind it.');
  await type('git init -q');
  await type('git commit -q --allow-empty -m "Begin"');
  await type('cc-init');

  say('Work with Claude, then commit as always.');
  await type(`claude ${CLAUDE} "Store the notes in notes.txt, one a line. Our code word is heron."`);
  await type('git add -A && git commit -q -m "Store notes"');

  say('Two terminals at once on a branch: the commit owns both conversations.');
  await type('git switch -q -c sorting');
  await Promise.all([type(`claude ${CLAUDE} "Print the notes sorted."`), type(`claude ${CLAUDE} "Write a README."`)]);
  await type('git add -A && git commit -q -m "Sort notes, add a README"');
  await type('cc-list --prompts');
  await type('cc-restore');

  say('Back to main: the checkout says that there is a conversation, cc-restore brings it back.');
  await type('git switch -q main');
  const restored = await type('cc-restore');
  const [resume, session] = /claude --resume (\S+)/.exec(restored) ?? [];
  if (session === undefined) throw new Error('cc-restore named no session');

  say('The restored session knows what was said before.');
  await type(`${resume} ${CLAUDE} "What is our code word, and how are notes stored?"`);
} finally {
  await person.close();
  await api.close();
}

function say(text) {
  console.log(`\n# ${text}`);
}

/** Runs a line as a person would type it, shows it with its output, and gives the output back. */
function type(line) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => {
      console.log(`$ ${line.replace(` ${CLAUDE}`, ' -p')}`);
      if (output !== '') console.log(output.replace(/\n$/, ''));
      if (code === 0) resolve(output);
      else reject(new Error(`"${line}" ended with ${code}`));
    });
  });
}

/** A folder with the commands of this checkout and `claude`, to be first in PATH. */
function makeCommands(directory) {
  const bin = fileURLToPath(new URL('../bin/', import.meta.url));
  mkdirSync(directory);
  const add = (name, command) => {
    writeFileSync(join(directory, name), `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`);
    chmodSync(join(directory, name), 0o755);
  };
  for (const name of ['cc-init', 'cc-status', 'cc-list', 'cc-restore', 'cc-diff', 'cc-show', 'cc-context']) {
    if (existsSync(join(bin, `${name}.js`))) add(name, [process.execPath, join(bin, `${name}.js`)]);
  }
  add('claude', claudeCommand(VERSION));
  return directory;
}
