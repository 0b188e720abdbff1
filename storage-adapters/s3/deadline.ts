/** Bytes a second: a line that is slower than this is of no use. */
const SLOWEST = 32 * 1024;

/** How long one request may take. */
export interface Deadline {
  signal: AbortSignal;
  /** From now on so long again, and as long as this many bytes may take. */
  extend(bytes: number): void;
  stop(): void;
}

/** @param time milliseconds that a request without a body may take; `bytes` are the body's. */
export function deadline(time: number, bytes: number): Deadline {
  const controller = new AbortController();
  const start = (size: number) => setTimeout(() => controller.abort(), time + (size / SLOWEST) * 1000);
  let timer = start(bytes);
  return {
    signal: controller.signal,
    extend(size) {
      clearTimeout(timer);
      timer = start(size);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Rejects with a TimeoutError when `work` takes longer than this many milliseconds. */
export async function within<T>(time: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('too late'), { name: 'TimeoutError' })), time);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
