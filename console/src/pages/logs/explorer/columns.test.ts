import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { cellText, columnsOf, columnsText } from './columns.ts'

describe('the columns of the explorer', () => {
  it('are those of the address that exist, each once', () => {
    expect(columnsOf('tags,color,data.,data.order.id,tags')).toEqual(['tags', 'data.order.id'])
    expect(columnsOf(Array.from({ length: 20 }, (_, at) => `data.m${at}`).join(','))).toHaveLength(
      8,
    )
    expect(columnsOf(columnsText([]))).toEqual([])
    expect(columnsText(['tags', 'data.ms'])).toBe('tags,data.ms')
  })

  it('show members of data by their path or by a name with dots', () => {
    const log = {
      data: { order: { id: 17, at: null }, 'a.b': 'flat', list: [1] },
      tags: ['a', 'b'],
      error: null,
      device_id: 'till-1',
    } as unknown as LogRecord
    const cells = ['device_id', 'tags', 'error_type', 'data.order.id', 'data.a.b', 'data.list']
    expect(cells.map((column) => cellText(log, column))).toEqual([
      'till-1',
      'a, b',
      '',
      '17',
      'flat',
      '[1]',
    ])
    for (const column of ['data.order.at', 'data.none', 'data.order.constructor']) {
      expect(cellText(log, column)).toBe('')
    }
    expect(cellText({ ...log, data: null }, 'data.x')).toBe('')
  })
})
