import { defineConfig } from 'vitest/config'

/** Tests of the console in a real browser, against the real service. A page keeps a core busy for half of the time. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.console.ts'],
    globalSetup: ['test/global-setup.ts'],
    maxWorkers: 2,
    // The files of a worker load the service once.
    isolate: false,
    pool: 'threads',
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
