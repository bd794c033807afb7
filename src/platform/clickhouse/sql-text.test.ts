import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { nameLiteral, piecesOf, statementsOf, textLiteral } from './sql-text.ts'

const kinds = (sql: string) => piecesOf(sql).map(({ kind, text }) => [kind, text])

describe('pieces of a statement', () => {
  it.each([
    ["select 'a;b' -- c;d\nfrom t", ['code', 'quoted', 'code', 'comment', 'code']],
    ["'it''s' x", ['quoted', 'code']],
    [String.raw`'a\'b' x`, ['quoted', 'code']],
    ['`a``b` "c\\"d" x', ['quoted', 'code', 'quoted', 'code']],
    ['a /* b ; */ c', ['code', 'comment', 'code']],
    ['a # b\nc', ['code', 'comment', 'code']],
    ['a $tag$ b $x$ c $tag$ d', ['code', 'quoted', 'code']],
    ['a $ b $ c', ['code']],
    ['a - b', ['code']],
    ["a 'not closed", ['code', 'quoted']],
    ['', []],
  ])('of %j are separated', (sql, expected) => {
    expect(kinds(sql).map(([kind]) => kind)).toEqual(expected)
  })

  it('together are the whole text', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('\'"`\\-#/*$;{}a \n')) })
    fc.assert(
      fc.property(text, (sql) => {
        const all = piecesOf(sql)
        expect(all.map((piece) => piece.text).join('')).toBe(sql)
      }),
    )
  })
})

describe('statements', () => {
  it('are split at semicolons in the code, without comments', () => {
    const sql = "-- a;\nselect ';' /* ; */ as x;\n\nselect 2 -- end\n; ;"
    expect(statementsOf(sql)).toEqual(["select ';'   as x", 'select 2'])
  })
})

describe('literals', () => {
  it('contain exactly the given value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        expect(kinds(`${textLiteral(value)} x`)).toEqual([
          ['quoted', textLiteral(value)],
          ['code', ' x'],
        ])
        expect(kinds(`${nameLiteral(value)} x`)).toHaveLength(2)
      }),
    )
  })
})
