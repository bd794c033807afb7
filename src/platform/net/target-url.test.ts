import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { isInternalName, isUsualPort, readTarget } from './target-url.ts'

const reasonOf = (url: string) => {
  const reading = readTarget(url)
  return reading.kind === 'refused' ? reading.reason : undefined
}

describe('a target', () => {
  test.each([
    ['https://hooks.example.com/a?b=c', 'hooks.example.com', 443, '/a?b=c'],
    ['HTTPS://Hooks.Example.COM:8443', 'hooks.example.com', 8443, '/'],
    ['https://hooks.example.com./a', 'hooks.example.com', 443, '/a'],
    ['https://bücher.example/', 'xn--bcher-kva.example', 443, '/'],
    ['https://_a.example.com/%20', '_a.example.com', 443, '/%20'],
    ['https://93.184.216.34/', '93.184.216.34', 443, '/'],
    ['https://[2606:2800:220:1:0:0:0:1]:8443/', '2606:2800:220:1::1', 8443, '/'],
  ])('%s is read', (url, host, port, path) => {
    expect(readTarget(url)).toMatchObject({ kind: 'target', target: { host, port, path } })
  })

  test('has a canonical origin', () => {
    const origin = (url: string) => {
      const reading = readTarget(url)
      return reading.kind === 'target' ? reading.target.origin : undefined
    }
    expect(origin('https://Hooks.Example.com./a?b')).toBe('https://hooks.example.com:443')
    expect(origin('https://[2606::1]/')).toBe('https://[2606::1]:443')
  })
})

describe('a URL is refused', () => {
  test.each([
    ['', 'not_https'],
    ['hooks.example.com', 'not_https'],
    ['//hooks.example.com/', 'not_https'],
    ['http://hooks.example.com/', 'not_https'],
    ['ftp://hooks.example.com/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['https:hooks.example.com', 'malformed'],
    ['https:/hooks.example.com', 'malformed'],
    ['https:///hooks.example.com', 'malformed'],
    ['https://', 'malformed'],
    ['https://?a', 'malformed'],
    [' https://hooks.example.com', 'malformed'],
    ['https://hooks.example.com\n', 'malformed'],
    ['https://hooks.exa\tmple.com/', 'malformed'],
    ['https:\\\\hooks.example.com', 'malformed'],
    ['https://hooks.example.com\\@evil.example', 'malformed'],
    ['https://hooks.example.com/a b', 'malformed'],
    ['https://hooks.example.com/\u0000', 'malformed'],
    ['https://hooks.example.com:99999/', 'malformed'],
    ['https://[::1', 'malformed'],
    ['https://user@hooks.example.com/', 'credentials'],
    ['https://user:pass@hooks.example.com/', 'credentials'],
    ['https://@hooks.example.com/', 'credentials'],
    ['https://:@hooks.example.com/', 'credentials'],
    ['https://hooks.example.com/#', 'fragment'],
    ['https://hooks.example.com/a#b', 'fragment'],
    ['https://hooks%2eexample.com/', 'odd_host'],
    ['https://hooks..example.com/', 'odd_host'],
    ['https://.example.com/', 'odd_host'],
    ['https://hooks.example.com../', 'odd_host'],
    ['https://-a.example.com/', 'odd_host'],
    ['https://a.example.1a/', 'odd_host'],
    ['https://a,b.example/', 'odd_host'],
    ['https://0x8.8.8.8/', 'odd_host'],
    ['https://134744072/', 'odd_host'],
    ['https://8.8.8.8./', 'odd_host'],
    ['https://８.８.８.８/', 'odd_host'],
    [`https://hooks.example.com/${'a'.repeat(2100)}`, 'too_long'],
    [`https://${'a.'.repeat(130)}example.com/`, 'odd_host'],
  ])('%j: %s', (url, reason) => expect(reasonOf(url)).toBe(reason))

  test('or read, but never an exception, for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.string({ unit: anyCharacter }).map((tail) => `https://${tail}`),
    )
    fc.assert(
      fc.property(text, (url) => {
        expect(['target', 'refused']).toContain(readTarget(url).kind)
      }),
    )
  })
})

test('usual ports are 443 and those from 1024 that no well-known service uses', () => {
  expect([443, 1024, 8443, 8080, 65_535].filter((port) => !isUsualPort(port))).toEqual([])
  const bad = [0, 1, 22, 25, 80, 445, 1023, 3306, 5432, 6379, 6667, 9200, 11_211, 27_017]
  expect(bad.filter(isUsualPort)).toEqual([])
})

test('names that have no meaning in the public DNS are recognized', () => {
  const internal = ['localhost', 'a.localhost', 'db', 'metadata.google.internal', 'nas.local']
  internal.push('shop.test', 'shop.example', 'example', 'nowhere.invalid', 'vigil.alt')
  expect(internal.filter((name) => !isInternalName(name))).toEqual([])
  const others = ['local.example.com', 'mylocalhost.com', 'internal.com', 'homearpa.org']
  others.push('test.com', 'invalid.example.org', 'xn--bcher-kva.com')
  expect(others.filter(isInternalName)).toEqual([])
})
