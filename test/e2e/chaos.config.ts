import { defineConfig } from 'vitest/config'

/** Faults in a whole system, and a long run without any. Each needs the whole machine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.chaos.ts'],
    fileParallelism: false,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
})
