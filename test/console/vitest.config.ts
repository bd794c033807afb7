import { defineConfig } from 'vitest/config'

/** Tests of the console in a real browser, against the real service. Files run one after the other. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.console.ts'],
    globalSetup: ['test/global-setup.ts'],
    fileParallelism: false,
    // One worker for all files, which loads the service once.
    isolate: false,
    pool: 'threads',
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
