import type { TeamKey } from '../core/team-key.ts';
import { IntegrityError } from '../errors.ts';
import type { BlobStore, Entry } from './blob-store.ts';
import { classOf, kindOfName, openName, sealName } from './sealed-name.ts';
import { OVERHEAD, openObject, sealObject } from './sealed-object.ts';

/** What a class of objects of a store holds beside what is encrypted with the keys at hand. */
interface Others {
  /** The keys of objects that are not encrypted. */
  plain: Set<string>;
  /** Ids of the keys that others are encrypted with. */
  foreign: Set<string>;
}

/**
 * Encrypts what goes into a store, names too, and decrypts what comes out of it. What others still keep there under an older key, or from before
 * the store was encrypted, is read, listed and deleted as well, but `has` does not count what is plain, so that it is uploaded encrypted.
 *
 * It costs no request more, but for a `get` of what is not there, and a `delete`: they list the class, once for each class. (To ask for
 * a plain name that may not be there would tell the name.)
 * @param keys the first one encrypts, all of them decrypt.
 */
export function encryptedStore(store: BlobStore, keys: [TeamKey, ...TeamKey[]]): BlobStore {
  const [writing] = keys;
  const listed = new Map<string, Promise<Others>>();
  const held = new Map(keys.map((key): [string, TeamKey] => [key.id, key]));

  const othersOf = (name: string): Promise<Others> => {
    const known = listed.get(name);
    if (known !== undefined) return known;
    const listing = listOthers(name);
    listing.catch(() => listed.delete(name)); // told by whoever asked; the next one may have more luck
    listed.set(name, listing);
    return listing;
  };
  const listOthers = async (name: string): Promise<Others> => {
    const others: Others = { plain: new Set(), foreign: new Set() };
    for await (const found of store.list(`${name}/`)) {
      const { key_id } = kindOfName(found);
      if (key_id === null) others.plain.add(found);
      else if (!held.has(key_id)) others.foreign.add(key_id);
    }
    return others;
  };

  const getSealed = async (key: string): Promise<Buffer | null> => {
    for (const by of keys) {
      const sealed = await store.get(sealName(key, by));
      if (sealed !== null) return openObject(sealed, key, by);
    }
    return null;
  };
  const getPlain = async (key: string, { plain }: Others) => (plain.has(key) ? await store.get(key) : null);

  /** What was listed, by the keys that the names stand for, with the bytes that encryption adds. @throws when there is more under another key. */
  async function* opened<T>(
    listing: AsyncIterable<T>,
    nameOf: (found: T) => string,
    prefix: string,
  ): AsyncGenerator<[key: string, found: T, added: number]> {
    const foreign = new Set<string>();
    for await (const found of listing) {
      const name = nameOf(found);
      const { key_id } = kindOfName(name);
      const by = key_id === null ? undefined : held.get(key_id);
      if (key_id !== null && by === undefined) foreign.add(key_id);
      const key = key_id === null ? name : by === undefined ? null : openName(name, by);
      if (key?.startsWith(prefix)) yield [key, found, by === undefined ? 0 : OVERHEAD];
    }
    if (foreign.size > 0) throw otherKey(store.url, foreign, keys);
  }
  const { entries } = store;

  return {
    url: store.url,
    id: () => store.id(),
    put: async (key, bytes) => store.put(sealName(key, writing), sealObject(bytes, key, writing)),

    async get(key) {
      const sealed = await getSealed(key);
      if (sealed !== null) return sealed;
      const others = await othersOf(classOf(key));
      // While it was looked for under one key, it may have been encrypted with another one: so once more.
      const found = (await getPlain(key, others)) ?? (await getSealed(key));
      if (found === null && others.foreign.size > 0) throw otherKey(store.url, others.foreign, keys);
      return found;
    },

    async has(wanted) {
      const names = new Map(wanted.flatMap((key) => keys.map((by): [string, string] => [sealName(key, by), key])));
      const there = await store.has([...names.keys()]);
      return new Set([...names].flatMap(([name, key]) => (there.has(name) ? [key] : [])));
    },

    async *list(prefix) {
      const given = new Set<string>();
      for await (const [key] of opened(store.list(listedAs(prefix)), String, prefix)) {
        if (!given.has(key)) yield key;
        given.add(key);
      }
    },

    ...(entries !== undefined && {
      async *entries(prefix: string) {
        const all = new Map<string, Entry>();
        for await (const [key, found, length] of opened(entries.call(store, listedAs(prefix)), ({ key }) => key, prefix)) {
          const bytes = found.bytes === null ? null : found.bytes - length;
          const before = all.get(key);
          // Under two keys, or plain as well: as young as the youngest of them.
          const modified =
            before === undefined || found.modified === null ? found.modified : later(before.modified, found.modified);
          all.set(key, { key, bytes, modified });
        }
        yield* all.values();
      },
    }),

    async delete(key) {
      const { plain, foreign } = await othersOf(classOf(key));
      for (const by of keys) await store.delete(sealName(key, by));
      if (plain.has(key)) await store.delete(key);
      if (foreign.size > 0) throw otherKey(store.url, foreign, keys);
    },

    close: () => store.close(),
  };
}

/** What is told when something may be there under a key that is not at hand. */
export function otherKey(url: string, foreign: Iterable<string>, held: TeamKey[]): IntegrityError {
  return new IntegrityError(
    `The store ${url} has objects that are encrypted with another key (${[...foreign].join(', ')}) than yours (${held.map(({ id }) => id).join(', ')}).`,
    'Ask your team for the key file with all keys in use; see which ones you have with: cc-context key show-id',
  );
}

/** A prefix that ends within what is encrypted is looked for in the whole class. */
const listedAs = (prefix: string): string => (prefix.includes('/') ? `${classOf(prefix)}/` : prefix);

const later = (a: number | null, b: number): number | null => (a === null ? null : Math.max(a, b));
