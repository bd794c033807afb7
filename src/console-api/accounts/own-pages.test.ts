import { describe, expect, it } from 'vitest'
import { isFromOwnPages } from './own-pages.ts'

const HOSTS = ['127.0.0.1:8080', 'vigil.example']
const OWN = { 'x-vigil-console': '1' }
const SENT = { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'https://vigil.example' }

describe('requests that bring a cookie', () => {
  it.each([
    ['with all that browsers send', SENT],
    ['of a page over plain HTTP', { ...OWN, origin: 'http://127.0.0.1:8080' }],
    ['of a program', OWN],
  ])('count from the own pages: %s', (_, headers) => {
    expect(isFromOwnPages(headers, HOSTS)).toBe(true)
  })

  it.each([
    ['without the header', { ...SENT, 'x-vigil-console': undefined }],
    ['with the header empty', { ...SENT, 'x-vigil-console': '' }],
    ['of another site', { ...SENT, 'sec-fetch-site': 'cross-site' }],
    ['of a sister site', { ...SENT, 'sec-fetch-site': 'same-site' }],
    ['typed by a user', { ...SENT, 'sec-fetch-site': 'none' }],
    ['of another origin', { ...SENT, origin: 'https://evil.example' }],
    ['of another port', { ...SENT, origin: 'https://vigil.example:8443' }],
    ['of a host that only begins so', { ...SENT, origin: 'https://vigil.example.evil.test' }],
    ['of a page without an origin', { ...SENT, origin: 'null' }],
    ['with an origin that is none', { ...SENT, origin: 'vigil.example' }],
  ])('do not count %s', (_, headers) => {
    expect(isFromOwnPages(headers, HOSTS)).toBe(false)
  })

  it('do not count where no host is known that the origin could be', () => {
    expect(isFromOwnPages({ ...OWN, origin: 'https://a.example' }, [undefined, ''])).toBe(false)
    expect(isFromOwnPages({ ...OWN, origin: 'data:,x' }, [undefined, ''])).toBe(false)
  })
})
