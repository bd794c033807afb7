/**
 * Assigns every test file to a vitest project: `engines` for tests that use PostgreSQL or ClickHouse,
 * `integration` for those that open connections, start processes, run months of trade through the rules or
 * read the whole repository, and `rules` for the others, which are the ones to run after every change.
 *
 * Imports decide, so that a test changes its project without being renamed. A test uses an engine if it,
 * or a test helper that it imports, calls `inject` for an address or imports `embedded/server.ts` to start
 * an engine. Reading the sources for that takes 0.1 s.
 */
import { availableParallelism } from 'node:os'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { importersOf, importGraph, reachableFrom } from './support/import-graph.ts'
import { type SourceFile, withoutComments } from './support/source.ts'

export type ProjectName = 'rules' | 'integration' | 'engines'

/**
 * Stated for each project, because a project that extends vitest.config.ts reads it, and with it all sources, again.
 * Without isolation, the files of a worker share modules, so modules must not hold state.
 */
const COMMON: TestProjectInlineConfiguration['test'] = {
  isolate: false,
  pool: 'threads',
  setupFiles: ['test/rsa-keys.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A second is not enough where all tests share two cores.
  expect: { poll: { timeout: 10_000 } },
}

/** The `projects` of vitest.config.ts. */
export function vitestProjects(
  files: readonly SourceFile[],
  isWanted: (path: string) => boolean = () => true,
): TestProjectInlineConfiguration[] {
  const all = testProjects(files)
  // Tests spend a fifth to a third of their time waiting, so one worker more than there are cores uses it.
  const maxWorkers = availableParallelism() + 1
  const first = { ...COMMON, maxWorkers, sequence: { groupOrder: 0 } }
  const second = { ...COMMON, maxWorkers, sequence: { groupOrder: 1 } }
  return [
    { test: { name: 'rules', include: all.rules.filter(isWanted), ...first } },
    { test: { name: 'integration', include: all.integration.filter(isWanted), ...first } },
    {
      test: {
        name: 'engines',
        include: all.engines.filter(isWanted),
        globalSetup: ['test/global-setup.ts'],
        ...second,
      },
    },
  ]
}

/**
 * Parts that write to the directory and to a cell, or work for many organizations: composition, queues, jobs, and what
 * organizations share. `.ci/run` repeats their tests with the directory apart; `npm run test:cells` runs all.
 */
const OF_CELLS =
  /^src\/(?:app|platform\/(?:dispatch|spool)|modules\/(?:accounts|attention|billing|directory|keys|notifications|reputation|reviews))\//

/** Tests that create several cells are the same in both. */
export const isOfCells = ({ path, text }: SourceFile): boolean =>
  OF_CELLS.test(path) && !text.includes("ownDatabase('whole')")

const SHARED_ENGINE = /\binject\(\s*['"](?:postgres|clickhouse|template)['"]\s*\)/
const OWN_ENGINE = /^src\/platform\/(?:postgres|clickhouse)\/embedded\/server\.ts$/
/** Ports and processes that a file of the tests uses itself, and reading of all sources. */
const BEYOND_MODULES = /\.listen\(|['"]node:(?:child_process|worker_threads)['"]|\breadSources\(/
const SIMULATION = /^(?:eval|world)\//
/** Simulations, programs around the service, and helpers of tests. */
const OUTSIDE_SRC = /^(?:bench|demo|emulators|eval|scripts|sdk|test|world)\//
const INTEGRATION = /^(?:bench|demo|emulators|eval|scripts|sdk)\//

/** @returns paths from the root of the test files of each project */
export function testProjects(files: readonly SourceFile[]): Record<ProjectName, string[]> {
  const importers = importersOf(importGraph(files, { types: false }))
  const withImporters = (isWanted: (file: SourceFile) => boolean) => {
    const users = files.filter(isWanted).map(({ path }) => path)
    return new Set(users.flatMap((path) => [path, ...reachableFrom(importers, path)]))
  }
  const needsEngine = withImporters(usesEngine)
  const integrates = withImporters(reachesBeyondModules)
  const projects: Record<ProjectName, string[]> = { rules: [], integration: [], engines: [] }
  // Suites that need a browser or the built program have other file endings.
  for (const { path } of files.filter((file) => file.path.endsWith('.test.ts'))) {
    const isIntegration = INTEGRATION.test(path) || integrates.has(path)
    const name = isIntegration ? 'integration' : 'rules'
    projects[needsEngine.has(path) ? 'engines' : name].push(path)
  }
  return projects
}

/** The product opens ports and starts processes too, but most tests of it call functions only. */
const reachesBeyondModules = ({ path, text, isTest }: SourceFile): boolean =>
  SIMULATION.test(path) ||
  ((isTest || OUTSIDE_SRC.test(path)) && BEYOND_MODULES.test(withoutComments(text)))

/** The program can start an engine too, but does so only in tests that import the starter themselves. */
function usesEngine({ path, text, isTest, imports }: SourceFile): boolean {
  const startsOwn = imports.some(
    ({ from, values }) => OWN_ENGINE.test(from) && values.some((name) => !name.startsWith('type ')),
  )
  if (startsOwn && (isTest || path.startsWith('test/'))) return true
  return text.includes('inject') && SHARED_ENGINE.test(withoutComments(text))
}
