import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRead } from '../../../../../test/support/is-read.ts'
import { LOKI_REQUEST } from '../../../../../test/support/loki-request.ts'
import { entryOf } from './entry.ts'
import { readLabels } from './labels.ts'
import { decodeLokiJson, decodeLokiProtobuf } from './loki.ts'
import { decodeNdjson, decodeObjects } from './ndjson.ts'
import { decompressSnappy } from './snappy.ts'
import { createBudget } from './values.ts'

const streamOf = (labels: object, ...values: unknown[]) => ({
  streams: [{ stream: labels, values }],
})

describe('a request of Loki', () => {
  it('has the same entries in protobuf and in JSON', () => {
    const inProtobuf = decodeLokiProtobuf(decompressSnappy(LOKI_REQUEST, 100_000)).map(entryOf)
    const labels = {
      category: 'payment',
      env: 'production',
      host: 'till-12',
      job: 'checkout',
      level: 'error',
      path: 'C:\\logs\\"a".log',
    }
    const inJson = decodeLokiJson(
      streamOf(
        labels,
        [
          '1700000000123456789',
          'Card reader 7 does not answer',
          { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', order: '17' },
        ],
        [
          '1700000001123456789',
          '{"message":"Paid","level":"info","amount":12.5,"id":9007199254740993}',
        ],
        ['1700000002123456789', 'Receipt printed. '.repeat(30)],
      ),
    ).map(entryOf)
    expect(inProtobuf).toEqual(inJson)
    expect(inJson[0]).toMatchObject({
      device_id: 'till-12',
      level: 'error',
      message: 'Card reader 7 does not answer',
      timestamp: '2023-11-14T22:13:20.123Z',
      category: 'payment',
      environment: 'production',
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      data: { order: '17', resource: { job: 'checkout', path: 'C:\\logs\\"a".log' } },
    })
    expect(inJson[1]).toMatchObject({ level: 'info', message: 'Paid', data: { amount: 12.5 } })
  })

  it.each([
    ['{}', {}],
    ['', {}],
    ['{a="b"}', { a: 'b' }],
    [' { a = "b, c=\\"d\\"" , e="" , } ', { a: 'b, c="d"', e: '' }],
    ['{a="\\u00e9\\n\\x41\\U0001f600"}', { a: 'é\nA😀' }],
  ])('has the labels %s', (text, labels) => {
    expect(readLabels(text, createBudget())).toEqual(labels)
  })

  it.each(['{a=b}', '{a="b"', '{a="b" c="d"}', '{="b"}', 'a'])(
    'must not have the labels %s',
    (text) => {
      expect(isRead(() => readLabels(text, createBudget()))).toBe(false)
    },
  )

  it('is read or refused with any content', () => {
    const line = fc.oneof(fc.string(), fc.json(), fc.constant('['.repeat(100)))
    const value = fc.oneof(fc.tuple(fc.string(), line), fc.jsonValue({ maxDepth: 2 }))
    const stream = fc.record({ stream: fc.jsonValue({ maxDepth: 1 }), values: fc.array(value) })
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ streams: fc.array(stream) })), (body) => {
        isRead(() => JSON.stringify(decodeLokiJson(body).map(entryOf)))
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        isRead(() => decodeLokiProtobuf(bytes).map(entryOf))
      }),
      { numRuns: 1000 },
    )
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
    expect(isRead(() => decodeLokiJson(streamOf({}, ['1', deep])))).toBe(false)
  })
})

describe('lines of JSON', () => {
  it('become entries: their own, those of agents, and what is refused', () => {
    const text = [
      '{"device_id":"till-1","level":"warn","message":"Paper is low","timestamp":"2026-03-01"}',
      '',
      '{"hostname":"till-2","severity":"ERROR","msg":"Jam","ts":1700000000123456789,"tray":2}',
      '"no object"',
      'no JSON',
    ].join('\r\n')
    expect(decodeNdjson(Buffer.from(text))).toEqual([
      { device_id: 'till-1', level: 'warn', message: 'Paper is low', timestamp: '2026-03-01' },
      expect.objectContaining({
        device_id: 'till-2',
        level: 'error',
        message: 'Jam',
        timestamp: '1700000000123456789',
        data: { tray: 2 },
      }),
      '"no object"\r',
      'no JSON',
    ])
    expect(decodeObjects([{ host: 'a', message: 'b', date: 1.5 }, 7])).toEqual([
      expect.objectContaining({ device_id: 'a', message: 'b', timestamp: 1.5 }),
      7,
    ])
    expect(isRead(() => decodeNdjson(Buffer.from('\n \n')))).toBe(false)
    expect(isRead(() => decodeObjects([]))).toBe(false)
  })
})
