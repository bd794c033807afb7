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
