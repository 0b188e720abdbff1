import { decodeRun, MAX_BASE64_LEVELS, scanBase64 } from './base64-runs.ts';
import { jsonEscapes, lineNumbers, percentEscapes, terminalSequences } from './decoders.ts';
import { type Finding, type Rule, secretOf } from './rule.ts';
import { rules, ruleTriggers } from './rules.ts';
import { type Decoder, decodeView, plainView, type View } from './view.ts';

/** Levels of JSON strings inside JSON strings, and of `%25xx`. */
const MAX_ESCAPE_LEVELS = 8;
const MAX_PERCENT_LEVELS = 3;
const LONG_VALUE = 256;

/** What a search may still decode, in bytes. It bounds the work on texts made to be decoded for ever. */
export interface Budget {
  bytes: number;
}

/** Enough for every layer over the whole of the text, several times. */
export function budgetFor(length: number): Budget {
  return { bytes: 1024 * 1024 + 64 * length };
}

/**
 * All secrets in a text, on the surface and under its layers of encoding, as spans of the text itself: in any order,
 * some of them found under several layers.
 */
export function findSecrets(bytes: Buffer, budget: Budget, base64Level = 0): Finding[] {
  const findings: Finding[] = [];
  const seenRuns = new Set<string>();

  const inspect = (view: View) => {
    for (const found of matchRules(view.bytes)) findings.push({ rule: found.rule, ...view.sourceOf(found.start, found.end) });
    if (base64Level === MAX_BASE64_LEVELS) return;
    scanBase64(view.bytes, 0, view.bytes.length, (run) => {
      const span = view.sourceOf(run.start, run.end);
      const key = `${span.start}:${span.end}`;
      if (seenRuns.has(key)) return false;
      seenRuns.add(key);
      budget.bytes -= run.end - run.start;
      if (budget.bytes < 0) return true;
      const [first] = findSecrets(decodeRun(view.bytes, run), budget, base64Level + 1);
      if (first) findings.push({ rule: first.rule, ...span });
      return false;
    });
  };
  const decode = (view: View, decoder: Decoder): View | null => {
    if (budget.bytes < 0) return null;
    const decoded = decodeView(view, decoder);
    if (decoded) budget.bytes -= decoded.bytes.length;
    return decoded;
  };

  let level: View | null = plainView(bytes);
  for (let depth = 0; level && depth <= MAX_ESCAPE_LEVELS; depth++) {
    inspect(level);
    let plain: View = level;
    for (const decoder of [terminalSequences, lineNumbers]) {
      const stripped = decode(plain, decoder);
      if (!stripped) continue;
      plain = stripped;
      inspect(plain);
    }
    let unquoted = decode(plain, percentEscapes);
    for (let percent = 0; unquoted && percent < MAX_PERCENT_LEVELS; percent++) {
      inspect(unquoted);
      unquoted = decode(unquoted, percentEscapes);
    }
    level = decode(level, jsonEscapes);
  }
  return findings;
}

/** What the rules find in a text as it stands. */
function matchRules(bytes: Buffer): Finding[] {
  const findings: Finding[] = [];
  /** Where a long value ends that a rule has turned down: it is not judged again from each name inside of it. */
  const judged = new Map<Rule, number>();
  let latin1: string | undefined;
  ruleTriggers().scan(bytes, 0, bytes.length, (position, rule) => {
    if (position < (judged.get(rule) ?? 0)) return false;
    latin1 ??= bytes.toString('latin1');
    const text = latin1;
    rule.pattern.lastIndex = position;
    const match = rule.pattern.exec(text);
    if (!match) return false;
    const secret = secretOf(match);
    let end = secret.start + secret.text.length;
    if (secret.text.startsWith('[REDACTED:') || rule.verify?.(secret.text, match) === false) {
      if (secret.text.length > LONG_VALUE) judged.set(rule, end);
      return false;
    }
    if (rule.tail) {
      rule.tail.lastIndex = end;
      end += rule.tail.exec(text)?.[0].length ?? 0;
    }
    findings.push({ rule: rule.name, start: secret.start, end });
    return false;
  });
  return findings;
}

const RANK = new Map(rules.map((rule, index) => [rule.name, index]).reverse() as [string, number][]);

/** Overlapping findings joined into one, named by the rule that comes first in the table; in ascending order. */
export function joinFindings(findings: readonly Finding[]): Finding[] {
  const joined: Finding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (!last || finding.start >= last.end) {
      joined.push({ ...finding });
      continue;
    }
    last.end = Math.max(last.end, finding.end);
    if ((RANK.get(finding.rule) as number) < (RANK.get(last.rule) as number)) last.rule = finding.rule;
  }
  return joined;
}
