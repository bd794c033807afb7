/** Limits the length of functions. The closures of a factory are counted separately. */
import { describe, expect, it } from 'vitest'
import { functionLengths } from './support/function-lengths.ts'
import { readSources } from './support/source.ts'

const LINES_MAX = 100
const FOLDERS = /^(?:src|emulators|demo|eval|world|bench|sdk|console|scripts)\//

/** Functions that are allowed to be longer, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

describe('functions', () => {
  it('have at most 100 lines of their own', () => {
    const long = readSources()
      .filter(({ path, isTest, lines }) => FOLDERS.test(path) && !isTest && lines > LINES_MAX)
      .flatMap(({ path, text }) => functionLengths(path, text))
      .filter(({ lines }) => lines > LINES_MAX)
    const names = long.map(({ path, name }) => `${path} ${name}`)
    const report = long.map(({ path, line, name, lines }) => `${path}:${line} ${name}: ${lines}`)
    expect(report.filter((_, index) => EXCEPTIONS[names[index] ?? ''] === undefined)).toEqual([])
    // Exceptions that are no longer needed must be removed.
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([])
  })
})

describe('the measure', () => {
  const measured = (text: string) =>
    functionLengths('example.tsx', text).map(({ name, line, lines }) => `${line} ${name} ${lines}`)

  it('does not count the bodies of closures', () => {
    const factory = [
      'export function createThing() {',
      '  let count = 0',
      '  const inner = () => {',
      '    count += 1',
      '    count += 2',
      '  }',
      '  return {',
      '    inner,',
      '    async other() {',
      '      await inner()',
      '    },',
      '  }',
      '}',
    ]
    expect(measured(factory.join('\n'))).toEqual([
      '3 createThing > inner 4',
      '9 createThing > other 3',
      '1 createThing 10',
    ])
  })

  it('counts a closure without braces from the line after its arrow', () => {
    const text = ['const total = (rows) =>', '  rows.map(', '    (row) =>', '      row.a', '  )']
    expect(measured(text.join('\n'))).toEqual(['3 total > anonymous 2', '1 total 4'])
  })

  it('finds functions in classes, arguments, defaults and markup', () => {
    const text = [
      'class A { method() { return 1 } }',
      'run(function named() { return 2 })',
      'const withDefault = (value = () => 3) => value',
      'const Page = () => <a onClick={() => 4}>x</a>',
    ]
    expect(measured(text.join('\n'))).toEqual([
      '1 method 1',
      '2 named 1',
      '3 withDefault > anonymous 1',
      '3 withDefault 1',
      '4 Page > anonymous 1',
      '4 Page 1',
    ])
  })
})
