import { CHAIN } from '../core/envelope.ts';

/** Room for a chain and the chunk after it (bytes): where that is larger than usual it is copied. */
const ROOM = 2 * CHAIN;
/** How far the buffers of growing chains are in use. */
const used = new WeakMap<ArrayBufferLike, number>();

/** A buffer with what is in `base` and then `content`; in the memory behind `base` where that is free, since a chain is extended again and again. */
export function extend(base: Buffer, content: Buffer): Buffer {
  const [end, length] = [base.byteOffset + base.length, base.length + content.length];
  if (used.get(base.buffer) === end && end + content.length <= base.buffer.byteLength) {
    const extended = Buffer.from(base.buffer, base.byteOffset, length);
    content.copy(extended, base.length);
    used.set(base.buffer, end + content.length);
    return extended;
  }
  const room = Buffer.allocUnsafeSlow(Math.max(length, ROOM));
  base.copy(room);
  content.copy(room, base.length);
  used.set(room.buffer, length);
  return room.subarray(0, length);
}

/** Gives memory back at once that nobody has but us: the garbage collector would let 64 MB of it lie. */
export function release({ buffer, length }: Buffer): void {
  if (length > 64 * 1024 && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
