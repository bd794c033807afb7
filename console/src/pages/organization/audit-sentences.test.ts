import { describe, expect, it } from 'vitest'
import { detailsText, sentenceOf } from './audit-sentences.ts'

describe('an audit entry', () => {
  it('with a known action is a sentence', () => {
    const entry = {
      action: 'member.role_changed',
      target: 'ann@shop.example',
      details: { user_id: 'u', from: 'member', to: 'admin' },
    }
    expect(sentenceOf(entry)).toBe('Changed the role of ann@shop.example from member to admin')
    expect(detailsText(entry)).toBe('')
  })

  it('about rules names the changes and the reason', () => {
    const change = { section: 'weights', name: 'pattern', from: 0.9, to: 0.8 }
    const entry = {
      action: 'rules.applied',
      target: 'order rules, live, version 3',
      details: { version: 3, note: 'fewer alarms', changes: [change, change, change, change] },
    }
    const change_text = 'weights.pattern 0.9 → 0.8'
    expect(sentenceOf(entry)).toBe(
      `Applied order rules, live, version 3 (${change_text}, ${change_text}, ${change_text}, and 1 more): fewer alarms`,
    )
  })

  it('with an unknown action is shown by its name and details', () => {
    const entry = { action: 'rules.published', target: 'orders', details: { version: 3, by: null } }
    expect(sentenceOf(entry)).toBe('rules.published orders')
    expect(detailsText(entry)).toBe('version: 3, by: null')
    expect(sentenceOf({ action: 'x.y', target: null, details: {} })).toBe('x.y')
  })

  it('without details is still a sentence', () => {
    expect(sentenceOf({ action: 'key.rolled', target: 'sk_…1', details: {} })).toBe(
      'Rolled the API key sk_…1, now –',
    )
    expect(sentenceOf({ action: 'constructor', target: null, details: {} })).toBe('constructor')
  })
})
