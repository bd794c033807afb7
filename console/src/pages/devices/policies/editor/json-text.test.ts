import { describe, expect, it } from 'vitest'
import { jsonText, parseJson, placeOf } from './json-text.ts'

const faultsOf = (text: string) =>
  parseJson(text).faults.map(({ line, column, message }) => `${line}:${column} ${message}`)

describe('jsonText', () => {
  it('is the same for the same values in any order of properties', () => {
    const one = { b: [{ z: 1, a: null }], a: 'x' }
    const other = { a: 'x', b: [{ a: null, z: 1 }] }
    expect(jsonText(one)).toBe(jsonText(other))
    expect(JSON.parse(jsonText(one))).toEqual(one)
  })
})

describe('parseJson', () => {
  it.each([
    [
      '{"a": 12345678901234567890}',
      'This number cannot be represented exactly. Write it as a string.',
    ],
    ['{"a": [1e400]}', 'This number cannot be represented exactly. Write it as a string.'],
    ['{"__proto__": {"x": 1}}', 'The property name __proto__ is not allowed.'],
  ])('rejects %s, which would be changed on the way', (text, message) => {
    expect(parseJson(text)).toMatchObject({ value: undefined, faults: [{ message }] })
  })

  it('accepts safe integers in any notation', () => {
    const text = '{"a": 9007199254740991, "b": 1.5e3, "c": -0, "d": 0.1, "e": 1e21}'
    expect(parseJson(text).faults).toEqual([])
  })

  it('reports text that is nested too deeply', () => {
    const deep = `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(parseJson(deep)).toEqual({
      faults: [{ line: 1, column: 1, offset: 0, message: 'This is nested too deeply.' }],
      value: undefined,
    })
    expect(placeOf(deep, 'policy_json.a').line).toBe(1)
  })

  it('parses valid JSON', () => {
    expect(parseJson('{"a": [1, {"b": "c"}]}')).toEqual({
      faults: [],
      value: { a: [1, { b: 'c' }] },
    })
  })

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 Expected a comma.'],
    ['{\n  "a": 1,\n}', '3:1 Expected a property name in double quotes.'],
    ['{ "a": }', '1:8 Expected a value.'],
    ['{ "a" 1 }', '1:7 Expected a colon.'],
    ['{\n  // no\n}', '2:3 JSON does not allow comments.'],
    ['[]', '1:1 A policy must be an object: { … }.'],
    ['{"a": 1,\n "a": 2}', '2:2 Duplicate property: a.'],
    ['{"b": [{"a": 1, "a": 2}]}', '1:17 Duplicate property: a.'],
  ])('reports the position of the error in %j', (text, fault) => {
    expect(faultsOf(text)).toContain(fault)
    expect(parseJson(text).value).toBeUndefined()
  })

  it.each(['', ' ', '{', '{"a": "b', '{"a": 01}', '"x"', 'null', '{"a": 1} x'])(
    'reports an error in %j without throwing',
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
