import { type Snapshot, shortContext } from './core/snapshot.ts';

import { plural } from './ui/words.ts';

/** The sentences of hooks and results: what happened, then the command to run next. Errors carry their own, see errors.ts. */
export const messages = {
  // --- capture -------------------------------------------------------------------------------------------------------------

  captured: ({ sessions, total_messages, new_messages_since_parent, redactions, context_id }: Snapshot) =>
    [
      '✓ Captured Claude context for this commit',
      `  - ${sessions.length === 1 ? '1 session' : `${sessions.length} sessions merged`}`,
      `  - ${plural(total_messages, 'total message')} (${new_messages_since_parent} new since parent)`,
      ...(redactions === 0 ? [] : [`  - ${plural(redactions, 'secret')} redacted`]),
      `  - Context ID: ${shortContext(context_id)}`,
    ].join('\n'),
  captureUnfinished: (seconds: number) =>
    `cc-context: the capture needs more than ${seconds} s and goes on in the background; the next commit will own the context.`,
  captureFailed: (why: string) => `cc-context: no context was captured for this commit: ${why}`,
  captureWarning: (what: string) => `cc-context: ${what}`,
  hookBroke: (error: unknown) =>
    `cc-context: a hook ran into a bug, the commit goes on: ${error instanceof Error ? error.message : String(error)} (please report this).`,
  badLines: (sessionId: string, lines: number) =>
    `session ${sessionId.slice(0, 8)} has ${plural(lines, 'line')} that ${lines === 1 ? 'is' : 'are'} no JSON; kept as ${lines === 1 ? 'it is' : 'they are'}.`,
  longLines: (sessionId: string, lines: number) =>
    `session ${sessionId.slice(0, 8)} has ${plural(lines, 'line')} of more than 128 MiB, left out of this context.`,
  unnamableFiles: (sessionId: string, files: number) =>
    `session ${sessionId.slice(0, 8)} has ${plural(files, 'file')} with a backslash or a control character in the name, left out of this context.`,
  sessionGone: (sessionId: string, why: string) =>
    `session ${sessionId.slice(0, 8)} ${why}; it is not in this context, but in the next one that can read it.`,
  sessionPurged: (sessionId: string) =>
    `session ${sessionId.slice(0, 8)} was purged and is not captured any more; what is said in a new session is.`,

  // --- status --------------------------------------------------------------------------------------------------------------

  captureBroken: '✗ CAPTURE DOES NOT WORK: commits made now lose their conversation',

  // --- restore -------------------------------------------------------------------------------------------------------------

  restored: (done: {
    commit: string;
    count: number;
    from_sessions: number;
    sessions: { session_id: string }[];
    command: string[];
    directory: string | null;
    dry_run: boolean;
    omitted_turns: number;
  }) =>
    [
      `${done.dry_run ? 'Would restore the context of' : '✓ Context restored for'} commit ${done.commit.slice(0, 7)}`,
      `  - ${plural(done.count, 'message')} from ${plural(done.from_sessions, 'session')}`,
      ...(done.omitted_turns > 0 ? [`  - ${plural(done.omitted_turns, 'older turn')} left out to fit the budget`] : []),
      ...(done.dry_run
        ? [`  - ${plural(done.sessions.length, 'session')} would be created`]
        : [
            ...done.sessions.map(({ session_id }) => `  - Created session: ${session_id}`),
            '',
            ...done.sessions.map(
              ({ session_id }, at) =>
                `${at === 0 ? 'Run:' : ' or:'} ${done.directory === null ? '' : `cd ${shellQuoted(done.directory)} && `}${done.command.slice(0, -1).join(' ')} ${session_id}`,
            ),
          ]),
    ].join('\n'),
  noSharedStore: [
    'This repository has no store that a team shares.',
    'Name one: cc-init --store s3://bucket/prefix, or for yourself: git config cc-context.store <url>',
  ] as [string, string],
  uploading: (objects: number, of: number, bytes: number) =>
    `cc-context: uploading conversations: ${objects} of ${of} objects, ${megabytes(bytes)}`,
  downloading: (contexts: number, of: number) => `cc-context: fetching conversations: ${contexts} of ${plural(of, 'context')}`,
  pushed: ({ store, contexts, objects, bytes }: { store: string; contexts: number; objects: number; bytes: number }) =>
    objects === 0
      ? `✓ Nothing to upload: ${store} has it all`
      : `✓ ${plural(contexts, 'context')} uploaded to ${store} (${plural(objects, 'object')}, ${megabytes(bytes)})`,
  pulled: ({ store, contexts, bytes }: { store: string; contexts: number; bytes: number }) =>
    `✓ ${plural(contexts, 'context')} on this machine, verified (${megabytes(bytes)} of conversation; from ${store} where it was not here)`,
  pushWithout: (sentence: string, refused: boolean) =>
    refused
      ? `cc-context: the push is refused (push.require), because its conversations could not be uploaded: ${sentence}`
      : `cc-context: the conversations of this push are not uploaded yet, the next commit or push tries again: ${sentence}`,
  notTrusted: (url: string): [string, string] => [
    `The conversation is not on this machine, and the store that this repository names (${url}) is not trusted here.`,
    'See what it is and agree to it with: cc-init --trust',
  ],
  tooSlow: (url: string, seconds: number): [string, string] => [
    `${url} took nothing for ${seconds} seconds.`,
    'See whether it can be reached: cc-context push',
  ],
  notTrustedYet: (url: string) =>
    `This repository names a store that its team shares (${url}). Nothing goes there until you agree to it: cc-init --trust`,
  agreeToStore: ({ url, encryption }: Sharing) =>
    `This repository shares its Claude conversations through ${url}. If you agree, the conversations behind your commits in this clone are uploaded there, and others' are read from there, with your own credentials. ${encryption === null ? 'They are not encrypted: whoever can read the store can read them.' : `They are encrypted on this machine first${ofKey(encryption.key_id)}.`} Agree?`,
  storeTrusted: ({ url, encryption }: Sharing) =>
    `Conversations are shared through ${url} from now on${encryption === null ? '' : `, encrypted${ofKey(encryption.key_id)}`}.`,
  storeNamed: (url: string, path: string) =>
    `Conversations will be shared through ${url}. Commit it for your team: git add -f ${path} && git commit. Each of them is asked before anything goes there.`,
  noStoreToTrust: 'This repository names no store that a team shares: there is nothing to agree to.',
  tooLarge: ({ tokens, overhead, window, several }: { tokens: number; overhead: number; window: number; several: boolean }) => {
    const number = (count: number) => count.toLocaleString('en-US');
    const room = Math.floor((0.8 * (window - overhead)) / 1000);
    const less = `${several ? '--session <id>, --separate or ' : ''}--budget ${room}k`;
    return `It takes about ${number(tokens)} tokens (${number(overhead)} of them system prompt and tools), more than the ${number(window)} that the model can take: Claude Code will have to compact it at once. To restore less: ${less}`;
  },
  activeSessions: (sessions: { session_id: string }[]) =>
    `${plural(sessions.length, 'active session')} (${sessions.map(({ session_id }) => session_id.slice(0, 8)).join(', ')}) ${sessions.length === 1 ? 'has' : 'have'} messages that no commit has captured. Restore all the same?`,
  exactCopy: 'same account, same directory, nothing changed: an exact copy',
  merged: (count: number) => `${count} sessions merged into one`,
  portable: 'another account or directory, a redacted value or an unfinished turn: rebuilt from the messages',
  closedCalls: (count: number) =>
    `${plural(count, 'tool call')} had no result yet when the commit was made; the session says so in ${count === 1 ? 'its' : 'their'} place.`,
  redacted: (count: number) =>
    `${plural(count, 'secret')} ${count === 1 ? 'was' : 'were'} replaced by [REDACTED:…] when the context was captured.`,
};

