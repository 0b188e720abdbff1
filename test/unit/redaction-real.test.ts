import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mayHoldSecret, redactRecord } from '../../src/core/redaction/index.ts';

const TRANSCRIPTS = '../shared/transcripts';

/** Sessions made for the tests of public projects: nothing in them is a secret, so whatever is found is a false finding. */
it.skipIf(!existsSync(TRANSCRIPTS))('real sessions: at most one false finding in 1,000 records, few of them decoded', () => {
  let records = 0;
  let decoded = 0;
  let changed = 0;
  for (const name of readdirSync(TRANSCRIPTS, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue;
    for (const record of recordsOf(readFileSync(join(TRANSCRIPTS, name)))) {
      records++;
      if (mayHoldSecret(record, 0, record.length)) decoded++;
      if (redactRecord(record).bytes !== record) changed++;
    }
  }
  expect(records).toBeGreaterThan(5000);
  expect(changed * 1000).toBeLessThanOrEqual(records);
  expect(decoded * 20).toBeLessThanOrEqual(records);
});

function* recordsOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}
