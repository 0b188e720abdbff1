import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Terminal } from './terminal.ts';

/** Claude Code's TUI in a terminal. */
export interface ClaudeTui extends Terminal {
  /** Enters a prompt or a slash command. */
  submit(text: string): Promise<void>;
  /** Empties the input. */
  clearInput(): Promise<void>;
  /** Leaves by `/exit`, which writes what is still unwritten of the transcript. */
  exit(): Promise<void>;
}

/**
 * What stands in the input line, null when the screen has none (a dialog is open). It has a no-break space after its sign, where
 * the prompts above it have a space.
 */
export function inputOn(screen: string): string | null {
  return /^[>❯]\u00a0(.*)$/mu.exec(screen)?.[1]?.trim() ?? null;
}

/** Waits until a started TUI takes input. */
export async function claudeTui(terminal: Terminal): Promise<ClaudeTui> {
  await terminal.waitFor('bypass permissions on');
  const submit = async (text: string): Promise<void> => {
    await terminal.type(text);
    await terminal.waitFor((screen) => inputOn(screen) === text);
    await terminal.pressUntil((screen) => inputOn(screen) !== text, 'Enter');
  };
  return {
    ...terminal,
    submit,
    async clearInput() {
      await terminal.pressUntil((screen) => inputOn(screen) === '', 'C-c');
    },
    async exit() {
      await submit('/exit');
      await terminal.ended();
    },
  };
}

/**
 * Answers beforehand what the TUI asks on its first start: theme, trust in the directory, use of the API key, the warning about
 * permissions. Keeps what else is in `~/.claude.json`.
 */
export async function answerFirstQuestions(home: string, cwd: string, apiKey: string): Promise<void> {
  const path = join(home, '.claude.json');
  const config = existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {};
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] }, // a key is named by its last 20 characters
    projects: { ...config.projects, [cwd]: { ...config.projects?.[cwd], hasTrustDialogAccepted: true } },
    // 2.0.76 would clone a repository of plugins from GitHub
    officialMarketplaceAutoInstallAttempted: true,
    officialMarketplaceAutoInstalled: true,
  };
  await writeFile(path, JSON.stringify({ ...config, ...answers }));
}