/** Where conversations go, and whether they are encrypted. */
interface Sharing {
  url: string;
  encryption: { key_id: string | null } | null;
}

const ofKey = (id: string | null) => (id === null ? '' : ` with the key ${id}`);

/** What `cc-context key` says. */
export const keyMessages = {
  made: (file: string, id: string) =>
    [
      `✓ A new key is in ${file} (id ${id})`,
      '  Keep a copy of it where your team keeps its secrets: without it nobody can read what is encrypted with it.',
      `  - Use it here: git config cc-context.encryptionKeyFile ${shellQuoted(file)}`,
      '  - Encrypt for the whole team: cc-context key require',
    ].join('\n'),
  couldBeCommitted: (file: string): [string, string] => [
    `${file} lies in a work tree and Git does not ignore it: the key could be committed.`,
    'Name a file elsewhere with --out.',
  ],
  shown: ({ key_ids, sources, policy }: { key_ids: string[]; sources: string[]; policy: string | null }) =>
    [
      `You have ${plural(key_ids.length, 'key')} (from ${sources.join(', ')}):`,
      ...key_ids.map((id) => `  - ${id}${id === policy ? ' (the one that this repository encrypts with)' : ''}`),
    ].join('\n'),
  wrapped: (path: string, recipients: number) =>
    `✓ The key is wrapped for ${plural(recipients, 'recipient')}. Commit it: git add -f ${path} && git commit. Each of them says: git config cc-context.ageIdentity <file>`,
  required: (id: string, path: string) =>
    `✓ Nothing will be uploaded that is not encrypted with the key ${id}. Commit it for your team: git add -f ${path} && git commit. Then encrypt what is in the store already: cc-context key rotate --finish`,
  notEncrypted: [
    'What this repository uploads is not encrypted.',
    'Switch it on, and commit that: cc-context key require, or for yourself: git config cc-context.encryption.required true',
  ] as [string, string],
  whereToWrite: [
    'Your keys come from no key file, so there is none to write the new key into.',
    'Name a new file with --out, and use it from then on.',
  ] as [string, string],
  notCommitted: (path: string): [string, string] => [
    'The settings that name the new key are not committed yet.',
    `git add -f ${path} && git commit`,
  ],
  rotating: (objects: number, of: number) => `cc-context: encrypting with the new key: ${objects} of ${plural(of, 'object')}`,
  rotated: (done: {
    key_id: string;
    new_key: boolean;
    file: string;
    objects: number;
    kept: boolean;
    problems: string[];
    commit: string | null;
  }) =>
    [
      done.problems.length > 0
        ? `✗ ${plural(done.problems.length, 'object')} could not be encrypted with the key ${done.key_id}`
        : done.objects === 0
          ? `✓ Everything in the store is encrypted with the key ${done.key_id}`
          : `✓ ${plural(done.objects, 'object')} ${done.objects === 1 ? 'is' : 'are'} encrypted with the key ${done.key_id} now`,
      ...(done.new_key
        ? [`  - The new key is in ${done.file}; hand that file out, or wrap it anew: cc-context key wrap <recipients>`]
        : []),
      ...(done.commit === null ? [] : [`  - Commit it for your team: git add -f ${done.commit} && git commit`]),
      ...(done.kept
        ? ['  - The old ones were left. When everybody has the new key, remove them: cc-context key rotate --finish']
        : []),
    ].join('\n'),
};

