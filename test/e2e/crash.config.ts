import { defineConfig } from 'vitest/config'

/** Who is killed, and what is there afterwards; one after the other, for all want the machine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.crash.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
