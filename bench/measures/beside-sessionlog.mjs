import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, medianDifference } from '../paired.mjs';
import { makeWorkplace, run } from '../workplace.mjs';
import { sizeOf } from './store-size.mjs';

const VERSION = '0.1.0';
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', `sessionlog-${VERSION}`);
const COMMITS = 20;
const STEP = 500_000;

/**
 * (g) sessionlog 0.1.0 (https://www.npmjs.com/package/sessionlog) beside cc-context: the same session, which grows by 0.5 MB with each of
 * 20 commits, which the agent makes itself (only then sessionlog takes absolute paths for those of the repository). Claude Code's own hooks,
 * which it needs around each commit, are not in its time. No target: for comparison.
 */
export async function besideSessionlog() {
  const places = {
    plain: makeWorkplace({ name: 'plain', hooks: 'none' }),
    ours: makeWorkplace({ name: 'ours', hooks: 'cc-context' }),
    theirs: withSessionlog(),
  };
  const sessions = { ours: places.ours.session(), theirs: places.theirs.session() };
  const { theirs } = places;
  theirs.claude('session-start', sessions.theirs);

  const grow = (session) => session.growTo(session.size + STEP);
  const before = sizeOf(join(theirs.dir, '.git'));
  const samples = await inTurn(
    { rounds: COMMITS, warmups: 0 },
    {
      plain: async () => (await places.plain.commit()).waited,
      ours: async () => {
        grow(sessions.ours);
        return (await places.ours.commit()).waited;
      },
      theirs: async () => {
        theirs.claude('user-prompt-submit', sessions.theirs);
        grow(sessions.theirs);
        const { waited } = await theirs.commit();
        theirs.claude('stop', sessions.theirs);
        return waited;
      },
    },
  );
  if (places.ours.contexts() !== COMMITS) throw new Error('a commit has no context');
  if (theirs.git('log', '--oneline', 'sessionlog/checkpoints/v1').split('\n').length < COMMITS)
    throw new Error('sessionlog has kept no checkpoint of a commit');
  const [time, theirTime] = [medianDifference(samples.ours, samples.plain), medianDifference(samples.theirs, samples.plain)];
  const [size, theirSize] = [sizeOf(places.ours.store), sizeOf(join(theirs.dir, '.git')) - before];
  return [
    {
      id: 'g',
      what: 'hooks of a commit / those of sessionlog 0.1.0',
      target: null,
      measured: time / theirTime,
      note: `${time.toFixed(0)} ms against ${theirTime.toFixed(0)} ms`,
    },
    {
      id: 'g',
      what: `store after ${COMMITS} commits of a session that grew to ${(COMMITS * STEP) / 1e6} MB / growth of .git with sessionlog`,
      target: null,
      measured: size / theirSize,
      note: `${(size / 1e6).toFixed(2)} MB against ${(theirSize / 1e6).toFixed(2)} MB`,
    },
  ];
}

function withSessionlog() {
  const place = makeWorkplace({ name: 'theirs', hooks: 'none' });
  const bin = join(installed(), 'node_modules', '.bin');
  const env = { ...place.env, PATH: `${bin}:${place.env.PATH}` };
  const sessionlog = (args, input) => run('sessionlog', args, { cwd: place.dir, env, input });
  mkdirSync(join(place.dir, '.claude'), { recursive: true });
  sessionlog(['enable', '--agent', 'claude-code', '--local', '--telemetry', 'false']);
  Object.assign(place.env, env);
  return {
    ...place,
    /** What Claude Code's hooks would call. */
    claude: (event, { sessionId, path }) =>
      sessionlog(
        ['hooks', 'claude-code', event],
        JSON.stringify({ session_id: sessionId, transcript_path: path, cwd: place.dir, prompt: 'go on' }),
      ),
  };
}

/** Installed outside the package's own dependencies, once. */
function installed() {
  if (!existsSync(join(CACHE, 'node_modules', 'sessionlog'))) {
    mkdirSync(CACHE, { recursive: true });
    run('npm', ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', CACHE, `sessionlog@${VERSION}`], {
      env: process.env,
    });
  }
  return CACHE;
}
