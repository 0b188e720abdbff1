import { expect, test } from 'vitest';
import { isSessionId, mayBeProjectOf, projectName } from '../../src/claude/paths.ts';

test.each([
  ['/home/alice/my-app', '-home-alice-my-app'],
  ['/home/al/we ird.dir_name/ünï-Ж', '-home-al-we-ird-dir-name--n---'],
  ['/a/😀', '-a---'],
])('%s is in %s', (path, name) => expect(projectName(path)).toBe(name));

test('a name over 200 characters ends in a hash of the path', () => {
  const path = `/x/${'abcdefghij/'.repeat(30)}end`;
  expect(projectName(path)).toMatch(/^-x-[a-j-]{197}-[0-9a-z]+$/);
  expect(mayBeProjectOf(projectName(path), path)).toBe(true);
  expect(mayBeProjectOf(projectName(`${path}/below`), path)).toBe(true);
});

test('directories below belong to it, neighbours with the same name do too until their records are asked', () => {
  expect(mayBeProjectOf('-a-b', '/a/b')).toBe(true);
  expect(mayBeProjectOf('-a-b-c', '/a/b')).toBe(true);
  expect(mayBeProjectOf('-a-bc', '/a/b')).toBe(false);
});

test('session ids are UUIDs and nothing else', () => {
  expect(isSessionId('770e8400-e29b-41d4-a716-446655440002')).toBe(true);
  for (const bad of ['../../x', '770e8400-e29b-41d4-a716-446655440002/..', '', null, '770e8400'])
    expect(isSessionId(bad)).toBe(false);
});
