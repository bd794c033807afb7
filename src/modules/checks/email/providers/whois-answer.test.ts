import { domain as anyDomain, string as anyText, assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { known, unknown } from '../../../../platform/lookup.ts'
import { readReferral, readWhoisAnswer } from './whois-answer.ts'

const registered = (registered_at: string | null) => known({ status: 'registered', registered_at })
const notRegistered = known({ status: 'not_registered', registered_at: null })

/** Name, a shortened answer in the format of its registry, and the date in it. */
const REGISTERED: readonly [string, string, string | null][] = [
  [
    'shop.io',
    `Domain Name: SHOP.IO
Registry Domain ID: REDACTED
Updated Date: 2024-05-01T09:00:00Z
Creation Date: 2011-06-07T08:09:10Z
Registry Expiry Date: 2027-06-07T08:09:10Z
>>> Last update of WHOIS database: 2026-01-30T00:00:00Z <<<`,
    '2011-06-07T08:09:10.000Z',
  ],
  [
    'shop.co.uk',
    `    Domain name:
        shop.co.uk

    Relevant dates:
        Registered on: 14-Feb-1999
        Expiry date:  14-Feb-2027
        Last updated:  10-Jan-2025`,
    '1999-02-14T00:00:00.000Z',
  ],
  ['old.ac.uk', '        Registered on: before Aug-1996', '1996-08-01T00:00:00.000Z'],
  [
    'shop.ru',
    `% TCI Whois Service. Terms of use:
domain:        SHOP.RU
nserver:       ns1.shop.ru.
state:         REGISTERED, DELEGATED, VERIFIED
created:       2003-11-23T21:00:00Z
paid-till:     2026-11-23T21:00:00Z`,
    '2003-11-23T21:00:00.000Z',
  ],
  [
    'shop.it',
    `Domain:             shop.it
Status:             ok
Created:            1999-12-10 00:00:00
Last Update:        2025-12-26 00:51:11
Expire Date:        2026-12-10`,
    '1999-12-10T00:00:00.000Z',
  ],
  [
    'shop.cn',
    `Domain Name: shop.cn
ROID: 20030312s10001s00000000-cn
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36`,
    '2003-03-17T12:20:05.000Z',
  ],
  [
    'shop.jp',
    `[Domain Name]                   SHOP.JP
[Registrant]                    Shop Inc.
[Created on]                    2001/05/11
[Expires on]                    2026/05/31
[Last Updated]                  2025/06/01 01:05:11 (JST)`,
    '2001-05-11T00:00:00.000Z',
  ],
  ['shop.co.jp', '[Registered Date]               1998/06/24', '1998-06-24T00:00:00.000Z'],
  [
    'shop.kr',
    `Domain Name                 : shop.kr
Registered Date             : 1999. 07. 28.
Last Updated Date           : 2020. 01. 09.`,
    '1999-07-28T00:00:00.000Z',
  ],
  [
    'shop.dk',
    `Domain:               shop.dk
DNS:                  shop.dk
Registered:           1999-01-10
Expires:              2027-01-31`,
    '1999-01-10T00:00:00.000Z',
  ],
  [
    'shop.se',
    `state:            active
domain:           shop.se
created:          2003-05-07
modified:         2025-04-08`,
    '2003-05-07T00:00:00.000Z',
  ],
  [
    'shop.ee',
    `Domain:
name:       shop.ee
status:     ok (paid and in zone)
registered: 2010-07-04 04:40:52 +03:00`,
    '2010-07-04T01:40:52.000Z',
  ],
  [
    'shop.com.tr',
    `** Domain Name: shop.com.tr
** Additional Info:
Created on..............: 1999-Dec-25.
Expires on..............: 2026-Dec-24.`,
    '1999-12-25T00:00:00.000Z',
  ],
  ['shop.hk', 'Domain Name Commencement Date: 16-12-1998', '1998-12-16T00:00:00.000Z'],
  ['shop.kz', 'Domain created: 1999-06-07 13:01:43 (GMT+0:00)', '1999-06-07T13:01:43.000Z'],
  ['shop.tw', '   Record created on 2000-08-29 11:22:33 (UTC+8)', '2000-08-29T03:22:33.000Z'],
  ['shop.ro', '  Registered On: Before 2001', '2001-01-01T00:00:00.000Z'],
  ['shop.edu', 'Domain record activated:    11-Feb-1992', '1992-02-11T00:00:00.000Z'],
  ['shop.co.nz', 'domain_dateregistered: 2002-10-10T05:00:00+13:00', '2002-10-09T16:00:00.000Z'],
  ['shop.rs', 'Registration date: 10.03.2008 12:31:19', '2008-03-10T12:31:19.000Z'],
  ['shop.be', 'Registered:\tTue Jan 16 2001', '2001-01-16T00:00:00.000Z'],
  ['shop.hu', 'record created: 2000-01-31', '2000-01-31T00:00:00.000Z'],
  ['shop.ve', '   Fecha de registro: 2005-11-21 15:16:17', '2005-11-21T15:16:17.000Z'],
  [
    'shop.de',
    `Domain: shop.de
Nserver: ns1.shop.de
Status: connect
Changed: 2018-03-12T21:44:25+01:00`,
    null,
  ],
  ['shop.me', 'Domain Name: shop.me\r\nCreation Date: REDACTED\r\n', null],
]

/** Name, and an answer that it is not registered. */
const NOT_REGISTERED: readonly [string, string][] = [
  ['free.com', 'No match for "FREE.COM".\r\n>>> Last update of whois database <<<'],
  ['free.io', 'Domain not found.\r\n'],
  ['free.org', 'NOT FOUND\n>>> Last update'],
  ['free.de', 'Domain: free.de\nStatus: free\n'],
  ['free.it', 'Domain:             free.it\nStatus:             AVAILABLE\n'],
  ['free.at', '% Copyright (c)2026 by NIC.AT\n\n% nothing found\n'],
  ['free.fr', '%% NOT FOUND\n'],
  ['free.ru', '% TCI Whois Service.\n\nNo entries found for the selected source(s).\n'],
  ['free.co', 'No Data Found\r\n'],
  ['free.info', 'Domain Status: No Object Found\n'],
  ['free.uk', '\n    No match for "free.uk".\n\n    This domain name has not been registered.\n'],
  ['free.se', 'domain "free.se" not found.\n'],
  ['free.be', 'Domain:\tfree.be\nStatus:\tAVAILABLE\n'],
  ['free.eu', 'Domain: free.eu\nScript: LATIN\n\nStatus: AVAILABLE\n'],
  ['free.nl', 'free.nl is free\n'],
  ['free.cn', 'No matching record.\n'],
  ['free.pl', 'No information available about domain name free.pl in the Registry NASK database.'],
  ['free.hu', 'No match\n'],
  ['free.invalid', 'This query returned 0 objects.\n'],
  ['free.au', 'No Data Found\n'],
  ['free.cz', '%ERROR:101: no entries found\n% No entries found.\n'],
  ['free.ae', 'No Data Found\n'],
  ['free.kz', '*** Nothing found for this query.\n'],
  ['free.li', 'The domain name free.li is available for registration.\n'],
]

const withCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n')

describe('readWhoisAnswer', () => {
  test.each(REGISTERED)('%s is registered', (domain, text, date) => {
    expect(readWhoisAnswer(text, domain)).toEqual(registered(date))
    expect(readWhoisAnswer(withCrlf(text), domain)).toEqual(registered(date))
  })

  test.each(NOT_REGISTERED)('%s is not registered', (domain, text) => {
    expect(readWhoisAnswer(text, domain)).toEqual(notRegistered)
    expect(readWhoisAnswer(withCrlf(text), domain)).toEqual(notRegistered)
  })

  test.each([
    'Quota exceeded. Please try again later.',
    '% You have exceeded the allowed number of queries; rate limit applies',
    'WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS',
    'Too many requests, slow down',
    '%ERROR:201: access denied, your address has been blocked',
  ])('%s is rate_limited', (text) => {
    expect(readWhoisAnswer(text, 'shop.example')).toEqual(unknown('rate_limited'))
  })

  test.each([
    '',
    'Hello',
    'Domain Name: another.example\r\n',
    'Expiry Date: 2027-01-01',
    '% The objects are in RPSL format',
    'Domain registration information is available at https://registry.example/',
  ])('%j is a bad answer', (text) => {
    expect(readWhoisAnswer(text, 'shop.example')).toEqual(unknown('bad_answer'))
  })

  test('an update or an expiry does not count as the registration', () => {
    const text = 'Domain: shop.example\nUpdated Date: 2024-01-01\nExpiry Date: 2027-01-01\n'
    expect(readWhoisAnswer(text, 'shop.example')).toEqual(registered(null))
  })

  test('the time for a hostile answer is proportional to its length', () => {
    const hostile = ['\n', ' ', '*', 'a', '\r', 'domain '].map((part) => part.repeat(200_000))
    for (const text of hostile) {
      expect(readWhoisAnswer(text, 'shop.example')).toEqual(unknown('bad_answer'))
    }
  })

  test('never throws, for any text', () => {
    assert(
      property(anyText(), anyDomain(), (text, name) => {
        expect(readWhoisAnswer(text, name)).toHaveProperty('known')
      }),
    )
  })
})

describe('readReferral', () => {
  test.each([
    ['refer:        whois.nic.io\r\n\r\ndomain:       IO\r\n', 'whois.nic.io'],
    ['domain:       DE\nwhois:        whois.denic.de\n', 'whois.denic.de'],
    ['refer:        127.0.0.1:4343\n', '127.0.0.1:4343'],
  ])('%j', (text, host) => {
    expect(readReferral(text)).toBe(host)
  })

  test.each(['', 'domain:       GR\nwhois:\nstatus: ACTIVE', '% refer to the manual'])(
    '%j has no referral',
    (text) => {
      expect(readReferral(text)).toBeUndefined()
    },
  )
})
