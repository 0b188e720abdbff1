import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDir } from '../config/settings.ts';
import { joinBlock, splitBlock } from '../core/block.ts';
import type { Block } from '../core/conversation.ts';
import { sha256 } from '../core/hash.ts';
import { makeFolders } from '../make-folders.ts';

/** Content of at least this many bytes of JSON is left in the spool; a text only from LARGE_TEXT on: what people said is looked into. */
const LARGE = 512;
const LARGE_TEXT = 64 * 1024;
/** Bytes that are written at once. */
const BATCH = 1024 * 1024;

/**
 * Holds the contents of large blocks while sessions are merged: in a file without a name that its owner alone can read and that is gone with
 * the process. The same content is kept once.
 */
export interface Spool {
  /** The block, or what stands for it. */
  keep(block: Block): Block;
  /** The JSON text of a block, with its content. */
  json(block: Block): string;
  close(): void;
}

/** Does some work with a spool, which is gone afterwards. @throws UserError when the folder of the store cannot be written. */
export async function withSpool<T>(work: (spool: Spool) => Promise<T>): Promise<T> {
  const spool = openSpool(dataDir() ?? tmpdir());
  try {
    return await work(spool);
  } finally {
    spool.close();
  }
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
  const read = (position: number, length: number) => {
    if (position + length > end) flush();
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const got = readSync(fd, bytes, at, length - at, position + at);
      if (got === 0) throw new Error('the spool became shorter');
      at += got;
    }
    return bytes.toString('utf8');
  };

  return {
    keep(block) {
      // No portable session has it, whatever it says.
      if (block.type === 'thinking' || block.type === 'redacted_thinking') return { type: block.type };
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
      return { ...head, spooled: { hash, length: bytes.length } };
    },
    json({ spooled, ...block }) {
      if (spooled === undefined) return JSON.stringify(block);
      const position = places.get(spooled.hash);
      if (position === undefined) throw new Error('the block is of another spool');
      return joinBlock(block as Block, read(position, spooled.length));
    },
    close() {
      closeSync(fd);
      if (!unlinked) unlink();
    },
  };
}
