import { contextRules } from './context-rules.ts';
import { providerRules } from './provider-rules.ts';
import type { Rule } from './rule.ts';
import { compileTriggers } from './triggers.ts';

/** All rules; where two find the same place, the earlier one names it. */
export const rules: readonly Rule[] = [...providerRules, ...contextRules];

/** Where in a text they may match. */
export const ruleTriggers = compileTriggers(rules);
