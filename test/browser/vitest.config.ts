import { defineConfig } from 'vitest/config'

/** Tests in a real browser. Files run one at a time, because one page keeps a browser busy. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts', 'test/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
