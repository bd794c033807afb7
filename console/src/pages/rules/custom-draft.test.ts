import { expect, it } from 'vitest'
import {
  customChanges,
  EMPTY_RULE,
  freeName,
  movedUp,
  readRules,
  withoutRule,
  withRule,
  wordBefore,
} from './custom-draft.ts'

const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ ...EMPTY_RULE, name })) as [
  typeof EMPTY_RULE,
  typeof EMPTY_RULE,
  typeof EMPTY_RULE,
]

it('names the rules that a draft adds, changes, moves and removes', () => {
  expect(customChanges([a, b], [a, b])).toEqual([])
  expect(customChanges([a, b], [{ ...a, value: 5 }, c])).toEqual([
    { name: 'a', change: 'changed' },
    { name: 'c', change: 'added' },
    { name: 'b', change: 'removed' },
  ])
  expect(customChanges([a, b], movedUp([a, b], 1))).toEqual([
    { name: 'b', change: 'moved' },
    { name: 'a', change: 'moved' },
  ])
})

it('edits a list of rules', () => {
  expect(withRule([a, b], 2, c)).toEqual([a, b, c])
  expect(withRule([a, b], 0, c)).toEqual([c, b])
  expect(withoutRule([a, b, c], 1)).toEqual([a, c])
  expect(movedUp([a, b], 0)).toEqual([a, b])
  expect(freeName([a, b], 'a')).toBe('a 2')
  expect(freeName([a, b], 'c')).toBe('c')
})

it('finds the word to complete', () => {
  expect(wordBefore('order.amou > 5', 10)).toEqual({ start: 0, word: 'order.amou' })
  expect(wordBefore('a == 5 && pro', 13)).toEqual({ start: 10, word: 'pro' })
  expect(wordBefore('a == 5', 6)).toEqual({ start: 6, word: '' })
})

it('ignores stored text that is no list', () => {
  expect(readRules('{')).toBeUndefined()
  expect(readRules('{}')).toBeUndefined()
  expect(readRules(null)).toBeUndefined()
  expect(readRules('[]')).toEqual([])
})
