/** The rules of the house, executed: who may import whom, who may do what, and how long files get. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentName, SETTINGS } from '../src/config.ts'
import { EVENT_TYPES } from '../src/modules/events/index.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { readSource, readSources, type SourceFile } from './support/source.ts'
import { titlesIn } from './support/test-titles.ts'

const files = readSources()
const program = files.filter(({ path, isTest }) => path.startsWith('src/') && !isTest)

const breaking = (some: SourceFile[], isBroken: (file: SourceFile) => boolean): string[] =>
  some.filter(isBroken).map(({ path }) => path)

describe('imports go one way: main, cli, app, modules, platform', () => {
  const APP =
    /^src\/(app|beside|config|console|data-dir|device-management|first-run|jobs|providers|push|retention|stores|telemetry)\.ts$|^src\/(console-api|settings)\//
  const LAYERS: readonly (readonly [name: string, files: RegExp])[] = [
    ['platform', /^src\/platform\//],
    ['modules', /^src\/modules\//],
    ['app', APP],
    ['cli', /^src\/cli\//],
    ['main', /^src\/main\.ts$/],
  ]
  const layerOf = (path: string): number => LAYERS.findIndex(([, pattern]) => pattern.test(path))

  it('every file of the program belongs to a layer', () => {
    expect(breaking(program, ({ path }) => layerOf(path) < 0)).toEqual([])
  })

  it('no layer imports one above it', () => {
    const upward = program.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => layerOf(from) > layerOf(path))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(upward).toEqual([])
  })

  it('the program imports nothing that is not part of it, except the emulators where they are run', () => {
    const DEMONSTRATING = /^src\/cli\/demo\.ts$/
    const EMULATING = /^src\/cli\/(emulate\/[\w-]+|trial-emulator)\.ts$/
    const outside = program.flatMap(({ path, imports }) =>
      imports
        .map(({ from }) => from)
        .filter((from) => /^(console\/src|emulators|demo|scripts|bench|eval|test)\//.test(from))
        .filter((from) => !(EMULATING.test(path) && from.startsWith('emulators/')))
        .filter((from) => !(DEMONSTRATING.test(path) && from.startsWith('demo/')))
        .map((from) => `${path} imports ${from}`),
    )
    expect(outside).toEqual([])
  })
})

describe('the console', () => {
  const outward = files
    .filter(({ path, isTest }) => path.startsWith('console/src/') && !isTest)
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => /^(src|emulators|demo|scripts|bench|eval|test)\//.test(from))
        .map((imported) => ({ path, ...imported })),
    )

  it('takes nothing from the program but types of schema.ts files', () => {
    const others = outward.filter(
      ({ from, isType }) => !(isType && /^src\/modules\/.*\/schema\.ts$/.test(from)),
    )
    expect(others.map(({ path, from }) => `${path} imports ${from}`)).toEqual([])
  })

  it('writes no HTML of its own making into a page', () => {
    const SINK = /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write/
    const pages = files.filter(({ path }) => path.startsWith('console/src/'))
    expect(breaking(pages, ({ text }) => SINK.test(withoutComments(text)))).toEqual([])
  })
})

describe('modules', () => {
  const moduleOf = (path: string): string | undefined => /^src\/modules\/([^/]+)\//.exec(path)?.[1]
  const edges = program.flatMap(({ path, imports }) =>
    imports.flatMap(({ from }) => {
      const [importer, imported] = [moduleOf(path), moduleOf(from)]
      return imported !== undefined && imported !== importer
        ? [{ path, from, importer, imported }]
        : []
    }),
  )

  it('are entered through their index.ts', () => {
    const around = edges.filter(({ from, imported }) => from !== `src/modules/${imported}/index.ts`)
    expect(around.map(({ path, from }) => `${path} imports ${from}`)).toEqual([])
  })

  it('do not import each other in a circle', () => {
    const graph = new Map<string, Set<string>>()
    for (const { importer, imported } of edges) {
      if (importer === undefined) continue
      graph.set(importer, (graph.get(importer) ?? new Set()).add(imported))
    }
    const circles = [...graph.keys()].filter((start) => reachable(graph, start).has(start))
    expect(circles).toEqual([])
  })

  it('emit events and know nothing of webhooks', () => {
    const knowing = edges.filter(
      ({ importer, imported }) => imported === 'webhooks' && importer !== undefined,
    )
    expect(knowing).toEqual([])
  })
})

describe('only', () => {
  it('config.ts reads the environment', () => {
    const readers = breaking(program, ({ text }) => /process\.env\b/.test(text))
    expect(readers).toEqual(['src/config.ts'])
  })

  it('store.ts files, platform/postgres and platform/clickhouse hold SQL', () => {
    const HOLDERS = /\/store\.ts$|^src\/platform\/(postgres|clickhouse)\//
    // The outbox is the store of the events, under the name that everybody knows it by.
    const OUTBOX = 'src/modules/events/outbox.ts'
    const QUERY =
      /\bsql(<[^`]*>)?`|\bsql\.\w+|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bfrom (edge_logs|rum_events)\b/
    const others = program.filter(({ path }) => !HOLDERS.test(path) && path !== OUTBOX)
    expect(breaking(others, ({ text }) => QUERY.test(text))).toEqual([])
  })

  it('routes.ts files and platform/http know Fastify', () => {
    const others = program.filter(({ path }) => !/\/routes\.ts$|^src\/platform\/http\//.test(path))
    const knowing = breaking(others, ({ imports }) =>
      imports.some(({ from }) => from === 'fastify' || from.startsWith('@fastify/')),
    )
    expect(knowing).toEqual([])
  })

  it('adapters open connections', () => {
    const ADAPTERS =
      /\/providers\/|^src\/platform\/(net|postgres|clickhouse)\/|^src\/platform\/redis\.ts$/
    const NETWORK =
      /^(node:)?(net|http|https|http2|tls|dgram|dns|dns\/promises)$|^(undici|ioredis|pg|chdb|@clickhouse\/client)$/
    const HARMLESS = ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress']
    const others = program.filter(({ path }) => !ADAPTERS.test(path))
    const opening = breaking(
      others,
      ({ imports, text }) =>
        /(?<![.\w])fetch\(/.test(withoutComments(text)) ||
        imports.some(
          ({ from, isType, values }) =>
            NETWORK.test(from) &&
            !isType &&
            (values.length === 0 || values.some((name) => !HARMLESS.includes(name))),
        ),
    )
    // Takes a parameter of its own by that name.
    const OWN_FETCH = 'src/platform/lookup-cache/index.ts'
    expect(opening.filter((path) => path !== OWN_FETCH)).toEqual([])
  })

  it('clock.ts reads the system clock', () => {
    const REASONS: Record<string, string> = {
      'src/platform/clock.ts': 'is the clock',
      'src/cli/doctor.ts': 'compares the system clock with that of the database',
    }
    const readers = breaking(program, ({ text }) =>
      /new Date\(\)|Date\.now\(\)/.test(withoutComments(text)),
    )
    expect(readers.filter((path) => REASONS[path] === undefined)).toEqual([])
    expect(Object.keys(REASONS).filter((path) => !readers.includes(path))).toEqual([])
  })
})

describe('files stay small', () => {
  const lengths = files
    .filter(({ isTest }) => !isTest)
    .map(({ lines }) => lines)
    .toSorted((a, b) => a - b)
  const quantile = (share: number): number => lengths[Math.floor(lengths.length * share)] ?? 0

  it('the median is under 100 lines, nine of ten are under 250', () => {
    expect(quantile(0.5)).toBeLessThan(100)
    expect(quantile(0.9)).toBeLessThan(250)
  })

  it('none is over 400 lines, no test over 600', () => {
    const long = breaking(files, ({ lines, isTest }) => lines > (isTest ? 600 : 400))
    expect(long).toEqual([])
  })
})

describe('nothing is left for later', () => {
  it('no reminders in the code', () => {
    // The brackets keep the rule from finding itself.
    const REMINDER = /\b(TOD[O]|FIXM[E]|XX[X])\b/
    expect(breaking(files, ({ text }) => REMINDER.test(text))).toEqual([])
  })

  it('no test is left out or favoured', () => {
    const SWITCH = /\b(?:describe|it|test|suite)\b(?:\.\w+)*\.(?:skip|only|todo|fails)\b/
    const tests = files.filter(({ isTest }) => isTest)
    expect(breaking(tests, ({ text }) => SWITCH.test(withoutTexts(text)))).toEqual([])
  })

  it('no two tests of a file have the same name', () => {
    const twice = files
      .filter(({ isTest }) => isTest)
      .flatMap(({ path, text }) => repeated(titlesIn(text)).map((title) => `${path}: ${title}`))
    expect(twice).toEqual([])
  })
})

describe('everything has its counterpart', () => {
  it('every event type that is emitted has a test under test/', () => {
    const CATALOG = 'src/modules/events/catalog.ts'
    const emitted = EVENT_TYPES.filter((type) =>
      program.some(({ path, text }) => path !== CATALOG && text.includes(`'${type}'`)),
    )
    const tests = files.filter(({ path, isTest }) => isTest && path.startsWith('test/'))
    const tested = (type: string) => tests.some(({ text }) => text.includes(type))
    expect(emitted.length).toBeGreaterThan(0)
    expect(emitted.filter((type) => !tested(type))).toEqual([])
  })

  const readme = join(packageRoot(), 'README.md')
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : ''
  const hasTable = text.includes('<!-- settings -->')
  it.runIf(hasTable)('every setting is in the table of the README', () => {
    const names = Object.keys(SETTINGS).map(environmentName)
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })
})

describe('the rules themselves', () => {
  it('see imports in every form', () => {
    const { imports } = readSource(
      'src/modules/a/b.ts',
      [
        "import 'side-effect'",
        "import { type A, b, c as d } from '../c/index.ts'",
        "import type { E } from './e.ts'",
        "export { f } from '../../platform/f.ts'",
        'import {\n  g,\n  type H,\n} from "ignored"'.replaceAll('"', "'"),
        "const i = await import('../i/i.ts')",
      ].join('\n'),
    )
    expect(imports.map(({ from }) => from).toSorted()).toEqual([
      'ignored',
      'side-effect',
      'src/modules/a/e.ts',
      'src/modules/c/index.ts',
      'src/modules/i/i.ts',
      'src/platform/f.ts',
    ])
    expect(imports.find(({ from }) => from.endsWith('c/index.ts'))?.values).toEqual(['b', 'c as d'])
    expect(imports.find(({ from }) => from.endsWith('e.ts'))?.isType).toBe(true)
  })

  it('see the titles of tests in their groups', () => {
    const text = `describe('a', () => {
  it('one', () => {})
  it.each(['x', 'y'])('two %i', () => {})
  it.each([
    1,
  ])(
    'three',
    () => {},
  )
})

describe.each([1])('b', () => {
  it('one', () => {})
})`
    expect(titlesIn(text)).toEqual(['a > one', 'a > two %i', 'a > three', 'b > one'])
  })
})

function reachable(graph: Map<string, Set<string>>, start: string): Set<string> {
  const seen = new Set<string>()
  const waiting = [...(graph.get(start) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...(graph.get(next) ?? []))
  }
  return seen
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '')

/** Without what stands in quotes, so that a rule does not find itself. */
const withoutTexts = (text: string): string =>
  text.replaceAll(/(['"`])(?:\\.|(?!\1).)*\1|\/.*\//g, '')

const repeated = (titles: string[]): string[] =>
  titles.filter((title, index) => titles.indexOf(title) < index)
