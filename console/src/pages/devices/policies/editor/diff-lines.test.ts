import { describe, expect, it } from 'vitest'
import { diffLines, pairsOf, shortened } from './diff-lines.ts'

const lines = (...texts: string[]) => texts.join('\n')
const written = (before: string, after: string) =>
  diffLines(before, after).map((hunk) =>
    hunk.lines.map(
      ({ sign, text, before: old, after: next }) => `${old ?? ''}|${next ?? ''}${sign}${text}`,
    ),
  )

describe('diffLines', () => {
  it('returns no hunks for equal texts', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([])
  })

  it('numbers the lines of both texts', () => {
    expect(written(lines('a', 'b', 'c'), lines('a', 'B', 'x', 'c'))).toEqual([
      ['1|1 a', '2|-b', '|2+B', '|3+x', '3|4 c'],
    ])
  })

  it('omits lines far from a difference', () => {
    const middle = Array.from({ length: 20 }, (_, index) => `${index}`)
    const hunks = written(lines('a', ...middle, 'z'), lines('A', ...middle, 'Z'))
    expect(hunks).toHaveLength(2)
    expect(hunks.flat()).toHaveLength(10)
  })

  it('treats signs at the start of a line as text', () => {
    expect(written('-a\n+b', '-a\n-b').flat()).toEqual(['1|1 -a', '2|-+b', '|2+-b'])
  })
})

describe('two texts that differ in almost every line', () => {
  const many = (sign: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${sign}${index}`)

  it('are compared without searching for the shortest edit script', () => {
    const [before, after] = [many('a', 60_000), many('b', 60_000)]
    const [hunk, ...others] = diffLines(lines('{', ...before, '}'), lines('{', ...after, '}'))
    expect(others).toEqual([])
    const signs = (hunk?.lines ?? []).map(({ sign }) => sign)
    expect(signs.filter((sign) => sign === '-')).toHaveLength(60_000)
    expect(signs.filter((sign) => sign === '+')).toHaveLength(60_000)
    expect(hunk?.lines[0]).toEqual({ sign: ' ', text: '{', before: 1, after: 1 })
    expect(hunk?.lines.at(-1)).toEqual({ sign: ' ', text: '}', before: 60_002, after: 60_002 })
  }, 10_000)

  it('exclude their common start and end, even if one text has no other lines', () => {
    const same = many('s', 10)
    const grown = lines(...same, ...many('b', 9000), ...many('c', 9000), ...same)
    const [hunk] = diffLines(lines(...same, ...same), grown)
    expect(hunk?.lines).toHaveLength(18_006)
    expect(hunk?.lines[0]).toEqual({ sign: ' ', text: 's7', before: 8, after: 8 })
    expect(hunk?.lines.at(-1)).toEqual({ sign: ' ', text: 's2', before: 13, after: 18_013 })
  })
})

describe('shortened', () => {
  it('returns the first lines and the number of lines that were cut', () => {
    const hunks = diffLines('', Array.from({ length: 50 }, String).join('\n'))
    const [shown, missing] = shortened(hunks, 20)
    expect(shown.flatMap((hunk) => hunk.lines)).toHaveLength(20)
    expect(missing).toBe(31)
    expect(shortened(hunks, 51)).toEqual([hunks, 0])
  })
})

describe('pairsOf', () => {
  it('pairs removed lines with their replacements', () => {
    const [hunk] = diffLines(lines('a', 'b', 'c', 'd'), lines('a', 'B', 'd', 'e'))
    const pairs = pairsOf(hunk?.lines ?? []).map(([before, after]) => [before?.text, after?.text])
    expect(pairs).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', undefined],
      ['d', 'd'],
      [undefined, 'e'],
    ])
  })
})