/** What verify, gc and purge say. */
export const keepingMessages = {
  verifying: (objects: number, of: number, bytes: number) =>
    `cc-context: verified ${objects} of ${plural(of, 'object')}, ${megabytes(bytes)} of conversation`,
  whole: (of: { commits: number; contexts: number; manifests: number; blobs: number; bytes: number; store: string }) =>
    `${plural(of.contexts, 'context')} of ${plural(of.commits, 'commit')} (${plural(of.manifests, 'manifest')}, ${plural(of.blobs, 'blob')}, ${megabytes(of.bytes)} of conversation) in ${of.store}`,
  purgedHere: (sentence: string, ids: string[]) =>
    `${sentence} What this machine has of it is not shown any more; remove it with: cc-context purge ${ids.join(' ')}`,
  checking: (objects: number) => `cc-context: looking at ${plural(objects, 'object')}`,
  repositoriesMissing: (dirs: string[]): [string, string] => [
    `The store is used by ${plural(dirs.length, 'repository', 'repositories')} not to be found now (${list(dirs)}): what ${dirs.length === 1 ? 'it needs' : 'they need'} is not known.`,
    'If they are gone for good: cc-context gc --prune --forget-missing',
  ],
  gcShallow: [
    'This clone is shallow: what older commits name is not known here.',
    'Fetch the rest with: git fetch --unshallow',
  ] as [string, string],
  gcFetchFirst: [
    "This clone was never told of others' commits, so what they need is not known.",
    'Fetch them first: git fetch --all',
  ] as [string, string],
  cameMeanwhile: (id: string) =>
    `The context ${shortContext(id)} was put while this went on and needs what was removed; it is whole again when its author uploads it: cc-context push`,
  collected: (done: {
    store: string;
    shared: boolean;
    pruned: boolean;
    grace: number;
    contexts: string[];
    blobs: number;
    bytes: number;
    young: number;
    foreign: number;
  }) => {
    const { shared, pruned, grace, contexts, blobs } = done;
    const flags = `${shared ? ' --shared' : ''}${grace === 30 ? '' : ` --grace ${grace}`} --prune`;
    const what = `${plural(contexts.length, 'context')} and ${plural(blobs, 'blob')} (${megabytes(done.bytes)})`;
    const nothing = contexts.length + blobs === 0;
    return [
      nothing
        ? `✓ Nothing to remove from ${done.store}`
        : pruned
          ? `✓ Removed ${what} from ${done.store}`
          : `Would remove ${what} from ${done.store}`,
      ...contexts.map((id) => `  - ${shortContext(id)}`),
      ...(done.young === 0
        ? []
        : [`  ${plural(done.young, 'context')} that nothing names: younger than ${plural(grace, 'day')}, kept`]),
      ...(done.foreign === 0
        ? []
        : [
            `  ${plural(done.foreign, 'context')} that nothing names here: perhaps of another repository or of a branch that is not pushed, kept (--foreign)`,
          ]),
      ...(nothing || pruned
        ? []
        : [
            ...(shared
              ? ['  The store is your team’s and may serve other repositories: make sure that this list is right.']
              : []),
            `Nothing was removed. Do it with: cc-context gc${flags}`,
          ]),
    ].join('\n');
  },
  purgeThis: (sessions: string[], found: { store: string; contexts: number; blobs: number }[]) =>
    `${list(found.map(({ store, contexts, blobs }) => `${plural(contexts, 'context')} and ${plural(blobs, 'blob')} in ${store}`))} hold ${plural(sessions.length, 'session')} (${sessions.map((id) => id.slice(0, 8)).join(', ')}). Remove what was said there for good, for everybody?`,
  purged: ({
    sessions,
    stores,
    dry_run,
  }: {
    sessions: string[];
    stores: { store: string; contexts: number; blobs: number; stored_anew: number }[];
    dry_run: boolean;
  }) => {
    const ids = sessions.map((id) => id.slice(0, 8)).join(', ');
    return [
      `${dry_run ? 'Would remove' : '✓ Removed'} ${plural(sessions.length, 'session')} (${ids})`,
      ...stores.map(
        ({ store, contexts, blobs, stored_anew }) =>
          `  - ${plural(contexts, 'context')}, ${plural(blobs, 'blob')} in ${store}${stored_anew === 0 ? '' : `; ${plural(stored_anew, 'blob')} of other sessions stored anew without`}`,
      ),
    ].join('\n');
  },
  purgeUntrusted: (url: string): [string, string] => [
    `The store that this repository names (${url}) is not trusted here, and may have the session too.`,
    'Agree to it with: cc-init --trust; or remove the session only on this machine: --local',
  ],
  purgeShared: (sessions: string[]) =>
    `Some of the same content is in ${plural(sessions.length, 'session')} that ${sessions.length === 1 ? 'is a fork or a copy' : 'are forks or copies'} (${sessions.join(', ')}), and stays there. Remove ${sessions.length === 1 ? 'it' : 'them'} too with: cc-context purge`,
  purgeTranscript: (path: string) => `Claude Code still has its own transcript: ${path}`,
  purgeElsewhere:
    'The machines of those who have read it still have it: it is not shown there from their next push or pull on, and removed with cc-context purge or gc --prune.',
};

