import { setTimeout as sleep } from 'node:timers/promises';
import { findTranscript } from './discover.ts';
import { lastBytes } from './reading.ts';

/** Claude Code writes its transcript in batches about 100 ms apart (2.1.329): this is waited at most, and looked this often (milliseconds). */
const PATIENCE = 250;
const POLL = 20;

/**
 * Waits until the session that is committing has written the tool call it is in: a quick `git commit` is there before its own record,
 * and in a new session before the transcript itself.
 */
export async function writtenCall(config: string, sessionId: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!hasOpenCall(config, sessionId) && Date.now() < end) await sleep(POLL);
}

/** True when the end of the transcript has a tool call without its result. */
function hasOpenCall(config: string, sessionId: string): boolean {
  const transcript = findTranscript(config, sessionId);
  if (transcript === null) return false;
  const text = lastBytes(transcript.path);
  const done = new Set([...text.matchAll(/"tool_use_id":"([\w-]+)"/g)].map(([, id]) => id));
  return [...text.matchAll(/"type":"tool_use","id":"([\w-]+)"/g)].some(([, id]) => !done.has(id));
}
