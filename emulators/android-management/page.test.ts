import { Script } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import { script } from './page-script.ts'

let emulator: AndroidEmulator
let html: string

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  const response = await fetch(`${emulator.url}/`)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  html = await response.text()
})
afterAll(() => emulator.close())

describe('the page', () => {
  test('has no external resources', () => {
    expect(html).not.toMatch(/https?:\/\//)
    expect(html).not.toMatch(/<(script|img|iframe)[^>]+src=/)
    expect(html).not.toMatch(/<link[^>]+stylesheet/)
  })

  test('fits a narrow window', () => {
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  })

  test('offers the operations of the control interface on phones', () => {
    for (const path of [
      "'phones'",
      "'enterprises'",
      '/report',
      '/apply-policy',
      '/reset',
      '/violate',
      '/repair',
      '/acknowledge',
      '/fail',
      'is_silent',
      'is_automatic',
      'qr_content',
    ]) {
      expect(html).toContain(path)
    }
  })

  test('has a script that is valid and builds no HTML from text', () => {
    expect(() => new Script(script)).not.toThrow()
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  })
})
