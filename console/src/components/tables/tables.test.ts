import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'
import { splitId } from './identifier.tsx'
import { moved, shownColumns } from './layout.ts'

const columns = ['a', 'b', 'c'].map((label) => ({ label }))
const labels = (layout: { order: string[]; hidden: string[] }) =>
  shownColumns(columns, layout).map(({ label }) => label)

it('columns have the chosen sequence, and new ones follow', () => {
  expect(labels({ order: [], hidden: [] })).toEqual(['a', 'b', 'c'])
  expect(labels({ order: ['c', 'gone'], hidden: ['b'] })).toEqual(['c', 'a'])
  expect(labels({ order: [], hidden: ['a', 'b', 'c'] })).toEqual(['a', 'b', 'c'])
})

it('a column moves one place, and stays at the ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c'])
})

it('CSV has all members, quotes what needs it, and contains no formula', () => {
  const rows = [
    { id: 'a,b', amount: -12.5, flags: ['x', 'y'], note: null },
    { id: 'say "hi"', amount: 3, flags: [], note: '=1+1', more: { a: 1 } },
  ]
  expect(csvOf(rows)).toBe(
    'id,amount,flags,note,more\r\n"a,b",-12.5,x y,,\r\n"say ""hi""",3,,\'=1+1,"{""a"":1}"\r\n',
  )
})

it('long names keep their start and their end', () => {
  expect(splitId('short-name')).toEqual({ start: 'short-name', end: '' })
  const id = '01a1f716-c360-7b08-aad8-533adec87a22'
  const { start, end } = splitId(id)
  expect([start + end, end]).toEqual([id, 'dec87a22'])
})
