import { mayHoldSecret } from './prefilter.ts';
import type { Finding } from './rule.ts';
import { budgetFor, findSecrets, joinFindings } from './search.ts';
import { clipToLiterals, splice } from './splice.ts';

export { mayHoldSecret } from './prefilter.ts';

/** A text without its secrets, and how many of each rule were taken out. */
export interface Redacted {
  /** The very Buffer that was given when nothing was found. */
  bytes: Buffer;
  counts: Record<string, number>;
}

/**
 * Replaces each secret in a record (one line of a session, whole or cut, valid JSON or not) by `[REDACTED:<rule>]`. What
 * is no secret stays as it is, byte for byte, and valid JSON stays valid. Redacting again changes nothing.
 */
export function redactRecord(record: Buffer): Redacted {
  if (!mayHoldSecret(record)) return { bytes: record, counts: {} };
  const found = joinFindings(findSecrets(record, budgetFor(record.length)));
  const findings = found.length > 0 && isJson(record) ? clipToLiterals(record, found) : found;
  if (findings.length === 0) return { bytes: record, counts: {} };
  return { bytes: splice(record, findings), counts: countByRule(findings) };
}

/** The same for a plain text, such as a tool result in a file of its own. */
export function redactText(text: Buffer): Redacted {
  return redactRecord(text);
}

/** The encoding of what is in the strings does not matter here. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('latin1'));
    return true;
  } catch {
    return false;
  }
}

function countByRule(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of findings) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
