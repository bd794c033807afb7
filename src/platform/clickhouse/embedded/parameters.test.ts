import { describe, expect, it } from 'vitest'
import { withParameters } from './parameters.ts'

const put = (sql: string, values: Record<string, string>) =>
  withParameters(sql, new Map(Object.entries(values)))

describe('parameters', () => {
  it('are replaced by literals of their types', () => {
    expect(put('select {a:UInt8} + { b : Int64 }', { a: '1', b: '-2' })).toBe(
      "select CAST('1' AS UInt8) + CAST('-2' AS Int64)",
    )
  })

  it('are not replaced in texts, names and comments', () => {
    const sql = "select '{a:UInt8}', `{a:UInt8}` -- {a:UInt8}\n/* {a:UInt8} */, {a:UInt8}"
    expect(put(sql, { a: '1' })).toBe(sql.replace(/\{a:UInt8\}$/, "CAST('1' AS UInt8)"))
  })

  it('are not replaced in values', () => {
    expect(put('{a:String}{b:String}', { a: '{b:String}', b: "'" })).toBe(
      String.raw`CAST('{b:String}' AS String)CAST('\'' AS String)`,
    )
  })

  it('can have types that contain texts', () => {
    const sql = "{m:Enum8('live' = 1, 'a}b' = 2)} {t:DateTime64(3, 'UTC')}"
    expect(put(sql, { m: 'live', t: '1700000000.123' })).toBe(
      "CAST('live' AS Enum8('live' = 1, 'a}b' = 2)) CAST('1700000000.123' AS DateTime64(3, 'UTC'))",
    )
  })

  it('are unescaped as by a server', () => {
    const value = String.raw`a\tb\nc\\d\'e\N\%\z\x41`
    expect(put('{a:String}', { a: value })).toBe(`CAST('a\tb\nc\\\\d\\'e\\\\%\\\\zA' AS String)`)
    expect(put('{a:Array(String)}', { a: String.raw`['a\tb']` })).toBe(
      String.raw`CAST('[\'a\\tb\']' AS Array(String))`,
    )
  })

  it('can be null if the type allows it', () => {
    expect(put('{a:Nullable(String)}', { a: '\\N' })).toBe('CAST(NULL AS Nullable(String))')
    expect(put('{a:LowCardinality(Nullable(String))}', { a: '\\N' })).toContain('CAST(NULL AS')
    expect(put('{a:String}', { a: '\\N' })).toBe("CAST('' AS String)")
  })

  it('can name a table', () => {
    expect(put('from {t:Identifier}', { t: 'a`b' })).toBe('from `a\\`b`')
  })

  it('leave other braces unchanged', () => {
    const sql = "select map('a', 1), {'a': 1}, {x} {y: }"
    expect(put(sql, {})).toBe(sql)
  })

  it('that are missing, or times that a server would refuse, are errors', () => {
    expect(() => put('{a:UInt8}', {})).toThrow('Substitution `a` is not set.')
    expect(() => put('{a:DateTime64(3)}', { a: '2024-01-01T00:00:00Z' })).toThrow(
      "cannot be parsed as DateTime64(3) for query parameter 'a'",
    )
  })
})
