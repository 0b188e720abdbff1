/**
 * A prompt as its author typed it. Claude Code (2.0 and 2.1) writes a slash command as `<command-name>/clear</command-name>` with message
 * and arguments beside it, a shell command as `<bash-input>ls</bash-input>`, and what either printed as a prompt of its own.
 * @returns an empty text for output, which nobody typed.
 */
export function readablePrompt(text: string): string {
  const tag = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim();
  const command = tag('command-name');
  if (command !== undefined) return `${command} ${tag('command-args') ?? ''}`.trim();
  const shell = tag('bash-input');
  if (shell !== undefined) return `! ${shell}`;
  return /^\s*<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>/.test(text) ? '' : text;
}
