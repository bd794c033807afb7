import { expect, it } from 'vitest'
import { entriesFor, logsEntry, withoutKey } from './entries.ts'

const names = (text: string) => entriesFor(text).map(({ name }) => name)

it('finds pages and actions by the starts of their words', () => {
  expect(names('roll key')).toEqual(['Roll an API key'])
  expect(names('new endp')).toEqual(['New endpoint'])
  expect(names('ord')[0]).toBe('Orders')
  expect(names('rders')).toEqual([])
  expect(names('  ')).toEqual([])
})

it('names no page of one item', () => {
  expect(names('trace')).toEqual([])
  expect(entriesFor('order').some(({ link }) => link.includes(':'))).toBe(false)
})

it('sends no whole key', () => {
  expect(withoutKey(`sk_live_${'a'.repeat(34)}WxYz`)).toBe('sk_live_…WxYz')
  expect(withoutKey('sk_live_')).toBe('sk_live_')
  expect(withoutKey('W261122-1')).toBe('W261122-1')
})

it('encodes the text of a search for logs', () => {
  expect(logsEntry('a&b').link).toBe('/logs?q=a%26b')
})
