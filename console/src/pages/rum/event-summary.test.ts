import { describe, expect, it } from 'vitest'
import { eventSummary } from './event-summary.ts'

const event = (type: string, member: unknown, page = '/cart') => ({
  id: '1',
  type,
  timestamp: '2026-03-01T12:00:00.000Z',
  received_at: '2026-03-01T12:00:00.000Z',
  page,
  event: { type, [type]: member },
})

describe('the summary of an event', () => {
  it.each([
    ['view', { name: 'Cart', url: 'https://a.example/cart' }, 'Cart · https://a.example/cart'],
    ['view', null, '/cart'],
    ['action', { type: 'click', target: '#buy' }, 'click · #buy'],
    ['error', { type: 'TypeError', message: 'x is undefined' }, 'TypeError · x is undefined'],
    [
      'resource',
      { url: '/a.js', method: 'GET', status: 200, duration_ms: 1200, size_bytes: 2000 },
      'GET · /a.js · 200 · 1.2 s · 2 KB',
    ],
    ['vital', { name: 'CLS', value: 0.12 }, 'CLS · 0.12'],
    ['vital', { name: 'INP', value: 210 }, 'INP · 210 ms'],
    ['vital', { name: 'FID', value: 7 }, 'FID · 7'],
    ['long_task', { duration_ms: 90 }, '90 ms'],
    ['log', { level: 'warn', message: 'slow' }, 'warn · slow'],
    ['session_start', undefined, '/cart'],
  ])('%s %j', (type, member, summary) => {
    expect(eventSummary(event(type, member))).toBe(summary)
  })

  it.each([[null], ['text'], [7], [[]], [{ message: { toString: 'x' }, type: 7 }]])(
    'is a text for any member a client sends: %j',
    (member) => {
      for (const type of [
        'view',
        'action',
        'error',
        'resource',
        'vital',
        'long_task',
        '__proto__',
      ]) {
        expect(typeof eventSummary(event(type, member))).toBe('string')
      }
    },
  )
})
