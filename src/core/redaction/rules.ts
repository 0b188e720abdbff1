import { contextRules } from './context-rules.ts';
import { providerRules } from './provider-rules.ts';
import type { Rule } from './rule.ts';
import { compileTriggers } from './triggers.ts';

/** All rules; where two find the same place, the earlier one names it. */
export const rules: readonly Rule[] = [...providerRules, ...contextRules];

let triggers: ReturnType<typeof compileTriggers> | undefined;

/** Where in a text they may match; compiled at first use, which most commits never come to. */
export function ruleTriggers(): ReturnType<typeof compileTriggers> {
  triggers ??= compileTriggers(rules);
  return triggers;
}
