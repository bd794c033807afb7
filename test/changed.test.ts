import { describe, expect, it } from 'vitest'
import { changedPaths, concernedBy } from './changed.ts'
import { readSource } from './support/source.ts'

const FILES = [
  readSource('src/rule.ts', 'export const rule = 1'),
  readSource('src/service.ts', "import { rule } from './rule.ts'"),
  readSource('src/rule.test.ts', "import { rule } from './rule.ts'"),
  readSource('src/service.test.ts', "import { service } from './service.ts'"),
  readSource('src/types.test.ts', "import type { Rule } from './rule.ts'"),
  readSource('test/support/source.ts', 'export const readSources = () => []'),
  readSource('test/tidy.test.ts', "import { readSources } from './support/source.ts'"),
  readSource('scripts/docs/documents.test.ts', 'export {}'),
]
const testsOf = (...changed: string[]): string[] =>
  FILES.map(({ path }) => path).filter(
    (path) => path.endsWith('.test.ts') && concernedBy(changed, FILES)(path),
  )

describe('a change concerns', () => {
  it('the tests that import it, directly or indirectly, and those that read all sources', () => {
    expect(testsOf('src/rule.ts')).toEqual([
      'src/rule.test.ts',
      'src/service.test.ts',
      'test/tidy.test.ts',
    ])
  })

  it('only itself, if it is a test', () => {
    expect(testsOf('src/service.test.ts')).toEqual(['src/service.test.ts', 'test/tidy.test.ts'])
  })

  it.each(['migrations/postgres/0017_more.sql', 'package.json', 'test/global-setup.ts'])(
    'all tests, for %s',
    (path) => {
      expect(testsOf(path)).toHaveLength(5)
    },
  )

  it.each(['README.md', 'docs/operate/rules.md'])('the tests of documents, for %s', (path) => {
    expect(testsOf(path)).toEqual(['scripts/docs/documents.test.ts'])
  })

  it('no test, for a file that none reads', () => {
    expect(testsOf('Dockerfile')).toEqual([])
    expect(testsOf()).toEqual([])
  })
})

it('git lists changes by their path from the root', () => {
  for (const path of changedPaths()) expect(path).not.toMatch(/^\.{0,2}\//)
})
