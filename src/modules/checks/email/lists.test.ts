import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { packNames } from '../../../platform/lists/hashed-names.ts'
import { DOMAIN_LISTS_PREFIX, LIST_FLAGS } from './list-file.ts'
import { gradeDomain, loadDomainLists, openDomainLists } from './lists.ts'

const { curated, scraped, first_big_list, second_big_list, free_mail, relay } = LIST_FLAGS
const lists = openDomainLists(
  packNames(
    DOMAIN_LISTS_PREFIX,
    new Map([
      ['gmail.com', free_mail],
      ['small-mail.net', free_mail | first_big_list | second_big_list],
      ['hide.me', relay | curated],
      ['throw.com', curated],
      ['scraped.org', scraped | first_big_list],
      ['both.com', first_big_list | second_big_list],
      ['one.co.uk', second_big_list],
      ['bad.gmail.com', curated],
      ['com.ar', curated],
      ['nus.edu.sg', LIST_FLAGS.first_big_list],
      ['city.ac.uk', LIST_FLAGS.second_big_list],
      ['github.io', curated],
    ]),
  ),
)

test.each([
  ['gmail.com', 'free_mail', 'domain'],
  ['small-mail.net', 'free_mail', 'domain'],
  ['hide.me', 'relay', 'domain'],
  ['user.hide.me', 'relay', 'parent_domain'],
  ['throw.com', 'curated', 'domain'],
  ['a.b.throw.com', 'curated', 'parent_domain'],
  ['scraped.org', 'curated', 'domain'],
  ['both.com', 'two_lists', 'domain'],
  ['x.one.co.uk', 'one_list', 'parent_domain'],
  ['bad.gmail.com', 'curated', 'domain'],
])('%s is %s by %s', (domain, grade, via) => {
  expect(gradeDomain(lists, domain)).toMatchObject({ class: grade, via })
})

test.each([
  'good.gmail.com',
  'x.small-mail.net',
  'shop.com.ar',
  'com.ar',
  'me.github.io',
  'one.com',
  'nus.edu.sg',
  'mail.city.ac.uk',
])('%s is not listed', (domain) => {
  expect(gradeDomain(lists, domain)).toEqual({
    class: 'none',
    matched_domain: null,
    via: null,
    lists: [],
  })
})

test('a mail host grades its domains when it is curated or on two lists, not when it is on one', () => {
  const hosts = ['mx.one.co.uk', 'MX1.throw.com']
  expect(gradeDomain(lists, 'fresh.example', hosts)).toMatchObject({
    class: 'curated',
    via: 'mail_host',
    matched_domain: 'throw.com',
  })
  expect(gradeDomain(lists, 'fresh.example', ['mx.one.co.uk', 'smtp.gmail.com']).class).toBe('none')
  expect(gradeDomain(lists, 'gmail.com', hosts).class).toBe('free_mail')
  expect(gradeDomain(lists, 'hide.me', hosts).class).toBe('relay')
})

test('any string gets a grade', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.array(fc.string()), (domain, hosts) => {
      expect(gradeDomain(lists, domain, hosts).class).toBe('none')
    }),
  )
})

test('the error for a missing file names the command that creates it', () => {
  expect(() => loadDomainLists('no-such-folder')).toThrow(/npm run build/)
})
