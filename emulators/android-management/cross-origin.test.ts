import { describe, expect, it } from 'vitest'
import { isCrossOrigin } from './cross-origin.ts'
import { startAndroidManagement } from './index.ts'

const LOCAL = 'http://127.0.0.1:5490'
const isRefused = (host: string, origin?: string, url = LOCAL) =>
  isCrossOrigin({ headers: { host, ...(origin !== undefined && { origin }) } }, url)

describe('the control interface', () => {
  it.each([
    ['a program', '127.0.0.1:5490', undefined],
    ['a program that uses localhost', 'localhost:5490', undefined],
    ['a program over IPv6', '[::1]:5490', undefined],
    ['its own page', '127.0.0.1:5490', 'http://127.0.0.1:5490'],
  ])('accepts requests of %s', (_, host, origin) => {
    expect(isRefused(host, origin)).toBe(false)
  })

  it.each([
    ['another site', '127.0.0.1:5490', 'https://evil.example'],
    ['another port', '127.0.0.1:5490', 'http://127.0.0.1:8080'],
    ['a page with an opaque origin', '127.0.0.1:5490', 'null'],
    ['a site whose name resolves to this machine', 'evil.example:5490', 'http://evil.example:5490'],
    ['such a site without an origin', 'evil.example:5490', undefined],
    ['a client without a host header', '', undefined],
  ])('refuses requests of %s', (_, host, origin) => {
    expect(isRefused(host, origin)).toBe(true)
  })

  it('accepts any host name if it listens for other machines', () => {
    const anyAddress = 'http://0.0.0.0:5490'
    expect(isRefused('emulator:5490', undefined, anyAddress)).toBe(false)
    expect(isRefused('emulator:5490', 'https://evil.example', anyAddress)).toBe(true)
  })

  it('refuses a page of another site before it does anything', async () => {
    const emulator = await startAndroidManagement({ port: 0 })
    const before = emulator.control.truth().now
    const response = await fetch(`${emulator.url}/control/clock`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
      body: '{"advance_seconds":315360000}',
    })
    expect(response.status).toBe(403)
    expect(Date.parse(emulator.control.truth().now) - Date.parse(before)).toBeLessThan(60_000)
    await emulator.close()
  })
})
