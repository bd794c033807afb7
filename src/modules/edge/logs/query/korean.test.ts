import { describe, expect, it } from 'vitest'
import { withParticles } from './korean.ts'

describe('particles', () => {
  it.each([
    [
      '프린터',
      [
        '프린터가',
        '프린터는',
        '프린터를',
        '프린터와',
        '프린터로',
        '프린터에서는',
        '프린터였습니다',
      ],
      ['프린터이', '프린터으로'],
    ],
    [
      '사용량',
      ['사용량이', '사용량은', '사용량을', '사용량과', '사용량으로', '사용량의'],
      ['사용량가', '사용량로'],
    ],
    ['단말', ['단말이', '단말을', '단말로', '단말까지'], ['단말으로', '단말를']],
    [
      '오류',
      ['오류들', '오류들이', '오류들로', '오류들에서', '오류입니다'],
      ['오류들가', '오류들으로'],
    ],
  ])('of %s follow its last sound', (word, present, absent) => {
    const forms = withParticles(word)
    expect(present.filter((form) => !forms.includes(form))).toEqual([])
    expect(absent.filter((form) => forms.includes(form))).toEqual([])
  })

  it.each(['printer', '日本', 'для', '7', ''])('are not added to %j', (word) => {
    expect(withParticles(word)).toEqual([])
  })
})
