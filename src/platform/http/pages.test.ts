import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import type { App } from './app.ts'
import { servePages } from './pages.ts'

const SCRIPT = 'console.log("a script")'
const DOCUMENT = '<!doctype html><title>pages</title>'

const outside = mkdtempSync(join(tmpdir(), 'vigil-pages-'))
const folder = join(outside, 'console')
mkdirSync(join(folder, 'assets', 'deeper'), { recursive: true })
writeFileSync(join(outside, 'secret.txt'), 'a secret')
writeFileSync(join(folder, 'index.html'), DOCUMENT)
writeFileSync(join(folder, 'theme.js'), SCRIPT)
writeFileSync(join(folder, 'assets', 'app-1a2b.js'), SCRIPT)
writeFileSync(join(folder, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT))
writeFileSync(join(folder, 'assets', '.hidden'), 'hidden')
afterAll(() => rmSync(outside, { recursive: true, force: true }))

async function serve(): Promise<App> {
  const app = createBareServer()
  await servePages(app, { prefix: '/console', folder })
  return app
}

type RequestOptions = { method?: 'GET' | 'HEAD'; headers?: Record<string, string> }

async function ask(url: string, { method = 'GET', headers = {} }: RequestOptions = {}) {
  const app = await serve()
  return await app.inject({ method, url, headers })
}

describe('the document', () => {
  it.each(['/console', '/console/', '/console/o/1/orders?a=1', '/console/assets', '/console/%ff'])(
    'is the answer to %s, and is never cached',
    async (url) => {
      const { statusCode, headers, body } = await ask(url)
      // A path that cannot be decoded is no path of a page either.
      if (url.endsWith('%ff')) return expect(statusCode).toBe(404)
      expect([statusCode, body]).toEqual([200, DOCUMENT])
      expect(headers['content-type']).toMatch(/^text\/html/)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    },
  )

  it('can be framed by the origins of its path, and other documents by none', async () => {
    const app = createBareServer()
    const framersOf = (path: string) =>
      Promise.resolve(path === 'framed' ? ['https://a.example', 'https://b.example'] : undefined)
    await servePages(app, { prefix: '/console', folder, framersOf })
    const framed = (await app.inject('/console/framed')).headers
    expect(framed['content-security-policy']).toMatch(
      /; frame-ancestors https:\/\/a\.example https:\/\/b\.example$/,
    )
    expect(framed['x-frame-options']).toBeUndefined()
    for (const url of ['/console', '/console/other', '/console/framed/deeper']) {
      const { headers } = await app.inject(url)
      expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/)
      expect(headers['x-frame-options']).toBe('DENY')
    }
  })

  it('can be requested without its body', async () => {
    for (const url of ['/console', '/console/o/1', '/console/assets/app-1a2b.js']) {
      const { statusCode, headers, body } = await ask(url, { method: 'HEAD' })
      expect([url, statusCode, body]).toEqual([url, 200, ''])
      expect(headers['content-security-policy']).toBeDefined()
    }
  })
})

describe('a file', () => {
  it('is immutable, and compressed for clients that accept it', async () => {
    const url = '/console/assets/app-1a2b.js'
    const plain = await ask(url)
    expect([plain.statusCode, plain.body]).toEqual([200, SCRIPT])
    const compressed = await ask(url, { headers: { 'accept-encoding': 'gzip' } })
    expect(compressed.headers['content-encoding']).toBe('gzip')
    for (const { headers } of [plain, compressed]) {
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(headers['content-type']).toMatch(/javascript/)
      expect(headers['vary']).toBe('accept-encoding')
    }
  })

  it('that does not exist is a 404, which is not cached', async () => {
    for (const name of [
      'app-old.js',
      'deeper',
      'deeper/',
      '',
      '.hidden',
      `${'x'.repeat(300)}.js`,
    ]) {
      const { statusCode, headers } = await ask(`/console/assets/${name}`)
      expect([name, statusCode, headers['cache-control']]).toEqual([name, 404, 'no-store'])
    }
  })

  it.each([
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console/assets/..%5c..%5csecret.txt',
    '/console/assets//etc/passwd',
    '/console/assets/deeper/..%2fapp-1a2b.js',
    '/console/assets/%00',
    '/console/assets/a%00.js',
    '/console/assets/%25ff',
  ])('is only served from the folder: %s', async (url) => {
    const { statusCode, body } = await ask(url)
    expect([statusCode, body.includes('secret')]).toEqual([404, false])
  })

  it('is sent as a whole, or not at all when it is cached or a precondition fails', async () => {
    const url = '/console/assets/app-1a2b.js'
    for (const range of ['bytes=0-3', 'bytes=9000-']) {
      const { statusCode, body } = await ask(url, { headers: { range } })
      expect([statusCode, body]).toEqual([200, SCRIPT])
    }
    const { headers } = await ask(url)
    const again = await ask(url, { headers: { 'if-none-match': String(headers['etag']) } })
    expect(again.statusCode).toBe(304)
    const other = await ask(url, { headers: { 'if-match': '"another"' } })
    expect(other.statusCode).toBe(400)
  })
})

it('pages do not exist when they were not built', async () => {
  const app = createBareServer()
  await servePages(app, { prefix: '/console', folder: join(folder, 'missing') })
  expect((await app.inject('/console')).statusCode).toBe(404)
})
