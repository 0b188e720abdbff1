import { setTimeout as sleep } from 'node:timers/promises';
import { findTranscript, type TranscriptFile } from './discover.ts';
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
  let transcript: TranscriptFile | null = null;
  while (Date.now() < end) {
    transcript ??= findTranscript(config, sessionId);
    if (transcript !== null && hasOpenCall(transcript.path)) return;
    await sleep(POLL);
  }
}

/** True when the end of the transcript has a tool call without its result. */
function hasOpenCall(transcript: string): boolean {
  const text = lastBytes(transcript);
  const done = new Set([...text.matchAll(/"tool_use_id":"([\w-]+)"/g)].map(([, id]) => id));
  return [...text.matchAll(/"type":"tool_use","id":"([\w-]+)"/g)].some(([, id]) => !done.has(id));
}
