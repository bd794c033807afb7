/**
 * Selects the tests that a change can break for `npm run test:changed`: those that import a changed file
 * directly or indirectly. The option `--changed` of vitest transforms every file of the repository to find
 * the imports, which takes longer than most of the tests that it selects.
 */
import { execFileSync } from 'node:child_process'
import { importersOf, importGraph, reachableFrom } from './support/import-graph.ts'
import type { SourceFile } from './support/source.ts'

/** Files that affect all tests although no test imports them. */
const CONCERNS_ALL =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|vitest\.config\.ts|migrations\/.*|scripts\/engines\/.*|test\/(?:changed|projects|global-setup|rsa-keys)\.ts)$/
const DOCUMENT = /\.md$|^docs\/|^\.env\.example$/
const DOCUMENT_TESTS = /^scripts\/docs/
/** Tests that import this file read all sources as text. */
const SOURCE_READER = 'test/support/source.ts'

/** @returns paths from the root that differ from the point where the branch left main, including uncommitted ones */
export function changedPaths(): string[] {
  const base = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main')
  const changed = git('diff', '--name-only', '--no-renames', base?.trim() ?? 'HEAD')
  if (changed === undefined) throw new Error('git cannot list the changes of this checkout')
  const added = git('ls-files', '--others', '--exclude-standard') ?? ''
  return `${changed}\n${added}`.split('\n').filter((path) => path !== '')
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}

/** @returns a function that says whether a test file has to run */
export function concernedBy(
  changed: readonly string[],
  files: readonly SourceFile[],
): (path: string) => boolean {
  if (changed.some((path) => CONCERNS_ALL.test(path))) return () => true
  const importers = importersOf(importGraph(files, { types: false }))
  const isSource = (path: string) => importers.has(path)
  const seeds = changed.some(isSource) ? [...changed, SOURCE_READER] : changed
  const concerned = new Set(
    seeds.filter(isSource).flatMap((path) => [path, ...reachableFrom(importers, path)]),
  )
  const areDocuments = changed.some((path) => DOCUMENT.test(path))
  return (path) => concerned.has(path) || (areDocuments && DOCUMENT_TESTS.test(path))
}
