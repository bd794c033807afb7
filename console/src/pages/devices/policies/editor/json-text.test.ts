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
