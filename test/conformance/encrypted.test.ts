import { beforeAll } from 'vitest';
import { newTeamKey } from '../../src/core/team-key.ts';
import { encryptedStore } from '../../src/storage/encrypted-store.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { s3Store } from '../../storage-adapters/s3/index.ts';
import { describeS3 } from '../helpers/s3-server.ts';
import { conforms } from './suite.ts';

/** Encryption around a store is a store. */
const [key, older] = [newTeamKey(), newTeamKey()];
const secrets = [key, older].map(({ secret }) => secret.export().toString('hex'));

conforms(
  'encrypted memory',
  () => {
    const inner = memoryStore();
    const open = () => encryptedStore(inner, [key]);
    return { store: open(), reopen: open };
  },
  { secrets },
);

conforms(
  'encrypted memory, while keys change',
  () => {
    const inner = memoryStore();
    return { store: encryptedStore(inner, [key, older]), reopen: () => encryptedStore(inner, [key, older]) };
  },
  { secrets },
);

describeS3('on a real server', (server) => {
  let bucket: string;
  let prefix = 0;
  beforeAll(async () => {
    bucket = await server().bucket();
  });
  conforms(
    'encrypted s3',
    () => {
      prefix += 1;
      const options = { bucket, endpoint: server().endpoint, credentials: async () => server().keys, prefix: `${prefix}` };
      const open = () => encryptedStore(s3Store(options), [key]);
      return { store: open(), reopen: open };
    },
    { secrets },
  );
});
