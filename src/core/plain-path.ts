/**
 * True for a relative path of plain names: no `..`, nothing absolute, no control characters, and no backslash, which separates names on
 * Windows. Paths from a repository, a store or a session are hostile until they have this form, and none is written without it.
 */
export function isPlainPath(path: string): boolean {
  return path.length <= 1024 && path.split('/').every((name) => /^[^\\/\p{Cc}]+$/u.test(name) && name !== '.' && name !== '..');
}
