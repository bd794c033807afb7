/** What is told of errors, addresses and elements, and how much of it. */
import { describe, expect, it } from 'vitest'
import { describeError } from './errors.ts'
import { BURST_MS, createBurstFilter, createRateLimit, EVENTS_PER_MINUTE } from './limits.ts'
import { describeTarget } from './targets.ts'
import { plainUrl } from './urls.ts'

describe('an address', () => {
  it.each([
    ['https://a.example/b/c?card=4111#top', 'https://a.example/b/c'],
    ['https://user:word@a.example:8443/b', 'https://a.example:8443/b'],
    ['/cart?id=1', 'https://shop.example/cart'],
    ['https://a.example/#/orders/7?token=x', 'https://a.example/#/orders/7'],
    ['https://a.example/#!/orders', 'https://a.example/#!/orders'],
    ['https://a.example/#access_token=x', 'https://a.example/'],
    ['http://[broken', ''],
  ])('%s is told as %s', (url, told) =>
    expect(plainUrl(url, 'https://shop.example/start')).toBe(told),
  )

  it('is cut where it is too long', () =>
    expect(plainUrl(`/${'x'.repeat(5_000)}`, 'https://a.example')).toHaveLength(1_000))
})

describe('an error', () => {
  it('has type, message and stack when it has them', () => {
    const told = describeError(new TypeError('no till'))
    expect(told).toMatchObject({ type: 'TypeError', message: 'no till' })
    expect(told.stack).toContain('no till')
  })

  it.each([
    ['text', { message: 'text' }],
    [undefined, { message: 'undefined' }],
    [null, { message: 'null' }],
    [17, { message: '17' }],
    [{ reason: 'odd' }, { message: '{"reason":"odd"}' }],
    [
      { message: 'told', name: 'Own' },
      { message: 'told', type: 'Own' },
    ],
    [{ toJSON: () => new URL('') }, { message: 'unknown' }],
  ])('is told whatever was thrown: %o', (thrown, told) =>
    expect(describeError(thrown)).toEqual(told),
  )

  it('is cut so that it fits a batch', () => {
    const error = Object.assign(new Error('m'.repeat(9_000)), { stack: 's'.repeat(90_000) })
    const told = describeError(error)
    expect(told.message).toHaveLength(1_000)
    expect(told.stack).toHaveLength(6_000)
  })

  it('is told once in five seconds', () => {
    const isNews = createBurstFilter()
    const told = [0, 1, BURST_MS - 1, BURST_MS, BURST_MS + 1].map((at) => isNews('a', at))
    expect(told).toEqual([true, false, false, true, false])
    expect(isNews('b', BURST_MS + 1)).toBe(true)
  })
})

describe('of one type', () => {
  it('so many events are recorded in a minute, and no more', () => {
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

  it('is named by itself and what is around it, up to an id', () => {
    const form = element('form', { id: 'login' }, element('main'))
    expect(describeTarget(element('button', { class: ' primary  wide big ' }, form))).toBe(
      'form#login > button.primary.wide',
    )
    const list = element('ul', {}, element('main', {}, element('body')))
    expect(describeTarget(element('a', {}, element('li', {}, list)))).toBe('ul > li > a')
  })

  it('is named as the page says', () => {
    const pay = element('button', { 'data-vigil-name': 'pay' })
    expect(describeTarget(element('span', {}, pay))).toBe('pay')
  })

  it('is nothing where there is none', () => expect(describeTarget(null)).toBe(''))
})
