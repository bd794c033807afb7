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

export default defineConfig({ test: { projects: vitestProjects(files, isWanted) } })
