import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Status } from '../../src/commands/status.ts';
import { CLAUDE_VERSIONS } from '../helpers/claude-install.ts';
import { prompts, results } from '../helpers/messages-api.ts';
import { describeS3 } from '../helpers/s3-server.ts';
import * as make from '../helpers/sessions.ts';
import { openStudio, type RestoredJson } from '../helpers/studio.ts';

vi.setConfig({ testTimeout: 120_000 });

describeS3('a team with a bucket', (server) => {
  test('one commits and pushes; another, with nothing but a clone, lists, restores, and the client resumes', async () => {
    const { endpoint, keys, bucket } = server();
    const store = `s3://${await bucket()}/team?endpoint=${endpoint}`;
    const author = await openStudio(CLAUDE_VERSIONS[0]);
    const teammate = await openStudio(CLAUDE_VERSIONS[0]);
    try {
      for (const { person } of [author, teammate]) {
        person.env['AWS_ACCESS_KEY_ID'] = keys.accessKeyId;
        person.env['AWS_SECRET_ACCESS_KEY'] = keys.secretAccessKey;
      }
      const must = (studio: typeof author, command: string, args: string[], cwd?: string) => {
        const ran = studio.run(command, args, cwd);
        expect([ran.code, ran.stderr]).toEqual([0, expect.anything()]);
        return ran;
      };
      const remote = join(author.person.home, 'remote.git');
      must(author, 'git', ['init', '--quiet', '--bare', remote]);
      must(author, 'git', ['remote', 'add', 'origin', remote]);
      author.cc('init', ['--store', store]);
      must(author, 'git', ['add', '-f', '.cc-snapshots/config.json']);
      const id = await make.resumedSession(author.person, author.dir);
      author.commit();
      must(author, 'git', ['push', '--quiet', 'origin', 'HEAD:refs/heads/main']);
      expect(author.cc<Status>('status', []).store).toMatchObject({ shared: store, pending_uploads: 0 });

      const clone = join(teammate.person.home, 'the clone');
      must(teammate, 'git', ['clone', '--quiet', '--branch', 'main', remote, clone]);
      teammate.cc('init', ['--trust'], clone);
      const listed = teammate.cc<{ has_context: boolean; prompts: string[] }[]>('list', ['--prompts'], clone);
      expect(listed[0]).toMatchObject({ has_context: true, prompts: ['print alpha', 'and then?'] });
      const { sessions } = teammate.cc<RestoredJson>('restore', ['--yes'], clone);
      mkdirSync(join(clone, 'sub'));
      const got = await teammate.resume(sessions[0]?.session_id ?? '', 'and now?', clone);
      const original = await author.resume(id, 'and now?');
      expect(prompts(got, ['print alpha', 'and then?'])).toEqual(['print alpha', 'and then?']);
      expect(results(got).map(({ content }) => content)).toEqual(results(original).map(({ content }) => content));
      for (const { api } of [author, teammate]) expect(api.requests.flatMap(({ violations }) => violations)).toEqual([]);
    } finally {
      await author.close();
      await teammate.close();
    }
  });
});
