import { printable } from './columns.ts';

/** A line on a terminal that is written over and over. */
export interface Progress {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

const CLEAR = '\r\u001b[K';
/** Milliseconds between two updates. */
const PAUSE = 100;

/** Shows progress on stderr, where that is a terminal; nothing is written to anything else. */
export function showProgress(wanted: boolean): Progress {
  if (!wanted || !process.stderr.isTTY) return { show: () => {}, end: () => {} };
  let shown = 0;
  return {
    show(text) {
      if (Date.now() - shown < PAUSE) return;
      shown = Date.now();
      process.stderr.write(`${CLEAR}${printable(text)}`);
    },
    end() {
      if (shown > 0) process.stderr.write(CLEAR);
    },
  };
}
