import type { LookupAddress } from 'node:dns'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpEmulator, startHttp } from '../../../emulators/http-server.ts'
import { known, unknown } from '../lookup.ts'
import { requestJson } from './http-json.ts'
import { createOutwardAgent, isInwardHost, outwardLookup } from './outward.ts'

let server: HttpEmulator
beforeAll(async () => {
  server = await startHttp({
    port: 0,
    host: '127.0.0.1',
    handle: () => ({ status: 200, body: { inside: true } }),
  })
})
afterAll(() => server.close())

const nowhere = () => false

describe('a host that is written as an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '[::1]',
    '::1',
    '[::ffff:10.0.0.1]',
    '0.0.0.0',
  ])('%s is internal', (host) => {
    expect(isInwardHost(host)).toBe(true)
  })

  it.each(['93.184.216.34', '[2606:2800::1]', 'localhost', '10.example', ''])(
    '%s is not',
    (host) => {
      expect(isInwardHost(host)).toBe(false)
    },
  )
})

describe('a request that must lead outward', () => {
  it.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1'])('does not reach %s', async (host) => {
    const url = `http://${host}:${server.port}/`
    const before = server.requests.length
    const dispatcher = createOutwardAgent()
    expect(await requestJson({ url, timeoutMs: 2_000, dispatcher })).toEqual(unknown('unreachable'))
    expect(server.requests).toHaveLength(before)
  })

  it('reaches external hosts, by address and by name', async () => {
    const dispatcher = createOutwardAgent(nowhere)
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${server.port}/`
      expect(await requestJson({ url, timeoutMs: 2_000, dispatcher })).toMatchObject(
        known({ status: 200, body: { inside: true } }),
      )
    }
  })
})

describe('a name', () => {
  const resolve = (name: string, all: boolean, isInward?: () => boolean) =>
    new Promise<string | LookupAddress[] | Error>((resolved) => {
      outwardLookup(isInward)(name, { all }, (error, address) => resolved(error ?? address))
    })

  it('that resolves to the local machine is refused', async () => {
    expect(await resolve('localhost', true)).toBeInstanceOf(Error)
    expect(await resolve('localhost', false)).toBeInstanceOf(Error)
  })

  it('that resolves to another machine yields its addresses', async () => {
    const [first] = (await resolve('localhost', true, nowhere)) as LookupAddress[]
    expect(first).toHaveProperty('family')
    expect(await resolve('localhost', false, nowhere)).toBe(first?.address)
  })

  it('that does not exist is an error', async () => {
    expect(await resolve('no-such-host.invalid', true)).toBeInstanceOf(Error)
  })
})
