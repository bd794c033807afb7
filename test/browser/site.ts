/**
 * A web site with the SDK and, on another origin, an emulator of the service that accepts its events as
 * the API does: no preflight needed, `{received, processed}`, 429 with `retry_after`.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { buildBrowserSdk } from '../../scripts/build-sdk.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { launchChromium } from './chromium.ts'

export type SentEvent = {
  type: string
  timestamp: string
  view?: { name: string; url: string; referrer?: string }
  action?: { type: string; target?: string }
  error?: { message: string; stack?: string; type?: string }
  resource?: { url: string; status?: number; duration_ms?: number; size_bytes?: number }
  vital?: { name: string; value: number; id: string }
  long_task?: { duration_ms: number }
  log?: { level: string; message: string }
}
export type Received = {
  method: string
  path: string
  key: string | null
  contentType: string | undefined
  /** `cors` for fetch, `no-cors` for a beacon. */
  fetchMode: string | undefined
  body: string
  session: string
  events: SentEvent[]
  status: number
}
/** Undefined closes the connection without a response. */
export type Answer = { status: number; content?: Record<string, unknown> } | undefined

export type Site = {
  url: (path: string) => string
  baseUrl: string
  /** Requests to the emulator in the order of arrival. */
  received: Received[]
  /** Events of the requests that were answered with 200. */
  events: (type?: string) => SentEvent[]
  answerWith: (answer: (request: Received) => Answer) => void
  reset: () => void
  close: () => Promise<void>
}

/** Provides a site and a browser for the tests of a `describe`. */
export function useSite(pages: Record<string, string>) {
  let opened: { site: Site; browser: Browser } | undefined
  beforeAll(async () => {
    opened = { site: await startSite(pages), browser: await launchChromium() }
  })
  beforeEach(() => opened?.site.reset())
  afterAll(async () => {
    await opened?.browser.close()
    await opened?.site.close()
  })
  const given = () => {
    if (!opened) throw new Error('the site exists only while tests run')
    return opened
  }
  return {
    site: () => given().site,
    browser: () => given().browser,
    sentEvents: (type?: string) => given().site.events(type),
  }
}

/** @param pages bodies by path; each loads the SDK, and the test calls `VigilRum.init` */
export async function startSite(pages: Record<string, string>): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'vigil-sdk-'))
  buildBrowserSdk(packageRoot(), folder)
  const script = readFileSync(join(folder, 'vigil-rum.js'), 'utf8')
  await rm(folder, { recursive: true })

  const received: Received[] = []
  const accept = (): Answer => ({ status: 200 })
  let answer: (request: Received) => Answer = accept
  const service = await listen((request, response) => {
    void read(request).then((it) => {
      const outcome = answer(it)
      it.status = outcome?.status ?? 0
      received.push(it)
      if (!outcome) return response.destroy()
      const content = {
        received: it.events.length,
        processed: it.events.length,
        ...outcome.content,
      }
      response.writeHead(outcome.status, {
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
      })
      return response.end(JSON.stringify({ success: outcome.status < 400, message: '', content }))
    })
  })
  const web = await listen(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site')
    if (pathname === '/vigil-rum.js') return response.end(script)
    const page = pages[pathname]
    response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html' })
    return response.end(
      `<!doctype html><link rel=icon href=data:,><script src=/vigil-rum.js></script><body>${page}`,
    )
  })
  const accepted = () => received.filter(({ status }) => status === 200)
  return {
    url: (path) => `${originOf(web)}${path}`,
    baseUrl: `${originOf(service)}/v1`,
    received,
    events: (type) =>
      accepted().flatMap(({ events }) =>
        events.filter((event) => type === undefined || event.type === type),
      ),
    answerWith: (next) => {
      answer = next
    },
    reset: () => {
      received.length = 0
      answer = accept
    },
    close: async () => {
      for (const server of [service, web]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service')
  const body = await text(request)
  const { session_id = '', events = [] } = (body === '' ? {} : JSON.parse(body)) as {
    session_id?: string
    events?: SentEvent[]
  }
  return {
    method: request.method ?? '',
    path: pathname,
    key: searchParams.get('api_key'),
    contentType: request.headers['content-type'],
    fetchMode: [request.headers['sec-fetch-mode']].flat()[0],
    body,
    session: session_id,
    events,
    status: 0,
  }
}

async function listen(handle: RequestListener): Promise<Server> {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`
