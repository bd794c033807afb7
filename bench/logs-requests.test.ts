import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEVICES, type LogEntry, logEntry } from './logs-entries.ts'
import { createLogBatches, type LogBatchKind } from './logs-requests.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const logsOf = (body: string): LogEntry[] => (JSON.parse(body) as { logs: LogEntry[] }).logs

describe('log entries of the benchmark', () => {
  it('are about 300 bytes long, in US-ASCII', () => {
    const texts = Array.from({ length: 1000 }, (_, number) => JSON.stringify(logEntry(number, NOW)))
    const bytes = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
    expect(bytes).toBeGreaterThan(270)
    expect(bytes).toBeLessThan(370)
    expect(texts.every((text) => Buffer.byteLength(text) === text.length)).toBe(true)
  })

  it('are of all levels and many devices, seven in a hundred of them failures', () => {
    const entries = Array.from({ length: 10_000 }, (_, number) => logEntry(number, NOW))
    const failures = entries.filter(({ error }) => error !== undefined)
    expect(failures.length).toBe(700)
    expect(failures.every(({ level }) => level === 'error' || level === 'fatal')).toBe(true)
    expect(new Set(entries.map(({ level }) => level)).size).toBe(5)
    expect(new Set(entries.map(({ device_id }) => device_id)).size).toBe(DEVICES)
  })
})

describe('batches of the benchmark', () => {
  it.each([
    ['logs_1', 1],
    ['logs_50', 50],
    ['logs_500', 500],
  ] as [LogBatchKind, number][])('%s have %i entries and are never the same', (kind, entries) => {
    const make = createLogBatches(kind, NOW)
    const bodies = Array.from({ length: 210 }, (_, number) => make(number).body)
    expect(logsOf(bodies[0] ?? '')).toHaveLength(entries)
    expect(new Set(bodies).size).toBe(bodies.length)
  })

  it('are the same in gzip, sent as Latin-1', () => {
    const { body, headers } = createLogBatches('logs_500_gzip', NOW)(7)
    expect(headers).toBe('Content-Encoding: gzip\r\n')
    const unpacked = gunzipSync(Buffer.from(body, 'latin1')).toString()
    expect(unpacked).toBe(createLogBatches('logs_500', NOW)(7).body)
  })
})
