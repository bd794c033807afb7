import { defineConfig } from 'vitest/config'

/** Tests that kill parts of the service and check the remaining data. Each needs the whole machine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.crash.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
