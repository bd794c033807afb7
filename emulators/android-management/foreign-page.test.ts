import { describe, expect, it } from 'vitest'
import { isFromForeignPage } from './foreign-page.ts'
import { startAndroidManagement } from './index.ts'

const LOCAL = 'http://127.0.0.1:5490'
const told = (host: string, origin?: string, url = LOCAL) =>
  isFromForeignPage({ headers: { host, ...(origin !== undefined && { origin }) } }, url)

describe('the control interface', () => {
  it.each([
    ['a program', '127.0.0.1:5490', undefined],
    ['a program that says localhost', 'localhost:5490', undefined],
    ['a program over IPv6', '[::1]:5490', undefined],
    ['its own page', '127.0.0.1:5490', 'http://127.0.0.1:5490'],
  ])('takes what comes from %s', (_, host, origin) => {
    expect(told(host, origin)).toBe(false)
  })

  it.each([
    ['another site', '127.0.0.1:5490', 'https://evil.example'],
    ['another port', '127.0.0.1:5490', 'http://127.0.0.1:8080'],
    ['a page without a place', '127.0.0.1:5490', 'null'],
    ['a site whose name leads here', 'evil.example:5490', 'http://evil.example:5490'],
    ['such a site, reading', 'evil.example:5490', undefined],
    ['nobody who says where to', '', undefined],
  ])('takes nothing from %s', (_, host, origin) => {
    expect(told(host, origin)).toBe(true)
  })

  it('is called by any name where it listens for other machines', () => {
    const everywhere = 'http://0.0.0.0:5490'
    expect(told('emulator:5490', undefined, everywhere)).toBe(false)
    expect(told('emulator:5490', 'https://evil.example', everywhere)).toBe(true)
  })

  it('refuses a page of another site before anything is done', async () => {
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
