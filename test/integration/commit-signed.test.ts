import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a signed commit, where Git also shows signatures in every log', () => {
  using work = createWorkplace();
  const signature = '-----BEGIN PGP SIGNATURE-----\\n\\nnone\\n-----END PGP SIGNATURE-----\\n';
  const program = work.write(
    '../home/sign',
    `#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '${signature}'\n`,
    0o755,
  );
  work.git('config', 'gpg.program', program);
  work.git('config', 'commit.gpgSign', 'true');
  work.git('config', 'log.showSignature', 'true');
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    expect(expectCaptured(work, work.commit(), [session])).toMatchObject({ new_messages_since_parent: 2 });
    expect(work.git('cat-file', 'commit', 'HEAD')).toContain('BEGIN PGP SIGNATURE');
  }
});
