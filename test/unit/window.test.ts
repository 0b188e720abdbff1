import { expect, test } from 'vitest';
import { windowOf } from '../../src/claude/window.ts';

/** As `/context` of 2.1.329 shows them. */
test.each([
  ['claude-3-7-sonnet-20250219', 200_000],
  ['claude-3-5-haiku-20241022', 200_000],
  ['claude-sonnet-4-20250514', 200_000],
  ['claude-sonnet-4-5-20250929', 200_000],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
  ['claude-opus-4-5@20251101', 200_000],
  ['claude-opus-4-6', 200_000],
  ['claude-sonnet-4-6', 200_000],
  ['claude-haiku-4-5-20251001', 200_000],
  ['claude-haiku-4-5-20251001[1m]', 1_000_000],
  ['claude-opus-4-6[1M]', 1_000_000],
  ['claude-opus-4-7', 1_000_000],
  ['claude-opus-4-7-20260401', 1_000_000],
  ['us.anthropic.claude-opus-4-8-v1:0', 1_000_000],
  ['claude-opus-5', 1_000_000],
  ['claude-sonnet-5', 1_000_000],
  ['claude-haiku-5', 1_000_000],
  ['claude-fable-5', 1_000_000],
  ['some-model', 1_000_000],
])('%s', (model, tokens) => {
  expect(windowOf(model, 0)).toBe(tokens);
});

test('a request that was larger than 200,000 tokens had the larger window', () => {
  expect(windowOf('claude-sonnet-4-5-20250929', 200_001)).toBe(1_000_000);
  expect(windowOf(null, 200_001)).toBe(1_000_000);
  expect(windowOf(null, 200_000)).toBe(200_000);
});
