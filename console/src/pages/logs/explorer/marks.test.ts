import { describe, expect, it } from 'vitest'
import { markedPieces } from './marks.ts'

const marked = (message: string, ...words: string[]) =>
  markedPieces(message, words)
    .map(({ text, is_match }) => (is_match ? `[${text}]` : text))
    .join('')

describe('marks', () => {
  it.each([
    ['Card reader, CARD_2 cards', ['card'], '[Card] reader, [CARD]_2 cards'],
    ['PrintHeadError in print', ['print*'], '[Print]HeadError in [print]'],
    ['blueprint print', ['*print'], 'blue[print] [print]'],
    ['PrintHeadError ahead', ['*head*'], 'Print[Head]Error a[head]'],
    ['프린터가 고장', ['프린터*'], '[프린터]가 고장'],
    ['card reader', ['reader', 'card'], '[card] [reader]'],
    ['a.b (c) [d] $', ['b', 'd'], 'a.[b] (c) [[d]] $'],
    ['nothing', [], 'nothing'],
    ['', ['card'], ''],
  ])('%j with %j', (message, words, expected) => {
    expect(marked(message, ...words)).toBe(expected)
  })
})
