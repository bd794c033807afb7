import { describe, expect, it } from 'vitest'
import {
  filtersOf,
  fixedView,
  toggledLevel,
  VIEW_DEFAULTS,
  viewAround,
  viewEntries,
  viewOf,
  viewWords,
} from './view.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

describe('a view', () => {
  it('survives a round trip through the address', () => {
    const view = {
      ...VIEW_DEFAULTS,
      range: '24h',
      level: 'error,fatal',
      q: '"card reader" & <b>=?#',
      device_id: 'a/b?c=%2F',
      live: '1',
    }
    const address = new URLSearchParams(viewEntries(view)).toString()
    expect(viewOf(Object.fromEntries(new URLSearchParams(address)))).toEqual(view)
    expect(viewEntries(VIEW_DEFAULTS)).toEqual({})
  })

  it('ignores unknown names of a saved search', () => {
    expect(viewOf({ q: 'x', color: 'red', __proto__: 'y', constructor: 'z' })).toEqual({
      ...VIEW_DEFAULTS,
      q: 'x',
    })
  })

  it('queries only by the filters that are set', () => {
    expect(filtersOf(VIEW_DEFAULTS)).toEqual({})
    expect(filtersOf({ ...VIEW_DEFAULTS, level: 'loud,error, fatal ', q: '  ' })).toEqual({
      level: 'error,fatal',
    })
    expect(filtersOf({ ...VIEW_DEFAULTS, level: 'debug,info,warn,error,fatal' })).toEqual({})
    expect(filtersOf({ ...VIEW_DEFAULTS, category: ' ', q: 'x' })).toEqual({
      category: ' ',
      q: 'x',
    })
  })

  it('always shows the same logs with fixed times', () => {
    const fixed = fixedView({ ...VIEW_DEFAULTS, range: '15m', q: 'x', live: '1' }, NOW)
    expect(viewEntries(fixed)).toEqual({
      q: 'x',
      from: '2026-03-01T11:45:00.000Z',
      to: '2026-03-01T12:00:00.000Z',
    })
    expect(fixedView(fixed, new Date('2030-01-01'))).toEqual(fixed)
  })

  it('covers one minute before and after an entry on its device', () => {
    expect(
      viewEntries(viewAround({ timestamp: '2026-03-01T12:00:00.500Z', device_id: 'till-1' })),
    ).toEqual({
      from: '2026-03-01T11:59:00.500Z',
      to: '2026-03-01T12:01:00.500Z',
      device_id: 'till-1',
    })
  })

  it('around an entry stays within the times that the service accepts', () => {
    const view = viewAround({ timestamp: '+275760-09-13T00:00:00.000Z', device_id: 'x' })
    expect(view.to).toBe('9999-12-31T23:59:59.999Z')
  })

  it('has a short description', () => {
    expect(viewWords({ ...VIEW_DEFAULTS, level: 'warn', device_id: 'till-1' })).toBe(
      '1h · warn · device_id=till-1',
    )
    expect(viewWords({ ...VIEW_DEFAULTS, from: '2026-01-01', q: 'x' })).toBe('2026-01-01 to … · x')
  })
})

describe('levels', () => {
  it('toggle, and an empty list selects all levels', () => {
    expect(toggledLevel('', 'error')).toBe('error')
    expect(toggledLevel('error', 'warn')).toBe('warn,error')
    expect(toggledLevel('warn,error', 'error')).toBe('warn')
    expect(toggledLevel('warn', 'warn')).toBe('')
    expect(toggledLevel('debug,info,warn,error', 'fatal')).toBe('')
  })
})
