/**
 * A text as it reads once one layer of encoding is taken off, and where each of its bytes came from. Stretches that the
 * decoding left as they were are listed; what lies between two of them was decoded as one piece.
 */
export interface View {
  bytes: Buffer;
  /** The source's span that [start, end) of this view was decoded from; whole pieces only. */
  sourceOf(start: number, end: number): { start: number; end: number };
}

/** The text itself. */
export function plainView(bytes: Buffer): View {
  return { bytes, sourceOf: (start, end) => ({ start, end }) };
}

/** Takes one layer off: what it gives is a new text, or null when the layer is not there. */
export type Decoder = (bytes: Buffer) => View | null;

/** The view of a view, traced back to the first one's source. */
export function decodeView(view: View, decoder: Decoder): View | null {
  const inner = decoder(view.bytes);
  if (!inner) return null;
  return {
    bytes: inner.bytes,
    sourceOf(start, end) {
      const middle = inner.sourceOf(start, end);
      return view.sourceOf(middle.start, middle.end);
    },
  };
}

/** Builds a view from left to right. */
export class ViewBuilder {
  readonly #source: Buffer;
  readonly #out: Buffer;
  #length = 0;
  /** Per stretch that was copied: where it begins in the view, where in the source. Its end is known from the next one. */
  #stretches = new Int32Array(96);
  #used = 0;

  /** A view is never longer than its source: every decoder takes away. */
  constructor(source: Buffer) {
    this.#source = source;
    this.#out = Buffer.allocUnsafe(source.length);
  }

  /** Copies source[start, end) as it is. */
  copy(start: number, end: number): void {
    if (start >= end) return;
    if (this.#used + 3 > this.#stretches.length) {
      const grown = new Int32Array(this.#stretches.length * 2);
      grown.set(this.#stretches);
      this.#stretches = grown;
    }
    this.#stretches[this.#used++] = this.#length;
    this.#stretches[this.#used++] = start;
    this.#stretches[this.#used++] = end - start;
    this.#source.copy(this.#out, this.#length, start, end);
    this.#length += end - start;
  }

  /** Adds a byte that was decoded from what stands between the stretches. */
  put(byte: number): void {
    this.#out[this.#length++] = byte;
  }

  view(): View {
    const stretches = this.#stretches.subarray(0, this.#used);
    const sourceLength = this.#source.length;
    return {
      bytes: this.#out.subarray(0, this.#length),
      sourceOf: (start, end) => ({
        start: edge(stretches, start, sourceLength).start,
        end: edge(stretches, end - 1, sourceLength).end,
      }),
    };
  }
}

/** The source's span of the byte at `position` of a view. */
function edge(stretches: Int32Array, position: number, sourceLength: number): { start: number; end: number } {
  let low = 0;
  let high = stretches.length / 3;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stretches[middle * 3] as number) <= position) low = middle + 1;
    else high = middle;
  }
  const next = low < stretches.length / 3 ? (stretches[low * 3 + 1] as number) : sourceLength;
  if (low === 0) return { start: 0, end: next };
  const [begin, source, length] = stretches.subarray(low * 3 - 3, low * 3) as unknown as [number, number, number];
  const into = position - begin;
  return into < length ? { start: source + into, end: source + into + 1 } : { start: source + length, end: next };
}
