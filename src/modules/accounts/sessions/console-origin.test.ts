import { describe, expect, it } from 'vitest'
import { isFromConsole } from './console-origin.ts'

const HOSTS = ['127.0.0.1:8080', 'vigil.example']
const OWN = { 'x-vigil-console': '1' }
const SENT = { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'https://vigil.example' }

describe('requests with a cookie', () => {
  it.each([
    ['with all headers of a browser', SENT],
    ['from a page over plain HTTP', { ...OWN, origin: 'http://127.0.0.1:8080' }],
    ['from a program', OWN],
  ])('are accepted from the console: %s', (_, headers) => {
    expect(isFromConsole(headers, HOSTS)).toBe(true)
  })

  it.each([
    ['without the header', { ...SENT, 'x-vigil-console': undefined }],
    ['with an empty header', { ...SENT, 'x-vigil-console': '' }],
    ['from another site', { ...SENT, 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { ...SENT, 'sec-fetch-site': 'same-site' }],
    ['when the user typed the URL', { ...SENT, 'sec-fetch-site': 'none' }],
    ['from another host', { ...SENT, origin: 'https://evil.example' }],
    ['from another port', { ...SENT, origin: 'https://vigil.example:8443' }],
    ['from a host with the same start', { ...SENT, origin: 'https://vigil.example.evil.test' }],
    ['from a page without an origin', { ...SENT, origin: 'null' }],
    ['with a malformed origin', { ...SENT, origin: 'vigil.example' }],
  ])('are refused %s', (_, headers) => {
    expect(isFromConsole(headers, HOSTS)).toBe(false)
  })

  it('are refused when no host matches the origin', () => {
    expect(isFromConsole({ ...OWN, origin: 'https://a.example' }, [undefined, ''])).toBe(false)
    expect(isFromConsole({ ...OWN, origin: 'data:,x' }, [undefined, ''])).toBe(false)
  })
})
