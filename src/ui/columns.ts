import { stripVTControlCharacters } from 'node:util';

/**
 * Text from a repository or a conversation, fit to be shown in a terminal: no escape sequences, control characters or characters that
 * turn the direction of writing, which can hide or fake what is displayed.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '',
  );
}

/** JSON in which what `printable` would take out of the strings is escaped: it says the same, and a terminal shows it as it is. */
export function printableJson(data: unknown, indent = 0): string {
  return JSON.stringify(data, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Cut to a length in characters, with `…` at the cut. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** Lines of cells under each other, two spaces between the columns; the last column is not padded. */
export function columns(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, [...cell].length)), []);
  return rows.map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '));
}
