import { describe, expect, test } from 'vitest'
import { addressBytes } from './address-bytes.ts'
import { isAllowEntry, readAllowList } from './allow-list.ts'

const allows = (list: string, address: string, port = 8443) =>
  readAllowList(list).allowsAddress(addressBytes(address) ?? new Uint8Array(), port)

describe('an allow list', () => {
  test('that is empty allows nothing', () => {
    for (const empty of ['', ' , ,']) {
      const list = readAllowList(empty)
      expect(list.allowsName('receiver.test', 443)).toBe(false)
      expect(list.concernsPort(443)).toBe(false)
      expect(allows(empty, '127.0.0.1')).toBe(false)
    }
  })

  test.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['127.0.0.1:8443', '127.0.0.1', true],
    ['127.0.0.1:9443', '127.0.0.1', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.0.0.0/8:8443', '10.1.2.3', true],
    ['10.0.0.0/8:9443', '10.1.2.3', false],
    ['::1', '::1', true],
    ['[::1]', '::1', true],
    ['[::1]:8443', '::1', true],
    ['[::1]:9443', '::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['[fd00::/8]:8443', 'fd12::1', true],
    ['[fd00::/8]:9443', 'fd12::1', false],
    ['127.0.0.0/8', '::ffff:127.0.0.1', false],
    ['192.0.2.1, 10.0.0.0/8', '10.0.0.1', true],
    ['localhost', '127.0.0.1', false],
  ])('%j for %s on port 8443: %s', (list, address, expected) => {
    expect(allows(list, address)).toBe(expected)
  })

  test('allows a name without its subdomains, and only on its port', () => {
    const list = readAllowList('Receiver.test.:8443, localhost')
    expect(list.allowsName('receiver.test', 8443)).toBe(true)
    expect(list.allowsName('receiver.test', 443)).toBe(false)
    expect(list.allowsName('a.receiver.test', 8443)).toBe(false)
    expect(list.allowsName('localhost', 1)).toBe(true)
  })

  test('with the NAT64 prefix checks the embedded IPv4 address', () => {
    expect(allows('64:ff9b::/96', '64:ff9b::8.8.8.8')).toBe(true)
    expect(allows('64:ff9b::/96', '64:ff9b::169.254.169.254')).toBe(false)
    expect(allows('64:ff9b::/96', '64:ff9b::10.0.0.1')).toBe(false)
    expect(allows('64:ff9b::/96, 10.0.0.0/8', '64:ff9b::10.0.0.1')).toBe(true)
  })

  test('reads an array as well', () => {
    expect(readAllowList(['localhost:1']).allowsName('localhost', 1)).toBe(true)
  })
})

describe('an entry', () => {
  test.each([
    'https://receiver.test',
    'receiver.test/path',
    'receiver.test:',
    'receiver.test:0',
    'receiver.test:65536',
    '*.receiver.test',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '[::/0]:8443',
    '10.0.0/8',
    '::1:8443:',
    '[::1',
    '[::1]8443',
    '[127.0.0.1]:8443',
    'a b',
    'fe80::1%eth0',
    '0x7f.1',
    '127.1',
    'user@host',
  ])('%j is refused with a message that quotes it', (text) => {
    expect(isAllowEntry(text)).toBe(false)
    expect(() => readAllowList(`localhost, ${text}`)).toThrow(`"${text}" is not a host`)
  })

  test.each([
    'localhost',
    'receiver.test:8443',
    '10.0.0.0/8',
    '[::1]:8443',
    'host.docker.internal',
  ])('%j is valid', (text) => expect(isAllowEntry(text)).toBe(true))
})
