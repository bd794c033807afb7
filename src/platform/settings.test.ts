import { integer as anyInteger, assert, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  choice,
  flag,
  formed,
  integer,
  list,
  optionalChoice,
  optionalFormed,
  optionalText,
  optionalUrl,
  rateLimit,
  type Setting,
  text,
  url,
} from './settings.ts'

const help = { help: 'help' }

function accepts<T>(setting: Setting<T>, ...pairs: [string, T][]): void {
  for (const [input, value] of pairs) expect(setting.read(input)).toEqual(value)
}

function refuses(setting: Setting<unknown>, ...texts: string[]): void {
  for (const each of texts) expect(() => setting.read(each), each).toThrow(/^must be /)
}

describe('a setting', () => {
  it('of type integer takes whole numbers of its range', () => {
    const port = integer(80, { min: -1, max: 65_535 }, help)
    accepts(port, ['0', 0], ['-1', -1], ['65535', 65_535], ['007', 7])
    refuses(port, '65536', '-2', '1.5', '1e3', '0x10', 'NaN', 'Infinity', '٣', '', '9'.repeat(30))
  })

  it('of type flag takes true and false only', () => {
    accepts(flag(true, help), ['true', true], ['false', false])
    refuses(flag(true, help), '1', '0', 'TRUE', 'yes', 'on', '')
  })

  it('of type choice takes its options only', () => {
    const level = choice(['low', 'high'], 'low', help)
    accepts(level, ['low', 'low'], ['high', 'high'])
    refuses(level, 'LOW', 'lo', '', 'constructor')
  })

  it('of type url takes its protocols only, and never shows a rejected value', () => {
    const address = url('http://localhost', ['http', 'https'], help)
    accepts(address, ['https://a.example/b', 'https://a.example/b'])
    refuses(address, 'ftp://a', 'a.example', '//a', 'http', 'javascript:alert(1)', '')
    expect(() => address.read('ftp://user:hunter2@a')).toThrow(/^(?!.*hunter2)/)
    expect(optionalUrl(['redis'], help).fallback).toBeUndefined()
    refuses(optionalUrl(['redis'], help), 'rediss://a', 'http://a')
  })

  it('of type list takes items in its format, ignoring blanks and empty items', () => {
    const names = list('', { accepts: (name) => /^[a-z]+$/.test(name), what: 'names' }, help)
    accepts(names, ['', []], ['a', ['a']], [' a , b ,', ['a', 'b']])
    refuses(names, 'a b', 'a,1', 'a;b')
  })

  it('of type formed text takes its format only, and shows a rejected value unless it is secret', () => {
    const word = { accepts: (value: string) => /^[a-z]+$/.test(value), what: 'a word' }
    accepts(formed('x', word, help), ['word', 'word'])
    refuses(formed('x', word, help), 'a b', '')
    expect(optionalFormed(word, help).fallback).toBeUndefined()
    expect(() => optionalFormed(word, help).read('1')).toThrow('must be a word, not "1"')
    expect(() => optionalFormed(word, { ...help, secret: true }).read('1')).toThrow(
      /^must be a word$/,
    )
  })

  it('of type optional choice may be unset', () => {
    expect(optionalChoice(['a'], help).fallback).toBeUndefined()
    accepts(optionalChoice(['a'], help), ['a', 'a'])
    refuses(optionalChoice(['a'], help), 'b')
  })

  it('of type rate limit takes REQUESTS/SECONDS, both at least one', () => {
    accepts(rateLimit('1/1', help), ['100/60', { points: 100, window_seconds: 60 }])
    refuses(rateLimit('1/1', help), '100', '0/1', '1/0', '-1/1', '1/1/1', '1.5/1', 'a/b', '/', '')
  })

  it('of type text takes anything; optional text may be unset', () => {
    accepts(text('x', help), ['anything at all', 'anything at all'])
    expect(optionalText(help).fallback).toBeUndefined()
  })

  it('has a default that it would accept itself', () => {
    const all = [
      integer(80, { min: 0, max: 100 }, help),
      flag(false, help),
      choice(['a', 'b'], 'b', help),
      url('http://localhost', ['http'], help),
      list('a,b', { accepts: (letter) => /^\w$/.test(letter), what: 'letters' }, help),
      rateLimit('5/10', help),
      text('x', help),
    ] as Setting<unknown>[]
    for (const setting of all) expect(() => setting.read(setting.fallback ?? '')).not.toThrow()
  })

  it('is not secret by default', () => {
    expect(text('x', help).secret).toBe(false)
    expect(text('x', { ...help, secret: true }).secret).toBe(true)
  })

  it('reads every whole number in its range', () => {
    const any = integer(0, { min: -1_000_000, max: 1_000_000 }, help)
    assert(
      property(anyInteger({ min: -1_000_000, max: 1_000_000 }), (number) => {
        expect(any.read(String(number))).toBe(number)
      }),
    )
  })
})
