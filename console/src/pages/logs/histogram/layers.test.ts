import { describe, expect, it } from 'vitest'
import { levelLayers, valueLayers } from './layers.ts'

const span = { from: '2026-03-01T12:00:30.000Z', until: '2026-03-01T12:01:10.000Z' }

describe('the layers of a histogram', () => {
  it('have a count of each level for each bar', () => {
    const by_level = [{ level: 'error' as const, count: 2 }]
    const bars = [{ timestamp: '2026-03-01T12:00:00.000Z', total: 2, by_level }]
    const { starts, layers } = levelLayers({ ...span, step_ms: 60_000, total: 2, bars })
    expect(starts).toEqual(['2026-03-01T12:00:00.000Z'])
    expect(layers.map(({ name, counts }) => [name, ...counts])).toEqual([
      ['debug', 0],
      ['info', 0],
      ['warn', 0],
      ['error', 2],
      ['fatal', 0],
    ])
  })

  it('differ in their texture', () => {
    const { layers } = levelLayers({ ...span, step_ms: 60_000, total: 0, bars: [] })
    expect(new Set(layers.map(({ texture }) => texture)).size).toBe(layers.length)
  })

  it('name the values of a field, and start at whole steps', () => {
    const series = ['till-1', '', null].map((value) => ({ value, points: [1, null] }))
    const { starts, layers } = valueLayers({ ...span, step_ms: 60_000, total: 3, series })
    expect(starts).toEqual(['2026-03-01T12:00:00.000Z', '2026-03-01T12:01:00.000Z'])
    expect(layers.map(({ name, counts }) => [name, ...counts])).toEqual([
      ['till-1', 1, 0],
      ['(none)', 1, 0],
      ['all others', 1, 0],
    ])
  })
})
