/** The models that Claude Code gives 200,000 tokens: generations 3 and 4, up to 4.6. */
const SMALL = /claude-(3|(opus|sonnet|haiku)-(3|4(?![-.]?[7-9](\D|$))))/i;

/**
 * Tokens of the context window that Claude Code reckons with for a model.
 *
 * Measured with `/context` of 2.1.329: 200,000 for the models up to Opus 4.6, Sonnet 4.6 and Haiku 4.5; 1,000,000 for those since
 * (Opus 4.7, Sonnet 5, Haiku 5, Fable 5, Mythos 5, …), for names that it does not know, and for every model whose name ends in
 * `[1m]`. Transcripts have the name that the API gives back, without `[1m]`: that a request was larger than 200,000 tokens tells.
 *
 * @param model of the newest reply; null (unknown) has the smaller window.
 * @param largestUsage tokens of the largest request and reply that were seen, 0 when none was.
 */
export function windowOf(model: string | null, largestUsage: number): number {
  if (model === null) return largestUsage > 200_000 ? 1_000_000 : 200_000;
  return SMALL.test(model) && !/\[1m\]$/i.test(model) && largestUsage <= 200_000 ? 200_000 : 1_000_000;
}
