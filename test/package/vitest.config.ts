import { defineConfig } from 'vitest/config'

/** Installs the packed package as its users do. Files run one at a time, because they are measured. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.package.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
