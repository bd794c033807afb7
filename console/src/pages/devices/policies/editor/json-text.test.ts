import { describe, expect, it } from 'vitest'
import { jsonText, parseJson, placeOf } from './json-text.ts'

const faultsOf = (text: string) =>
  parseJson(text).faults.map(({ line, column, message }) => `${line}:${column} ${message}`)

describe('jsonText', () => {
  it('is the same for the same values, in whatever order their members come', () => {
    const one = { b: [{ z: 1, a: null }], a: 'x' }
    const other = { a: 'x', b: [{ a: null, z: 1 }] }
    expect(jsonText(one)).toBe(jsonText(other))
    expect(JSON.parse(jsonText(one))).toEqual(one)
  })
})

describe('parseJson', () => {
  it.each([
    ['{"a": 12345678901234567890}', 'This number cannot be kept exactly; write it as a text.'],
    ['{"a": [1e400]}', 'This number cannot be kept exactly; write it as a text.'],
    ['{"__proto__": {"x": 1}}', 'The service takes no member of the name __proto__.'],
  ])('does not take %s, which would not arrive as it was written', (text, message) => {
    expect(parseJson(text)).toMatchObject({ value: undefined, faults: [{ message }] })
  })

  it('takes whole numbers that a script can hold, however they are written', () => {
    const text = '{"a": 9007199254740991, "b": 1.5e3, "c": -0, "d": 0.1, "e": 1e21}'
    expect(parseJson(text).faults).toEqual([])
  })

  it('says of what is nested too deeply that it is, and where to look', () => {
    const deep = `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(parseJson(deep)).toEqual({
      faults: [{ line: 1, column: 1, offset: 0, message: 'This is nested too deeply.' }],
      value: undefined,
    })
    expect(placeOf(deep, 'policy_json.a').line).toBe(1)
  })

  it('reads what has no faults', () => {
    expect(parseJson('{"a": [1, {"b": "c"}]}')).toEqual({
      faults: [],
      value: { a: [1, { b: 'c' }] },
    })
  })

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 A comma is expected here.'],
    ['{\n  "a": 1,\n}', '3:1 The name of a member is expected here, in double quotes.'],
    ['{ "a": }', '1:8 A value is expected here.'],
    ['{ "a" 1 }', '1:7 A colon is expected here.'],
    ['{\n  // no\n}', '2:3 JSON has no comments.'],
    ['[]', '1:1 A policy is an object: { … }.'],
    ['{"a": 1,\n "a": 2}', '2:2 a is there twice.'],
    ['{"b": [{"a": 1, "a": 2}]}', '1:17 a is there twice.'],
  ])('says where %j is at fault', (text, fault) => {
    expect(faultsOf(text)).toContain(fault)
    expect(parseJson(text).value).toBeUndefined()
  })

  it.each(['', ' ', '{', '{"a": "b', '{"a": 01}', '"x"', 'null', '{"a": 1} x'])(
    'finds a fault in %j and does not throw',
    (text) => expect(faultsOf(text).length).toBeGreaterThan(0),
  )
})

describe('placeOf', () => {
  const text = `{
  "applications": [
    { "packageName": "a" },
    {
      "installType": "ALWAYS",
      "a.b": { "c": 1 }
    }
  ]
}`
  it.each([
    ['policy_json', 1],
    ['policy_json.applications', 2],
    ['policy_json.applications.0', 3],
    ['policy_json.applications.1.installType', 5],
    ['policy_json.applications.1.a.b.c', 6],
    ['policy_json.applications.1.missing', 4],
    ['policy_json.applications.7.packageName', 2],
    ['policy_json.unknown', 1],
  ])('finds %s in line %i', (field, line) => expect(placeOf(text, field).line).toBe(line))
})
