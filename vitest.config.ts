import { defineConfig } from 'vitest/config'
import { changedPaths, concernedBy } from './test/changed.ts'
import { isOfCells, vitestProjects } from './test/projects.ts'
import { readSources } from './test/support/source.ts'

const files = readSources()
const SELECTIONS: Record<string, () => (path: string) => boolean> = {
  changed: () => concernedBy(changedPaths(), files),
  cells: () => {
    const chosen = new Set(files.filter(isOfCells).map(({ path }) => path))
    return (path) => chosen.has(path)
  },
}
const isWanted = SELECTIONS[process.env['TESTS'] ?? '']?.()

/** Without isolation, the files of a worker share modules, so modules must not hold state. */
export default defineConfig({
  test: {
    isolate: false,
    pool: 'threads',
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second is not enough where all tests share two cores.
    expect: { poll: { timeout: 10_000 } },
    projects: vitestProjects(files, isWanted),
  },
})
