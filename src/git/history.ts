import type { Writable } from 'node:stream';
import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { UserError } from '../errors.ts';
import { type GitResult, git } from './git.ts';

/** A snapshot file that a commit adds. */
export interface AddedSnapshot {
  path: string;
  /** Object name of the blob. */
  oid: string;
}

/** A commit and the contexts it owns. */
export interface HistoryCommit {
  commit: string;
  parents: string[];
  subject: string;
  /** `Name <address>`. */
  author: string;
  /** Author date, ISO 8601. */
  date: string;
  snapshots: AddedSnapshot[];
  /** True where the history of a shallow clone is cut off: all files seem to be added there, so what the commit owns is not known. */
  cut_off: boolean;
}

/** Before each commit: names and subjects hold neither NUL nor line ends, so nothing that a person wrote can look like it. */
const START = '\0\n\0';
const FORMAT = '%x00%x0a%x00%H%x00%P%x00%an <%ae>%x00%aI%x00%s%x00';
/** Every commit is listed, but only the snapshot folder is compared; `-c` shows what a merge itself added. */
const SNAPSHOTS_ONLY = ['--full-history', '--sparse', '-c', '--raw', '-z'];
/** Independent of the person's configuration. */
const PLAIN = [
  '--no-abbrev',
  '--no-renames',
  '--no-follow',
  '--no-color',
  '--no-show-signature',
  '--no-notes',
  '--no-ext-diff',
  '--no-decorate',
  '--encoding=UTF-8',
];
/** The same, for what has no option: without it the first commit of all adds nothing. */
const CONFIG = ['-c', 'log.showRoot=true'];
const SNAPSHOT_PATH = new RegExp(`^${SNAPSHOT_DIR.replace('.', '\\.')}/\\d{4}/\\d{2}/\\d{2}/ctx-[0-9a-f]{64}\\.json$`);

/**
 * Commits with the snapshot files that each adds, newest first.
 * @param revisions a range or commits, as `git log` takes them.
 * @param options options of `git log`, such as `--author=A`.
 * @param onSnapshots called with the snapshot files as they are found, also those of a commit that turns out to be cut off.
 * @throws UserError when git does not know a revision.
 */
export async function readHistory(
  revisions: string[],
  cwd: string,
  options: string[] = [],
  onSnapshots?: (snapshots: AddedSnapshot[]) => void,
): Promise<HistoryCommit[]> {
  const commits: HistoryCommit[] = [];
  const decoder = new TextDecoder();
  let text = '';
  const take = (entries: string[]) => {
    const found = entries.map(parseCommit);
    commits.push(...found);
    onSnapshots?.(found.flatMap(({ snapshots }) => snapshots));
  };
  let begun = false;
  const { code, stderr } = await git(
    [
      ...CONFIG,
      'log',
      ...SNAPSHOTS_ONLY,
      ...PLAIN,
      `--format=${FORMAT}`,
      ...options,
      ...(revisions.includes('--all') ? [] : ['--end-of-options']),
      ...revisions,
      '--',
      `:(top)${SNAPSHOT_DIR}`,
    ],
    {
      cwd,
      onOutput: (piece) => {
        text += decoder.decode(piece, { stream: true });
        const entries = text.split(START);
        text = entries.pop() as string;
        take(begun ? entries : entries.slice(1));
        begun ||= entries.length > 0;
      },
    },
  );
  if (code !== 0) throw unknownRevision(revisions, stderr);
  if (begun) take([text]);
  return await markCutOff(commits, cwd);
}

/** The commit that a revision names. @throws UserError when there is none. */
export async function resolveCommit(revision: string, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], {
    cwd,
  });
  const commit = stdout.toString('utf8').trim();
  if (code !== 0 || commit === '') throw unknownRevision([revision], stderr);
  return commit;
}

/** The contents of objects, in the order asked for; null for one that is not there. */
export async function readBlobs(oids: string[], cwd: string): Promise<(Buffer | null)[]> {
  const reader = blobReader(cwd);
  reader.ask(oids);
  reader.end();
  return await reader.answers();
}

/** Reads objects while somebody still finds out which. */
export interface BlobReader {
  ask(oids: string[]): void;
  /** No more is asked. Without it git waits for ever, and the process with it. */
  end(): void;
  /** The contents in the order asked for; null for an object that is not there. */
  answers(): Promise<(Buffer | null)[]>;
}

/** Starts git once something is asked. */
export function blobReader(cwd: string): BlobReader {
  let asked = 0;
  let stdin: Writable | undefined;
  let answered: Promise<GitResult> | undefined;
  return {
    ask(oids) {
      if (oids.length === 0) return;
      asked += oids.length;
      answered ??= git(['cat-file', '--batch', '--buffer'], { cwd, input: (pipe) => (stdin = pipe) });
      stdin?.write(`${oids.join('\n')}\n`);
    },
    end: () => void stdin?.end(),
    async answers() {
      return answered === undefined ? [] : parseBatch((await answered).stdout, asked);
    },
  };
}

function parseBatch(stdout: Buffer, asked: number): (Buffer | null)[] {
  const result: (Buffer | null)[] = [];
  for (let at = 0; at < stdout.length && result.length < asked; ) {
    const end = stdout.indexOf(10, at);
    const [, type, size] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type === 'missing' || size === undefined) {
      result.push(null);
      continue;
    }
    result.push(stdout.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return result;
}

/** A shallow clone hides parents that the commit object itself still names. */
async function markCutOff(commits: HistoryCommit[], cwd: string): Promise<HistoryCommit[]> {
  const first = commits.filter(({ parents, snapshots }) => parents.length === 0 && snapshots.length > 0);
  const objects = await readBlobs(
    first.map(({ commit }) => commit),
    cwd,
  );
  const cutOff = new Set(first.filter((_, at) => /^tree .*\nparent /.test(objects[at]?.toString('latin1') ?? '')));
  return commits.map((commit) => (cutOff.has(commit) ? { ...commit, snapshots: [], cut_off: true } : commit));
}

function parseCommit(entry: string): HistoryCommit {
  const [commit = '', parents = '', author = '', date = '', subject = '', ...changes] = entry.split('\0');
  return {
    commit,
    parents: parents.split(' ').filter(Boolean),
    author,
    date,
    subject,
    snapshots: parseRaw(changes),
    cut_off: false,
  };
}

/** `:<modes> <objects> <status>` and a path in turn; a merge has one colon, mode and object more for each parent. */
function parseRaw(fields: string[]): AddedSnapshot[] {
  const added: AddedSnapshot[] = [];
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const change = /^\n?(:+)(.*) ([A-Z]+)$/.exec(fields[at] as string);
    if (change === null) continue;
    const path = fields[(at += 1)] as string;
    const words = (change[2] as string).split(' ');
    const colons = (change[1] as string).length;
    // Only what is a regular file in the commit counts: a symbolic link (120000) would be read through.
    const isFile = words[colons] === '100644';
    const oid = words.at(-1);
    if (/^A+$/.test(change[3] as string) && isFile && oid !== undefined && SNAPSHOT_PATH.test(path)) added.push({ path, oid });
  }
  return added;
}

function unknownRevision(revisions: string[], stderr: string): UserError {
  const name = revisions.join(' ');
  if (
    /does not have any commits yet|bad default revision|unknown revision or path.*HEAD|bad revision 'HEAD'/s.test(stderr) ||
    name === 'HEAD'
  ) {
    return new UserError('There is no commit yet.', 'Make one with: git commit');
  }
  return new UserError(`Git does not know the commit "${name}".`, 'See what there is with: git log --oneline');
}
