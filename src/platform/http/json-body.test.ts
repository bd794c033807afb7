import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from './errors.ts'
import { parseJsonBody, parseLenientJson } from './json-body.ts'

const DEPTH_MAX = 32

const LIMITS = { depth_max: DEPTH_MAX, values_max: 2_000_000 }

const parse = (text: string | Buffer): unknown => parseJsonBody(Buffer.from(text), LIMITS)

/** The field named in the error; fails the test when the body is accepted. */
function refusedField(text: string | Buffer): unknown {
  try {
    parse(text)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.status).toBe(400)
    expect(error.body.code).toBe('invalid_request')
    expect(error.body.message).not.toBe('')
    return error.body.content?.['field']
  }
  throw new Error('the body was accepted')
}

/** Returns undefined when the body is accepted. */
function messageOf(text: string): string | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('a JSON body', () => {
  it('is parsed as JSON.parse would do', () => {
    const bodies = fc.jsonValue({ maxDepth: 6, noUnicodeString: false })
    fc.assert(
      fc.property(bodies, (value) => {
        const text = JSON.stringify(value)
        if (text.includes('__proto__') || text.includes('\\u')) return
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    '{"a":"\\u00e9\\n\\t\\"\\\\ \\ud83d\\ude00"}',
    ' {"a" : [ 1 , -0.5e-3 ] }\n',
    '{"a:b":"{\\"c\\":1}","c":":"}',
    '{"constructor":{"prototype":{}},"toString":1}',
    '1.7976931348623157e308',
    '{"a":{"x":1},"b":{"x":1}}',
  ])('is accepted: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('may be nested up to the limit and no deeper', () => {
    expect(() => parse('['.repeat(32) + ']'.repeat(32))).not.toThrow()
    expect(refusedField('['.repeat(33) + ']'.repeat(33))).toBe(Array(32).fill('0').join('.'))
  })

  it('is refused with a million brackets without being parsed', () => {
    expect(refusedField('['.repeat(1_000_000))).toMatch(/^0\.0\./)
    expect(refusedField('{"a":'.repeat(200_000))).toMatch(/^a\.a\./)
  })
})

describe('a body that is not JSON', () => {
  it.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['broken', '{"a":1'],
    ['with an extra comma', '{"a":1,}'],
    ['with single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['a hexadecimal number', '{"a":0x10}'],
    ['a leading zero', '{"a":012}'],
    ['two values', '{}{}'],
    ['a comment', '{"a":1/* */}'],
    ['a raw control character', '{"a":"\u0001"}'],
    ['a raw NUL', '{"a":"\0"}'],
    ['a byte order mark', '\ufeff{}'],
  ])('is refused as a whole: %s', (_, text) => {
    expect(refusedField(text)).toBe('body')
  })

  it.each([
    ['{"a":1', "Expected ',' or '}' after property value in JSON at position 6"],
    ['{"a":"b', 'Unterminated string in JSON at position 7'],
    [' \n', 'Unexpected end of JSON input'],
    ['{"a":1}{}', 'Unexpected non-whitespace character after JSON at position 7'],
    ['x in JSON at position 5', 'Unexpected token'],
    ['\ufeff{}', 'It begins with a byte order mark'],
  ])('is refused with the reason: %s', (text, detail) => {
    expect(() => parse(text)).toThrow(`The request body is not valid JSON: ${detail}`)
  })

  it('is never quoted, wherever the fault is', () => {
    const secret = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49'
    const good = JSON.stringify({ [secret]: secret, list: [secret, 1] })
    const heard = new Set<string>()
    for (let at = 0; at <= good.length; at += 1) {
      for (const put of ['"', '}', ']', ',', ':', 'x', '\\', '\n', '-', '']) {
        const text = good.slice(0, at) + put + good.slice(at + 1)
        const message = messageOf(text)
        if (message !== undefined) heard.add(message.replaceAll(/\d+/g, '#'))
      }
    }
    expect(heard.size).toBeGreaterThan(5)
    for (const message of heard) expect(message).not.toMatch(/[A-Za-z0-9]{14}|MIG|AgE|AQI|byq/)
  })

  it.each([
    ['invalid UTF-8', [0x7b, 0x22, 0xff, 0x22, 0x7d]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is refused for its bytes: %s', (_, bytes) => {
    expect(refusedField(Buffer.from(bytes))).toBe('body')
  })
})

describe('a value that cannot be stored unchanged', () => {
  it.each([
    ['a repeated key', '{"a":{"b":1,"b":1}}', 'a.b'],
    ['a repeated key in an element', '[{},{"b":1,"b":1}]', '1.b'],
    ['a key repeated in another spelling', String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['__proto__', '{"a":{"__proto__":{"x":1}}}', 'a.__proto__'],
    ['__proto__ in another spelling', String.raw`{"\u005f_proto__":1}`, '__proto__'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['a number beyond a double', '{"a":[0,1e400]}', 'a.1'],
    ['a negative number beyond a double', '{"a":-1e400}', 'a'],
    ['NUL in a text', String.raw`{"a":"x\u0000"}`, 'a'],
    ['NUL in a key', String.raw`{"a":{"b\u0000c":1}}`, 'a.bc'],
    ['half of a surrogate pair', String.raw`{"a":["\ud83d"]}`, 'a.0'],
    ['the other half', String.raw`{"a":"\ude00"}`, 'a'],
    ['the halves in the wrong order', String.raw`{"a":"\ude00\ud83d"}`, 'a'],
    ['half of a pair in a key', String.raw`{"\ud83d":1}`, '\ufffd'],
    ['a bare number beyond a double', '1e400', 'body'],
    ['a bare text with NUL', String.raw`"\u0000"`, 'body'],
  ])('is refused with its path: %s', (_, text, field) => {
    expect(refusedField(text)).toBe(field)
  })
})

describe('a list with elements that are judged one by one', () => {
  const elementsOf = (text: string): unknown => {
    const { list } = parseJsonBody(Buffer.from(text), LIMITS, 'list') as { list: unknown[] }
    return list.map((element) =>
      element instanceof AppError ? element.body.content?.['field'] : element,
    )
  }
  const nested = '['.repeat(40) + ']'.repeat(40)

  it.each([
    ['a repeated key', '{"a":1,"a":2}', 'a'],
    ['a repeated key further inside', '{"b":[{"a":1,"a":2}]}', 'b.0.a'],
    ['__proto__', '{"__proto__":{}}', '__proto__'],
    ['a number beyond a double', '{"a":1e400}', 'a'],
    ['NUL in a text', String.raw`{"a":"\u0000"}`, 'a'],
    ['NUL and a repeated key', String.raw`{"b":1,"b":2,"a":"\u0000"}`, 'b'],
    ['deep nesting', `{"a":${nested}}`, `a.${Array(29).fill('0').join('.')}`],
    ['a bare text with NUL', String.raw`"\u0000"`, 'body'],
  ])('has an error in place of each faulty one: %s', (_, element, field) => {
    const text = `{"list":[{"x":1},${element},[2,3],${element},{"x":1}],"other":{"y":1}}`
    expect(elementsOf(text)).toEqual([{ x: 1 }, field, [2, 3], field, { x: 1 }])
  })

  it.each([
    ['that occurs twice', '{"list":[{"a":1,"a":2}],"list":[]}', 'list'],
    ['next to a repeated key', '{"list":[{"a":1,"a":2}],"b":1,"b":2}', 'b'],
    ['next to deep nesting', `{"list":[${nested}],"b":${nested}}`, /^b\./],
    ['that is an object', '{"list":{"a":1,"a":2}}', 'list.a'],
    ['in another object', '{"b":{"list":[{"a":1,"a":2}]}}', 'b.list.0.a'],
    ['in a list', '[{"list":[{"a":1,"a":2}]}]', '0.list.0.a'],
    ['that is missing', '{"a":1,"a":2}', 'a'],
  ])('is refused as a whole: one %s', (_, text, field) => {
    try {
      parseJsonBody(Buffer.from(text), LIMITS, 'list')
    } catch (error) {
      expect((error as AppError).body.content?.['field']).toEqual(
        typeof field === 'string' ? field : expect.stringMatching(field),
      )
      return
    }
    throw new Error('the body was accepted')
  })
})

describe('a refusal', () => {
  const long = 'x'.repeat(1000)
  it.each([
    ['a repeated key', `{"${long}":1,"${long}":2}`],
    ['an unstorable key', `{"${long}\\u0000":1}`],
    ['a long path', `{"${long}":{"${long}":"\\u0000"}}`],
  ])('repeats only the beginning of a name: %s', (_, text) => {
    const field = refusedField(text) as string
    expect(field).toHaveLength(201)
    expect(messageOf(text)?.length).toBeLessThan(300)
  })

  const readers = {
    strict: async (text: string) => await Promise.resolve().then(() => parse(text)),
    lenient: async (text: string) => await parseLenientJson(Buffer.from(text), LIMITS),
  }

  it.each(Object.entries(readers))(
    'of too many sequences of member names comes before they are parsed: %s',
    async (_reader, read) => {
      const refused = 'more than 32768 different sequences of member names'
      const named = (names: number) =>
        JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ [`name${n % names}`]: n })))
      await expect(read(named(20_000))).resolves.toBeDefined()
      await expect(read(named(50_000))).rejects.toThrow(refused)
      for (const space of [' ', '\t', '\n\r']) {
        await expect(read(named(50_000).replaceAll(':', `${space}:`))).rejects.toThrow(refused)
      }
      // Fifty names, in combinations of five.
      const combined = (objects: number) =>
        `[${Array.from({ length: objects }, (_, n) => {
          const digits = Array.from(String(n).padStart(5, '0'))
          return `{${digits.map((digit, place) => `"${place}-${digit}":{"a":[]}`).join()}}`
        }).join()}]`
      await expect(read(combined(20_000))).resolves.toBeDefined()
      await expect(read(combined(50_000))).rejects.toThrow(refused)
    },
  )

  it('of a long name comes before it is parsed, except in lenient bodies', async () => {
    const named = (bytes: number) => `{"a":["${long.repeat(3)}",{"${'x'.repeat(bytes)}":1}]}`
    expect(messageOf(named(1024))).toBeUndefined()
    expect(messageOf(named(1025))).toContain('a member name of more than 1024 bytes')
    await expect(readers.lenient(named(1025))).resolves.toBeDefined()
  })

  it('of closing brackets without opening ones is one of the JSON', () => {
    expect(messageOf(`${']'.repeat(200_000)}{"a":1}`)).toContain('is not valid JSON')
  })

  it('of too many values comes before they are parsed', () => {
    const few = { depth_max: 32, values_max: 10 }
    const read = (text: string) => () => parseJsonBody(Buffer.from(text), few)
    expect(read('[1,2,3,4,5,6,7,8,9,10]')).not.toThrow()
    expect(read('[1,2,3,4,5,6,7,8,9,10,11]')).toThrow('more than 10 commas and opening brackets')
    expect(read('[[],[],[],[],[],[')).toThrow('more than 10 commas and opening brackets')
  })
})