const megabytes = (bytes: number) => (bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** A path as a person can paste it into a shell. */
function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

const list = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** What cc-init says of the hooks, and cc-status of what is wrong with them. */
export const hookMessages = {
  // --- cc-init -------------------------------------------------------------------------------------------------------------
  headline: (action: 'installed' | 'uninstalled', repository: string, unchanged: boolean) => {
    if (action === 'uninstalled') return `✓ cc-context is removed from ${repository}`;
    return unchanged ? `✓ cc-context is set up already in ${repository}` : `✓ cc-context is set up in ${repository}`;
  },
  hooksIn: (directory: string) => `Git hooks in ${directory}:`,
  hook: (name: string, change: string) =>
    `${name}: ${
      {
        created: 'created',
        edited: 'one line added to your script',
        wrapped: 'your hook was put aside and is called as before',
        'by-hand': 'not touched',
        restored: 'restored',
        removed: 'removed',
        left: 'our lines removed',
      }[change] ?? change
    }`,
  commitThem: (paths: string[]) => `Commit them: git add ${paths.join(' ')}. For those without cc-context the line does nothing.`,
  sharedHooks: (directory: string) =>
    `${directory} serves your other repositories too; in those without cc-context the line does nothing. Removing it removes it for all.`,
  mayOverwrite: (manager: 'lefthook' | 'pre-commit') =>
    `\`${manager} install\` may replace these files. cc-status notices; cc-init mends it.`,
  npxCache:
    'This cc-context runs from the cache of npx, which npm may empty. To keep it: npm install --save-dev cc-context, then npx cc-init.',
  left: (path: string) => `${path} was changed since: what stood there before cc-context lies beside it.`,
  stays: (commonDir: string) =>
    `What was captured stays: the store, the snapshot files in Git, the local state in ${commonDir}/cc-context.`,
  cannotWrite: (path: string, code: string): [string, string] => [
    `The hook ${path} cannot be written (${code}).`,
    'Give yourself the right to write there, then run: cc-init',
  ],

  // --- cc-status: what keeps commits from being captured ---------------------------------------------------------------------
  notInstalled: 'cc-context is not set up in this repository. Run: cc-init',
  switchedOff: 'CC_CONTEXT=0 switches capture off. Run: unset CC_CONTEXT',
  huskySwitchedOff: 'HUSKY=0 keeps husky from running any Git hook. Run: unset HUSKY',
  hooksOff: (path: string) =>
    `Git hooks are switched off here (core.hooksPath is ${path}). Run: git config --unset core.hooksPath; cc-init`,
  shimsMissing: (directory: string) => `Hooks of cc-context are missing or not executable in ${directory}. Run: cc-init`,
  nodeGone: (path: string) => `The Node.js that the hooks start is gone (${path}). Run: cc-init`,
  entryGone: (path: string) => `The cc-context that the hooks start is gone (${path}). Install it again, then run: cc-init`,
  huskyMissing: (directory: string) => `No Git hook runs in this work tree: husky has not made ${directory}. Run: npx husky`,
  notCalled: (hooks: readonly string[], directory: string, manager: string | null) =>
    `${list(hooks)} in ${directory} ${hooks.length === 1 ? 'does' : 'do'} not call cc-context${manager === null ? '' : ` (${manager} may have replaced ${hooks.length === 1 ? 'it' : 'them'})`}. Run: cc-init`,
  byHand: (path: string, line: string) =>
    `${path} is a symbolic link, which cc-init does not follow. Add this line to its script: ${line}`,
  notExecutable: (paths: string[]) => `Git ignores hooks that are not executable. Run: chmod +x ${paths.join(' ')}`,
};
