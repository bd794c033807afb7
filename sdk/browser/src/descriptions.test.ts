/** Tests how errors, URLs and elements are described, and the limits of events. */
import { describe, expect, it } from 'vitest'
import { describeError } from './errors.ts'
import { BURST_MS, createBurstFilter, createRateLimit, EVENTS_PER_MINUTE } from './limits.ts'
import { describeTarget } from './targets.ts'
import { plainUrl } from './urls.ts'

describe('a URL', () => {
  it.each([
    ['https://a.example/b/c?card=4111#top', 'https://a.example/b/c'],
    ['https://user:word@a.example:8443/b', 'https://a.example:8443/b'],
    ['/cart?id=1', 'https://shop.example/cart'],
    ['https://a.example/#/orders/7?token=x', 'https://a.example/#/orders/7'],
    ['https://a.example/#!/orders', 'https://a.example/#!/orders'],
    ['https://a.example/#access_token=x', 'https://a.example/'],
    ['http://[broken', ''],
  ])('%s is recorded as %s', (url, recorded) =>
    expect(plainUrl(url, 'https://shop.example/start')).toBe(recorded),
  )

  it('is cut if it is too long', () =>
    expect(plainUrl(`/${'x'.repeat(5_000)}`, 'https://a.example')).toHaveLength(1_000))
})

describe('an error', () => {
  it('is described by its type, message and stack', () => {
    const described = describeError(new TypeError('no terminal'))
    expect(described).toMatchObject({ type: 'TypeError', message: 'no terminal' })
    expect(described.stack).toContain('no terminal')
  })

  it.each([
    ['text', { message: 'text' }],
    [undefined, { message: 'undefined' }],
    [null, { message: 'null' }],
    [17, { message: '17' }],
    [{ reason: 'odd' }, { message: '{"reason":"odd"}' }],
    [
      { message: 'text', name: 'Own' },
      { message: 'text', type: 'Own' },
    ],
    [{ toJSON: () => new URL('') }, { message: 'unknown' }],
  ])('can be a thrown value of any type: %o', (thrown, described) =>
    expect(describeError(thrown)).toEqual(described),
  )

  it('is cut so that it fits into a batch', () => {
    const error = Object.assign(new Error('m'.repeat(9_000)), { stack: 's'.repeat(90_000) })
    const described = describeError(error)
    expect(described.message).toHaveLength(1_000)
    expect(described.stack).toHaveLength(6_000)
  })

  it('is recorded once in five seconds', () => {
    const isNew = createBurstFilter()
    const recorded = [0, 1, BURST_MS - 1, BURST_MS, BURST_MS + 1].map((at) => isNew('a', at))
    expect(recorded).toEqual([true, false, false, true, false])
    expect(isNew('b', BURST_MS + 1)).toBe(true)
  })
})

describe('the rate limit', () => {
  it('applies to each type and minute', () => {
    const isAllowed = createRateLimit()
    const allowed = Array.from({ length: EVENTS_PER_MINUTE + 20 }, () => isAllowed('log', 59_999))
    expect(allowed.filter(Boolean)).toHaveLength(EVENTS_PER_MINUTE)
    expect(isAllowed('error', 59_999)).toBe(true)
    expect(isAllowed('log', 60_000)).toBe(true)
  })
})

describe('an element', () => {
  type Fake = Parameters<typeof describeTarget>[0]
  const element = (
    localName: string,
    attributes: Record<string, string> = {},
    parent: Fake = null,
  ): Fake => ({
    localName,
    id: attributes['id'] ?? '',
    getAttribute: (name) => attributes[name] ?? null,
    parentElement: parent as HTMLElement | null,
  })

  it('is described by a path up to an element with an id', () => {
    const form = element('form', { id: 'login' }, element('main'))
    expect(describeTarget(element('button', { class: ' primary  wide big ' }, form))).toBe(
      'form#login > button.primary.wide',
    )
    const list = element('ul', {}, element('main', {}, element('body')))
    expect(describeTarget(element('a', {}, element('li', {}, list)))).toBe('ul > li > a')
  })

  it('is described by the name that the page gives it', () => {
    const pay = element('button', { 'data-vigil-name': 'pay' })
    expect(describeTarget(element('span', {}, pay))).toBe('pay')
  })

  it('is described by an empty string if there is none', () =>
    expect(describeTarget(null)).toBe(''))
})
