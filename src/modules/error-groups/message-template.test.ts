import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { messageTemplate } from './message-template.ts'

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['Order 1234 could not be closed', 'Order <*> could not be closed'],
  ['Connection to 10.0.0.7:5432 failed after 312 ms', 'Connection to <*> failed after <*>'],
  ['Connection to [fe80::1c2d]:5432 failed', 'Connection to <*> failed'],
  ['No route to api.example.com', 'No route to <*>'],
  ['payments.internal:8443 timed out', '<*> timed out'],
  ['db.corp:5432 timed out', '<*> timed out'],
  ['synchronized to LOCAL(0), stratum 10', 'synchronized to <*>, stratum <*>'],
  ['synchronized to 10.0.0.7, stratum 3', 'synchronized to <*>, stratum <*>'],
  ['cannot be cast to VARCHAR(255)', 'cannot be cast to VARCHAR(<*>)'],
  ['Product "Milk" is missing', 'Product "<*>" is missing'],
  ['Cannot move "Milk" to \'Fridge\'', 'Cannot move "<*>" to \'<*>\''],
  ["User 'bob' cannot open drawer 'A'", "User '<*>' cannot open drawer '<*>'"],
  ["Unexpected token 'A'", "Unexpected token 'A'"],
  ['Class "Milk" is missing', 'Class "Milk" is missing'],
  ['Unknown option "milk"', 'Unknown option "milk"'],
  ['lookup of CUSTOMER.static.IP.example.com failed', 'lookup of <*> failed'],
  ['lookup of Mail.Example.COM failed', 'lookup of <*> failed'],
  ['load of com.acme.Cart and System.Net.Http', 'load of com.acme.Cart and System.Net.Http'],
  [
    'com.acme.CacheDelete.daily: activity will run because its time is near',
    '<*>: activity will run because its time is near',
  ],
  [
    'com.acme.shop.Cart: activity will run because its time is near',
    'com.acme.shop.Cart: activity will run because its time is near',
  ],
  ['com.acme.Cart.checkout: no payment', 'com.acme.Cart.checkout: no payment'],
  ['Cannot open /var/log/a.log', 'Cannot open <*>'],
  ['Cannot open C:\\Temp\\a.log.', 'Cannot open <*>.'],
  ['Mail to ann@example.com bounced', 'Mail to <*> bounced'],
  ['found fa:16:3e:aa:bb:cc on eth0', 'found <*> on <*>'],
  ['Upload of 12 KB took 3.4 ms', 'Upload of <*> took <*>'],
  ['sent 65536 bytes (64 KB) to peer', 'sent <*> bytes to peer'],
  ['Amount 12 345,67 € is above', 'Amount <*> is above'],
  ["Amount 12'345.60 is above", 'Amount <*> is above'],
  ['Drucker ٣ ist aus', 'Drucker <*> ist aus'],
  ['注文1234が見つかりません', '注文<*>が見つかりません'],
  ['expired on Sat Jul 9 22:53:22 2025', 'expired on <*>'],
  ['You may retry 3 times', 'You may retry <*> times'],
  ['sync failed store=berlin till= retry=true', 'sync failed store=<*> till=<*> retry=<*>'],
  ['sync failed error=timeout', 'sync failed error=timeout'],
  ['{"id": 4, "reason": "no paper"}', '{"id":<*>, "reason": "no paper"}'],
  ['user.dir=/srv and a == b', '<*> and a == b'],
  ['deleted 12, 13, 14', 'deleted <*>'],
  ['args [] and close() and ()', 'args [<*>] and close() and (<*>)'],
  ['Failed for user alice from 10.0.0.1', 'Failed for user <*> from <*>'],
  ['User deleted', 'User deleted'],
  ['User profile from cache', 'User profile from cache'],
  ["Duplicate entry 'ann' for key 'email'", "Duplicate entry '<*>' for key 'email'"],
  ['"GET /cart/12 HTTP/1.1" refused', '"GET <*> HTTP/1.1" refused'],
  ['can\'t read "my file" now', 'can\'t read "<*>" now'],
  ['kubelet.go:906] "Error syncing pod"', '<*>] "Error syncing pod"'],
  ['ORA-00942: no table', 'ORA-00942: no table'],
  ['E0507 11:59:43 no pods', '<*> no pods'],
  ['Request failed with status code 404', 'Request failed with status code 404'],
  ['Request done with status code 204', 'Request done with status code <*>'],
  [
    'Minified React error #418; visit https://react.dev/418',
    'Minified React error #418; visit <*>',
  ],
  ['dup key: { name: "Bob" }', 'dup key: { name: <*> }'],
  ['(NSURLErrorDomain error -1009.)', '(NSURLErrorDomain error -1009.)'],
  ['utf-8 and sha256 at byte 7', 'utf-8 and sha256 at byte <*>'],
  ['read/write and/or I/O', 'read/write and/or I/O'],
  ['std::vector at cart.cpp:12', 'std::vector at <*>'],
  ['action android.intent.action.SCREEN_ON', 'action <*>'],
  ['code acme.errors.pay.DECLINED', 'code acme.errors.pay.DECLINED'],
  ['java.io.IOException: disk full', 'java.io.IOException: disk full'],
  ['  Printer   offline\r\n', 'Printer offline'],
  ['one\n\n  two\nthree', 'one two'],
  ['', ''],
]

describe('messageTemplate', () => {
  it.each(EXAMPLES)('%j becomes %j', (message, template) => {
    expect(messageTemplate(message)).toBe(template)
  })

  it('does not depend on text after 1,024 characters, nor on half a word there', () => {
    const message = `${'word '.repeat(204)}blk_99`
    expect(messageTemplate(`${message}88 and more`)).toBe(messageTemplate(`${message} or less`))
  })

  it('is the same for any number in a sentence', () => {
    const sentence = (number: number) => `Till ${number} lost order A${number} of store-${number}.`
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        expect(messageTemplate(sentence(one))).toBe(messageTemplate(sentence(other)))
      }),
    )
  })

  it('never throws and is never much longer than its input', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (message) => {
        expect(messageTemplate(message).length).toBeLessThanOrEqual(3 * message.length + 3)
      }),
    )
  })

  it.each([
    '"',
    "'",
    '`',
    '=',
    ':',
    'a:',
    '(',
    '[',
    '[[',
    '<',
    '<1',
    '\\"',
    'a=b',
    '1 ',
    '. ',
    '{"a":',
    "a'",
    '\n',
    'x.',
    '()',
  ])('ends in time on 200 KB of %j', (piece) => {
    const hostile = piece.repeat(Math.ceil(200_000 / piece.length))
    expect(messageTemplate(hostile)).toBe(messageTemplate(hostile))
    expect(messageTemplate(hostile).length).toBeLessThan(4_100)
  })
})
