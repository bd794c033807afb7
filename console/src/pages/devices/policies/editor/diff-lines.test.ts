import { describe, expect, it } from 'vitest'
import { diffLines, pairsOf } from './diff-lines.ts'

const lines = (...texts: string[]) => texts.join('\n')
const written = (before: string, after: string) =>
  diffLines(before, after).map((hunk) =>
    hunk.lines.map(
      ({ sign, text, before: old, after: next }) => `${old ?? ''}|${next ?? ''}${sign}${text}`,
    ),
  )

describe('diffLines', () => {
  it('shows nothing where nothing differs', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([])
  })

  it('numbers the lines of both texts', () => {
    expect(written(lines('a', 'b', 'c'), lines('a', 'B', 'x', 'c'))).toEqual([
      ['1|1 a', '2|-b', '|2+B', '|3+x', '3|4 c'],
    ])
  })

  it('leaves out what is far from a difference', () => {
    const middle = Array.from({ length: 20 }, (_, index) => `${index}`)
    const hunks = written(lines('a', ...middle, 'z'), lines('A', ...middle, 'Z'))
    expect(hunks).toHaveLength(2)
    expect(hunks.flat()).toHaveLength(10)
  })

  it('takes signs in texts for texts', () => {
    expect(written('-a\n+b', '-a\n-b').flat()).toEqual(['1|1 -a', '2|-+b', '|2+-b'])
  })
})

describe('pairsOf', () => {
  it('puts what was removed beside what came in its place', () => {
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
