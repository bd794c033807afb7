/** A web site with a sign-up form and the device SDK. It records every request, to show that there are no others. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { buildDeviceSdk } from '../../scripts/build-sdk.ts'
import { packageRoot } from '../../src/platform/package-root.ts'

export type Collected = {
  fingerprint_hash?: string
  device: { fingerprint_hash?: string; signed_report?: string }
  behavior: Record<string, number>
}
export type ReportPayload = {
  id: string
  issued_at: number
  device: Record<string, unknown>
  behavior: Record<string, number>
}

export type DeviceSite = {
  origin: string
  /** Paths in the order in which they were requested. */
  requests: string[]
  close: () => Promise<void>
}

const FILES = ['vigil-device.mjs', 'vigil-device-signals.mjs']
const FORM = `<!doctype html><link rel=icon href=data:,><form><input name=email>
  <input name=name><input name=password type=password><button type=button>Sign up</button></form>`

export async function startDeviceSite(): Promise<DeviceSite> {
  const folder = await mkdtemp(join(tmpdir(), 'vigil-device-'))
  buildDeviceSdk(packageRoot(), folder)
  const files = new Map(FILES.map((name) => [`/${name}`, readFileSync(join(folder, name))]))
  await rm(folder, { recursive: true })
  const requests: string[] = []
  const server = createServer(({ url = '/' }, response) => {
    requests.push(url)
    const script = files.get(url)
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
    // Nothing but this origin, no evaluated text and no inline style.
    response.setHeader('Content-Security-Policy', "default-src 'self' data:")
    response.end(script ?? FORM)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** @param options members of the object for `init`, as script; the last of a name counts */
export async function openForm(
  context: BrowserContext,
  { origin }: DeviceSite,
  options = '',
): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${origin}/sign-up`)
  await page.evaluate(`import('/vigil-device.mjs').then(({ init }) => {
    self.device = init({ api_key: 'pk_test_browser1', ${options} })
  })`)
  return page
}

export const collect = async (page: Page): Promise<Collected> =>
  (await page.evaluate('device.collect()')) as Collected

export function payloadOf({ device }: Collected): ReportPayload {
  const [, payload = ''] = (device.signed_report ?? '').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as ReportPayload
}
