/**
 * Korean words with their particles. A particle is written at the end of its noun, so that `프린터`
 * (printer) mostly occurs as `프린터가` or `프린터를`, in the plural as `프린터들이`, and at the end of a
 * sentence as `프린터입니다`. Which form is used depends on the last sound of the noun.
 */

const AFTER_ALL = (
  '의 에 에는 에도 에만 에서 에서는 에서도 에서만 에서의 에게 에게는 에게도 에게서 께 께서 한테 도 만 만은 만이 만을 ' +
  '까지 까지는 까지도 까지의 부터 부터는 부터의 마다 처럼 보다 하고 밖에 조차 마저 만큼 대로 ' +
  '입니다 이다 이고 이며 인'
).split(' ')
const AFTER_VOWEL = '가 는 를 와 와의 로 로는 로도 로의 로부터 나 랑 라도 였다 였습니다'.split(' ')
const AFTER_CONSONANT =
  '이 은 을 과 과의 으로 으로는 으로도 으로의 으로부터 이나 이랑 이라도 이었다 이었습니다'.split(
    ' ',
  )
/** After the sound L, as after a consonant, but without the first syllable of 으로. */
const AFTER_L = AFTER_CONSONANT.map((particle) => particle.replace(/^으로/, '로'))
/** Makes a noun a plural and ends with the sound L. */
const PLURAL = '들'
const PLURALS = [PLURAL, ...[...AFTER_ALL, ...AFTER_L].map((particle) => PLURAL + particle)]

/** Unicode standard, section 3.12: syllables are numbered by their sounds, the last one running fastest. */
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3
const FINALS = 28
const FINAL_L = 8

/** The word and its plural with each particle; empty unless it ends with a Korean syllable. */
export function withParticles(word: string): string[] {
  const code = word.charCodeAt(word.length - 1)
  if (!(code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE)) return []
  const final = (code - FIRST_SYLLABLE) % FINALS
  const others = final === 0 ? AFTER_VOWEL : final === FINAL_L ? AFTER_L : AFTER_CONSONANT
  return [...AFTER_ALL, ...others, ...PLURALS].map((particle) => word + particle)
}
