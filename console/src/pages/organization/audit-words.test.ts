import { describe, expect, it } from 'vitest'
import { detailsText, sentenceOf } from './audit-words.ts'

describe('an audit entry', () => {
  it('that is known is a sentence', () => {
    const entry = {
      action: 'member.role_changed',
      target: 'ann@shop.example',
      details: { user_id: 'u', from: 'member', to: 'admin' },
    }
    expect(sentenceOf(entry)).toBe('Changed the role of ann@shop.example from member to admin')
    expect(detailsText(entry)).toBe('')
  })

  it('about rules names what changed, and why', () => {
    const change = { section: 'weights', name: 'pattern', from: 0.9, to: 0.8 }
    const entry = {
      action: 'rules.applied',
      target: 'order rules, live, version 3',
      details: { version: 3, note: 'fewer alarms', changes: [change, change, change, change] },
    }
    const told = 'weights.pattern 0.9 → 0.8'
    expect(sentenceOf(entry)).toBe(
      `Applied order rules, live, version 3 (${told}, ${told}, ${told}, and 1 more): fewer alarms`,
    )
  })

  it('of any other kind is shown by its name, with its details', () => {
    const entry = { action: 'rules.published', target: 'orders', details: { version: 3, by: null } }
    expect(sentenceOf(entry)).toBe('rules.published orders')
    expect(detailsText(entry)).toBe('version: 3, by: null')
    expect(sentenceOf({ action: 'x.y', target: null, details: {} })).toBe('x.y')
  })

  it('with details missing is still one', () => {
    expect(sentenceOf({ action: 'key.rolled', target: 'sk_…1', details: {} })).toBe(
      'Rolled the API key sk_…1, now –',
    )
    expect(sentenceOf({ action: 'constructor', target: null, details: {} })).toBe('constructor')
  })
})
