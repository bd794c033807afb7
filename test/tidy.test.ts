/** Enforces the rules of the code: which files may import which, what each may do, and file lengths. */
import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../src/modules/events/index.ts'
import { reachableFrom } from './support/import-graph.ts'
import { readSource, readSources, type SourceFile, withoutComments } from './support/source.ts'
import { titlesIn } from './support/test-titles.ts'

const files = readSources()
const program = files.filter(({ path, isTest }) => path.startsWith('src/') && !isTest)

const breaking = (some: SourceFile[], isBroken: (file: SourceFile) => boolean): string[] =>
  some.filter(isBroken).map(({ path }) => path)

describe('imports go one way: main, cli, app, modules, platform', () => {
  const APP = /^src\/config\.ts$|^src\/(app|settings)\//
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

  it('the program imports nothing outside src/, except the commands that run emulators or the demo', () => {
    const DEMO_COMMAND = /^src\/cli\/demo\.ts$/
    const EMULATOR_COMMANDS = /^src\/cli\/(emulate\/[\w-]+|trial-emulator)\.ts$/
    const outside = program.flatMap(({ path, imports }) =>
      imports
        .map(({ from }) => from)
        .filter((from) =>
          /^(console\/src|emulators|world|demo|scripts|bench|eval|test)\//.test(from),
        )
        .filter((from) => !(EMULATOR_COMMANDS.test(path) && from.startsWith('emulators/')))
        .filter((from) => !(DEMO_COMMAND.test(path) && from.startsWith('demo/')))
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
        .filter(({ from }) => /^(src|emulators|world|demo|scripts|bench|eval|test)\//.test(from))
        .map((imported) => ({ path, ...imported })),
    )

  it('imports only types of schema.ts files from the program', () => {
    const others = outward.filter(
      ({ from, isType }) => !(isType && /^src\/modules\/.*\/schema\.ts$/.test(from)),
    )
    expect(others.map(({ path, from }) => `${path} imports ${from}`)).toEqual([])
  })

  it('inserts no HTML text into a page', () => {
    const SINK = /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write/
    const pages = files.filter(({ path }) => path.startsWith('console/src/'))
    expect(breaking(pages, ({ text }) => SINK.test(withoutComments(text)))).toEqual([])
  })
})

describe('the platform', () => {
  const platform = program.filter(({ path }) => path.startsWith('src/platform/'))

  it('imports nothing from the product', () => {
    const others = platform.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => /^src\/(?!platform\/)/.test(from))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(others).toEqual([])
  })

  it('contains no words of the product', () => {
    // Words with no other meaning; `order`, `check` and `push` are also general English.
    const WORDS =
      /\b(fraud|cashiers?|profiles|terminals?|webhooks?|edge_logs|rum_events|rum|mdm|fleet|enrol\w*|starter|sk_live|reviews?|subscriptions?|apns|fcm|rate_limit_\w+)\b/i
    expect(
      platform.flatMap(({ path, text }) => {
        const [word] = WORDS.exec(text) ?? []
        return word === undefined ? [] : [`${path}: ${word}`]
      }),
    ).toEqual([])
  })
})

describe('modules', () => {
  const moduleOf = (path: string): string | undefined => /^src\/modules\/([^/]+)\//.exec(path)?.[1]
  const edges = program.flatMap(({ path, imports }) =>
    imports.flatMap(({ from, isType }) => {
      const [importer, imported] = [moduleOf(path), moduleOf(from)]
      return imported !== undefined && imported !== importer
        ? [{ path, from, isType, importer, imported }]
        : []
    }),
  )

  // SQL joins tables across modules, and files with tables import only types of columns.
  const JOINED = 'src/modules/tables.ts'
  const isTables = (from: string) => from.endsWith('/tables.ts')

  // `vigil apply` is a client of the API, as the console is: it takes the types of responses.
  const isClient = (path: string) => path.startsWith('src/cli/configuration/')

  it('are imported through index.ts, tables.ts for rows, or schema.ts for types of responses', () => {
    const around = edges.filter(
      ({ path, from, imported, isType }) =>
        path !== JOINED &&
        !isTables(from) &&
        from !== `src/modules/${imported}/index.ts` &&
        !(isClient(path) && isType && from.endsWith('/schema.ts')),
    )
    expect(around.map(({ path, from }) => `${path} imports ${from}`)).toEqual([])
  })

  it('do not import each other in a circle', () => {
    const graph = new Map<string, string[]>()
    for (const { importer, imported, from } of edges) {
      if (importer === undefined || isTables(from)) continue
      graph.set(importer, [...(graph.get(importer) ?? []), imported])
    }
    const circles = [...graph.keys()].filter((start) => reachableFrom(graph, start).has(start))
    expect(circles).toEqual([])
  })

  it('emit events and do not import webhooks, except for portals, which manage endpoints', () => {
    const knowing = edges.filter(
      ({ importer, imported }) =>
        imported === 'webhooks' && importer !== undefined && importer !== 'portals',
    )
    expect(knowing).toEqual([])
  })
})

describe('only', () => {
  it('config.ts reads the environment', () => {
    const readers = breaking(program, ({ text }) => /process\.env\b/.test(text))
    expect(readers).toEqual(['src/config.ts'])
  })

  it('store.ts and *.store.ts files, platform/postgres and platform/clickhouse hold SQL', () => {
    const HOLDERS = /[/.]store\.ts$|^src\/platform\/(postgres|clickhouse)\//
    // The outbox is the store of the events, under its usual name.
    const OUTBOX = 'src/modules/events/outbox.ts'
    const QUERY =
      /\bsql(<[^`]*>)?`|\bsql\.\w+|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bfrom (edge_logs|rum_events)\b/
    const others = program.filter(({ path }) => !HOLDERS.test(path) && path !== OUTBOX)
    expect(breaking(others, ({ text }) => QUERY.test(text))).toEqual([])
  })

  it('routes.ts and console.ts files, modules/access and platform/http import Fastify', () => {
    const others = program.filter(
      ({ path }) => !/\/(routes|console)\.ts$|^src\/(platform\/http|modules\/access)\//.test(path),
    )
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
    // Has a parameter of that name.
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
    // The brackets prevent the rule from matching itself.
    const REMINDER = /\b(TOD[O]|FIXM[E]|XX[X])\b/
    expect(breaking(files, ({ text }) => REMINDER.test(text))).toEqual([])
  })

  it('no test is skipped or run alone', () => {
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

describe('events', () => {
  it('every emitted event type has a test under test/', () => {
    const CATALOG = 'src/modules/events/catalog.ts'
    const emitted = EVENT_TYPES.filter((type) =>
      program.some(({ path, text }) => path !== CATALOG && text.includes(`'${type}'`)),
    )
    const tests = files.filter(({ path, isTest }) => isTest && path.startsWith('test/'))
    const tested = (type: string) => tests.some(({ text }) => text.includes(type))
    expect(emitted.length).toBeGreaterThan(0)
    expect(emitted.filter((type) => !tested(type))).toEqual([])
  })
})

describe('the rules themselves', () => {
  it('recognize imports in every form', () => {
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

  it('recognize the titles of tests and their groups', () => {
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

/** Without strings and regular expressions, so that a rule does not match itself. */
const withoutTexts = (text: string): string =>
  text.replaceAll(/(['"`])(?:\\.|(?!\1).)*\1|\/.*\//g, '')

const repeated = (titles: string[]): string[] =>
  titles.filter((title, index) => titles.indexOf(title) < index)
