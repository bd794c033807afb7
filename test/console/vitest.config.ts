import { defineConfig } from 'vitest/config'

/** The console in a real browser, against the real service: one file after the other. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.console.ts'],
    globalSetup: ['test/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
