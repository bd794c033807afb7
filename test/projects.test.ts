import { describe, expect, it } from 'vitest'
import { testProjects, vitestProjects } from './projects.ts'
import { importGraph, reachableFrom } from './support/import-graph.ts'
import { readSource, readSources } from './support/source.ts'

const files = readSources()
const projects = testProjects(files)

describe('the test projects', () => {
  it('contain every test file once, and only `engines` starts engines', () => {
    const configured = vitestProjects(files).map(({ test }) => test)
    const tests = files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
    expect(configured.flatMap((test) => test?.include ?? []).toSorted()).toEqual(tests.toSorted())
    for (const test of configured) {
      expect(test?.include?.length).toBeGreaterThan(5)
      expect(test?.globalSetup !== undefined).toBe(test?.name === 'engines')
    }
  })

  it('without engines import no file that opens one', () => {
    const OPENERS = ['test/database.ts', 'test/harness.ts', 'test/global-setup.ts']
    const graph = importGraph(files, { types: false })
    const reaching = [...projects.rules, ...projects.integration].filter((path) => {
      const reached = reachableFrom(graph, path)
      return OPENERS.some((opener) => reached.has(opener))
    })
    expect(reaching).toEqual([])
  })

  it('explain the failure of a file whose imports do not show that it needs an engine', async () => {
    const hidden = './database.ts'
    const { postgresAddress, clickhouseAddress } = (await import(hidden)) as {
      postgresAddress: () => unknown
      clickhouseAddress: () => unknown
    }
    expect(postgresAddress).toThrow(/runs in a project that starts no engines/)
    expect(clickhouseAddress).toThrow(/Import test\/harness\.ts or test\/database\.ts statically/)
  })
})

describe('a test file needs an engine', () => {
  // In two parts, because the whole call would assign this file itself to `engines`.
  const CALL = ['inject', "('postgres')"].join('')
  const STARTER = 'src/platform/postgres/embedded/server.ts'
  const SOURCES = [
    readSource('test/database.ts', `export const address = () => ${CALL}`),
    readSource('test/support/world.ts', "import { address } from '../database.ts'"),
    readSource('test/support/starts.ts', `import { start } from '../../${STARTER}'`),
    readSource(STARTER, 'export const start = () => 1'),
    readSource('src/app.ts', `import { start } from '../${STARTER}'`.replace('/src', '')),
  ]
  const projectOf = (text: string, path = 'src/modules/example.test.ts') =>
    Object.entries(testProjects([...SOURCES, readSource(path, text)])).find(([, paths]) =>
      paths.includes(path),
    )?.[0]

  it.each([
    ['when it requests an address', `const address = ${CALL}`],
    ['when its helper requests an address', "import { world } from '../../test/support/world.ts'"],
    ['when it imports such a helper dynamically', "await import('../../test/support/world.ts')"],
    [
      'when it starts an engine itself',
      "import { start } from '../platform/postgres/embedded/server.ts'",
    ],
    ['when its helper starts an engine', "import { start } from '../../test/support/starts.ts'"],
  ])('%s', (_, text) => {
    expect(projectOf(text)).toBe('engines')
  })

  it.each([
    [
      'when it only imports a type of such a helper',
      "import type { World } from '../../test/support/world.ts'",
    ],
    ['when it mentions an engine only in a comment', `// ${CALL}\n/* ${CALL} */`],
    [
      'when it imports the program, which can start an engine',
      "import { createApp } from '../app.ts'",
    ],
  ])('but not %s', (_, text) => {
    expect(projectOf(text)).toBe('rules')
  })

  it('in any folder', () => {
    expect(projectOf('const n = 1', 'eval/orders/shop.test.ts')).toBe('integration')
    expect(projectOf(`const address = ${CALL}`, 'eval/orders/shop.test.ts')).toBe('engines')
  })
})

describe('a test file belongs to `integration`', () => {
  // In parts, because the whole calls would assign this file itself.
  const LISTEN = ['server', 'listen(0)'].join('.')
  const SPAWN = ["import { spawn } from 'node", "child_process'"].join(':')
  const HELPERS = [
    readSource('emulators/listen.ts', `export const listen = () => ${LISTEN}`),
    readSource('src/serve.ts', `export const serve = () => ${LISTEN}`),
  ]
  const projectOf = (text: string) =>
    testProjects([...HELPERS, readSource('src/example.test.ts', text)]).integration.length === 1
      ? 'integration'
      : 'rules'

  it.each([
    ['when it opens a port', LISTEN],
    ['when it starts a process', SPAWN],
    ['when its helper opens a port', "import { listen } from '../emulators/listen.ts'"],
  ])('%s', (_, text) => {
    expect(projectOf(text)).toBe('integration')
  })

  it('but not when it imports a part of the service that can open one', () => {
    expect(projectOf("import { serve } from './serve.ts'")).toBe('rules')
  })
})
