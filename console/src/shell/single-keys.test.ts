import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_KEYS, readKeys, shortcutOf } from './single-keys.ts'

const stored = (keys: unknown) =>
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => (name === 'vigil:single_keys' ? JSON.stringify(keys) : null),
  })
afterEach(() => vi.unstubAllGlobals())

describe('stored shortcuts', () => {
  it('replace those that everyone has', () => {
    stored({ fraud: 'x' })
    expect(readKeys()).toEqual({ ...DEFAULT_KEYS, fraud: 'x' })
    expect([shortcutOf('x'), shortcutOf('f')]).toEqual(['fraud', undefined])
  })

  it.each([{ fraud: 7 }, { fraud: 'ab' }, { fraud: '' }, { fraud: null }, { fraud: 'l' }])(
    'are not used if they are %o',
    (keys) => {
      stored(keys)
      expect(readKeys()).toEqual(DEFAULT_KEYS)
      expect(shortcutOf('f')).toBe('fraud')
    },
  )
})
