import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What a screen is to show: a text that is on it, or whatever the function looks for. */
export type Shown = string | ((screen: string) => boolean);

/** A program in a terminal of its own (a tmux server with one window), as a person would use it. */
export interface Terminal {
  /** Types text, without Enter. */
  type(text: string): Promise<void>;
  /** Presses keys, by their tmux names: `Enter`, `Escape`, `Up`, `C-c`. */
  press(...keys: string[]): Promise<void>;
  /** What the screen shows now. */
  capture(): Promise<string>;
  /** Waits until the screen shows it; throws with the last screen after 20 seconds. */
  waitFor(shown: Shown): Promise<string>;
  /** Presses keys, at most once a second, until the screen shows it: keys sent at a bad moment are lost. */
  pressUntil(shown: Shown, ...keys: string[]): Promise<string>;
  /** Waits until the program has ended by itself; throws after 20 seconds. */
  ended(): Promise<void>;
  /** Kills the program, with whatever it has not yet written, and its tmux server. */
  close(): Promise<void>;
}

const PATIENCE = 20_000;
const POLL = 50;

/** Starts `command` in a new terminal. `socket`: a path, of at most 100 bytes, that belongs to this terminal alone. */
export async function openTerminal(
  socket: string,
  command: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Terminal> {
  const tmux = async (...args: string[]): Promise<string> => {
    // -f /dev/null: no configuration of the person who runs the tests
    const { stdout } = await promisify(execFile)('tmux', ['-S', socket, '-f', '/dev/null', ...args], { cwd, env });
    return stdout;
  };
  // remain-on-exit: the screen can still be read when the program has ended
  const start = ['set-option', '-g', 'remain-on-exit', 'on', ';', 'new-session', '-d', '-x', '120', '-y', '50', '-c', cwd];
  await tmux(...start, '--', ...command);
  const pid = Number(await tmux('display-message', '-p', '#{pane_pid}'));

  let closed = false;
  const capture = (): Promise<string> => tmux('capture-pane', '-p');
  const hasEnded = async (): Promise<boolean> => (await tmux('display-message', '-p', '#{pane_dead}')) === '1\n';
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await tmux('send-keys', key);
  };
  const pressUntil = async (shown: Shown, ...keys: string[]): Promise<string> => {
    for (let waited = 0; waited < PATIENCE; waited += POLL) {
      const screen = await capture();
      if (typeof shown === 'string' ? screen.includes(shown) : shown(screen)) return screen;
      if (waited % 1000 === 0) await press(...keys);
      await sleep(POLL);
    }
    throw new Error(`the terminal never showed ${shown}; it shows:\n${await capture()}`);
  };
  return {
    async type(text) {
      await tmux('send-keys', '-l', '--', text);
    },
    press,
    capture,
    waitFor: (shown) => pressUntil(shown),
    pressUntil,
    async ended() {
      for (let waited = 0; !(await hasEnded()); waited += POLL) {
        if (waited > PATIENCE) throw new Error(`the program in the terminal did not end; it shows:\n${await capture()}`);
        await sleep(POLL);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      if (!(await hasEnded())) killGroup(pid);
      await tmux('kill-server');
    },
  };
}

/** Kills a process group; nothing happens when it is gone. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
