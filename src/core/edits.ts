/** A part of a text, from `start` up to `end` (UTF-16 units), and what takes its place. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The text with these edits, which are in order and do not overlap; the same string when there are none. */
export function applyEdits(text: string, edits: Edit[]): string {
  if (edits.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

/** Both lists in one, in order. Where two overlap the one of `first` holds. Each list is in order and without overlaps. */
export function mergeEdits(first: Edit[], second: Edit[]): Edit[] {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first;
  let at = 0;
  const free = second.filter(({ start, end }) => {
    while (at < first.length && (first[at] as Edit).end <= start) at += 1;
    return at === first.length || end <= (first[at] as Edit).start;
  });
  return [...first, ...free].sort((a, b) => a.start - b.start);
}

/**
 * A JSON value in which every string was changed; names of fields are left as they are, and so is what is inside a `base64` source
 * (an image: `/` is a digit there). The same value when nothing in it changed.
 */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapStrings(item, change));
    return mapped.some((item, index) => item !== value[index]) ? (mapped as T) : value;
  }
  if (typeof value !== 'object' || value === null || (value as { type?: unknown }).type === 'base64') return value;
  const fields = Object.entries(value);
  const mapped = fields.map(([name, item]): [string, unknown] => [name, mapStrings(item, change)]);
  return mapped.some(([, item], index) => item !== fields[index]?.[1]) ? (Object.fromEntries(mapped) as T) : value;
}
