/**
 * The door to age (https://age-encryption.org/v1): what is encrypted for recipients, each of whom decrypts it with an identity of their own.
 * Recipients and identities as `age-keygen` makes them; SSH keys are not understood.
 */
import { UserError } from '../errors.ts';

/** Encrypts a text for recipients (`age1…`). @returns ASCII armor. @throws UserError for what is no recipient. */
export async function wrapText(text: string, recipients: string[]): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new UserError(
        `${/^AGE-SECRET/i.test(recipient) ? 'A secret identity' : `"${recipient}"`} is no recipient of age.`,
        'A recipient begins with age1: see the "public key" in the file that age-keygen made.',
        { cause },
      );
    }
  }
  return armor.encode(await encrypter.encrypt(text));
}

/**
 * Decrypts a text.
 * @param armored ASCII armor.
 * @param identities the text of a file of identities (`AGE-SECRET-KEY-1…`, one a line, `#` for comments).
 * @returns the text, or why there is none.
 */
export async function unwrapText(
  armored: string,
  identities: string,
): Promise<{ text: string } | { problem: 'no identity' | 'damaged' | 'not for these' }> {
  const { armor, Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  const lines = identities.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (lines.length === 0) return { problem: 'no identity' };
  try {
    for (const line of lines) decrypter.addIdentity(line.trim());
  } catch {
    return { problem: 'no identity' }; // without the cause, which may quote it
  }
  let file: Uint8Array;
  try {
    file = armor.decode(armored);
  } catch {
    return { problem: 'damaged' };
  }
  try {
    return { text: await decrypter.decrypt(file, 'text') };
  } catch (error) {
    return { problem: /no identity matched/.test(String(error)) ? 'not for these' : 'damaged' };
  }
}
