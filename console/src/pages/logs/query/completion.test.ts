import { describe, expect, it } from 'vitest'
import { completed, completionAt, countedField, knownProposals } from './completion.ts'

/** The place of the cursor is marked with a bar. */
const at = (marked: string) => {
  const cursor = marked.indexOf('|')
  const q = marked.replace('|', '')
  return { q, completion: completionAt(q, cursor) }
}
const proposed = (marked: string, members: string[] = []) => {
  const { completion } = at(marked)
  return completion && knownProposals(completion, members).map(({ text }) => text)
}

describe('the completion of a query', () => {
  it.each([
    ['dev|', ['device_id']],
    ['card -env|', ['environment']],
    ['(err|', ['error_type', 'error_code', 'error_fingerprint']],
    ['level:e|', ['error']],
    ['time:y|', ['yesterday']],
    ['has:tr|', ['trace_id']],
    ['data.o|', ['data.order.id']],
    ['printer|', []],
    ['"card dev|', undefined],
    ['10.0.0.1|', undefined],
  ])('proposes for %s what begins with it', (marked, expected) => {
    expect(proposed(marked, ['data.order.id', 'data.ms'])).toEqual(expected)
  })

  it.each([
    ['device:till|', 'device_id', 'till'],
    ['a data.order.id:|', 'data.order.id', ''],
    ['-tag:x| b', 'tags', 'x'],
  ])('counts the values of the field in %s', (marked, field, typed) => {
    const { completion } = at(marked)
    expect(countedField(completion)).toBe(field)
    expect(completion?.typed).toBe(typed)
  })

  it.each([
    ['dev| card', 'device_id', 'device_id:|card'],
    ['card device:ti|', 'till-7', 'card device:till-7 |'],
    ['category:ca|rd OR x', 'card payment', 'category:"card payment" |OR x'],
    ['has:tr|', 'trace_id', 'has:trace_id |'],
  ])('replaces the part at the cursor of %s', (marked, proposal, expected) => {
    const { q, completion } = at(marked)
    if (!completion) throw new Error('Nothing is completed')
    const done = completed(q, completion, proposal)
    expect(`${done.q.slice(0, done.cursor)}|${done.q.slice(done.cursor)}`).toBe(expected)
  })
})
