import { defineConfig } from 'vitest/config'

/** Long tests of the built program. Files run one at a time, because they watch processes. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.long.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
