import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { dataDir } from '../config/settings.ts';
import { splitBlock } from '../core/block.ts';
import type { Block } from '../core/conversation.ts';
import { sha256 } from '../core/hash.ts';
import { imagesInMemory } from '../core/tokens.ts';
import { makeFolders } from '../make-folders.ts';

/** Content of at least this many bytes of JSON is left in the spool; a text only from LARGE_TEXT on: what people said is looked into. */
const LARGE = 512;
const LARGE_TEXT = 64 * 1024;
const COMMA = 44;
/** Bytes that are written at once. */
const BATCH = 1024 * 1024;

/**
 * Holds the contents of large blocks while sessions are merged: in a file without a name that its owner alone can read and that is gone with
 * the process. The same content is kept once.
 */
export interface Spool {
  /** The block, or what stands for it. */
  keep(block: Block): Block;
  /** Writes the JSON of a block, with its content, into a buffer that has room for it (`roomFor`). @returns where it ends. */
  write(block: Block, into: Buffer, at: number): number;
  close(): void;
}

/** Does some work with a spool, which is gone afterwards. @throws UserError when the folder of the store cannot be written. */
export async function withSpool<T>(work: (spool: Spool) => Promise<T>): Promise<T> {
  // What is parsed is garbage at once: a young generation that grows with it takes 150 MB for a session of 50 MB and saves no time.
  setFlagsFromString('--semi-space-growth-factor=1');
  const spool = openSpool(dataDir() ?? tmpdir());
  try {
    return await work(spool);
  } finally {
    spool.close();
  }
}

/** Bytes that the JSON of a block takes at most. */
export function roomFor(block: Block): number {
  return block.spooled === undefined ? 3 * JSON.stringify(block).length : block.spooled.length + 3 * JSON.stringify(block).length;
}

function openSpool(folder: string): Spool {
  makeFolders(folder);
  const path = join(folder, `spool-${process.pid}-${Date.now()}`);
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const unlink = () => {
    try {
      unlinkSync(path);
      return true;
    } catch {
      return false; // Windows does not remove what is open
    }
  };
  const unlinked = unlink();
  const places = new Map<string, number>();
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let end = 0;
  const flush = () => {
    const batch = Buffer.concat(waiting);
    for (let at = 0; at < batch.length; ) at += writeSync(fd, batch, at, batch.length - at, end + at);
    end += batch.length;
    waiting = [];
    waitingBytes = 0;
  };
  const read = (position: number, length: number, into: Buffer, at: number) => {
    if (position + length > end) flush();
    for (let done = 0; done < length; ) {
      const got = readSync(fd, into, at + done, length - done, position + done);
      if (got === 0) throw new Error('the spool became shorter');
      done += got;
    }
  };

  return {
    keep(block) {
      // No portable session has it, whatever it says.
      if (block.type === 'thinking' || block.type === 'redacted_thinking') return { type: block.type };
      // A call whose input is no object is mended where it is read.
      if (
        block.type === 'tool_use' &&
        (typeof block['input'] !== 'object' || block['input'] === null || Array.isArray(block['input']))
      )
        return block;
      const { head, content } = splitBlock(block);
      if (content.length < (block.type === 'text' ? LARGE_TEXT : LARGE)) return block;
      const bytes = Buffer.from(content);
      const hash = sha256(bytes);
      if (!places.has(hash)) {
        places.set(hash, end + waitingBytes);
        waiting.push(bytes);
        waitingBytes += bytes.length;
        if (waitingBytes >= BATCH) flush();
      }
      return { ...head, spooled: { hash, length: bytes.length, images: imagesInMemory(block) } };
    },
    write({ spooled, ...block }, into, at) {
      if (spooled === undefined) return at + into.write(JSON.stringify(block), at);
      const position = places.get(spooled.hash);
      if (position === undefined) throw new Error('the block is of another spool');
      // `{"type":…}` and `{"content":…}` become one object: the second's brace makes room for a comma.
      const start = at + into.write(JSON.stringify(block), at) - 1;
      read(position, spooled.length, into, start);
      into[start] = COMMA;
      return start + spooled.length;
    },
    close() {
      closeSync(fd);
      if (!unlinked) unlink();
    },
  };
}
