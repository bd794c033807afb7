import { defineConfig } from 'vitest/config'

/** The long tests of the process: one after the other, for they watch what runs on the machine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.long.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
