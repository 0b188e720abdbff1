import { expect, test } from 'vitest';
import { createWorkplace } from '../helpers/workplace.ts';

test('a normal commit owns the context of the session behind it', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('add a parser');
  const { stderr } = work.commit();
  const [context] = work.contexts();
  expect(stderr).toContain(
    [
      '✓ Captured Claude context for this commit',
      '  - 1 session',
      '  - 2 total messages (2 new since parent)',
      `  - Context ID: ${context?.slice(0, 12)}`,
    ].join('\n'),
  );
  expect(work.contexts()).toHaveLength(1);
  expect(work.dirt()).toBe('');
});
