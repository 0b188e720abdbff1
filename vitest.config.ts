import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/installed-package.ts'],
    reporters: ['default', 'test/helpers/closing-line.ts'],
    // Real processes of git, node and Claude Code: slow machines get time, nothing is measured.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  },
});
