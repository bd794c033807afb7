import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = 'every-page.console.ts'

/** Otherwise, the longest file would be the last one and run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

const rankOf = ({ moduleId }: TestSpecification): number => (moduleId.endsWith(LONGEST) ? 0 : 1)

/** Tests of the console in a real browser, against the real service. A page keeps a core busy for half of the time. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.console.ts'],
    globalSetup: ['test/global-setup.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // The files of a worker load the service once.
    isolate: false,
    pool: 'threads',
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
