import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { fileHead, fileLines } from './download.ts'

const log: LogRecord = {
  id: 'id-1',
  device_id: '=cmd|x',
  level: 'error',
  message: 'He said "no",\nand left',
  timestamp: '2026-03-01T12:00:00.000Z',
  category: '-1+1',
  environment: null,
  error: { type: '@SUM(A1)', stack: null, code: '+49' },
  data: { 'a"b': [1, null] },
  tags: ['x', 'y z'],
  trace_id: null,
  span_id: '',
  received_at: '2026-03-01T12:00:01.000Z',
  error_fingerprint: 'ab',
}

describe('logs as CSV', () => {
  it('have one cell per column, and no cell is evaluated as a formula', () => {
    const text = fileHead('csv') + fileLines('csv', [log])
    const [head, ...rest] = text.split('\r\n')
    expect(head).toMatch(/^timestamp,received_at,level,device_id,/)
    expect(rest.join('\r\n')).toBe(
      `2026-03-01T12:00:00.000Z,2026-03-01T12:00:01.000Z,error,'=cmd|x,'-1+1,,"He said ""no"",\nand left",'@SUM(A1),'+49,,ab,"{""a\\""b"":[1,null]}",x y z,,,id-1\r\n`,
    )
  })
})

describe('logs as NDJSON', () => {
  it('are the unchanged records', () => {
    const lines = fileLines('ndjson', [log, log]).split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[0] ?? '')).toEqual(log)
    expect(fileHead('ndjson')).toBe('')
  })
})
