import { describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { isTemporary, serverName, untilReachable } from './reachable.ts'

const coded = (code: string) => Object.assign(new Error('refused'), { code })

describe('an unreachable server', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', '57P03', '53300'])(
    'with %s is temporary',
    (code) => {
      expect(isTemporary(coded(code))).toBe(true)
    },
  )

  it.each([
    ['a wrong password', '28P01'],
    ['a missing account', '28000'],
    ['a missing database', '3D000'],
    ['a refused startup parameter', '08P01'],
    ['an unknown certificate', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ])('with %s is not', (_, code) => {
    expect(isTemporary(coded(code))).toBe(false)
  })

  it('is no longer awaited after an abort', async () => {
    const stop = new AbortController()
    let attempts = 0
    const connect = () => {
      attempts += 1
      stop.abort()
      return Promise.reject(coded('ECONNREFUSED'))
    }
    const log = createLog('silent')
    const { signal } = stop
    const waiting = untilReachable(connect, { wait_seconds: 3600, server: 'db', log, signal })
    await expect(waiting).rejects.toThrow('refused')
    expect(attempts).toBe(1)
  })
})

describe('the name of a server', () => {
  it.each([
    ['postgres://vigil:secret@db.internal/shop', 'db.internal:5432/shop'],
    ['postgres://vigil:secret@[::1]:6432/shop', '[::1]:6432/shop'],
    ['postgres://vigil@localhost/shop?host=%2Frun%2Fpg&port=5433', '/run/pg:5433/shop'],
  ])('contains no password: %s', (url, name) => {
    expect(serverName(url)).toBe(name)
  })
})
