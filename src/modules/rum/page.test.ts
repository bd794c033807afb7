import { describe, expect, it } from 'vitest'
import { pageOf, pathOf } from './page.ts'

describe('the page of an event', () => {
  it.each([
    ['https://shop.example/cart', '/cart'],
    ['https://shop.example', '/'],
    ['https://shop.example/cart?voucher=ANN-SECRET#top', '/cart'],
    ['/cart?x=1', '/cart'],
    ['cart', '/cart'],
    ['app://home/settings', '/settings'],
    ['file:///android_asset/index.html', '/android_asset/index.html'],
    ['https://user:password@shop.example/a', '/a'],
    ['https://shop.example/#/cart?x=1', '/#/cart'],
    ['https://shop.example/#!/cart', '/#!/cart'],
    ['https://shop.example/products/4711/reviews', '/products/*/reviews'],
    ['https://shop.example/o/0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07', '/o/*'],
    ['https://shop.example/f/9f86d081884c7d659a2feaa0c55ad015', '/f/*'],
    ['https://shop.example/#/orders/17', '/#/orders/*'],
    ['https://shop.example/v2/cafe', '/v2/cafe'],
    ['https://shop.example/caf%C3%A9', '/caf%C3%A9'],
  ])('%s is %s', (url, page) => {
    expect(pageOf(url, undefined)).toBe(page)
  })

  it('is the name of the view when the URL has no path', () => {
    expect(pageOf(undefined, ' Cart ')).toBe('Cart')
    expect(pageOf(' ', 'Cart')).toBe('Cart')
    expect(pageOf('http://[', 'Cart')).toBe('Cart')
    expect(pageOf(undefined, undefined)).toBe('')
  })

  it('is idempotent', () => {
    for (const page of ['/', '/products/*/reviews', '/#/orders/*', '/caf%C3%A9']) {
      expect(pathOf(page)).toBe(page)
    }
  })

  it('is short for any input', () => {
    const long = `https://shop.example/${'a'.repeat(100_000)}`
    expect(pageOf(long, undefined)).toHaveLength(512)
    expect(pageOf(undefined, 'n'.repeat(100_000))).toHaveLength(512)
  })
})
