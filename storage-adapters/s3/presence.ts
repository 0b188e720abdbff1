import type { Bucket } from './bucket.ts';

/** So many are asked for one by one, without a look at a list. */
const FEW = 16;

/**
 * Which of these objects there are. Few are asked for one by one, `parallel` at once. For many a list may be cheaper, or not: a page tells
 * of 1,000 names, wanted ones or not. So pages are read from the first wanted name on as long as each settles more of them than
 * asking one by one would in the same time; the rest is asked for.
 */
export async function present(bucket: Bucket, names: string[], parallel: number): Promise<Set<string>> {
  const there = new Set<string>();
  const askForEach = (some: string[]) => Promise.all(some.map(async (name) => (await bucket.exists(name)) && there.add(name)));
  if (names.length <= FEW) {
    await askForEach(names);
    return there;
  }
  for (const [folder, wanted] of byFolder(names)) {
    let rest = wanted;
    while (rest.length > FEW) {
      const first = rest[0] as string;
      // A list begins after a name: the one without the last character comes before it.
      const { names: listed, next } = await bucket.list(folder, { after: first.slice(0, -1) });
      const last = listed.at(-1) ?? '';
      const settled = next === null ? rest.length : rest.filter((name) => name <= last).length;
      const page = new Set(listed);
      for (const name of rest.slice(0, settled)) if (page.has(name)) there.add(name);
      rest = rest.slice(settled);
      if (settled <= parallel) break;
    }
    await askForEach(rest);
  }
  return there;
}

/** The names of each folder (up to the last slash), sorted as S3 sorts: by bytes, which for the ASCII of keys is what `sort` does. */
function byFolder(names: string[]): Map<string, string[]> {
  return Map.groupBy([...new Set(names)].sort(), (name) => name.slice(0, name.lastIndexOf('/') + 1));
}
