/** Reads all transcripts of a store, verified as every read is, and parses each line: the least that a merge has to do. */
import { contextStore } from '../../src/storage/context-store.ts';
import { sqliteStore } from '../../storage-adapters/sqlite/index.ts';

const blobs = sqliteStore({ path: process.argv[2] });
const store = contextStore(blobs);
let lines = 0;
for await (const key of blobs.list('manifests/')) {
  const { sessions } = await store.readManifest(key.slice('manifests/'.length));
  for (const { files } of sessions) {
    let rest = '';
    for await (const chunk of store.readFile(files[0])) {
      const whole = (rest + chunk.toString('utf8')).split('\n');
      rest = whole.pop();
      for (const line of whole) if (JSON.parse(line) !== null) lines += 1;
    }
  }
}
await blobs.close();
if (lines === 0) throw new Error('there is nothing in the store');
