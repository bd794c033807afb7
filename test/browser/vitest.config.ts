import { defineConfig } from 'vitest/config'

/** The tests in a real browser, one file after the other: a browser is busy enough with one page. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts', 'test/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
