import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AGREEMENT_MIN,
  HALF_LIFE_DAYS,
  hindranceOf,
  judge,
  type Opinion,
  type SharingRule,
  WEIGHT_MAX,
} from './judge.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const RULE: SharingRule = {
  reputation_age_days: 14,
  reputation_requests: 100,
  reputation_voices: 2,
}
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

let voices = 0

/** An opinion of an established organization with a voice to itself. */
const opinion = ({ bad = 0, ...given }: Partial<Opinion>): Opinion => {
  voices += 1
  return {
    is_own: false,
    is_own_voice: given.is_own ?? false,
    voice_id: `voice ${voices}`,
    is_trusted: null,
    since: daysAgo(14),
    requests: 100,
    bad,
    good: 0,
    shared_bad: bad,
    updated_at: NOW,
    ...given,
  }
}
const judged = (opinions: readonly Opinion[], rule = RULE) => judge(opinions, NOW, rule)

describe('reputation', () => {
  it('counts the own opinion by its weight', () => {
    const at = (bad: number) => judged([opinion({ is_own: true, bad })]).score
    expect([0, 0.5, 1, WEIGHT_MAX].map(at)).toEqual([0, 45, 90, 90])
  })

  it('is not affected by one other organization alone', () => {
    expect(judged([opinion({ bad: WEIGHT_MAX })])).toMatchObject({ score: 0, others: 1 })
  })

  it('counts two others, or one that the own evidence supports', () => {
    expect(judged([opinion({ bad: 1 }), opinion({ bad: 1 })])).toMatchObject({
      score: 60,
      others: 2,
    })
    const supported = [opinion({ bad: 1 }), opinion({ is_own: true, bad: 0.5 })]
    expect(judged(supported)).toMatchObject({ score: 60, shared: 60 })
  })

  it('needs the configured number of voices, and counts more of them as 80', () => {
    const rule = { ...RULE, reputation_voices: 4 }
    const by = (count: number) =>
      judged(
        Array.from({ length: count }, () => opinion({ bad: 1 })),
        rule,
      ).score
    expect([1, 2, 3, 4, 5, 9].map(by)).toEqual([0, 0, 0, 60, 80, 80])
  })

  it('counts organizations of one voice once, with their opinions added up', () => {
    const voice_id = 'chain'
    const chain = [1, 1, 1].map((bad) => opinion({ voice_id, bad }))
    expect(judged(chain)).toMatchObject({ score: 0, others: 1 })
    expect(judged([...chain, opinion({ bad: 1 })])).toMatchObject({ score: 60, others: 2 })
    const divided = [opinion({ voice_id, bad: 1 }), opinion({ voice_id, good: 1 })]
    expect(judged([...divided, opinion({ bad: 1 })])).toMatchObject({ score: 0, others: 1 })
  })

  it('takes organizations with the same owner as support, never as others', () => {
    const sibling = opinion({ is_own_voice: true, bad: 1 })
    expect(judged([sibling, sibling, sibling])).toMatchObject({ score: 0, others: 0 })
    expect(judged([sibling, opinion({ bad: 1 })])).toMatchObject({ score: 60, others: 1 })
  })

  it('prefers a good own opinion to those of others', () => {
    const opinions = [1, 1, 1].map((bad) => opinion({ bad }))
    expect(judged([...opinions, opinion({ is_own: true, good: 1 })]).score).toBe(0)
  })

  it('reports the opinion of the others separately', () => {
    const alone = [opinion({ is_own: true, bad: 1 })]
    expect(judged(alone)).toEqual({ score: 90, shared: 0, own: 1, others: 0 })
    const both = [...alone, opinion({ bad: 1 }), opinion({ bad: 1 })]
    expect(judged(both)).toEqual({ score: 90, shared: 80, own: 1, others: 2 })
  })

  it('counts for others only what of an opinion is shared', () => {
    const weak = () => opinion({ bad: WEIGHT_MAX, shared_bad: AGREEMENT_MIN - 0.1 })
    expect(judged([weak(), weak(), weak()])).toMatchObject({ score: 0, others: 0 })
    expect(judged([{ ...weak(), is_own: true }]).score).toBe(90)
  })

  it('decays', () => {
    const old = opinion({ is_own: true, bad: 1, updated_at: daysAgo(HALF_LIFE_DAYS) })
    expect(judged([old]).score).toBe(45)
  })

  it('ignores clock differences', () => {
    const future = opinion({ is_own: true, bad: 1, updated_at: daysAgo(-3) })
    expect(judged([future]).score).toBe(90)
  })
})

describe('an organization', () => {
  it.each([
    [{}, undefined],
    [{ since: daysAgo(13.9) }, 'too_young'],
    [{ requests: 99 }, 'too_few_requests'],
    [{ since: null, requests: null, voice_id: null }, 'too_young'],
    [{ since: daysAgo(0), requests: 0, is_trusted: true }, undefined],
    [{ is_trusted: false }, 'distrusted'],
  ])('with %j counts for others unless: %s', (given, hindrance) => {
    const one = opinion({ bad: 1, ...given })
    expect(hindranceOf(one, NOW, RULE)).toBe(hindrance)
    expect(judged([one, opinion({ bad: 1 })]).others).toBe(hindrance === undefined ? 2 : 1)
  })

  it('counts by its own opinion, established or not', () => {
    const own = opinion({ is_own: true, bad: 1, since: null, is_trusted: false, voice_id: null })
    expect(judged([own]).score).toBe(90)
  })
})

const anyOpinion = fc
  .record({
    voice_id: fc.constantFrom('a', 'b', 'c', 'd', null),
    is_trusted: fc.constantFrom(true, false, null),
    since: fc.constantFrom(daysAgo(0), daysAgo(14), daysAgo(400), null),
    requests: fc.constantFrom(0, 99, 100, 1_000_000, null),
    bad: fc.double({ min: 0, max: WEIGHT_MAX, noNaN: true }),
    good: fc.double({ min: 0, max: WEIGHT_MAX, noNaN: true }),
    shared_bad: fc.double({ min: 0, max: WEIGHT_MAX, noNaN: true }),
    updated_at: fc.constantFrom(NOW, daysAgo(30), daysAgo(-1)),
  })
  .map((given): Opinion => ({ is_own: false, is_own_voice: given.voice_id === 'd', ...given }))

describe('the score of a stranger', () => {
  it('is 0 while fewer voices than needed count', () => {
    fc.assert(
      fc.property(
        fc.array(anyOpinion, { maxLength: 40 }),
        fc.integer({ min: 2, max: 5 }),
        (opinions, reputation_voices) => {
          const rule = { ...RULE, reputation_voices }
          const speaking = opinions.filter((one) => hindranceOf(one, NOW, rule) === undefined)
          const said = new Set(speaking.map(({ voice_id }) => voice_id).filter((id) => id !== null))
          const { score } = judged(opinions, rule)
          if (said.size < reputation_voices) expect(score).toBe(0)
          expect([0, 60, 80]).toContain(score)
        },
      ),
    )
  })

  it('does not depend on further opinions of a voice that agrees already', () => {
    fc.assert(
      fc.property(fc.array(anyOpinion, { maxLength: 20 }), (opinions) => {
        const bad = opinions.map((one) => ({ ...one, good: 0 }))
        const agreed = [opinion({ voice_id: 'a', bad: WEIGHT_MAX }), ...bad]
        const more = agreed.filter(({ voice_id }) => voice_id === 'a')
        expect(judged([...agreed, ...more])).toEqual(judged(agreed))
      }),
    )
  })
})
