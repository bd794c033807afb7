/** Tests how syslog is divided, read and received, with real connections over TCP and TLS. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAuthority, issueCertificate } from '../../../../emulators/certificate.ts'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import type { LogFields, LogLevel } from '../types.ts'
import { createFramer } from './frames.ts'
import { readSyslog } from './message.ts'
import { listenForSyslog, type Syslog, type SyslogOptions } from './server.ts'

function divide(chunks: readonly Buffer[], bytes_max = 100) {
  const messages: string[] = []
  const faults: string[] = []
  const framer = createFramer({
    bytes_max,
    onMessage: (bytes, isCut) => messages.push(bytes.toString() + (isCut ? '…' : '')),
    onFault: (reason) => faults.push(reason),
  })
  for (const chunk of chunks) framer.push(chunk)
  framer.end()
  return { messages, faults }
}

const divideText = (text: string, bytes_max?: number) => divide([Buffer.from(text)], bytes_max)

describe('the bytes of a connection', () => {
  const text = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
    .map((rest) => `<34>1 ${rest}`)
  const line = text.map((each) => `<${each.slice(1).replace(/[\0\n\r]/g, ' ')}`)
  const frame = fc.oneof(
    text.map((each) => ({ each, sent: `${Buffer.byteLength(each)} ${each}` })),
    text.map((each) => ({ each, sent: `${Buffer.byteLength(each)} ${each}\n` })),
    line.map((each) => ({ each, sent: `${each}\n` })),
    line.map((each) => ({ each, sent: `${each}\0` })),
  )
  it('become the same messages in any mixture of framings and any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 40 }),
        (frames, sizes) => {
          const bytes = Buffer.from(frames.map(({ sent }) => sent).join(''))
          const chunks: Buffer[] = []
          let at = 0
          for (const size of sizes) {
            chunks.push(bytes.subarray(at, at + size))
            at += size
          }
          chunks.push(bytes.subarray(at))
          const { messages, faults } = divide(chunks, 1000)
          expect(faults).toEqual([])
          const expected = frames.map(({ each }) => Buffer.from(each).toString())
          expect(messages).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('end a last line without an end, and mark a message that did not arrive completely', () => {
    expect(divideText('5 <1>ab<2>last').messages).toEqual(['<1>ab', '<2>last'])
    expect(divideText('50 <1>ab').messages).toEqual(['<1>ab…'])
    expect(divideText('12').messages).toEqual(['12'])
    expect(divideText('12 ').messages).toEqual([])
  })

  it('of a long message are cut, and the next message is read', () => {
    const long = 'x'.repeat(150)
    const cut = `${'x'.repeat(100)}…`
    expect(divideText(`${long}\n<1>a\n150 ${long}5 <2>bc`).messages).toEqual([
      cut,
      '<1>a',
      cut,
      '<2>bc',
    ])
  })

  it('end with a length that no message has', () => {
    const { messages, faults } = divideText('<1>a\n99999999 <1>b\n<1>c\n')
    expect([messages, faults]).toEqual([['<1>a'], ['a length has more than 7 digits']])
    expect(divideText('2026-03-01 without a priority\n').messages).toEqual([
      '2026-03-01 without a priority',
    ])
  })
})

describe('a message', () => {
  // RFC 5424, section 6.5.
  it.each([
    [
      "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \ufeff'su root' failed for lonvick on /dev/pts/8",
      {
        level: 'fatal',
        device_id: 'mymachine.example.com',
        timestamp_ms: Date.parse('2003-10-11T22:14:15.003Z'),
        message: "'su root' failed for lonvick on /dev/pts/8",
        fields: { category: 'su', data: { facility: 'auth', message_id: 'ID47' } },
      },
    ],
    [
      "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time to make the do-nuts.",
      {
        level: 'info',
        device_id: '192.0.2.1',
        timestamp_ms: Date.parse('2003-08-24T12:14:15.000Z'),
        message: "%% It's time to make the do-nuts.",
        fields: { category: 'myproc', data: { facility: 'local4', process_id: '8710' } },
      },
    ],
    [
      '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"][examplePriority@32473 class="high"]',
      {
        level: 'info',
        device_id: 'mymachine.example.com',
        timestamp_ms: Date.parse('2003-10-11T22:14:15.003Z'),
        message: '',
        fields: {
          category: 'evntslog',
          data: {
            facility: 'local4',
            message_id: 'ID47',
            structured: {
              'exampleSDID@32473': { iut: '3', eventSource: 'Application', eventID: '1011' },
              'examplePriority@32473': { class: 'high' },
            },
          },
        },
      },
    ],
    [
      '<11>1 - - - - - [a x="1" x="\\"2\\\\\\]" x="3"] m',
      {
        level: 'error',
        device_id: undefined,
        timestamp_ms: undefined,
        message: 'm',
        fields: { data: { facility: 'user', structured: { a: { x: ['1', '"2\\]', '3'] } } } },
      },
    ],
    [
      '<34>Oct 11 22:14:15 mymachine su: failed',
      {
        level: 'fatal',
        device_id: undefined,
        timestamp_ms: undefined,
        message: 'Oct 11 22:14:15 mymachine su: failed',
        fields: { data: { facility: 'auth' } },
      },
    ],
    [
      '<999>1 - - - - - - m',
      {
        level: 'warn',
        device_id: undefined,
        timestamp_ms: undefined,
        message: '<999>1 - - - - - - m',
        fields: {},
      },
    ],
  ])('%s', (text, entry) => {
    expect(readSyslog(text, 'warn')).toEqual(entry)
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('of severity %i has a level', (severity) => {
    const levels = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug']
    expect(readSyslog(`<${8 + severity}>1 - - - - - - m`, 'warn').level).toBe(levels[severity])
  })

  it('with broken structured data or time loses nothing', () => {
    expect(readSyslog('<34>1 - host app - - [a x="1 m', 'info')).toMatchObject({
      message: '1 - host app - - [a x="1 m',
      device_id: undefined,
    })
    expect(readSyslog('<34>1 2026-13-45T99:00:00Z host app - - - m', 'info')).toMatchObject({
      message: 'm',
      device_id: 'host',
      timestamp_ms: undefined,
    })
  })

  it('of any text becomes an entry', () => {
    const part = fc.constantFrom(
      '<34>',
      '1 ',
      '- ',
      '[',
      ']',
      '="',
      '\\',
      '\ufeff',
      '__proto__',
      '\0',
    )
    const any = fc.array(fc.oneof(part, fc.string({ unit: anyCharacter })), { maxLength: 12 })
    fc.assert(
      fc.property(any, (parts) => {
        const { message, level } = readSyslog(parts.join(''), 'info')
        expect([typeof message, typeof level]).toEqual(['string', 'string'])
      }),
      { numRuns: 500 },
    )
  })
})

describe('a port for syslog', () => {
  const open: { close: () => Promise<void> }[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(open.splice(0).map(async (each) => await each.close()))
  })

  type Recorded = { level: LogLevel; message: string } & LogFields
  async function listen(more: Partial<SyslogOptions> = {}) {
    const entries: Recorded[] = []
    const reports: string[] = []
    const syslog: Syslog = await listenForSyslog({
      agent: {
        log: (level, message, fields) => entries.push({ level, message, ...fields }),
      },
      host: '127.0.0.1',
      port: 0,
      level: 'info',
      report: (message) => reports.push(message),
      ...more,
    })
    open.push(syslog)
    return { ...syslog, entries, reports }
  }
  const track = <T extends Socket>(socket: T): T => {
    sockets.push(socket)
    return socket.on('error', () => undefined)
  }
  const connect = async (port: number): Promise<Socket> => {
    const socket = track(connectTcp(port, '127.0.0.1'))
    await once(socket, 'connect')
    return socket
  }
  const connectSecurely = (port: number, options: object): TLSSocket =>
    track(connectTls({ port, host: '127.0.0.1', servername: 'localhost', ...options }))

  it('receives both framings over TLS from several senders', async () => {
    const authority = createAuthority()
    const { cert, key } = issueCertificate(authority, ['localhost'])
    const tls = { cert: Buffer.from(cert), key: Buffer.from(key) }
    const { port, entries } = await listen({ tls, environment: 'production' })
    const counted = connectSecurely(port, { ca: authority.cert })
    const lines = connectSecurely(port, { ca: authority.cert })
    await Promise.all([once(counted, 'secureConnect'), once(lines, 'secureConnect')])
    const message =
      '<11>1 2026-03-01T12:00:00.250Z till-12 cardd 7 - - Card reader 7\ndoes not answer'
    counted.end(`${Buffer.byteLength(message)} ${message}`)
    lines.end('<14>1 - till-3 drawer - - - Opened ü\n')
    await vi.waitFor(() => expect(entries).toHaveLength(2))
    expect(entries.toSorted((a, b) => a.message.localeCompare(b.message))).toEqual([
      {
        level: 'error',
        message: 'Card reader 7\ndoes not answer',
        device_id: 'till-12',
        timestamp_ms: Date.parse('2026-03-01T12:00:00.250Z'),
        category: 'cardd',
        environment: 'production',
        data: { facility: 'user', process_id: '7' },
      },
      {
        level: 'info',
        message: 'Opened ü',
        device_id: 'till-3',
        category: 'drawer',
        environment: 'production',
        data: { facility: 'user' },
      },
    ])
  })

  it('with an authority refuses senders without a certificate, and text without TLS', async () => {
    const authority = createAuthority()
    const { cert, key } = issueCertificate(authority, ['localhost'])
    const ca = Buffer.from(authority.cert)
    const tls = { cert: Buffer.from(cert), key: Buffer.from(key), ca }
    const { port, entries, reports } = await listen({ tls })
    const stranger = connectSecurely(port, { ca: authority.cert })
    stranger.write('<14>1 - - - - - - a\n')
    const plain = await connect(port)
    plain.write('<14>1 - - - - - - b\n')
    await vi.waitFor(() => expect(reports).toHaveLength(2))
    await vi.waitFor(() => expect([stranger.destroyed, plain.destroyed]).toEqual([true, true]))
    expect(entries).toEqual([])
  })

  it('limits connections, their silence, and the bytes of a message', async () => {
    const { port, entries, reports } = await listen({ connections_max: 1, idle_ms: 300 })
    const first = await connect(port)
    const second = track(connectTcp(port, '127.0.0.1'))
    await once(second, 'close')
    expect(reports).toEqual(['A syslog connection was refused: there are too many'])
    first.write(`<14>1 - - - - - - ${'x'.repeat(70_000)}\n<14>1 - - - - - - next\n`)
    await vi.waitFor(() => expect(entries).toHaveLength(2))
    expect(entries[0]?.message.length).toBeLessThan(65_536)
    expect(entries.map(({ data }) => data)).toEqual([
      { facility: 'user', is_cut: true },
      { facility: 'user' },
    ])
    await once(first, 'close')
  })

  it('closes a connection that cannot be divided, and goes on with others', async () => {
    const { port, entries, reports } = await listen()
    const broken = await connect(port)
    broken.write('123456789 <14>1 - - - - - - a')
    await once(broken, 'close')
    expect(reports[0]).toContain('a length has more than 7 digits')
    const next = await connect(port)
    next.end('<14>1 - - - - - - b')
    await vi.waitFor(() => expect(entries).toMatchObject([{ message: 'b' }]))
  })
})
